//! `clreduce init` finds out what is wrong with a kernel or with a compiler, and writes a test for it.

mod compiler;
mod kernel;
mod page;
mod script;
mod slow;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use clap::ValueHint;
use clreduce_check::FindingKind;
use clreduce_engine::SandboxOptions;
use clreduce_recipe::{AskedMessage, Compilation, CompilationError, StageChoice};
use clreduce_testcase::Language;

use crate::failure::{CliError, InitError};
use crate::files::report_file::ReportFile;
use crate::terminal::units;
use script::ScriptLanguage;

pub(crate) use kernel::{find, read, single};

/// The arguments of `clreduce init`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "clreduce init [OPTIONS] <KERNEL> [-- <BUILD OPTIONS>...]\n       \
        clreduce init [OPTIONS] -- <COMPILER> <ARGUMENTS>...\n       \
        clreduce init [OPTIONS] <CRASH FILE>\n       \
        clreduce init [OPTIONS] <compile_commands.json> <FILE>",
    after_long_help = EXAMPLES
)]
pub(crate) struct InitArgs {
    /// Kernel to run on all devices; or a file that a compiler left when it crashed: clang's .sh, or what gcc calls
    /// `Preprocessed source`; or compile_commands.json and a file in it
    #[arg(value_name = "KERNEL|CRASH FILE|DATABASE", value_hint = ValueHint::FilePath, num_args = 0..=2)]
    pub inputs: Vec<PathBuf>,

    /// Another command for the same file that does not show the bug; its verdict is compared (may be repeated) [default:
    /// the compiler without optimisation, and other compilers that are installed]
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub also: Vec<String>,

    /// Also run the program that the command builds, and compare its output and exit status
    #[arg(long)]
    pub run: bool,

    /// The compiler should not print this error or warning: a part of it as it is printed, such as its flag -Wname, or a regular
    /// expression; single quotation marks match, straight or curly
    #[arg(long, value_name = "MESSAGE", allow_hyphen_values = true)]
    pub message: Option<AskedMessage>,

    /// Time after which the compiler hangs, in seconds or as in 500ms, 90s, 2m [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    pub timeout: Option<Duration>,

    /// The compiler takes too long: compare its time with those of other commands, and write a test for --measure
    #[arg(long, conflicts_with_all = ["run", "message", "keep_includes"])]
    pub slow: bool,

    /// The compiler needs too much memory: compare it with that of other commands, and write a test for --measure
    #[arg(long, conflicts_with_all = ["slow", "run", "message", "keep_includes"])]
    pub memory: bool,

    /// Reduce the program with its includes: the source and the headers of its project become files of a folder [default:
    /// the program is preprocessed, if the bug survives it]
    #[arg(long)]
    pub keep_includes: bool,

    /// Form of the program to reduce if a compiler crashes: source, ir or asm [default: the source, and beside it what the stage
    /// that crashes gets, if it crashes alone]
    #[arg(long, value_name = "STAGE", value_parser = StageChoice::from_str)]
    pub stage: Option<StageChoice>,

    /// Number of the command to use, if compile_commands.json has several for the file
    #[arg(long, value_name = "N")]
    pub entry: Option<usize>,

    /// Language of the kernel [default: by its name and its text]
    #[arg(long, value_name = "LANG", value_parser = Language::from_str)]
    pub lang: Option<Language>,

    /// Configuration to blame, if several are wrong with a kernel; `init` prints their names
    #[arg(long, value_name = "CONFIGURATION")]
    pub accuse: Option<String>,

    /// Continue although no stage can look for this kind of error, such as data-race, or although the program has such an
    /// error (may be repeated)
    #[arg(long, value_name = "KIND")]
    pub allow_unchecked: Vec<FindingKind>,

    /// Write the configurations that agree as a page to FILE, as HTML; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<ReportFile>,

    /// Write a script in this language instead of a recipe for a kernel
    #[arg(long, value_name = "LANGUAGE")]
    pub script: Option<ScriptLanguage>,

    /// Options for every build of the kernel, such as -DN=4; or the command of a compiler
    #[arg(last = true, value_name = "BUILD OPTIONS|COMMAND", allow_hyphen_values = true)]
    pub words: Vec<String>,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

const EXAMPLES: &str = "\
Examples:
  A compiler that crashes or hangs:
    clreduce init -- g++ -O2 -c x.cc

  A file of a project, compiled as its build system does:
    clreduce init build/compile_commands.json src/x.cc

  A program that runs differently without optimisation:
    clreduce init --run -- gcc -O3 x.c

  The same, compared with a command of your own:
    clreduce init --run --also 'clang -O0 x.c' -- gcc -O3 x.c

  A warning that should not be there:
    clreduce init --message 'may be used uninitialized' -- gcc -O2 -Wall -c x.c

  A compiler that is slower than without optimisation, or than another one:
    clreduce init --slow -- gcc -O2 -c x.c

  A kernel that devices disagree about:
    clreduce init kernel.cl -- -DN=4";

/// Writes the test.
///
/// # Errors
/// When no bug is found, the input cannot be used, or the test cannot be written.
pub(crate) fn init(args: &InitArgs) -> Result<ExitCode, CliError> {
    if let Some(report) = &args.report {
        report.check()?;
    }
    let what = slow::resource(args);
    match (compilation(args), what) {
        (None, Some(_)) => Err(InitError::OnlyForCompilers.into()),
        (None, None) => kernel::init(args),
        (Some(compilation), what) => {
            let compilation = compilation.map_err(InitError::Command)?;
            match what {
                Some(what) => slow::init(args, &compilation, what),
                None => compiler::init(args, &compilation),
            }
        }
    }
}

/// The command of a compiler that the arguments name; `None` for a kernel.
fn compilation(args: &InitArgs) -> Option<Result<Compilation, CompilationError>> {
    let ending = |path: &Path| {
        path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase()
    };
    match &args.inputs[..] {
        [] => (!args.words.is_empty()).then(|| of_words(&args.words)),
        [database, file] => Some(Compilation::of_database(database, file, args.entry)),
        [left] => match ending(left).as_str() {
            "sh" => Some(Compilation::of_clang_script(left)),
            "out" => Some(Compilation::of_gcc_report(left)),
            "json" => Some(Err(CompilationError::NoFile(left.clone()))),
            "c" | "i" | "cc" | "cpp" | "cxx" | "ii" => {
                Some(Err(CompilationError::NoCommand(left.clone())))
            }
            _ => None,
        },
        [_, _, ..] => None,
    }
}

fn of_words(words: &[String]) -> Result<Compilation, CompilationError> {
    let folder = std::env::current_dir()
        .map_err(|source| CompilationError::Read { path: PathBuf::from("."), source })?;
    Compilation::of_command(words, &folder)
}
