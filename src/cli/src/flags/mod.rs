//! `--reduce-flags`: after the program, the flags of the compiler are reduced with the same test.
//!
//! Three tests have flags: a recipe, in the commands of its suspected configuration; a shell command that calls one
//! compiler; and a script that takes them from the variable [`source::VARIABLE`].

mod search;
pub(crate) mod source;

use std::path::{Path, PathBuf};

use clreduce_engine::events::Ending;
use clreduce_engine::{Reduced, ReductionError};
use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Interestingness, Outcome, TestCommand, Verdict,
};
use clreduce_recipe::{Recipe, RecipeTest, flags_of_line, line_with_flags};
use clreduce_testcase::TestCase;

use crate::failure::CliError;
use crate::judge::Judge;
use crate::progress::ProgressDisplay;
use crate::resolve::Settings;
use crate::target::Target;
use crate::test::Test;
use search::Flags;
use source::{FlagSource, with_variable};

/// The result: the flags that the bug needs.
pub(crate) struct ReducedFlags {
    /// The flags of the command.
    pub before: Vec<String>,
    /// Those that are left.
    pub after: Vec<String>,
    /// The tests that it took.
    pub tests: u64,
    /// The file with the result: a recipe, or the flags.
    pub path: PathBuf,
    /// The test with these flags.
    pub test: TestWithFlags,
}

/// A test with the flags that are left.
pub(crate) enum TestWithFlags {
    /// A recipe.
    Recipe(Box<RecipeTest>),
    /// A command as people write it, and what it says about the program.
    Command(TestCommand, Box<Outcome>),
}

impl ReducedFlags {
    /// A sentence about them.
    pub(crate) fn sentence(&self) -> String {
        let before = self.before.join(" ");
        match &self.after[..] {
            [] => format!("The bug was found with the flags {before}, and needs none of them."),
            after if after == self.before => "The bug needs each of the flags.".to_owned(),
            after => {
                let after = after.join(" ");
                format!("The bug was found with the flags {before}, of which {after} is left.")
            }
        }
    }
}

/// Reduces the flags with the reduced program, and writes the result beside it.
///
/// # Errors
/// When a test cannot be run, or the result not be written.
pub(crate) fn reduce(
    settings: &Settings,
    judge: &Judge,
    reduced: &Reduced,
    target: &Target,
    cancel: &Cancel,
    progress: &ProgressDisplay,
) -> Result<Option<ReducedFlags>, CliError> {
    let Some(source) = settings.reduce_flags.as_ref() else { return Ok(None) };
    if reduced.ending == Ending::Interrupted {
        return Ok(None);
    }
    progress.note("reducing the flags of the compiler");
    let case = &reduced.case;
    match (&settings.how.test, judge) {
        (Test::Recipe(recipe, _), Judge::Recipe(by)) => {
            of_recipe(recipe, &by.test, case, target.recipe_with_flags(), cancel).map(Some)
        }
        (Test::Recipe(..), _) => Ok(None),
        (Test::Command(command), _) => {
            let mut options = settings.how.command_options();
            options.limits.time = Some(reduced.timeout);
            let source = source.clone();
            let search = CommandSearch { source, command, options, case, cancel };
            of_command(&search, target.flags()).map(Some)
        }
    }
}

fn of_recipe(
    recipe: &Recipe,
    test: &RecipeTest,
    case: &TestCase,
    path: PathBuf,
    cancel: &Cancel,
) -> Result<ReducedFlags, CliError> {
    let calibration = test.calibration();
    let recipe = recipe.clone().options(crate::recipe::options(cancel));
    let with =
        |flags: &Flags| recipe.with_flags(&flags.changes()).resume(case, calibration.clone());
    let before = recipe.flags(&calibration.pin.accused);
    let mut tests = 0;
    let flags = search::reduce(before.clone(), |flags| {
        tests += 1;
        let outcome = with(flags)?.judge(case, cancel);
        is_interesting(outcome, cancel)
    })?;
    let text = recipe.text_with_flags(&flags.changes());
    write(&path, &text)?;
    let test = TestWithFlags::Recipe(Box::new(with(&flags)?));
    Ok(ReducedFlags { before, after: flags.left(), tests, path, test })
}

/// Everything that the search needs with a command as the test.
struct CommandSearch<'a> {
    source: FlagSource,
    command: &'a TestCommand,
    options: CommandOptions,
    case: &'a TestCase,
    cancel: &'a Cancel,
}

impl CommandSearch<'_> {
    fn judge(&self, flags: &Flags) -> Result<Outcome, CliError> {
        let command = match (&self.source, self.command) {
            (FlagSource::Given { command, .. }, _) => with_variable(command, &flags.left()),
            (FlagSource::Test, command) => with_flags(command, flags),
        };
        let outcome =
            CommandTest::new(&command, self.options.clone())?.judge(self.case, self.cancel);
        outcome.map_err(|error| CliError::Reduction(ReductionError::NotRun(error)))
    }
}

fn of_command(search: &CommandSearch<'_>, path: PathBuf) -> Result<ReducedFlags, CliError> {
    let before = match (&search.source, search.command) {
        (FlagSource::Given { flags, .. }, _) => flags.clone(),
        (FlagSource::Test, TestCommand::Shell(line)) => flags_of_line(line),
        (FlagSource::Test, TestCommand::Program { .. }) => Vec::new(),
    };
    let mut tests = 0;
    let flags = search::reduce(before.clone(), |flags| {
        tests += 1;
        let outcome = search.judge(flags)?;
        is_interesting(Ok(outcome), search.cancel)
    })?;
    write(&path, &format!("{}\n", flags.left().join(" ")))?;
    let outcome = Box::new(search.judge(&flags)?);
    let command = match &search.source {
        FlagSource::Given { command, .. } => command.clone(),
        FlagSource::Test => with_flags(search.command, &flags),
    };
    let test = TestWithFlags::Command(command, outcome);
    Ok(ReducedFlags { before, after: flags.left(), tests, path, test })
}

fn with_flags(command: &TestCommand, flags: &Flags) -> TestCommand {
    match command {
        TestCommand::Shell(line) => TestCommand::Shell(line_with_flags(line, &flags.changes())),
        program @ TestCommand::Program { .. } => program.clone(),
    }
}

fn is_interesting(
    outcome: Result<Outcome, clreduce_interestingness::NotRun>,
    cancel: &Cancel,
) -> Result<bool, CliError> {
    if cancel.is_cancelled() {
        return Err(CliError::Interrupted);
    }
    match outcome {
        Ok(outcome) => Ok(outcome.verdict == Verdict::Interesting),
        Err(error) => Err(CliError::Reduction(ReductionError::NotRun(error))),
    }
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let failed = |source| CliError::Write { path: path.to_owned(), source };
    clreduce_files::replace_with(path, |file| file.write_all(text.as_bytes())).map_err(failed)
}
