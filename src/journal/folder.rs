//! The folder beside the test case that a reduction keeps its state in.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use clreduce_testcase::{SourceFile, TestCase};
use thiserror::Error;

use super::file::{Contents, Facts, Header, Journal};

/// Why the state of a reduction cannot be used.
#[derive(Debug, Error)]
pub enum StateError {
    /// The system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another run works in this folder.
    #[error("another run of clreduce is reducing this test case (it holds {})", .0.display())]
    Locked(PathBuf),
    /// The journal belongs to another conversation.
    #[error(
        "{} is the journal of an unfinished reduction, but since then this has changed: {what}; \
         undo that to go on with it, or give --fresh to start anew from the current file",
        journal.display()
    )]
    Changed {
        /// The journal.
        journal: PathBuf,
        /// What has changed, in words.
        what: String,
    },
    /// The file is none of the versions that the journal knows.
    #[error(
        "`{path}` was changed by somebody else since the reduction was interrupted; \
         put it back, or give --fresh to start anew from what it is now"
    )]
    FileChanged {
        /// Path of the file inside the test case.
        path: String,
    },
    /// The conversation went another way than the journal says.
    #[error(
        "{} does not fit what this build of clreduce asks; give --fresh to start anew from the \
         current file", .0.display()
    )]
    Diverged(PathBuf),
    /// The journal or the stored original was written by something else, or damaged.
    #[error("{} cannot be used; give --fresh to start anew from the current file", .0.display())]
    Unreadable(PathBuf),
}

impl StateError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}

/// A state folder, held by this run alone as long as the value lives.
#[derive(Debug)]
pub struct StateFolder {
    directory: PathBuf,
    /// Locked until it is closed; the system does that for a process that was killed as well.
    _lock: File,
}

impl StateFolder {
    /// Opens the folder, makes it where it is missing, and locks it.
    ///
    /// # Errors
    /// When another run holds it, or the system refuses.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, StateError> {
        let directory = directory.into();
        fs::create_dir_all(&directory).map_err(|e| StateError::io("create", &directory, e))?;
        let path = directory.join("lock");
        let opened = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = opened.map_err(|error| StateError::io("open", &path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { directory, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StateError::Locked(directory)),
            Err(TryLockError::Error(error)) => Err(StateError::io("lock", &path, error)),
        }
    }

    /// The folder.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The original of an unfinished reduction: what to reduce in order to go on with it.
    ///
    /// # Errors
    /// When the journal or the original cannot be read.
    pub fn unfinished(&self) -> Result<Option<TestCase>, StateError> {
        match Contents::read(&self.journal_path())? {
            Some(contents) if !contents.finished => self.read_original(&contents.header).map(Some),
            _ => Ok(None),
        }
    }

    /// What an unfinished reduction rests on.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn unfinished_facts(&self) -> Result<Option<Facts>, StateError> {
        let contents = Contents::read(&self.journal_path())?;
        Ok(contents.filter(|contents| !contents.finished).map(|contents| contents.header.facts))
    }

    /// Forgets an earlier reduction.
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

    /// Goes on with the journal of an unfinished reduction; `None` where there is none. Returns the
    /// header it was begun with.
    pub(crate) fn resume(
        &self,
        expected: &Header,
    ) -> Result<Option<(Journal, Header)>, StateError> {
        Journal::resume(self.journal_path(), expected)
    }

    /// Begins a journal. The original is stored first: a journal without it would be worth nothing.
    pub(crate) fn begin(
        &self,
        original: &TestCase,
        header: &Header,
    ) -> Result<Journal, StateError> {
        self.discard()?;
        let folder = self.original_folder();
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StateError::io("remove", &folder, error));
            }
            _ => {}
        }
        for file in original.files() {
            let path = folder.join(&*file.path);
            let parent = path.parent().unwrap_or(&folder);
            fs::create_dir_all(parent).map_err(|error| StateError::io("create", parent, error))?;
            fs::write(&path, &file.bytes).map_err(|error| StateError::io("write", &path, error))?;
        }
        Journal::create(self.journal_path(), header)
    }

    fn read_original(&self, header: &Header) -> Result<TestCase, StateError> {
        let folder = self.original_folder();
        let mut files = Vec::new();
        let mut pending = vec![folder.clone()];
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
                files.push(SourceFile {
                    path: relative(&folder, &path).into(),
                    bytes: bytes.into(),
                });
            }
        }
        TestCase::new(files)
            .ok()
            .filter(|original| header.original() == Some(original.hash()))
            .ok_or(StateError::Unreadable(folder))
    }

    fn journal_path(&self) -> PathBuf {
        self.directory.join("journal")
    }

    fn original_folder(&self) -> PathBuf {
        self.directory.join("original")
    }
}

/// The path of a file below a folder, with `/` between its parts.
fn relative(folder: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(folder).unwrap_or(path).iter();
    parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}
