//! The options as the user wrote them. Help, manual page, completions and parsing all come from this
//! one table; what the values mean together is decided in [`resolve`](crate::resolve).
//!
//! Reducing is the command without a name; the others are in [`Command`].

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Parser, Subcommand, ValueEnum, ValueHint};
use clreduce_passes::TABLE;
use clreduce_testcase::Language;
use regex::bytes::Regex;

use crate::batch::BatchArgs;
use crate::check::CheckArgs;
use crate::devices::DevicesArgs;
use crate::explain::ExplainArgs;
use crate::init::InitArgs;
use crate::prepare::PrepareArgs;
use crate::run::RunArgs;
use crate::units;

/// Everything on the command line.
#[derive(Debug, Parser)]
#[command(
    name = "clreduce",
    version,
    about = "Make a program that shows a compiler bug as small as it can be",
    long_about = LONG_ABOUT,
    override_usage = "clreduce [OPTIONS] <FILE|DIR>... --test <TEST>\n       clreduce <COMMAND> ...",
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Examples: clreduce --help",
    after_long_help = EXAMPLES,
    max_term_width = 100
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub reduce: ReduceArgs,

    /// Print the table of passes and exit
    #[arg(long, exclusive = true, help_heading = PASSES)]
    pub list_passes: bool,

    /// Print the manual page or the completions of a shell and exit
    #[arg(long, value_name = "WHAT", exclusive = true, hide = true)]
    pub generate: Option<Generate>,
}

/// What else there is to do but reducing. A file of the same name is reduced as `./NAME`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Reduce every test case of a folder, and report on them together
    Batch(Box<BatchArgs>),
    /// List the devices that kernels can be run on
    Devices(DevicesArgs),
    /// Run an OpenCL kernel on a device and print its result
    Run(RunArgs),
    /// Say whether a kernel is valid: free of undefined behaviour, as far as tools can see
    Check(CheckArgs),
    /// Find out what is wrong with a kernel on the devices at hand, and write the test for it
    Init(InitArgs),
    /// Make a kernel one file with as few work-items as its bug needs
    Prepare(PrepareArgs),
    /// Show stage by stage what a recipe says of one variant
    Explain(ExplainArgs),
}

/// What a reduction is told.
#[derive(Debug, clap::Args)]
pub struct ReduceArgs {
    /// What to reduce, in place; the original is kept as FILE.orig
    ///
    /// A FILE appears to the test under its base name, the files of a DIR under their paths relative to
    /// it. A DIR's `*.orig` files, version control folders and the test itself are not part of it.
    #[arg(value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub test: TestArgs,

    /// Keep a copy of every variant for which the test exits with CODE, in FILE.also-interesting/
    #[arg(long, value_name = "CODE", value_parser = clap::value_parser!(i32).range(1..),
        help_heading = TEST)]
    pub also_interesting: Option<i32>,

    /// With a recipe: keep a copy of every valid variant that shows another bug, in FILE.slipped/
    #[arg(long, help_heading = TEST)]
    pub allow_slippage: bool,

    /// Keep the directories that the tests ran in
    #[arg(long, help_heading = TEST)]
    pub save_temps: bool,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub passes: PassArgs,

    /// Write the result to PATH and leave the input alone
    #[arg(long, short = 'o', value_name = "PATH", value_hint = ValueHint::AnyPath,
        help_heading = RESULT)]
    pub output: Option<PathBuf>,

    /// Go on where an interrupted run stopped; this is the default
    #[arg(long, conflicts_with = "fresh", help_heading = RESULT)]
    pub resume: bool,

    /// Forget an interrupted run and start from the files as they are now
    #[arg(long, help_heading = RESULT)]
    pub fresh: bool,

    /// Write what happens to FILE, one JSON object per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = REPORT)]
    pub events: Option<PathBuf>,

    /// Write the figures of the whole run to FILE, as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = REPORT)]
    pub summary: Option<PathBuf>,

    #[command(flatten)]
    pub show: ShowArgs,
}

/// What decides.
#[derive(Debug, clap::Args)]
pub struct TestArgs {
    /// What decides: a program or a shell command, whose exit status 0 means "interesting"; or a recipe
    ///
    /// It runs in a fresh directory that holds nothing but the variant. A file that ends in .toml is a
    /// recipe, any other existing file is run as a program, and anything else is a shell command.
    #[arg(long, short = 't', value_name = "TEST", value_hint = ValueHint::CommandString,
        allow_hyphen_values = true, help_heading = TEST)]
    pub test: Option<String>,

    /// Interesting is what prints text matching REGEX, whatever the exit status
    #[arg(long, value_name = "REGEX", value_parser = regex, help_heading = TEST)]
    pub interesting_stdout: Option<Regex>,

    /// Interesting is what writes text matching REGEX to standard error, whatever the exit status
    ///
    /// With it, a compiler's command line is a test. When both are given, both must match.
    #[arg(long, value_name = "REGEX", value_parser = regex, help_heading = TEST)]
    pub interesting_stderr: Option<Regex>,
}

/// What a reduction may use.
#[derive(Debug, clap::Args)]
pub struct LimitArgs {
    /// Tests to run at the same time; the result is the same for every N [default: physical cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..),
        help_heading = LIMITS)]
    pub jobs: Option<u16>,

    /// Longest time for one test, in seconds or as in 500ms, 90s, 2m
    /// [default: ten times what the original takes, at least 2s, at most 300s]
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration, help_heading = LIMITS)]
    pub timeout: Option<Duration>,

    /// Stop after this time with the best so far; the one option that makes results depend on time
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration, help_heading = LIMITS)]
    pub time_limit: Option<Duration>,

    /// Stop after this many questions with the best so far
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub max_questions: Option<u64>,

    /// Memory for one test with all its processes, as in 500M or 2G
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes, help_heading = LIMITS)]
    pub memory_limit: Option<u64>,
}

/// What a reduction may try.
#[derive(Debug, clap::Args)]
pub struct PassArgs {
    /// Language of the program [default: auto]
    #[arg(long, value_name = "LANG", value_parser = languages(), help_heading = PASSES)]
    pub lang: Option<String>,

    /// Run only these passes
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes(),
        hide_possible_values = true, help_heading = PASSES)]
    pub passes: Vec<String>,

    /// Leave this pass out; may be given several times
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = passes(),
        hide_possible_values = true, help_heading = PASSES)]
    pub skip_pass: Vec<String>,

    /// Begin with this pass, then go on with the table as it stands
    #[arg(long, value_name = "PASS", value_parser = passes(), hide_possible_values = true,
        help_heading = PASSES)]
    pub start_with_pass: Option<String>,

    /// Do not rename anything
    #[arg(long, help_heading = PASSES)]
    pub keep_names: bool,

    /// Never edit text that matches REGEX; may be given several times
    #[arg(long, value_name = "REGEX", value_parser = regex, help_heading = PASSES)]
    pub protect: Vec<Regex>,

    /// Test also what does not compile: libclang refuses it otherwise, as long as the tests agree
    #[arg(long, help_heading = COMPARE)]
    pub no_gate: bool,

    /// Run only the test whose answer is waited for, one at a time
    #[arg(long, help_heading = COMPARE)]
    pub no_speculation: bool,
}

/// What is shown.
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Print nothing but errors and warnings
    #[arg(long, short, conflicts_with = "verbose", help_heading = REPORT)]
    pub quiet: bool,

    /// Print every step that makes the program smaller; twice: every question
    #[arg(long, short, action = ArgAction::Count, help_heading = REPORT)]
    pub verbose: u8,

    /// When to use colours and the progress display
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto,
        help_heading = REPORT)]
    pub color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that knows them.
    Auto,
    /// Also into a pipe or a file.
    Always,
    /// Never.
    Never,
}

/// What `--generate` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum Generate {
    Man,
    Bash,
    Elvish,
    Fish,
    PowerShell,
    Zsh,
}

const TEST: &str = "The test";
const LIMITS: &str = "Limits";
const PASSES: &str = "What is tried";
const COMPARE: &str = "To measure what they bring";
const RESULT: &str = "Where the result goes";
const REPORT: &str = "What is reported";

const LONG_ABOUT: &str = "\
Make a program that shows a compiler bug as small as it can be.

clreduce tries ever smaller variants of a program in OpenCL C, CUDA, C or any other text, and asks a test \
which of them still show the bug. The file on disk is replaced each time a smaller one is found, so that \
it shows the bug at every instant. The same test gives the same result with every number of jobs.";

const EXAMPLES: &str = "\
Examples:
  Reduce bug.cl in place; interesting.sh exits 0 while the bug is there:
    clreduce bug.cl --test ./interesting.sh

  Reduce a compiler crash without a script:
    clreduce crash.c --test 'clang -O2 -c crash.c' --interesting-stderr 'Assertion .* failed'

  Reduce a folder of sources, on eight cores, and leave the originals alone:
    clreduce src/ --test ./interesting.sh -j 8 --output reduced/

  The order of older tools works as well:
    clreduce ./interesting.sh bug.c

Exit status:
  0    reduced, or nothing left to remove
  1    the test case is not interesting to begin with, or the reduction failed
  2    the command line is wrong
  130  interrupted; the best so far is on disk, and the same command goes on from there";

/// The passes, so that a wrong name gets a suggestion and completions know them.
fn passes() -> PossibleValuesParser {
    let is_first = |index: usize| {
        let name = TABLE[index].info().name;
        !TABLE[..index].iter().any(|row| row.info().name == name)
    };
    let rows = TABLE.iter().enumerate().filter(|(index, _)| is_first(*index));
    PossibleValuesParser::new(
        rows.map(|(_, row)| PossibleValue::new(row.info().name).help(row.info().about)),
    )
}

fn languages() -> impl TypedValueParser<Value = String> {
    let names = Language::ALL.iter().map(|language| PossibleValue::new(language.name()));
    PossibleValuesParser::new([PossibleValue::new("auto")].into_iter().chain(names))
}

fn regex(text: &str) -> Result<Regex, String> {
    // The engine's own message shows the pattern with a mark under what is wrong.
    Regex::new(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn table_of_options_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_option_is_explained_and_grouped() {
        let command = Args::command();
        for option in command.get_arguments().filter(|option| !option.is_hide_set()) {
            assert!(option.get_help().is_some(), "{} has no help", option.get_id());
            let grouped = option.get_help_heading().is_some() || option.is_positional();
            let built_in = matches!(option.get_id().as_str(), "help" | "version");
            assert!(grouped || built_in, "{} has no heading", option.get_id());
        }
    }
}
