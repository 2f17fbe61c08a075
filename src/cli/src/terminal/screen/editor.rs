//! The user's editor, on the program as it is now.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

use clreduce_testcase::{SourceFile, TestCase};

/// The editor where neither `VISUAL` nor `EDITOR` names one.
const EDITOR: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// Has the user edit a copy of the program. `None` where nothing was changed.
///
/// # Errors
/// When the program has several files, or the editor fails.
pub(super) fn edited(program: &TestCase) -> io::Result<Option<TestCase>> {
    let [file] = program.files() else {
        return Err(io::Error::other(
            "there are several files; stop, edit them, and run the same command",
        ));
    };
    let folder = tempfile::Builder::new().prefix("clreduce-edit-").tempdir()?;
    let path = folder.path().join(Path::new(&*file.path).file_name().unwrap_or(OsStr::new("file")));
    fs::write(&path, &file.bytes)?;
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| env::var(name).ok());
    let named = named.into_iter().find(|line| !line.trim().is_empty());
    let line = named.unwrap_or_else(|| EDITOR.to_owned());
    let mut words = line.split_whitespace();
    let mut editor = Command::new(words.next().unwrap_or(EDITOR));
    let status = editor.args(words).arg(&path).status()?;
    if !status.success() {
        return Err(io::Error::other(format!("`{line}` ended with {status}")));
    }
    let bytes = fs::read(&path)?.into();
    let edited = SourceFile { path: file.path.clone(), bytes };
    let edited = TestCase::new(vec![edited]).map_err(io::Error::other)?;
    let edited = edited.in_language(Some(program.language()));
    Ok(Some(edited).filter(|edited| edited != program))
}
