//! The folder beside the test case that a reduction keeps its state in.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clreduce_testcase::TestCase;

use crate::error::StateError;
use crate::file::{Contents, Journal};
use crate::header::{Facts, JournalHeader};
use crate::stored::{forget_edits, read_case, store};

/// Name of the journal in the folder.
pub(crate) const JOURNAL: &str = "journal";
/// Name of the folder with the original.
const ORIGINAL: &str = "original";

/// How long a locked folder is waited for: a process that a killed run was about to start holds a copy of the lock for a moment.
const PATIENCE: Duration = Duration::from_secs(1);
const LOOKS: u32 = 20;

/// A state folder, held by this run alone as long as the value lives.
#[derive(Debug)]
pub struct StateFolder {
    directory: PathBuf,
    _lock: FolderLock,
}

/// A file that is locked. The system unlocks it when the process is killed, too.
#[derive(Debug)]
struct FolderLock(File);

impl Drop for FolderLock {
    /// Closing the file is not enough: a process that another thread starts holds a copy of it for a moment.
    fn drop(&mut self) {
        // If this fails, the system unlocks the file when its last copy is closed.
        let _ = self.0.unlock();
    }
}

impl StateFolder {
    /// Opens the folder, makes it where it is missing, and locks it.
    ///
    /// # Errors
    /// When another run holds it, something else is in its place, or the system refuses.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, StateError> {
        let directory = directory.into();
        if let Some(path) = foreign(&directory) {
            return Err(StateError::Foreign(path));
        }
        make_private(&directory).map_err(|e| StateError::io("create", &directory, e))?;
        let path = directory.join("lock");
        let opened = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = opened.map_err(|error| StateError::io("open", &path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { directory, _lock: FolderLock(lock) }),
            Err(TryLockError::WouldBlock) => Err(StateError::Locked(directory)),
            Err(TryLockError::Error(error)) => Err(StateError::io("lock", &path, error)),
        }
    }

    /// The same, but waits a moment for a lock: a child of a run that was killed may hold it a little longer.
    ///
    /// # Errors
    /// The same as for [`open`](Self::open).
    pub fn open_soon(directory: impl Into<PathBuf>) -> Result<Self, StateError> {
        let directory = directory.into();
        for _ in 1..LOOKS {
            match Self::open(&directory) {
                Err(StateError::Locked(_)) => thread::sleep(PATIENCE / LOOKS),
                opened => return opened,
            }
        }
        Self::open(directory)
    }

    /// The path of the folder.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The original of an unfinished reduction, with which resuming begins. `None` if no reduction is unfinished.
    ///
    /// # Errors
    /// When the journal or the original cannot be read.
    pub fn unfinished(&self) -> Result<Option<TestCase>, StateError> {
        match Contents::read(&self.journal_path())? {
            Some(contents) if !contents.finished => {
                read_original(&self.directory, &contents.header).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The facts that the verdicts of an unfinished reduction depend on. `None` if no reduction is unfinished.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn unfinished_facts(&self) -> Result<Option<Facts>, StateError> {
        let contents = Contents::read(&self.journal_path())?;
        Ok(contents.filter(|contents| !contents.finished).map(|contents| contents.header.facts))
    }

    /// Removes the journal of an earlier reduction, if there is one.
    ///
    /// # Errors
    /// When its journal cannot be removed.
    pub fn discard(&self) -> Result<(), StateError> {
        let path = self.journal_path();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StateError::io("remove", &path, error))
            }
            _ => Ok(()),
        }
    }

    /// Opens the journal of an unfinished reduction and returns it with its header. `None` means that there is none.
    ///
    /// # Errors
    /// When the journal cannot be read, or its verdicts depended on something other than `expected` says.
    pub fn resume(
        &self,
        expected: &JournalHeader,
    ) -> Result<Option<(Journal, JournalHeader)>, StateError> {
        Journal::resume(self.journal_path(), expected)
    }

    /// Creates a journal. The original is stored first, since a journal without it is worthless.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn begin(
        &self,
        original: &TestCase,
        header: &JournalHeader,
    ) -> Result<Journal, StateError> {
        self.discard()?;
        forget_edits(&self.directory)?;
        store(original, &self.directory.join(ORIGINAL))?;
        let journal = Journal::create(self.journal_path(), header)?;
        clreduce_files::sync_folder(self.directory.parent().unwrap_or(&self.directory));
        Ok(journal)
    }

    fn journal_path(&self) -> PathBuf {
        self.directory.join(JOURNAL)
    }
}

/// Reads the original from a state folder. It is an error if it is not the one that the header names by its hash.
pub(crate) fn read_original(
    directory: &Path,
    header: &JournalHeader,
) -> Result<TestCase, StateError> {
    let folder = directory.join(ORIGINAL);
    let original = read_case(&folder)?;
    original
        .filter(|original| header.original() == Some(original.hash()))
        .ok_or(StateError::Unreadable(folder))
}

/// The first thing in the place of a folder or in it that is neither a folder nor a file. A link leads elsewhere, and a process
/// that opens a pipe waits for ever.
pub(crate) fn foreign(folder: &Path) -> Option<PathBuf> {
    // A missing folder will be made.
    let is_folder = fs::symlink_metadata(folder).map_or(true, |found| found.is_dir());
    let mut pending = vec![folder.to_owned()];
    if !is_folder {
        return pending.pop();
    }
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => pending.push(entry.path()),
                Ok(kind) if !kind.is_file() => return Some(entry.path()),
                // The one that reads the file reports the error.
                _ => {}
            }
        }
    }
    None
}

/// Makes a folder that only its owner can enter: it holds copies of files that may be private.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_even_while_a_copy_of_it_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::create(folder.path().join("lock")).unwrap();
        let lock = open();
        lock.try_lock().unwrap();
        let _copy = lock.try_clone().unwrap();
        assert!(open().try_lock().is_err());
        drop(FolderLock(lock));
        open().try_lock().unwrap();
    }

    #[test]
    fn a_lock_that_is_held_for_a_moment_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let held = StateFolder::open(folder.path()).unwrap();
        thread::scope(|scope| {
            let opened = scope.spawn(|| StateFolder::open_soon(folder.path()).map(drop));
            thread::sleep(PATIENCE / LOOKS);
            drop(held);
            opened.join().unwrap().unwrap();
        });
        let _held = StateFolder::open(folder.path()).unwrap();
        assert!(matches!(StateFolder::open(folder.path()), Err(StateError::Locked(_))));
    }
}
