//! Files in OUT: whole or not there.

use std::fs;
use std::io;
use std::path::Path;

use clreduce_testcase::{TestCase, printable_json};
use serde::Serialize;

/// Replaces a file by one rename, when its new content is safely on disk.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    clreduce_files::replace_with(path, |file| file.write_all(bytes))
}

/// Replaces a file by a value in JSON.
pub(crate) fn replace_by_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string_pretty(value)?;
    replace(path, printable_json(&json).as_bytes())
}

/// Makes a folder hold a test case and nothing else. A run that is killed in the middle of it does it again.
pub(crate) fn put(case: &TestCase, folder: &Path) -> io::Result<()> {
    let new = folder.with_extension("new");
    clreduce_files::remove_tree(&new)?;
    for file in case.files() {
        let path = new.join(&*file.path);
        fs::create_dir_all(path.parent().unwrap_or(&new))?;
        fs::write(path, &file.bytes)?;
    }
    fs::create_dir_all(&new)?;
    clreduce_files::remove_tree(folder)?;
    clreduce_files::rename(&new, folder)
}
