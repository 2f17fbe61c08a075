//! Everything on the command line: help, manual page, completions and parsing all come from this one table.
//!
//! Reducing is the command without a name; the others are in [`Command`].

use clap::{Parser, Subcommand, ValueEnum};

use crate::args::ReduceArgs;
use crate::batch::BatchArgs;
use crate::check::CheckArgs;
use crate::devices::DevicesArgs;
use crate::explain::ExplainArgs;
use crate::init::InitArgs;
use crate::prepare::PrepareArgs;
use crate::run::RunArgs;

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
    #[arg(long, exclusive = true, help_heading = "What is tried")]
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
