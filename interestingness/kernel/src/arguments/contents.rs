//! Descriptions of arguments with the contents of the files that they name.

use std::fs;
use std::io;
use std::path::Path;

use toml::{Table, Value};

/// Reads a file `KERNEL.args.toml`. In the place of each `content = "data.bin"` stand the bytes of that file, which lies beside it.
///
/// # Errors
/// When one of the files cannot be read; the message names it.
pub fn read_description(path: &Path) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    // What is wrong with the text is found where it is read.
    let Ok(mut document) = toml::from_str::<Table>(&text) else { return Ok(text) };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut has_contents = put_contents(&mut document, folder)?;
    if let Some(Value::Array(launches)) = document.get_mut("launch") {
        for launch in launches {
            if let Value::Table(launch) = launch {
                has_contents |= put_contents(launch, folder)?;
            }
        }
    }
    if !has_contents {
        return Ok(text);
    }
    toml::to_string(&document).map_err(io::Error::other)
}

/// Replaces the names of files in the arguments of a launch. Returns whether there are any.
fn put_contents(launch: &mut Table, folder: &Path) -> io::Result<bool> {
    let mut has_contents = false;
    let Some(Value::Array(arguments)) = launch.get_mut("argument") else { return Ok(false) };
    for argument in arguments {
        let Value::Table(argument) = argument else { continue };
        let Some(Value::String(name)) = argument.get("content") else { continue };
        let file = folder.join(name);
        let bytes = fs::read(&file).map_err(|error| {
            io::Error::new(error.kind(), format!("`{}`: {error}", file.display()))
        })?;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        argument.remove("content");
        argument.insert("bytes".to_owned(), Value::String(digits));
        has_contents = true;
    }
    Ok(has_contents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Argument, plan};

    #[test]
    fn contents_come_from_files_beside_the_description() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.args.toml");
        let text = "[[launch]]\nkernel = \"k\"\nglobal = [1]\n[[launch.argument]]\nbuffer = \"short\"\nelements = 3\n\
            content = \"data.bin\"\n";
        fs::write(&path, text).unwrap();
        let error = read_description(&path).unwrap_err().to_string();
        assert!(error.contains("data.bin"), "{error}");
        fs::write(folder.path().join("data.bin"), [1, 0, 2, 0]).unwrap();
        let read = read_description(&path).unwrap();
        let launch =
            plan(b"kernel void k(global short *a) {}", Some(&read)).unwrap().launches.remove(0);
        let Argument::Buffer { element, fill, .. } = &launch.arguments[0] else { panic!("{read}") };
        assert_eq!(fill.content(*element, 3), [1, 0, 2, 0, 1, 0]);
    }
}
