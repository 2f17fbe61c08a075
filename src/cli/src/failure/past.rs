//! The errors of commands about what a reduction did.

use std::path::PathBuf;

use thiserror::Error;

use crate::terminal::printing::shown_path;

/// The reason why it cannot be told.
#[derive(Debug, Error)]
pub(crate) enum PastError {
    #[error(
        "there is no state of a reduction of `{}`: `{}` goes at its end\n\
         help: reduce it with --keep-state; where it is reduced already, that takes few tests",
        shown_path(.0), shown_path(.1)
    )]
    NoState(PathBuf, PathBuf),
    #[error(
        "another build of clreduce wrote `{}`, and this one cannot repeat it\n\
         help: use that build, or reduce again with --keep-state --fresh", shown_path(.0)
    )]
    OtherBuild(PathBuf),
    #[error("`{}` is damaged\nhelp: reduce again with --keep-state --fresh", shown_path(.0))]
    Damaged(PathBuf),
    #[error(
        "`{}` was changed since clreduce wrote it, and the change would be lost\n\
         help: write the program elsewhere with --output PATH", shown_path(.0)
    )]
    FileChanged(PathBuf),
    #[error(
        "`{}` was changed since clreduce wrote it, so its lines have other reasons\n\
         help: undo the change, or reduce it with --keep-state", shown_path(.0)
    )]
    OtherLines(PathBuf),
    #[error("there is no commit {number}: the last one is {last}")]
    NoCommit { number: u64, last: u64 },
    #[error("there is no line {0} with code in the result: the last one is {1}")]
    NoLine(u32, u32),
    #[error(
        "the history of `{}` has the changes of each commit, but not the programs\n\
         help: reduce the case alone with --keep-state", shown_path(.0)
    )]
    OnlyDiffs(PathBuf),
}
