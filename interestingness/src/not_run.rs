//! The reasons that a test has no verdict: it was not run, or what it said says nothing about the variant.

use std::path::PathBuf;

use thiserror::Error;

/// A test that was not run. That is no verdict: it is tried again, and is never taken as "not interesting".
///
/// A test that ran and failed has a verdict, also where it was ended at its limit of memory or could not find a
/// compiler.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotRun {
    /// The variant could not be written, a process could not be started, or its supervisor was lost.
    #[error("{0}")]
    Failed(String),
    /// The test is not the one that the reduction began with, so that its verdicts would not fit the earlier ones.
    #[error("`{}` was changed during the reduction", .0.display())]
    TestChanged(PathBuf),
    /// A file that the test consists of cannot be read any more.
    #[error("`{}` was removed or made unreadable during the reduction", .0.display())]
    TestLost(PathBuf),
}
