//! `--reduce-flags`: after the program, the flags of the compiler are reduced with the same test.
//!
//! Three tests have flags: a recipe, in the commands of its suspected configuration; a shell command that calls one
//! compiler; and a script that takes them from the variable [`VARIABLE`](crate::settings::flags::VARIABLE).

mod search;

use std::path::{Path, PathBuf};

use clreduce_engine::events::Ending;
use clreduce_engine::{Reduced, ReductionError};
use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Interestingness, NotRun, Outcome, TestCommand, Verdict,
};
use clreduce_recipe::{Recipe, RecipeTest, flags_of_line, line_with_flags};
use clreduce_testcase::TestCase;

use crate::failure::CliError;
use crate::files::target::ReductionPaths;
use crate::judge::Judge;
use crate::settings::flags::{CommandFlags, FlagSource, with_variable};
use crate::settings::resolve::ReduceSettings;
use crate::settings::test::Test;
use crate::terminal::progress::ProgressDisplay;
use search::Flags;

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
    settings: &ReduceSettings,
    judge: &Judge,
    reduced: &Reduced,
    target: &ReductionPaths,
    cancel: &Cancel,
    progress: &ProgressDisplay,
) -> Result<Option<ReducedFlags>, CliError> {
    let Some(source) = settings.reduce_flags.as_ref() else { return Ok(None) };
    if reduced.ending == Ending::Interrupted {
        return Ok(None);
    }
    progress.note("reducing the flags of the compiler");
    let search = FlagSearch { case: &reduced.case, cancel, progress };
    match (source, &settings.how.test, judge) {
        (FlagSource::Recipe, Test::Recipe(recipe, _), Judge::Recipe(by)) => {
            search.of_recipe(recipe, &by.test, target.recipe_with_flags())
        }
        (FlagSource::Command(flags), ..) => {
            let mut options = settings.how.command_options();
            options.limits.time = Some(reduced.timeout);
            search.of_command(flags, &options, target.flags()).map(Some)
        }
        _ => Ok(None),
    }
}

/// The reduced program, for which flags are looked for.
struct FlagSearch<'a> {
    case: &'a TestCase,
    cancel: &'a Cancel,
    progress: &'a ProgressDisplay,
}

impl FlagSearch<'_> {
    fn of_recipe(
        &self,
        recipe: &Recipe,
        test: &RecipeTest,
        path: PathBuf,
    ) -> Result<Option<ReducedFlags>, CliError> {
        let calibration = test.calibration();
        let recipe = recipe.clone().options(crate::judge::recipe::options(self.cancel));
        let with = |flags: &Flags| {
            recipe.with_flags(&flags.changes()).resume(self.case, calibration.clone())
        };
        let before = recipe.flags(&calibration.pin.accused);
        if before.is_empty() {
            self.progress.note("the commands of the suspected configuration have no flags");
            return Ok(None);
        }
        let judge = |flags: &Flags| with(flags)?.judge(self.case, self.cancel).map_err(not_run);
        let (flags, tests) = self.reduce(&before, judge)?;
        write(&path, &recipe.text_with_flags(&flags.changes()))?;
        let test = TestWithFlags::Recipe(Box::new(with(&flags)?));
        Ok(Some(ReducedFlags { before, after: flags.left(), tests, path, test }))
    }

    fn of_command(
        &self,
        source: &CommandFlags,
        options: &CommandOptions,
        path: PathBuf,
    ) -> Result<ReducedFlags, CliError> {
        let before = match source {
            CommandFlags::Line(line) => flags_of_line(line),
            CommandFlags::Given { flags, .. } => flags.clone(),
        };
        let shown = |flags: &Flags| match source {
            CommandFlags::Line(line) => TestCommand::Shell(line_with_flags(line, &flags.changes())),
            CommandFlags::Given { command, .. } => command.clone(),
        };
        let judge = |flags: &Flags| {
            let command = match source {
                CommandFlags::Line(_) => shown(flags),
                CommandFlags::Given { command, .. } => with_variable(command, &flags.left()),
            };
            let test = CommandTest::new(&command, options.clone())?;
            test.judge(self.case, self.cancel).map_err(not_run)
        };
        let (flags, tests) = self.reduce(&before, judge)?;
        write(&path, &format!("{}\n", flags.left().join(" ")))?;
        let test = TestWithFlags::Command(shown(&flags), Box::new(judge(&flags)?));
        Ok(ReducedFlags { before, after: flags.left(), tests, path, test })
    }

    /// Reduces the flags, and tests what is left again and again. Returns it with the number of tests.
    fn reduce(
        &self,
        before: &[String],
        judge: impl Fn(&Flags) -> Result<Outcome, CliError>,
    ) -> Result<(Flags, u64), CliError> {
        let mut tests = 0;
        let mut is_interesting = |flags: &Flags| {
            // The machine may have had something else to do.
            for _ in 0..2 {
                tests += 1;
                let outcome = judge(flags)?;
                if self.cancel.is_cancelled() {
                    return Err(CliError::Interrupted);
                }
                if !outcome.ran_out_of_time {
                    return Ok(outcome.verdict == Verdict::Interesting);
                }
            }
            Ok(false)
        };
        let all = Flags::new(before.to_vec());
        let mut flags = search::reduce(before.to_vec(), &mut is_interesting)?;
        // As for the result of a reduction.
        for _ in 0..6 {
            if flags == all {
                break;
            }
            if !is_interesting(&flags)? {
                self.progress.warning(
                    "the test is flaky: with the flags that were left it does not see the bug again, so all flags stay",
                );
                flags = all.clone();
            }
        }
        Ok((flags, tests))
    }
}

fn not_run(error: NotRun) -> CliError {
    CliError::Reduction(ReductionError::NotRun(error))
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let failed = |source| CliError::Write { path: path.to_owned(), source };
    clreduce_files::replace_with(path, |file| file.write_all(text.as_bytes())).map_err(failed)
}
