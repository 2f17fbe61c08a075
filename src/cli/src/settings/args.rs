//! Options of the command line as the user wrote them. [`resolve`](crate::settings::resolve) decides what they mean together.

use std::path::PathBuf;

use clap::{ArgAction, ValueEnum, ValueHint};
use clreduce_engine::Options;
use clreduce_remote::RemoteOptions;

use crate::files::report_file::ReportFile;
use crate::settings::grammar::GrammarFile;

/// The arguments of a reduction.
#[derive(Debug, clap::Args)]
pub(crate) struct ReduceArgs {
    /// Files or folders to reduce in place; the original is kept as FILE.orig
    ///
    /// The test finds a FILE under its base name, and the files of a DIR under their paths relative to DIR. In a DIR,
    /// clreduce ignores `*.orig` files, folders of version control, and the test itself.
    #[arg(value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub test: TestArgs,

    #[command(flatten)]
    pub options: Options,

    #[command(flatten)]
    pub remote: RemoteOptions,

    /// Of two interesting variants, prefer the one for which COMMAND prints the lower number, such as a count of warnings
    ///
    /// A variant with a higher number than the current program has to be ten tokens smaller. COMMAND runs as the test does; its
    /// number is the last line of standard output.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, help_heading = TEST)]
    pub prefer: Option<String>,

    /// Keep a copy of every variant for which the test exits with CODE, in FILE.also-interesting/
    #[arg(long, value_name = "CODE", value_parser = clap::value_parser!(i32).range(1..),
        help_heading = TEST)]
    pub also_interesting: Option<i32>,

    /// Read the program by a grammar of tree-sitter, from a library as `tree-sitter build` makes it
    ///
    /// NAME is that of the grammar; without it, the name of the library tells it, as in libtree-sitter-lua.so or lua.so.
    #[arg(long, value_name = "LIBRARY[:NAME]", value_hint = ValueHint::FilePath, conflicts_with = "lang",
        help_heading = "Passes")]
    pub grammar: Option<GrammarFile>,

    /// Also try what PROGRAM proposes: a pass of your own
    ///
    /// It runs as a test does, with the current files in its directory and their names as arguments, and prints a JSON object a
    /// line: {"edits": [{"file": "bug.c", "start": 10, "end": 25, "text": ""}]} replaces bytes 10 to 25 by a text. The edits of a
    /// line belong together; `text` may be left out, and `file` where there is only one. It has 30 s, or --timeout.
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::CommandString, help_heading = "Passes")]
    pub pass_command: Option<String>,

    /// With a recipe: keep a copy of every valid variant that shows another bug, in FILE.slipped/
    #[arg(long, help_heading = TEST)]
    pub allow_slippage: bool,

    /// When the program is reduced, reduce the flags of the compiler as well
    ///
    /// Without FLAGS, they are those in the recipe, or in a shell command that calls one compiler. A script gets FLAGS, and
    /// later fewer of them, in the environment variable CLREDUCE_FLAGS, as in --reduce-flags='-O3 -g' for a script with the
    /// line `g++ $CLREDUCE_FLAGS -c bug.cc`. The result is FILE.flags.toml, a recipe, or FILE.flags, and a bug report.
    #[arg(long, value_name = "FLAGS", num_args = 0..=1, require_equals = true, default_missing_value = "",
        help_heading = TEST)]
    pub reduce_flags: Option<String>,

    /// Keep the directories in which the tests run
    #[arg(long, help_heading = TEST)]
    pub save_temps: bool,

    /// Write the result to PATH and leave the input alone; `-` is standard output
    #[arg(long, short = 'o', value_name = "PATH", value_hint = ValueHint::AnyPath,
        help_heading = RESULT)]
    pub output: Option<PathBuf>,

    /// Discard an interrupted run, which the same command otherwise continues, and start again from the current files
    #[arg(long, help_heading = RESULT)]
    pub fresh: bool,

    /// Keep FILE.clreduce/ at the end, for `clreduce why` and `clreduce history`
    #[arg(long, help_heading = RESULT)]
    pub keep_state: bool,

    /// Write events to FILE, one JSON object per line; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = REPORT)]
    pub events: Option<ReportFile>,

    /// Write the figures of the run to FILE, as JSON; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = REPORT)]
    pub summary: Option<ReportFile>,

    /// Write a page about the reduction to FILE, as HTML; `-` is standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = REPORT)]
    pub report: Option<ReportFile>,

    #[command(flatten)]
    pub show: ShowArgs,
}

/// The test.
#[derive(Debug, clap::Args)]
pub(crate) struct TestArgs {
    /// Test that decides whether a variant is interesting: a program, a shell command or a recipe
    ///
    /// A program or command decides by its exit status: 0 means interesting. It runs in a fresh directory that contains
    /// only the variant. A file that ends in .toml is a recipe, any other existing file is run as a program, which gets
    /// the names of the FILEs as arguments, and anything else is a shell command, in which {file} stands for the name of
    /// the first FILE.
    #[arg(long, short = 't', alias = "commands", short_alias = 'c', value_name = "TEST", value_hint = ValueHint::CommandString,
        allow_hyphen_values = true, help_heading = TEST)]
    pub test: Option<String>,
}

/// Options for what is printed.
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// Print only errors and warnings
    #[arg(long, short, conflicts_with = "verbose", help_heading = REPORT)]
    pub quiet: bool,

    /// Print what every commit changes; twice (-vv): every step, and what passes leave out
    #[arg(long, short, action = ArgAction::Count, help_heading = REPORT)]
    pub verbose: u8,

    /// Print lines instead of drawing on the terminal
    #[arg(long, help_heading = REPORT)]
    pub plain: bool,

    /// Use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto,
        help_heading = REPORT)]
    pub color: Color,
}

/// The choice of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that supports them
    Auto,
    /// Always, even when writing to a pipe or a file
    Always,
    /// Never
    Never,
}

impl Color {
    /// Applies the choice to everything that is printed from now on.
    pub(crate) fn apply(self) {
        let enabled = match self {
            // `console` looks at the terminal, NO_COLOR and CLICOLOR itself.
            Self::Auto => return,
            Self::Always => true,
            Self::Never => false,
        };
        console::set_colors_enabled(enabled);
        console::set_colors_enabled_stderr(enabled);
    }
}

pub(crate) const TEST: &str = "Test";
pub(crate) const RESULT: &str = "Result";
pub(crate) const REPORT: &str = "Output";
