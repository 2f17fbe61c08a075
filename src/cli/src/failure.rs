//! Everything that can end a run early, and with which exit status.

use std::error::Error;
use std::fmt::Write;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clreduce_batch::BatchError;
use clreduce_check::CheckError;
use clreduce_engine::ReductionError;
use clreduce_interestingness::{CommandError, SetupError};
use clreduce_journal::StateError;
use clreduce_kernel::PlanError;
use clreduce_recipe::RecipeError;
use clreduce_report::ReportError;
use thiserror::Error;

use crate::interrupt::INTERRUPTED;
use crate::keep::KeepError;
use crate::load::LoadError;
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
    #[error(transparent)]
    BatchReport(#[from] ReportError),
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

/// Why the command line makes no sense.
#[derive(Debug, Error)]
pub enum UsageError {
    #[error("nothing to reduce was named\nhelp: clreduce bug.c --test ./interesting.sh")]
    NoInput,
    #[error(
        "no test was given: what decides whether a variant is interesting?\n\
         help: clreduce {0} --test ./interesting.sh"
    )]
    NoTest(String),
    #[error(
        "no test was given: what decides whether a variant is interesting?\n\
         help: clreduce batch {} --test ./interesting.sh --out OUT", .0.display()
    )]
    NoBatchTest(PathBuf),
    #[error(
        "`{path}` looks like the test but is not executable\n\
         help: chmod +x {path}"
    )]
    FirstNotExecutable { path: String },
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error("{0} is not for recipes\nhelp: {1}")]
    NotForRecipes(&'static str, &'static str),
    #[error(
        "--allow-slippage needs a recipe as the test: a program does not tell one bug from another"
    )]
    NeedsRecipe,
    #[error("the choice of passes leaves none to run")]
    NoPasses,
    #[error(transparent)]
    Test(#[from] CommandError),
}

/// Why there is nothing to reduce, or no test for it.
#[derive(Debug, Error)]
pub enum InitError {
    #[error("`{path}`: {source}")]
    Plan { path: PathBuf, source: PlanError },
    #[error(
        "there is no device to run `{0}` on\n\
         help: install one, for example: apt-get install pocl-opencl-icd ocl-icd-libopencl1"
    )]
    NoDevice(PathBuf),
    #[error(
        "nothing is found wrong with `{0}` on these devices\n\
         help: to find one wrong, a majority of at least three configurations has to agree; `clreduce \
         devices` lists what there is"
    )]
    NothingWrong(PathBuf),
    #[error("`{0}` is not found wrong\nhelp: write one of: {1}")]
    NotWrong(String, String),
    #[error("`{0}` is there already\nhelp: remove it, or start the reduction with it")]
    Exists(PathBuf),
}

/// Why a kernel was not even tried.
#[derive(Debug, Error)]
pub enum RunError {
    #[error("cannot read `{path}`: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("`{path}`: {source}")]
    Plan { path: PathBuf, source: PlanError },
    #[error("{0}\nhelp: `clreduce devices` lists them")]
    NoDevice(String),
}
