//! The errors that end a run early, and their exit statuses.

use std::error::Error;
use std::fmt::{self, Write};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clreduce_batch::BatchError;
use clreduce_campaign::{CampaignError, ExternalError};
use clreduce_check::{CheckError, CoverageError, HostKernelError, PreprocessError};
use clreduce_compiler::NoClang;
use clreduce_devices::ZooError;
use clreduce_engine::{ReductionError, SandboxError};
use clreduce_generator::ProfileError;
use clreduce_interestingness::{CommandError, NotRun, SetupError};
use clreduce_journal::StateError;
use clreduce_kernel::PlanError;
use clreduce_process::quoted;
use clreduce_recipe::{CompilationError, CompilerBugError, RecipeError};
use clreduce_remote::RemoteError;
use clreduce_report::ReportError;
use clreduce_splice::SpliceError;
use clreduce_testcase::InvalidTestCase;
use clreduce_tools::{OPENCL_LOADER, POCL};
use thiserror::Error;

use crate::defaults::DefaultsError;
use crate::files::keep::KeepError;
use crate::files::load::{LoadError, did_you_mean};
use crate::files::report_file::ReportFileError;
use crate::files::target::OutputError;
use crate::terminal::interrupt::INTERRUPTED;
use crate::terminal::printing::shown_path;

/// The reason why a campaign cannot begin.
#[derive(Debug, Error)]
pub(crate) enum FuzzError {
    #[error("no device is called `{name}`{problems}\nhelp: these can run the kernels: {known}")]
    NoDevice { name: String, known: String, problems: String },
    #[error(
        "no device can run the kernels{problems}\nhelp: `clreduce doctor` says what to install"
    )]
    NoDevices { problems: String },
    #[error("`{0}` is named twice\nhelp: name each device once for each choice of options")]
    Twice(String),
    #[error(
        "clreduce generates kernels, not programs in C\n\
         help: name a generator, as in: --generator 'csmith --seed {{seed}}' --device 'gcc:-O2 -I/usr/include/csmith'"
    )]
    NoC,
    #[error("{0} is for the generator of clreduce\nhelp: leave it out, or remove --generator")]
    OnlyOwn(&'static str),
    #[error(
        "the right results of these programs are unknown, and {all} configurations are too few for a vote\n\
         help: name at least {least} with --device; Oclgrind has no vote"
    )]
    FewVoters { all: usize, least: usize },
    #[error("no compiler is called `{name}`\nhelp: name a program, or one of these: {known}")]
    NoCompiler { name: String, known: String },
    #[error("two compilers are called `{0}`\nhelp: name them by paths that end in different names")]
    SameName(String),
    #[error(transparent)]
    External(#[from] ExternalError),
    #[error("`{0}` has no bugs\nhelp: name a folder that `clreduce fuzz --out` has written")]
    NoBugs(PathBuf),
}

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
    Inputs(#[from] InputsError),
    #[error(transparent)]
    Defaults(#[from] DefaultsError),
    #[error(transparent)]
    Bug(#[from] BugError),
    #[error("interrupted")]
    Interrupted,
    #[error("cannot find the path of the program clreduce: {0}")]
    OwnPath(io::Error),
    #[error(transparent)]
    Reduction(ReductionError),
    /// With everything that helps to find out why.
    #[error("{0}")]
    NotInteresting(String),
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
            | Self::Run(RunError::NoDevice(_) | RunError::NotTheHost) => 2,
            Self::Check(_) => 3,
            Self::Recipe(error) if error.is_interruption() => INTERRUPTED,
            Self::Interrupted => INTERRUPTED,
            Self::Bug(BugError::NoCompilers) | Self::Defaults(_) => 2,
            Self::Init(InitError::Compiler(CompilerBugError::Interrupted)) => INTERRUPTED,
            Self::Mutants(MutantsError::ArgsWithRecipe) => 2,
            Self::Init(InitError::Command(_) | InitError::NoInput | InitError::OnlyForKernels) => 2,
            _ => 1,
        })
    }

    /// Returns true if the reader of a pipe has gone, which is nobody's mistake.
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
                     what changes, let the test itself ask as often as it takes, and start again with --fresh"
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

/// No device fits the options of a command.
#[derive(Debug)]
pub(crate) struct NoSuchDevice {
    /// The kind of program that the device has to run.
    pub program: &'static str,
    /// A table of the devices that were found; empty if there are none.
    pub devices: String,
    /// The reasons why drivers could not be used.
    pub problems: Vec<String>,
}

impl fmt::Display for NoSuchDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "there is no such device for {}", self.program)?;
        if self.devices.is_empty() {
            formatter.write_str("; no device was found")?;
        } else {
            write!(formatter, "; these were found:\n{}", self.devices.trim_end())?;
        }
        self.problems.iter().try_for_each(|problem| write!(formatter, "\n{problem}"))
    }
}

impl Error for NoSuchDevice {}

/// The name that a user may have meant for a test that is not there.
fn nearest_test(error: &CommandError) -> String {
    match error {
        CommandError::Missing { path } => did_you_mean(path),
        _ => String::new(),
    }
}

/// A mistake in the command line.
#[derive(Debug, Error)]
pub(crate) enum UsageError {
    #[error("no file or folder to reduce was given\nhelp: clreduce bug.c --test ./interesting.sh")]
    NoInput,
    #[error(
        "no test was given; name a program or command that decides whether a variant is interesting\n\
         help: clreduce {} --test ./interesting.sh", shown_path(.0)
    )]
    NoTest(PathBuf),
    #[error(
        "no test was given; name a program or command that decides whether a variant is interesting\n\
         help: clreduce batch {} --test ./interesting.sh --out OUT", .0.display()
    )]
    NoBatchTest(PathBuf),
    #[error(
        "{program} is the program, and {file} cannot test it\n\
         help: did you mean: clreduce {file} --test {program}",
        program = quoted(.program.as_os_str()), file = quoted(.file.as_os_str())
    )]
    RolesSwapped { program: PathBuf, file: PathBuf },
    #[error(
        "{{file}} in the test stands for the FILE to reduce, but a folder is reduced\n\
         help: write the name of the file as it is in the folder"
    )]
    FileOfFolder,
    #[error(
        "two of --output, --events, --summary and --report go to the same place\nhelp: give each a file of its own"
    )]
    OneReport,
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    #[error("{0} cannot be used with a recipe\nhelp: {1}")]
    NotForRecipes(&'static str, &'static str),
    #[error("{0} cannot be used with --remote: the folders of the tests are on other machines")]
    NotRemote(&'static str),
    #[error(
        "--reduce-flags cannot be used with --remote\nhelp: reduce the program first, then its flags without --remote"
    )]
    FlagsRemote,
    #[error(
        "clreduce does not know which words of the script `{0}` are flags of the compiler\n\
         help: let the script use $CLREDUCE_FLAGS instead of them, and give them here: --reduce-flags='-O2 -g'"
    )]
    FlagsOfScript(PathBuf),
    #[error(
        "the test `{0}` does not use $CLREDUCE_FLAGS, so it would not notice other flags\n\
         help: write it instead of the flags, as in: g++ $CLREDUCE_FLAGS -c bug.cc"
    )]
    FlagsUnused(String),
    #[error(
        "the command calls several compilers, or has no flags, so clreduce does not know which to reduce\n\
         help: write $CLREDUCE_FLAGS instead of them, and give them here: --reduce-flags='-O2 -g'"
    )]
    FlagsOfCompilers,
    #[error(
        "--allow-slippage needs a recipe: the exit status of a program does not tell one bug from another"
    )]
    NeedsRecipe,
    #[error(transparent)]
    Profile(#[from] ProfileError),
    #[error("several kernels need a folder\nhelp: add --out DIR")]
    ManyKernels,
    #[error("several programs, or the kernels of a program, need a folder\nhelp: add --out DIR")]
    ManyPrograms,
    #[error("two programs would be written to `{0}`\nhelp: name the folder around both")]
    SameResult(String),
    #[error("`{}` has no files that end in .cl, .ocl, .opencl or .cu", shown_path(.0))]
    NoPrograms(PathBuf),
    #[error(
        "the kernel of seed {seed} has only {made} variants\nhelp: give --emi a number of at most {made}"
    )]
    NoVariant { seed: u64, made: usize },
    #[error("no pass is left to run\nhelp: check --passes and --skip-pass")]
    NoPasses,
    #[error("{}{}", .0, nearest_test(.0))]
    Test(#[from] CommandError),
}

/// The reason why `clreduce init` wrote no test.
#[derive(Debug, Error)]
pub(crate) enum InitError {
    #[error("`{path}`: {source}")]
    Plan { path: PathBuf, source: PlanError },
    #[error(
        "no device was found that can run `{}`\n\
         help: install one, for example: apt-get install {} {}; `clreduce doctor` says what is there",
        .0.display(), POCL.packages, OPENCL_LOADER.packages
    )]
    NoDevice(PathBuf),
    #[error("no bug was found with `{}`: {found}", .kernel.display())]
    NothingWrong {
        /// The kernel.
        kernel: PathBuf,
        /// The agreement of the configurations, and what to do next.
        found: String,
    },
    #[error("the configuration `{0}` shows no bug\nhelp: choose one of: {1}")]
    NotWrong(String, String),
    #[error("`{0}` already exists\nhelp: remove it, or use it in a reduction")]
    Exists(PathBuf),
    #[error(
        "no kernel and no command was given\nhelp: clreduce init KERNEL, or: clreduce init -- gcc -O2 -c x.c"
    )]
    NoInput,
    #[error(
        "--accuse, --shell, --powershell and --python are for kernels, not for commands of compilers"
    )]
    OnlyForKernels,
    #[error("cannot find the current directory: {0}")]
    Folder(io::Error),
    #[error(transparent)]
    Command(#[from] CompilationError),
    #[error(transparent)]
    Compiler(#[from] CompilerBugError),
}

/// The reason why there is no report on a bug, or no comparison of compilers.
#[derive(Debug, Error)]
pub(crate) enum BugError {
    #[error(
        "the test does not find the bug in `{}`: {reason}\n\
         help: give the program and the test of the reduction, with its --interesting-stdout or --interesting-stderr",
        program.display()
    )]
    NotShown { program: PathBuf, reason: String },
    #[error(
        "no test was given\n\
         help: name the test of the reduction with --test, or, instead of `{}`, the folder of a bug that \
         `clreduce fuzz` has found", .0.display()
    )]
    NoTest(PathBuf),
    #[error(
        "no compilers were given\n\
         help: --compilers 'clang-{{13..19}}', or --zoo DIR --compilers pocl for all versions of `pocl` in a zoo"
    )]
    NoCompilers,
    #[error(
        "the script `{}` cannot be run with another compiler\n\
         help: use a recipe or a command as the test, as in --test 'clang -c bug.c'; `clreduce init` writes recipes\n\
         help: for the versions in a zoo, --zoo DIR: a script gets them in its environment",
        .0.display()
    )]
    Script(PathBuf),
}

/// The reason why no mutants were judged.
#[derive(Debug, Error)]
pub(crate) enum MutantsError {
    #[error("there is no mutant of `{0}`: it has none of the chosen operators outside of macros")]
    None(PathBuf),
    #[error(
        "the judge does not accept the program itself ({0})\n\
         help: mutation testing needs a program that passes the check; fix it, or choose another check with --judge"
    )]
    Original(String),
    #[error(
        "a recipe says how the program runs, so `--args` has no effect\n\
         help: leave it out, or use `--judge check` or `--judge run`"
    )]
    ArgsWithRecipe,
    #[error(transparent)]
    NoClang(NoClang),
    #[error("cannot create a folder for temporary files: {0}")]
    Folder(io::Error),
}

/// The reason why `clreduce inputs` wrote no launches.
#[derive(Debug, Error)]
pub(crate) enum InputsError {
    #[error("`{0}` already exists\nhelp: write to another file with --output FILE")]
    Exists(PathBuf),
    #[error("cannot look for launches of `{path}`: {source}")]
    Coverage { path: PathBuf, source: Box<CoverageError> },
    #[error(
        "no launch of `{0}` is valid\nhelp: describe its arguments in a file, and name it with --args FILE"
    )]
    NoneValid(PathBuf),
    #[error(
        "the arguments of `{0}` cannot be written as a description, as the lanes of a vector differ"
    )]
    NotDescribed(PathBuf),
    #[error("cannot write `{path}`: {source}")]
    Write { path: PathBuf, source: io::Error },
}

/// The reason why a file does not say how a kernel is launched.
#[derive(Debug, Error)]
pub(crate) enum ArgumentsError {
    #[error("cannot read `{path}`: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("`{path}`: {source}")]
    Plan { path: PathBuf, source: Box<PlanError> },
    #[error(
        "`{0}` and `{1}` describe the arguments of the same kernel\nhelp: remove one of them, or name the one that is meant \
         by --args"
    )]
    Two(PathBuf, PathBuf),
}

/// The reason why `clreduce run` did not run a kernel.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    #[error("cannot read `{path}`: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("`{path}`: {source}")]
    Plan { path: PathBuf, source: PlanError },
    #[error(transparent)]
    Arguments(#[from] ArgumentsError),
    #[error("{0}\nhelp: run `clreduce devices` to list the devices")]
    NoDevice(#[from] NoSuchDevice),
    #[error("coverage is measured on the host only\nhelp: add --device-name host")]
    NotTheHost,
    #[error("cannot measure the coverage of `{path}`: {error}")]
    Coverage { path: PathBuf, error: String },
}
