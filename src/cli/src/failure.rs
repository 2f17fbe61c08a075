//! Everything that can end a run early, and with which exit status.

use std::error::Error;
use std::fmt::Write;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clreduce_batch::BatchError;
use clreduce_check::CheckError;
use clreduce_engine::ReductionError;
use clreduce_interestingness::SetupError;
use clreduce_journal::StateError;
use clreduce_recipe::RecipeError;
use thiserror::Error;

use crate::init::InitError;
use crate::interrupt::INTERRUPTED;
use crate::keep::KeepError;
use crate::load::LoadError;
use crate::resolve::UsageError;
use crate::run::RunError;
use crate::target::OutputError;

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum Failure {
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Init(#[from] InitError),
    #[error("cannot find out where this program lies: {0}")]
    OwnPath(io::Error),
    #[error(transparent)]
    Reduction(ReductionError),
    /// With everything that helps to find out why.
    #[error("{0}")]
    NotInteresting(String),
    #[error(
        "the test changes the file that it judges (`{0}`), so that nobody knows what it judged\n\
         help: let it work on a copy, as in: cp {0} copy-{0}"
    )]
    Modifies(String),
    #[error(
        "the test finds even a directory without the program interesting, and it mentions `{0}`: it \
         judges that file and not the variants\n\
         help: use the file's name alone; each variant lies in the directory the test is started in"
    )]
    AbsolutePath(PathBuf),
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error("`{}` cannot be checked: {reason}", .path.display())]
    Kernel { path: PathBuf, reason: String },
    #[error("cannot write `{path}`: {source}")]
    Report { path: PathBuf, source: io::Error },
    #[error("cannot handle Ctrl-C: {0}")]
    Signals(#[from] ctrlc::Error),
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
}

impl Failure {
    /// The exit status: 2 for a wrong command line, 3 where a check could not begin for want of a tool, 1
    /// for everything else.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Usage(_) | Self::Kernel { .. } | Self::Run(RunError::NoDevice(_)) => 2,
            Self::Check(_) => 3,
            Self::Recipe(error) if error.is_interruption() => INTERRUPTED,
            _ => 1,
        })
    }

    /// The message with what caused it.
    pub fn message(&self) -> String {
        let mut text = self.to_string();
        let mut source = self.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                // Writing to a string cannot fail.
                let _ = write!(text, ": {cause_text}");
            }
            source = cause.source();
        }
        if self.is_of_the_disk() {
            text.push_str(
                "\nhelp: nothing is lost, the best so far is in place; when that is put right (is the \
                 disk full?), the same command goes on from there",
            );
        }
        text
    }

    /// Something could not be written in the middle of a reduction.
    fn is_of_the_disk(&self) -> bool {
        matches!(
            self,
            Self::Keep(KeepError::Io { .. })
                | Self::Reduction(ReductionError::State(StateError::Io { .. }))
        )
    }
}
