//! Errors of the state folder and of the journal in it.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A reason why the state of a reduction cannot be used.
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
    /// The verdicts in the journal depended on something else.
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
    /// The reducer proposes other variants than the journal holds.
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
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}
