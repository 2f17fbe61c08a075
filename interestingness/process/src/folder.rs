//! The folder of one task: a directory for its files, and one for temporary files beside it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clreduce_testcase::TestCase;

use super::sharing::when_free;

/// Bytes of a log that are read.
const LOG_BYTES: u64 = 4096;

/// Bytes of text files that are read.
const MOST_TEXT: u64 = 8 << 20;

/// The folder in which one task runs. It is removed by [`RunFolder::remove`], not on drop: the code that kills the
/// processes decides when.
#[derive(Debug)]
pub struct RunFolder {
    root: PathBuf,
    /// Holds the files of the task and nothing else, and is its working directory.
    pub variant: PathBuf,
    /// `TMPDIR` of the test.
    pub temporary: PathBuf,
}

/// Something that a task found missing, or removed itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The whole folder. A task removes files and directories of its own, but not what is above them.
    Folder,
    /// A file of the variant.
    File,
}

impl RunFolder {
    /// The directories of task `number` under `directory`; creates nothing.
    pub(crate) fn of(directory: &Path, number: u64) -> Self {
        let root = directory.join(number.to_string());
        let (variant, temporary) = (root.join("variant"), root.join("tmp"));
        Self { root, variant, temporary }
    }

    /// The directory that holds both.
    #[cfg(target_os = "linux")]
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Creates both directories and writes the variant's files.
    pub(crate) fn fill(&self, variant: &TestCase) -> io::Result<()> {
        fs::create_dir(&self.root)?;
        fs::create_dir(&self.variant)?;
        fs::create_dir(&self.temporary)?;
        for file in variant.files() {
            let path = self.variant.join(file.path.as_ref());
            if file.path.contains('/')
                && let Some(parent) = path.parent()
            {
                fs::create_dir_all(parent)?;
            }
            fs::File::create_new(path)?.write_all(&file.bytes)?;
        }
        Ok(())
    }

    /// Environment variables that lead the test's temporary files into this place.
    pub(crate) fn environment(&self) -> [(&'static str, &Path); 3] {
        ["TMPDIR", "TMP", "TEMP"].map(|name| (name, self.temporary.as_path()))
    }

    /// Disk space that the test occupies, in bytes; stops counting once it is more than `enough`.
    pub(crate) fn disk_usage(&self, enough: u64) -> u64 {
        let mut total = 0;
        let mut pending = vec![self.root.clone()];
        while let Some(directory) = pending.pop() {
            // An entry that cannot be read, or has gone meanwhile, counts as nothing.
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let Ok(metadata) = entry.metadata() else { continue };
                // Every entry costs something, or a million empty files would be free.
                total += allocated(&metadata).max(512);
                if total > enough {
                    return total;
                }
                if metadata.is_dir() {
                    pending.push(entry.path());
                }
            }
        }
        total
    }

    /// The entries that the folder lacks after a task.
    pub(crate) fn lost(&self, variant: &TestCase) -> Option<Lost> {
        let is_there = |path: &str| fs::symlink_metadata(self.variant.join(path)).is_ok();
        if !self.root.is_dir() {
            return Some(Lost::Folder);
        }
        let is_whole = variant.files().iter().all(|file| is_there(&file.path));
        (!is_whole).then_some(Lost::File)
    }

    /// Paths of the variant's files that are no longer what was written.
    #[must_use]
    pub fn modified(&self, variant: &TestCase) -> Vec<String> {
        let intact = |path: &str, bytes: &[u8]| {
            let path = self.variant.join(path);
            // The length first: a file may claim to be longer than the memory.
            let may_be =
                |metadata: fs::Metadata| metadata.is_file() && metadata.len() == bytes.len() as u64;
            fs::symlink_metadata(&path).is_ok_and(may_be)
                && fs::read(&path).is_ok_and(|now| now == bytes)
        };
        let files = variant.files().iter();
        files.filter(|file| !intact(&file.path, &file.bytes)).map(|f| f.path.to_string()).collect()
    }

    /// Names directly in the variant's directory that the variant did not put there.
    #[must_use]
    pub fn added(&self, variant: &TestCase) -> Vec<OsString> {
        let ours = |name: &OsString| {
            let first = |file: &str| file.split('/').next().is_some_and(|part| name == part);
            variant.files().iter().any(|file| first(&file.path))
        };
        let entries = fs::read_dir(&self.variant).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|e| e.file_name()).filter(|n| !ours(n)).collect();
        names.sort();
        names
    }

    /// The newest text file that the task wrote beside the variant's files, and its last bytes; `None` if there is none.
    #[must_use]
    pub fn newest_log(&self, variant: &TestCase) -> Option<(String, Vec<u8>)> {
        let logs = self.added(variant).into_iter().filter_map(|name| {
            let path = self.variant.join(&name);
            let metadata = fs::symlink_metadata(&path).ok()?;
            let is_file = metadata.is_file() && metadata.len() > 0;
            is_file.then_some((metadata.modified().ok()?, name, path))
        });
        let mut logs: Vec<_> = logs.collect();
        logs.sort();
        logs.into_iter().rev().find_map(|(_, name, path)| {
            let bytes = last_bytes(&path, LOG_BYTES).ok()?;
            (!bytes.contains(&0)).then(|| (name.to_string_lossy().into_owned(), bytes))
        })
    }

    /// The text files that the task wrote beside the variant's files, in the order of their names; of each and of all of
    /// them no more than a few megabytes.
    #[must_use]
    pub fn texts(&self, variant: &TestCase) -> Vec<Vec<u8>> {
        let mut left = MOST_TEXT;
        let read = |name: OsString| {
            let path = self.variant.join(name);
            // Not a pipe, nor a link to something elsewhere.
            let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
            if !is_file || left == 0 {
                return None;
            }
            let mut bytes = Vec::new();
            fs::File::open(path).ok()?.take(left).read_to_end(&mut bytes).ok()?;
            if bytes.contains(&0) {
                return None;
            }
            left -= bytes.len() as u64;
            Some(bytes)
        };
        self.added(variant).into_iter().filter_map(read).collect()
    }

    /// Moves both directories below `folder`, under a name that no other task of the same launcher has.
    ///
    /// # Errors
    /// When the system cannot, for example because `folder` is on another file system.
    pub fn move_to(&self, folder: &Path) -> io::Result<()> {
        let mut name = OsString::new();
        let (slot, number) = (self.root.parent().and_then(Path::file_name), self.root.file_name());
        for part in slot.into_iter().chain(number) {
            name.push(if name.is_empty() { "test-" } else { "-" });
            name.push(part);
        }
        let to = folder.join(name);
        when_free(|| fs::rename(&self.root, &to))
    }

    /// Removes both directories with everything in them.
    pub(crate) fn remove(&self) -> io::Result<()> {
        remove_tree(&self.root)
    }
}

/// The end of a file.
fn last_bytes(path: &Path, count: u64) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(count)))?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn allocated(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.blocks() * 512
}

#[cfg(not(unix))]
fn allocated(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}

/// Removes a directory and its content, also where a test took away the permissions needed, or nested directories deeper
/// than there may be open files. A directory that is not there is success.
pub(crate) fn remove_tree(root: &Path) -> io::Result<()> {
    match fs::remove_dir_all(root) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {}
        _ => return Ok(()),
    }
    let mut pending = vec![root.to_owned()];
    let mut moved = 0_u64;
    while let Some(directory) = pending.pop() {
        unlock(&directory);
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                // Directories below longer paths are moved up before they are removed.
                let is_deep = path.as_os_str().len() > root.as_os_str().len() + 400;
                let up = root.join(format!("clreduce-deep-{moved}"));
                // A directory can be moved only by who may write in it.
                unlock(&path);
                let is_up = is_deep && fs::rename(&path, &up).is_ok();
                moved += u64::from(is_up);
                pending.push(if is_up { up } else { path });
            } else if cfg!(windows) {
                unlock(&path);
            }
        }
    }
    match when_free(|| fs::remove_dir_all(root)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes it possible to remove the entries of a directory (Unix) or the file itself (Windows).
fn unlock(path: &Path) {
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    #[cfg(not(unix))]
    let permissions = {
        let Ok(metadata) = fs::symlink_metadata(path) else { return };
        let mut permissions = metadata.permissions();
        // World-writable on Unix only, which this is not.
        #[allow(clippy::permissions_set_readonly_false)]
        permissions.set_readonly(false);
        permissions
    };
    // Where this fails, the removal that follows says so.
    let _ = fs::set_permissions(path, permissions);
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::SourceFile;

    use super::*;

    fn two_files() -> TestCase {
        let file = |path: &str| SourceFile { path: path.into(), bytes: b"x\n".as_slice().into() };
        TestCase::new(vec![file("a.c"), file("inc/b.h")]).unwrap()
    }

    #[test]
    fn sees_what_changed() {
        let base = tempfile::tempdir().unwrap();
        let (place, variant) = (RunFolder::of(base.path(), 7), two_files());
        place.fill(&variant).unwrap();
        assert!(place.modified(&variant).is_empty() && place.added(&variant).is_empty());
        fs::write(place.variant.join("a.c"), b"y\n").unwrap();
        fs::write(place.variant.join("a.out"), b"").unwrap();
        fs::remove_file(place.variant.join("inc/b.h")).unwrap();
        assert_eq!(place.modified(&variant), ["a.c", "inc/b.h"]);
        assert_eq!(place.added(&variant), ["a.out"]);
        fs::write(place.temporary.join("big"), vec![1; 1 << 20]).unwrap();
        assert!(place.disk_usage(u64::MAX) >= 1 << 20);
        place.remove().unwrap();
        place.remove().unwrap();
        assert!(fs::read_dir(base.path()).unwrap().next().is_none());
    }

    #[test]
    fn reads_texts_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        let (place, variant) = (RunFolder::of(base.path(), 7), two_files());
        place.fill(&variant).unwrap();
        for (name, bytes) in [("b.log", b"b".as_slice()), ("a.log", b"a"), ("a.out", b"x\0")] {
            fs::write(place.variant.join(name), bytes).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("b.log", place.variant.join("link")).unwrap();
        assert_eq!(place.texts(&variant), [b"a", b"b"]);
        fs::write(place.variant.join("a.log"), vec![b'a'; MOST_TEXT as usize + 1]).unwrap();
        assert_eq!(place.texts(&variant).iter().map(Vec::len).sum::<usize>() as u64, MOST_TEXT);
    }

    #[test]
    fn finds_the_log_of_the_last_command() {
        let base = tempfile::tempdir().unwrap();
        let (place, variant) = (RunFolder::of(base.path(), 7), two_files());
        place.fill(&variant).unwrap();
        assert_eq!(place.newest_log(&variant), None);
        let write = |name: &str, bytes: &[u8], seconds| {
            fs::write(place.variant.join(name), bytes).unwrap();
            let file = fs::File::options().append(true).open(place.variant.join(name)).unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.set_modified(time).unwrap();
        };
        let long = vec![b'x'; 2 * LOG_BYTES as usize];
        write("old.log", b"old", 10);
        write("new.log", &long, 20);
        write("a.out", b"\x7fELF\0", 30);
        write("empty.log", b"", 40);
        let (name, bytes) = place.newest_log(&variant).unwrap();
        assert_eq!((name.as_str(), bytes.len() as u64), ("new.log", LOG_BYTES));
    }

    #[cfg(unix)]
    #[test]
    fn removes_what_is_nested_deeply() {
        let base = tempfile::tempdir().unwrap();
        let name = "d".repeat(200);
        // Each directory is made at the top and moved into the next, because no path leads to the innermost.
        let root = base.path().join(&name);
        fs::create_dir(&root).unwrap();
        for _ in 0..1500 {
            let outer = base.path().join("outer");
            fs::create_dir(&outer).unwrap();
            fs::rename(&root, outer.join(&name)).unwrap();
            fs::rename(&outer, &root).unwrap();
        }
        remove_tree(&root).unwrap();
        assert!(!root.exists());
    }

    #[test]
    fn a_file_that_claims_to_be_huge_is_not_read() {
        let base = tempfile::tempdir().unwrap();
        let (place, variant) = (RunFolder::of(base.path(), 7), two_files());
        place.fill(&variant).unwrap();
        let file = fs::File::options().write(true).open(place.variant.join("a.c")).unwrap();
        file.set_len(1 << 40).unwrap();
        assert_eq!(place.modified(&variant), ["a.c"]);
    }

    #[cfg(unix)]
    #[test]
    fn removes_what_was_locked() {
        use std::os::unix::fs::PermissionsExt;
        let base = tempfile::tempdir().unwrap();
        let inner = base.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("f"), b"").unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o000)).unwrap();
        remove_tree(&base.path().join("a")).unwrap();
        assert!(!base.path().join("a").exists());
    }
}
