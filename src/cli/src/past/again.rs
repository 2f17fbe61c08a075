//! Tests of variants once more, so that it can be shown what the test says of them.

use std::path::PathBuf;

use clreduce_engine::{History, NumberBound};
use clreduce_interestingness::{Cancel, CommandTest, Interestingness, NotRun, Outcome, Rehearsal};
use clreduce_recipe::{Depth, RecipeOptions, RecipeTest};
use clreduce_remote::RemoteOptions;
use clreduce_testcase::TestCase;

use crate::failure::CliError;
use crate::judge::recipe;
use crate::settings::resolve::TestAndOptions;
use crate::settings::sandbox;
use crate::settings::test::{Test, facts, on_files, test_for};
use crate::terminal::clock::Clock;
use crate::terminal::printing::warning_line;

/// The test of a reduction, ready to run on this machine.
pub(super) enum TestAgain {
    /// A program or a shell command, and where the number that it prints decides, the bound.
    Command(Box<CommandTest>, Option<NumberBound>),
    Recipe(Box<RecipeTest>),
}

impl TestAgain {
    /// Makes the test ready with the options of the reduction.
    ///
    /// # Errors
    /// When it cannot be run.
    pub(super) fn new(
        test: &str,
        inputs: &[PathBuf],
        history: &History,
        cancel: &Cancel,
    ) -> Result<Self, CliError> {
        sandbox::choose(&history.options.sandbox)?;
        let test = match test_for(test, inputs)? {
            Test::Command(command) => Test::Command(on_files(&command, inputs)?),
            recipe => recipe,
        };
        let begun = history.record.header.facts();
        if facts(&test).iter().any(|(name, fact)| begun.get(name) != Some(fact)) {
            warning_line("the test is not the one of the reduction, so it may say something else");
        }
        let options = history.options.clone();
        let how = TestAndOptions::new(test, options, RemoteOptions::default())?;
        match &how.test {
            Test::Command(command) => {
                let test = CommandTest::new(command, how.command_options())?;
                let limit = history.record.header.time_limit();
                test.set_time_limit(how.options.timeout.unwrap_or(limit));
                let noted = history.record.header.measured().zip(how.options.measure);
                let bound = noted.and_then(|(note, asked)| NumberBound::of_note(note, asked));
                Ok(Self::Command(Box::new(test), bound))
            }
            Test::Recipe(recipe, _) => {
                let clock = Clock::start();
                let progress = clock.progress();
                let options = RecipeOptions { progress, ..recipe::options_alone(cancel) };
                let recipe = recipe.clone().options(options);
                Ok(Self::Recipe(Box::new(recipe.calibrate(&history.record.original)?)))
            }
        }
    }

    /// Runs it on a variant. The newest text file that the test writes counts as its output.
    ///
    /// # Errors
    /// When it cannot be run.
    pub(super) fn run(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        match self {
            Self::Command(test, bound) => {
                let Rehearsal { mut outcome, log, .. } = test.rehearse(variant, cancel)?;
                outcome.output_tail.extend(log.into_iter().flat_map(|(_, text)| text));
                Ok(match bound {
                    Some(bound) => bound.judged(outcome),
                    None => outcome,
                })
            }
            Self::Recipe(test) => test.look(variant, Depth::Verdict, cancel).verdict(),
        }
    }
}
