//! Groups of options as the user wrote them, which several commands share. What the values mean together is decided
//! in [`resolve`](crate::resolve).

use std::path::PathBuf;

use clap::{ArgAction, ValueEnum, ValueHint};
use clreduce_engine::Options;

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

    #[command(flatten)]
    pub options: Options,

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

pub const TEST: &str = "The test";
pub const RESULT: &str = "Where the result goes";
pub const REPORT: &str = "What is reported";
