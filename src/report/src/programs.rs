//! Reading the programs that a report is about.

use std::fs;
use std::path::Path;

use clreduce_testcase::{SourceFile, TestCase};

use crate::ReportError;

/// Folder with the result, in the folder of a case.
const RESULT: &str = "reduced";

/// Reads the result of a case, or the best version so far. There is none until something has been removed.
///
/// # Errors
/// When a file cannot be read.
pub fn read_result(folder: &Path) -> Result<Option<TestCase>, ReportError> {
    read_program(&folder.join(RESULT))
}

/// Reads a folder or a single file as a test case. A path where nothing lies, and a folder without files, give `None`.
///
/// # Errors
/// When a file cannot be read, or the files do not make a test case.
pub fn read_program(path: &Path) -> Result<Option<TestCase>, ReportError> {
    let mut files = Vec::new();
    let mut pending = vec![path.to_owned()];
    while let Some(at) = pending.pop() {
        let failed = ReportError::read(&at);
        if at.is_dir() {
            for entry in fs::read_dir(&at).map_err(&failed)? {
                pending.push(entry.map_err(&failed)?.path());
            }
        } else if at.exists() {
            let below = at.strip_prefix(path).ok().filter(|below| !below.as_os_str().is_empty());
            let name = below.unwrap_or_else(|| Path::new(at.file_name().unwrap_or_default()));
            let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            let bytes = fs::read(&at).map_err(failed)?.into();
            files.push(SourceFile { path: parts.join("/").into(), bytes });
        }
    }
    if files.is_empty() {
        return Ok(None);
    }
    let case = TestCase::new(files);
    case.map(Some).map_err(|source| ReportError::Program { path: path.to_owned(), source })
}
