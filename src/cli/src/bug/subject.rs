//! A program with the test that finds a bug in it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueHint;
use clreduce_campaign::SourceKind;
use clreduce_engine::{Options, ReductionError, TextPattern};
use clreduce_interestingness::{
    Cancel, CommandTest, Interestingness, Outcome, TestCommand, Verdict,
};
use clreduce_recipe::{Recipe, RecipeTest};
use clreduce_remote::RemoteOptions;
use clreduce_testcase::{Language, TestCase};
use console::style;

use super::kernel::ExpectedKernel;
use crate::failure::{BugError, CliError, UsageError};
use crate::files::load::{Input, load};
use crate::judge::recipe;
use crate::settings::args::TEST;
use crate::settings::resolve::TestAndOptions;
use crate::settings::test::{Test, on_files, test_named};
use crate::terminal::printing::{error_line, printable};

/// The program and the test.
#[derive(Debug, clap::Args)]
pub(crate) struct BugArgs {
    /// Program that shows the bug, usually a reduced one; or the folder of a bug that a campaign has found
    #[arg(value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub program: PathBuf,

    /// Test that the program was reduced with: a recipe, a program or a shell command [default: the recipe.toml of a
    /// campaign's bug]
    #[arg(long, short = 't', value_name = "TEST", value_hint = ValueHint::CommandString,
        allow_hyphen_values = true, help_heading = TEST)]
    pub test: Option<String>,

    /// With a command: the bug is there if standard output matches REGEX; the exit status is ignored
    #[arg(long, value_name = "REGEX", help_heading = TEST)]
    pub interesting_stdout: Option<TextPattern>,

    /// With a command: the bug is there if standard error matches REGEX; the exit status is ignored
    #[arg(long, value_name = "REGEX", help_heading = TEST)]
    pub interesting_stderr: Option<TextPattern>,

    /// Language of the program [default: by its name and its text]
    #[arg(long, value_name = "LANG", value_parser = Language::from_str)]
    pub lang: Option<Language>,
}

/// A test that found the bug in the program.
pub(super) enum BugTest {
    /// A recipe, calibrated on the program.
    Recipe { recipe: Box<Recipe>, test: Box<RecipeTest> },
    /// A program or a shell command, and what it said about the program.
    Command { command: TestCommand, options: Box<TestAndOptions>, outcome: Outcome },
    /// A kernel with its right result, for `clreduce bisect` alone. Nothing has run it yet.
    Kernel(Box<ExpectedKernel>),
}

/// Reads the program and runs the test on it.
///
/// # Errors
/// When something cannot be read, or the test does not find the bug.
pub(super) fn open(args: &BugArgs, cancel: &Cancel) -> Result<(TestCase, BugTest), CliError> {
    let (program, test) = match (&args.test, of_campaign(&args.program)) {
        (Some(test), _) => (args.program.clone(), test.clone()),
        (None, Some(found)) => found,
        (None, None) => return Err(BugError::NoTest(args.program.clone()).into()),
    };
    let test = test_named(&test)?;
    let excluded: Vec<PathBuf> = match &test {
        Test::Command(TestCommand::Program { path, .. }) | Test::Recipe(_, path) => {
            crate::files::target::absolute(path).into_iter().collect()
        }
        Test::Command(TestCommand::Shell(_)) => Vec::new(),
    };
    let inputs = Input::find_all(std::slice::from_ref(&program))?;
    let case = load(&inputs, &excluded, false)?.case.in_language(args.lang);
    let options = Options {
        interesting_stdout: args.interesting_stdout.clone(),
        interesting_stderr: args.interesting_stderr.clone(),
        ..Options::default()
    };
    let subject = match test {
        Test::Recipe(..) if options.output_pattern().is_some() => {
            let help = "write `message` in [outcome]";
            return Err(UsageError::NotForRecipes("--interesting-stderr", help).into());
        }
        Test::Recipe(recipe, _) => {
            let recipe = recipe.options(recipe::options(cancel));
            let test = Box::new(recipe.calibrate(&case)?);
            BugTest::Recipe { recipe: Box::new(recipe), test }
        }
        Test::Command(command) => {
            let command = on_files(&command, std::slice::from_ref(&program))?;
            let options = TestAndOptions::new(
                Test::Command(command.clone()),
                options,
                RemoteOptions::default(),
            )?;
            let outcome = judge(&command, &options, &case, cancel)?;
            if outcome.verdict != Verdict::Interesting {
                return Err(BugError::NotShown { program, reason: outcome.reason }.into());
            }
            BugTest::Command { command, options: Box::new(options), outcome }
        }
    };
    Ok((case, subject))
}

/// The program and the recipe of a bug, if a folder is that of a bug that a campaign has found.
fn of_campaign(folder: &Path) -> Option<(PathBuf, String)> {
    let recipe = folder.join("recipe.toml");
    let mut programs = SourceKind::ALL.into_iter().map(|kind| folder.join(kind.file_name()));
    let program = programs.find(|path| path.is_file()).filter(|_| recipe.is_file())?;
    Some((program, recipe.display().to_string()))
}

/// Runs a command as the test.
///
/// # Errors
/// When tests cannot be run at all.
pub(super) fn judge(
    command: &TestCommand,
    options: &TestAndOptions,
    case: &TestCase,
    cancel: &Cancel,
) -> Result<Outcome, CliError> {
    let outcome = CommandTest::new(command, options.command_options())?.judge(case, cancel);
    outcome.map_err(|not_run| CliError::Reduction(ReductionError::NotRun(not_run)))
}

/// Says on standard error what is being done.
pub(super) fn say(text: &str) {
    error_line(&style(printable(text)).for_stderr().dim().to_string());
}
