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
        /// The action that failed.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Another run works in this folder.
    #[error("another run of clreduce is reducing this test case; it has locked {}", .0.display())]
    Locked(PathBuf),
    /// Something that clreduce has not made is in the place of its state.
    #[error(
        "`{}` is in the place of clreduce's own files, and is a link, a pipe or something else that clreduce does not make\n\
         help: remove it", .0.display()
    )]
    Foreign(PathBuf),
    /// The verdicts in the journal depended on something else.
    #[error(
        "cannot resume from {}, because this has changed since: {what}\n\
         help: undo the change to continue, or start again from the current file with --fresh",
        journal.display()
    )]
    Changed {
        /// The journal.
        journal: PathBuf,
        /// The change, in words.
        what: String,
    },
    /// The content of the file is none that the journal knows.
    #[error(
        "`{path}` was changed since the reduction was interrupted\n\
         help: restore it to continue, or start again from the current file with --fresh"
    )]
    FileChanged {
        /// Path of the file inside the test case.
        path: String,
    },
    /// The reducer proposes other variants than the journal holds.
    #[error(
        "cannot resume from {}, because this build of clreduce tries other variants\n\
         help: start again from the current file with --fresh", .0.display()
    )]
    Diverged(PathBuf),
    /// The journal or the stored original was written by something else, or damaged.
    #[error("cannot resume from {}, because it is damaged\nhelp: start again from the current file with --fresh", .0.display())]
    Unreadable(PathBuf),
}

impl StateError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}
