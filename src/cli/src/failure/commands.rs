//! The errors of single commands.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use clreduce_campaign::{ExternalError, NoVariants};
use clreduce_check::CoverageError;
use clreduce_compiler::NoClang;
use clreduce_kernel::PlanError;
use clreduce_recipe::{CompilationError, CompilerBugError};
use thiserror::Error;

use crate::terminal::printing::shown_path;

/// The reason why a campaign cannot begin.
#[derive(Debug, Error)]
pub(crate) enum FuzzError {
    #[error("no device is called `{name}`{problems}\nhelp: these can run the kernels: {known}")]
    NoDevice { name: String, known: String, problems: String },
    #[error(
        "no device can run the kernels{problems}\nhelp: {advice}; `clreduce doctor` says what is there"
    )]
    NoDevices { problems: String, advice: String },
    #[error("`{0}` is named twice\nhelp: name each device once for each choice of options")]
    Twice(String),
    #[error("{0} is for the generator of clreduce\nhelp: leave it out, or remove --generator")]
    OnlyOwn(&'static str),
    #[error(
        "the right results of these programs are unknown, and {all} configurations are too few for a vote\n\
         help: name at least {least} with --device; Oclgrind has no vote"
    )]
    FewVoters { all: usize, least: usize },
    #[error(
        "only kernels in OpenCL C get variants, and only where the host runs kernels\n\
         help: leave out --emi; `clreduce doctor` says what the host lacks"
    )]
    NoVariants,
    #[error("no compiler is called `{name}`\nhelp: name a program, or one of these: {known}")]
    NoCompiler { name: String, known: String },
    #[error("two compilers are called `{0}`\nhelp: name them by paths that end in different names")]
    SameName(String),
    #[error(transparent)]
    External(#[from] ExternalError),
    #[error("`{0}` has no bugs\nhelp: name a folder that `clreduce fuzz --out` has written")]
    NoBugs(PathBuf),
    #[error("cannot read `{}`", shown_path(.path))]
    ReadKnown { path: PathBuf, source: io::Error },
    #[error(
        "line {line} of `{}` names no known bug\n\
         help: write a name, a colon and the words that its reduced programs have, as in: shift: cnot shf.l", shown_path(.path)
    )]
    NoKnown { path: PathBuf, line: usize },
}

/// The reason why `clreduce init` wrote no test.
#[derive(Debug, Error)]
pub(crate) enum InitError {
    #[error("`{path}`: {source}")]
    Plan { path: PathBuf, source: PlanError },
    #[error(
        "no device was found that can run `{}`\nhelp: {advice}; `clreduce doctor` says what is there", kernel.display()
    )]
    NoDevice {
        /// The kernel.
        kernel: PathBuf,
        /// What is missing, and how to install it.
        advice: String,
    },
    #[error("no bug was found with `{}`: {found}", .kernel.display())]
    NothingWrong {
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
    #[error("--accuse and --script are for kernels, not for commands of compilers")]
    OnlyForKernels,
    #[error(
        "--slow and --memory are for commands of compilers\nhelp: clreduce init --slow -- gcc -O2 -c x.c"
    )]
    OnlyForCompilers,
    #[error(
        "no other command needs less than half of the {what} of `{name}`:{all}\n\
         help: name one that does, as in: --also 'clang -O2 -c x.c'"
    )]
    NotMore { what: &'static str, name: String, all: String },
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error("cannot find the current directory: {0}")]
    Folder(io::Error),
    #[error(transparent)]
    Command(#[from] CompilationError),
    #[error(transparent)]
    Compiler(#[from] CompilerBugError),
}

/// The reason why a command was not measured.
#[derive(Debug, Error)]
pub(crate) enum MeasureError {
    #[error("cannot run `{command}`: {source}")]
    Start { command: String, source: io::Error },
    #[cfg(unix)]
    #[error("`{command}` failed: {status}")]
    Failed { command: String, status: std::process::ExitStatus },
    #[cfg(unix)]
    #[error(
        "instructions cannot be counted: perf has no counter on this machine, and there is no valgrind\n\
         help: install valgrind, or measure `time`"
    )]
    NoCounter,
    #[error("`{0}` was not measured")]
    Reported(String),
    #[error("`{command}` was not measured: {reason}")]
    OnProgram { command: String, reason: String },
    #[cfg(not(unix))]
    #[error("this system does not tell what a command takes\nhelp: measure on Linux or macOS")]
    Unsupported,
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
    #[error(
        "`--orders` has an effect with `--judge run` only\nhelp: `clreduce check` takes orders of its own"
    )]
    OrdersWithoutRun,
    #[error(transparent)]
    NoClang(NoClang),
    #[error("cannot create a folder for temporary files: {0}")]
    Folder(io::Error),
}

/// The reason why `clreduce emi` wrote no variants.
#[derive(Debug, Error)]
pub(crate) enum EmiError {
    #[error("`{path}`: {source}")]
    NoVariants { path: PathBuf, source: NoVariants },
    #[error("`{path}` has no result on the host: {outcome}")]
    NoResult { path: PathBuf, outcome: String },
    #[error(
        "the arguments of `{0}` cannot be written as a description, as the lanes of a vector differ"
    )]
    NotDescribed(PathBuf),
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
    #[error(
        "the order of groups of a whole program cannot be changed\nhelp: `--orders` takes kernels without `main`"
    )]
    WholeProgram,
    #[error("cannot measure the coverage of `{path}`: {error}")]
    Coverage { path: PathBuf, error: String },
    #[error("cannot describe the arguments of `{path}`: {why}")]
    NotDescribed { path: PathBuf, why: String },
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
