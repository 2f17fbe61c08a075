//! The errors that end a run early, and their exit statuses.

mod commands;
mod grammar;
mod past;
mod usage;

use std::error::Error;
use std::fmt::Write;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clreduce_batch::BatchError;
use clreduce_campaign::CampaignError;
use clreduce_check::{CheckError, HostKernelError, PreprocessError};
use clreduce_devices::ZooError;
use clreduce_engine::{MeasuredRate, ReductionError, SandboxError};
use clreduce_interestingness::{NotRun, SetupError};
use clreduce_journal::StateError;
use clreduce_recipe::{CompilerBugError, RecipeError};
use clreduce_remote::RemoteError;
use clreduce_report::ReportError;
use clreduce_splice::SpliceError;
use clreduce_testcase::InvalidTestCase;
use thiserror::Error;

pub(crate) use commands::{
    ArgumentsError, BugError, EmiError, FuzzError, InitError, InputsError, MeasureError,
    MutantsError, NoSuchDevice, RunError,
};
pub(crate) use grammar::GrammarFileError;
pub(crate) use past::PastError;
pub(crate) use usage::UsageError;

use crate::defaults::DefaultsError;
use crate::files::keep::KeepError;
use crate::files::load::LoadError;
use crate::files::report_file::ReportFileError;
use crate::files::target::OutputError;
use crate::terminal::interrupt::INTERRUPTED;
use crate::terminal::printing::shown_path;

/// The reason why a run ended early.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    #[error(transparent)]
    Fuzz(#[from] FuzzError),
    #[error("`{}`: {source}", shown_path(.path))]
    Splice { path: PathBuf, source: SpliceError },
    #[error(transparent)]
    Measure(#[from] MeasureError),
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
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error(transparent)]
    Zoo(#[from] ZooError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Init(#[from] InitError),
    #[error(transparent)]
    Mutants(#[from] MutantsError),
    #[error(transparent)]
    Emi(#[from] EmiError),
    #[error(transparent)]
    Inputs(#[from] InputsError),
    #[error(transparent)]
    Defaults(#[from] DefaultsError),
    #[error(transparent)]
    Bug(#[from] BugError),
    #[error(transparent)]
    Past(#[from] PastError),
    #[error("interrupted")]
    Interrupted,
    #[error("cannot find the path of the program clreduce: {0}")]
    OwnPath(io::Error),
    #[error(transparent)]
    Reduction(ReductionError),
    /// With everything that helps to find out why.
    #[error("{0}")]
    NotInteresting(String),
    #[error(
        "the test is not steady: it accepts the original {}\n\
         help: to reduce a bug that comes and goes, use --flaky; otherwise let the test end in the same way each time",
        .0.with_interval()
    )]
    Unsteady(MeasuredRate),
    #[error(
        "the command of --prefer failed on the original: {0}\n\
         help: its last line on standard output has to be a number that is not negative"
    )]
    NotRanked(String),
    /// The test accepts the original outside the sandbox alone. With the option that allows what it does.
    #[error("{0}")]
    Refused(String),
    #[error(
        "the test changes the file that it judges (`{0}`)\n\
         help: let the test work on a copy, as in: cp {0} copy-{0}"
    )]
    Modifies(String),
    #[error(
        "the test also accepts an empty directory and an empty program: it reads a file outside the directory it is \
         started in, or it checks nothing\n\
         help: use the file's name alone, not an absolute path, not even one built with `dirname` or `readlink`; the \
         test starts in a directory with the variant"
    )]
    BlindTest,
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error("cannot use `{}`", .path.display())]
    Kernel { path: PathBuf, source: KernelError },
    #[error(transparent)]
    BatchReport(#[from] ReportError),
    #[error(transparent)]
    Report(#[from] ReportFileError),
    #[error("cannot write `{path}`: {source}")]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot handle Ctrl-C: {0}")]
    Signals(#[from] ctrlc::Error),
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
}

impl CliError {
    /// The exit status: 2 for a wrong command line, 3 where a check could not begin for want of a tool, 1
    /// for everything else.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Usage(_)
            | Self::Sandbox(_)
            | Self::Zoo(_)
            | Self::Report(_)
            | Self::Load(LoadError::Missing(_))
            | Self::Fuzz(_)
            | Self::Kernel { .. }
            | Self::Run(RunError::NoDevice(_) | RunError::NotTheHost | RunError::WholeProgram) => 2,
            Self::Check(_) => 3,
            Self::Recipe(error) if error.is_interruption() => INTERRUPTED,
            Self::Interrupted => INTERRUPTED,
            Self::Bug(BugError::NoCompilers) | Self::Defaults(_) => 2,
            Self::Init(InitError::Compiler(CompilerBugError::Interrupted)) => INTERRUPTED,
            Self::Mutants(MutantsError::ArgsWithRecipe | MutantsError::OrdersWithoutRun) => 2,
            Self::Init(InitError::Command(_) | InitError::NoInput | InitError::OnlyForKernels) => 2,
            _ => 1,
        })
    }

    /// Returns true if the reader of a pipe has gone, which is no mistake.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        let (Self::Stdout(error) | Self::Report(ReportFileError::Write { source: error, .. })) =
            self
        else {
            return false;
        };
        error.kind() == io::ErrorKind::BrokenPipe
    }

    /// The message with what caused it.
    pub(crate) fn message(&self) -> String {
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
        if let Self::Reduction(ReductionError::NotRun(not_run)) = self {
            text.push_str(match not_run {
                NotRun::TestChanged(_) => {
                    "\nhelp: the best version so far is on disk; undo the change and run the same command to continue, \
                     or start again from the current file with --fresh"
                }
                _ => {
                    "\nhelp: the best version so far is on disk; solve the problem, and run the same command to continue"
                }
            });
        }
        if let Self::Reduction(error) = self
            && error.is_of_the_test()
        {
            text.push_str(match error {
                ReductionError::TestChanged => {
                    "\nhelp: the last version that was certain is on disk; look for what the test leaves behind or finds \
                     full, mend that, and start again with --fresh"
                }
                _ => {
                    "\nhelp: the last version that was certain is on disk; run the test ten times on one program to see \
                     what changes, let the test itself ask as often as it takes, and start again with --fresh; a bug that comes and \
                     goes is for --flaky"
                }
            });
        }
        if self.is_of_the_disk() {
            text.push_str(
                "\nhelp: the best version so far is on disk; solve the problem (is the disk full?), and run the \
                 same command to continue",
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

/// The reason why a kernel cannot be checked or prepared.
#[derive(Debug, Error)]
pub(crate) enum KernelError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error(transparent)]
    Subject(#[from] HostKernelError),
    #[error(transparent)]
    Program(#[from] InvalidTestCase),
    #[error("it is not in OpenCL C, CUDA, C or C++, by its name and content")]
    NoLanguage,
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
    #[error(transparent)]
    Arguments(#[from] ArgumentsError),
    #[error("the test does not accept it")]
    NotAccepted,
    #[error("the test cannot be run: {0}")]
    NotRun(#[from] NotRun),
}
