//! The files of a program as they come from the caller.

use std::ffi::CStr;
use std::str::Utf8Error;

use clreduce::{InvalidTestCase, SourceFile, TestCase};
use thiserror::Error;

use super::ClreduceFile;

/// The reason why files are no program.
#[derive(Debug, Error)]
pub(super) enum InputError {
    #[error("the path or the content of a file is null")]
    Null,
    #[error("the path of a file is not UTF-8: {0}")]
    Path(#[from] Utf8Error),
    #[error(transparent)]
    Program(#[from] InvalidTestCase),
}

/// Reads the files of a program.
///
/// # Safety
/// As for `clreduce_reduce_files`, but pointers may be null.
pub(super) unsafe fn read(files: &[ClreduceFile]) -> Result<TestCase, InputError> {
    let mut read = Vec::new();
    for file in files {
        if file.path.is_null() || file.bytes.is_null() {
            return Err(InputError::Null);
        }
        // SAFETY: neither is null, and the caller promises that they point to what they should.
        let (path, bytes) = unsafe {
            (CStr::from_ptr(file.path), std::slice::from_raw_parts(file.bytes, file.length))
        };
        let path = path.to_str()?;
        read.push(SourceFile { path: path.into(), bytes: bytes.into() });
    }
    Ok(TestCase::new(read)?)
}
