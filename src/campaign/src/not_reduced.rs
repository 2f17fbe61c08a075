//! Why a bug is not reduced.

use std::io;
use std::path::PathBuf;

use clreduce_batch::CaseOutcome;
use clreduce_recipe::{CompilationError, CompilerBugError, RecipeError};
use clreduce_testcase::InvalidTestCase;
use thiserror::Error;

use crate::CampaignError;
use crate::log::End;
use crate::publish::ReportFailure;

/// The reason that a bug is not reduced.
#[derive(Debug, Error)]
pub(crate) enum NotReduced {
    /// A check calls the program invalid.
    #[error("{0}")]
    Invalid(String),
    /// The program makes no test case.
    #[error(transparent)]
    Case(#[from] InvalidTestCase),
    /// The recipe cannot be used.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The command of the compiler cannot be used.
    #[error(transparent)]
    Command(#[from] CompilationError),
    /// The compiler does not show the bug in the way that `clreduce init` looks for.
    #[error(transparent)]
    Compiler(#[from] CompilerBugError),
    /// It shows another kind of bug.
    #[error("the compiler shows a bug of another kind: {0}")]
    OtherKind(&'static str),
    /// What is left has another cause.
    #[error(
        "the reduced text does not show the bug of the program any more: it is wrong also without what cures that ({0})"
    )]
    OtherCause(String),
    /// The machines that test the program do not show the bug.
    #[error("on the machines of the remote execution service: {0}")]
    Elsewhere(String),
    /// The reduction has no result.
    #[error("{}{}{reason}", outcome.name(), if reason.is_empty() { "" } else { ": " })]
    Outcome {
        /// Its outcome.
        outcome: CaseOutcome,
        /// Details.
        reason: String,
    },
    /// The result cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is no bug report.
    #[error(transparent)]
    Report(#[from] ReportFailure),
}

impl NotReduced {
    /// The end of the alarm.
    pub(crate) fn end(&self) -> End {
        match self {
            Self::Invalid(_) => End::Invalid,
            _ => End::NotReduced,
        }
    }
}

/// The end of a step without which a reduction does not go on.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The campaign is cancelled.
    Cancelled,
    /// There is no result.
    Failed(NotReduced),
    /// The campaign cannot go on.
    Campaign(CampaignError),
}

impl<E: Into<NotReduced>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}
