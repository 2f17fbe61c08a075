//! Files in OUT: whole or not there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use clreduce_interestingness::when_free;
use clreduce_testcase::TestCase;

/// Replaces a file by one rename, when its new content is safely on disk.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    when_free(|| fs::rename(&new, path))
}

/// Makes a folder hold a test case and nothing else. Whoever is killed in the middle of it does it
/// again.
pub fn put(case: &TestCase, folder: &Path) -> io::Result<()> {
    let new = folder.with_extension("new");
    remove(&new)?;
    for file in case.files() {
        let path = new.join(&*file.path);
        fs::create_dir_all(path.parent().unwrap_or(&new))?;
        fs::write(path, &file.bytes)?;
    }
    fs::create_dir_all(&new)?;
    remove(folder)?;
    when_free(|| fs::rename(&new, folder))
}

/// Removes a folder, if it is there.
pub fn remove(folder: &Path) -> io::Result<()> {
    match when_free(|| fs::remove_dir_all(folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
