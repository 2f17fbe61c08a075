//! Test cases in the state folder: the original, and those that a person edited.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_testcase::{ContentHash, SourceFile, TestCase};

use crate::error::StateError;

/// Name of the folder with the test cases that a person edited.
const EDITS: &str = "edits";

/// Writes a test case to a folder of its own, in the place of what was there.
pub(crate) fn store(case: &TestCase, folder: &Path) -> Result<(), StateError> {
    clreduce_files::remove_tree(folder).map_err(|error| StateError::io("remove", folder, error))?;
    for file in case.files() {
        let path = folder.join(&*file.path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| StateError::io("create", parent, error))?;
        clreduce_files::write(&path, &file.bytes)
            .map_err(|error| StateError::io("write", &path, error))?;
    }
    sync_folders(folder);
    Ok(())
}

/// The folder of a test case that a person edited.
pub(crate) fn edit_folder(directory: &Path, hash: &ContentHash) -> PathBuf {
    directory.join(EDITS).join(hash.to_string())
}

/// Removes the test cases that a person edited in an earlier reduction.
pub(crate) fn forget_edits(directory: &Path) -> Result<(), StateError> {
    let edits = directory.join(EDITS);
    clreduce_files::remove_tree(&edits).map_err(|error| StateError::io("remove", &edits, error))
}

/// A test case that a person edited, from a state folder.
pub(crate) fn read_edit(directory: &Path, hash: &ContentHash) -> Result<TestCase, StateError> {
    let folder = edit_folder(directory, hash);
    read_case(&folder)?.filter(|case| case.hash() == *hash).ok_or(StateError::Unreadable(folder))
}

/// The test case in a folder that [`store`] wrote; `None` where there is none.
pub(crate) fn read_case(folder: &Path) -> Result<Option<TestCase>, StateError> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries = fs::read_dir(&directory)
            .and_then(Iterator::collect::<io::Result<Vec<_>>>)
            .map_err(|error| StateError::io("read", &directory, error))?;
        for path in entries.into_iter().map(|entry| entry.path()) {
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let bytes = fs::read(&path).map_err(|e| StateError::io("read", &path, e))?;
            files.push(SourceFile { path: relative(folder, &path).into(), bytes: bytes.into() });
        }
    }
    Ok(TestCase::new(files).ok())
}

/// Has the names of all folders below a folder written to the disk, and its own.
fn sync_folders(folder: &Path) {
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        clreduce_files::sync_folder(&folder);
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        pending.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
}

/// The path of a file below a folder, with `/` between its parts.
fn relative(folder: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(folder).unwrap_or(path).iter();
    parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}
