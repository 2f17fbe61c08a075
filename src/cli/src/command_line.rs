//! The command line of clreduce. Help, manual page, completions and parsing all come from this one definition.
//!
//! Reducing is the command without a name; the others are in [`Command`].

use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum, ValueHint};
use clreduce_engine::SandboxOptions;

use crate::batch::BatchArgs;
use crate::bug::{BisectArgs, ReportArgs};
use crate::fuzz::FuzzArgs;
use crate::kernels::check::CheckArgs;
use crate::kernels::devices::DevicesArgs;
use crate::kernels::generate::GenerateArgs;
use crate::kernels::inputs::InputsArgs;
use crate::kernels::run::RunArgs;
use crate::past::{HistoryArgs, WhyArgs};
use crate::programs::emi::EmiArgs;
use crate::programs::mutants::MutantsArgs;
use crate::programs::normalize::NormalizeArgs;
use crate::programs::prepare::PrepareArgs;
use crate::programs::splice::SpliceArgs;
use crate::settings::args::ReduceArgs;
use crate::setup::doctor::DoctorArgs;
use crate::setup::explain::ExplainArgs;
use crate::setup::init::InitArgs;
use crate::setup::languages::LanguagesArgs;
use crate::setup::measure::MeasureArgs;

/// Everything on the command line.
#[derive(Debug, Parser)]
#[command(
    name = "clreduce",
    version,
    propagate_version = true,
    about = "Shrink a program that triggers a compiler bug while it still triggers it",
    long_about = LONG_ABOUT,
    override_usage = "clreduce [OPTIONS] <FILE|DIR>... --test <TEST>\n       clreduce <COMMAND> ...",
    args_conflicts_with_subcommands = true,
    args_override_self = true,
    disable_help_subcommand = true,
    after_help = "Examples: clreduce --help",
    after_long_help = EXAMPLES,
    max_term_width = 100
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub reduce: ReduceArgs,

    /// Use the compilers and run-times that scripts/zoo has installed in DIR, too; pocl-3.0 is the name of a device
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Devices")]
    pub zoo: Option<PathBuf>,

    /// Print the table of passes and exit
    #[arg(long, exclusive = true, help_heading = "Passes")]
    pub list_passes: bool,

    /// Print the manual page or the completions of a shell and exit; --output PATH writes the pages of all commands into a folder
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["inputs", "test", "list_passes"], hide = true)]
    pub generate: Option<Generate>,
}

/// The commands beside reducing. To reduce a file with the name of a command, write `./NAME`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reduce every test case in a folder, and write a report on all of them
    Batch(Box<BatchArgs>),
    /// List the devices that can run kernels
    Devices(DevicesArgs),
    /// List the tools and devices that are there, and say how to install what is missing
    Doctor(DoctorArgs),
    /// List the languages that clreduce knows, with the endings of their files
    Languages(LanguagesArgs),
    /// Run a kernel on a device, and print its result
    Run(RunArgs),
    /// Check a kernel for undefined behaviour
    Check(CheckArgs),
    /// Find launches of a kernel that cover more of it, and write them to KERNEL.args.toml
    Inputs(InputsArgs),
    /// Generate random kernels that come with their right results
    Generate(GenerateArgs),
    /// Give programs their normal form, which does not depend on comments, macros, names and layout
    Normalize(NormalizeArgs),
    /// Make variants of a kernel that have other texts and the same results
    Emi(EmiArgs),
    /// Make new kernels of parts of other kernels
    Splice(SpliceArgs),
    /// Generate kernels, run them on all devices, and reduce the bugs that they show
    Fuzz(Box<FuzzArgs>),
    /// Find out what a compiler or a device does wrong, and write a test for it
    Init(InitArgs),
    /// Turn a kernel into one file with as few work-items as its bug needs
    Prepare(PrepareArgs),
    /// Show what each stage of a recipe says about a variant
    Explain(ExplainArgs),
    /// Print what a command takes, as a test does for --measure
    Measure(MeasureArgs),
    /// Change a program in many small ways, and count which changes a check or a test notices
    Mutants(MutantsArgs),
    /// Say of each line of a reduced program what the test said without it
    Why(WhyArgs),
    /// List the commits of a reduction, show what one changed, or go back to one
    History(HistoryArgs),
    /// Write a bug report about a reduced program
    Report(ReportArgs),
    /// Find out which versions of a compiler have a bug
    Bisect(BisectArgs),
    /// Explain the options of a command, or show a page of the book
    Help(HelpArgs),
}

/// The arguments of `clreduce help`.
#[derive(Debug, clap::Args)]
pub(crate) struct HelpArgs {
    /// A command, or a page of the book; without it, both are listed
    #[arg(value_name = "COMMAND|PAGE")]
    pub topic: Option<String>,
}

impl Args {
    /// The options of the sandbox, if the command starts programs that are not trusted.
    pub(crate) fn sandbox(&self) -> Option<Cow<'_, SandboxOptions>> {
        let given = match &self.command {
            Some(Command::Batch(args)) => &args.options.sandbox,
            Some(Command::Devices(args)) => &args.sandbox,
            Some(Command::Run(args)) => &args.sandbox,
            Some(Command::Check(args)) => &args.sandbox,
            Some(Command::Inputs(args)) => &args.sandbox,
            Some(Command::Emi(args)) => &args.sandbox,
            Some(Command::Init(args)) => &args.sandbox,
            Some(Command::Prepare(args)) => &args.sandbox,
            Some(Command::Explain(args)) => &args.sandbox,
            Some(Command::Mutants(args)) => &args.sandbox,
            Some(Command::Report(args)) => &args.sandbox,
            Some(Command::Bisect(args)) => &args.sandbox,
            Some(Command::Doctor(_)) => return Some(Cow::Owned(SandboxOptions::default())),
            Some(Command::Fuzz(args)) => &args.sandbox,
            Some(Command::Normalize(args)) => &args.sandbox,
            Some(
                Command::Generate(_)
                | Command::Splice(_)
                | Command::Languages(_)
                | Command::Help(_)
                | Command::Measure(_)
                | Command::History(_),
            ) => return None,
            // Its options are those of the reduction.
            Some(Command::Why(_)) => return None,
            None if self.list_passes || self.generate.is_some() => return None,
            None => &self.reduce.options.sandbox,
        };
        Some(Cow::Borrowed(given))
    }
}

/// A text that `--generate` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Generate {
    Man,
    Markdown,
    Bash,
    Elvish,
    Fish,
    PowerShell,
    Zsh,
}

const LONG_ABOUT: &str = "\
clreduce is a test-case reducer. It shrinks a program that triggers a compiler bug while it still triggers it.

clreduce removes parts of a program in OpenCL C, CUDA, C, C++, LLVM IR, Python or any other language, and runs your test on each \
variant. The test decides whether the variant still shows the bug; such a variant is called interesting. \
Each time clreduce finds a smaller interesting variant, it replaces the file on disk, so the file always \
shows the bug. The number of tests that run at the same time does not change the result.";

const EXAMPLES: &str = "\
Examples:
  Reduce bug.cl in place; interesting.sh exits with 0 while the bug is there:
    clreduce bug.cl --test ./interesting.sh

  Reduce a compiler crash without a script:
    clreduce crash.c --test 'clang -O2 -c crash.c' --interesting-stderr 'Assertion .* failed'

  Reduce a folder of sources with eight tests at a time, and leave the originals alone:
    clreduce src/ --test ./interesting.sh -j 8 --output reduced/

  Name the test first, as for C-Reduce:
    clreduce ./interesting.sh bug.c

Exit status:
  0    the test case was reduced, even if a limit stopped the reduction
  1    the original is not interesting, or the reduction failed
  2    the command line is wrong
  130  interrupted; the best version so far is on disk, and the same command continues";

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
