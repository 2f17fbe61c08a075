//! The right result of a kernel, in the file `KERNEL.expected` beside it: a line for each buffer, as `clreduce run`
//! prints it. `clreduce generate` writes such files.

use std::fs;
use std::path::{Path, PathBuf};

use clreduce_kernel::Output;

use crate::failure::RunError;

/// The file for the right result of a kernel.
pub(crate) fn beside(kernel: &Path) -> PathBuf {
    kernel.with_extension("expected")
}

/// Reads the right result of a kernel, if there is a file for it.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn read(kernel: &Path) -> Result<Option<String>, RunError> {
    let path = beside(kernel);
    if path == kernel || !path.is_file() {
        return Ok(None);
    }
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(source) => Err(RunError::Read { path, source }),
    }
}

/// Says where a result differs from the right one; `None` if it does not.
pub(crate) fn difference(expected: &str, outputs: &[Output]) -> Option<String> {
    let found: Vec<String> = outputs
        .iter()
        .map(|output| match output.printed() {
            Some(text) => String::from_utf8_lossy(text).trim_end().to_owned(),
            None => output.show(),
        })
        .collect();
    let lines: Vec<&str> = expected.trim_end().lines().map(str::trim_end).collect();
    if found == lines {
        return None;
    }
    let numbers = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    for (index, (found, expected)) in found.iter().zip(&lines).enumerate() {
        let (found, expected) = (numbers(found), numbers(expected));
        let different = found.iter().zip(&expected).position(|(a, b)| a != b);
        if let (Some(at), true) = (different, found.len() == expected.len()) {
            let name = &outputs[index].name;
            let count = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
            return Some(format!(
                "`{name}[{at}]` is {}, and {} is expected; {count} of {} differ",
                found[at],
                expected[at],
                found.len() - 1
            ));
        }
    }
    Some("the result has another size than the expected one".to_owned())
}

#[cfg(test)]
mod tests {
    use clreduce_kernel::Scalar;

    use super::*;

    fn output(values: &[u64]) -> Vec<Output> {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let (kernel, name) = ("entry".to_owned(), "result".to_owned());
        vec![Output { kernel, name, scalar: Scalar::Ulong, bytes }]
    }

    #[test]
    fn the_first_difference_is_named() {
        let right = "0x1,0,0xff,\n";
        assert_eq!(difference(right, &output(&[1, 0, 255])), None);
        let wrong = difference(right, &output(&[1, 2, 3])).unwrap();
        assert_eq!(wrong, "`result[1]` is 0x2, and 0 is expected; 2 of 3 differ");
        assert!(difference(right, &output(&[1])).unwrap().contains("another size"));
    }
}
