//! The input of a reduction, and the test that judges it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use clreduce_interestingness::{Cancel, CommandOptions, CommandTest, TestCommand};
use clreduce_journal::StateFolder;
use clreduce_recipe::RecipeTest;
use clreduce_remote::Remote;
use clreduce_testcase::TestCase;

use crate::failure::CliError;
use crate::files::keep::repair;
use crate::files::load::{FilePlace, Input, load};
use crate::files::report_file::{ReportFile, ReportFileError};
use crate::files::target::{self, ReductionPaths};
use crate::judge::{Aside, ByCommand, ByRecipe, ByRemote, Judge, recipe, remote};
use crate::settings::flags::{CommandFlags, FlagSource};
use crate::settings::resolve::ReduceSettings;
use crate::settings::test::Test;
use crate::terminal::printing::shown_path;
use crate::terminal::progress::ProgressDisplay;

/// The input of a reduction, read and compared with what an earlier run left.
pub(crate) struct ReductionInput {
    pub target: ReductionPaths,
    pub folder: StateFolder,
    /// The original; after an interrupted run, the original of that run.
    pub case: TestCase,
    /// The current files, if they have to be a version that the journal knows.
    pub on_disk: Option<TestCase>,
    pub places: Vec<FilePlace>,
    pub resumed: bool,
}

impl ReductionInput {
    /// Reads the input, or goes on with that of an interrupted run.
    ///
    /// # Errors
    /// When it cannot be read, or does not fit together.
    pub(crate) fn open(
        settings: &ReduceSettings,
        progress: &ProgressDisplay,
    ) -> Result<ReductionInput, CliError> {
        let inputs = Input::find_all(&settings.inputs)?;
        let target = ReductionPaths::of(inputs, settings.output.as_deref())?;
        test_file(settings).map_or(Ok(()), |test| target.check_output_is_not(test))?;
        let mut reports = settings.reports().filter_map(ReportFile::path);
        if let Some(report) = reports.find(|report| target.needs(report)) {
            return Err(ReportFileError::Needed(report.to_owned()).into());
        }
        let excluded = excluded(settings, &target);
        let read = || -> Result<_, CliError> {
            let loaded = load(&target.inputs, &excluded, target.in_place())?;
            target.check_output_empty()?;
            Ok(loaded)
        };
        let state = target.state();
        if !state.exists() {
            // Nothing is left behind for an input that cannot be reduced.
            read()?;
        }
        let folder = StateFolder::open_soon(&state)?;
        let unfinished = folder.unfinished();
        if settings.fresh {
            if let Ok(Some(original)) = &unfinished {
                // The files are to belong together; where that is too late, they are taken as they are.
                let _ = repair(&target.places(original), &state);
            }
            folder.discard()?;
        } else if let Some(case) = unfinished? {
            let places = target.places(&case);
            repair(&places, &state)?;
            let on_disk = Some(target::read(&places)?);
            return Ok(ReductionInput { target, folder, case, on_disk, places, resumed: true });
        }
        let loaded = read()?;
        loaded.notes.iter().for_each(|note| progress.note(note));
        if let Some(output) = target.output().filter(|output| output.is_file()) {
            let name = shown_path(output);
            progress.note(&format!("`{name}` exists, and the result replaces it"));
        }
        let places = target.places(&loaded.case);
        let on_disk = target.in_place().then(|| loaded.case.clone());
        Ok(ReductionInput { target, folder, case: loaded.case, on_disk, places, resumed: false })
    }

    /// Makes the test ready.
    ///
    /// # Errors
    /// When it cannot be run.
    pub(crate) fn judge(
        &self,
        settings: &ReduceSettings,
        service: Option<&Arc<Remote>>,
        cancel: &Cancel,
        progress: &ProgressDisplay,
    ) -> Result<Judge, CliError> {
        let Self { target, folder, case, .. } = self;
        Ok(match (&settings.how.test, service) {
            (test, Some(service)) => {
                if let Test::Command(command) = test {
                    show_hints(command, target, progress);
                }
                let test = remote::ready(service, &settings.how, case, folder, cancel, progress)?;
                Judge::Remote(Box::new(ByRemote { test, also: also(settings, target) }))
            }
            (Test::Command(command), None) => {
                let judge = judge(settings, command, target, progress)?;
                show_hints(command, target, progress);
                judge
            }
            (Test::Recipe(recipe, _), None) => {
                let jobs = settings.how.jobs();
                let test = recipe::ready(recipe, case, folder, jobs, cancel, progress)?;
                judge_by_recipe(test, settings, target)
            }
        })
    }
}

/// Returns paths that are never part of a DIR: the test, the reports and the output.
fn excluded(settings: &ReduceSettings, target: &ReductionPaths) -> Vec<PathBuf> {
    let reports = settings.reports().filter_map(ReportFile::path);
    let paths = reports.chain(test_file(settings)).chain(target.output());
    paths.filter_map(|path| target::absolute(path).ok()).collect()
}

/// Returns the path of the test; `None` for a shell command.
fn test_file(settings: &ReduceSettings) -> Option<&Path> {
    if let Some(FlagSource::Command(CommandFlags::Given { command, .. })) = &settings.reduce_flags
        && let TestCommand::Program { path, .. } = command
    {
        return Some(path);
    }
    match &settings.how.test {
        Test::Command(TestCommand::Program { path, .. }) | Test::Recipe(_, path) => Some(path),
        Test::Command(TestCommand::Shell(_)) => None,
    }
}

fn judge_by_recipe(test: RecipeTest, settings: &ReduceSettings, target: &ReductionPaths) -> Judge {
    let aside = || Aside { folder: target.slipped(), scratch: target.state() };
    let slipped = settings.allow_slippage.then(aside);
    let test = if settings.allow_slippage { test.watch_for_slippage() } else { test };
    Judge::Recipe(Box::new(ByRecipe { test, slipped }))
}

fn judge(
    settings: &ReduceSettings,
    command: &TestCommand,
    target: &ReductionPaths,
    progress: &ProgressDisplay,
) -> Result<Judge, CliError> {
    let temporary = CommandOptions::default().temporary;
    let save = if settings.save_temps {
        let folder = tempfile::Builder::new()
            .prefix("clreduce-tests-")
            .tempdir_in(&temporary)
            .map_err(|source| CliError::Write { path: temporary.clone(), source })?
            .keep();
        progress.note(&format!("the directories of the tests are kept in {}", folder.display()));
        Some(folder)
    } else {
        None
    };
    let options = CommandOptions { save, ..settings.how.command_options() };
    let test = CommandTest::new(command, options)?;
    let also = also(settings, target);
    Ok(Judge::Command(Box::new(ByCommand { test, first: OnceLock::new(), also })))
}

/// The exit status for which a variant is copied, and the folder for the copies.
fn also(settings: &ReduceSettings, target: &ReductionPaths) -> Option<(i32, Aside)> {
    let aside = || Aside { folder: target.also_interesting(), scratch: target.state() };
    settings.also_interesting.map(|code| (code, aside()))
}

/// Shows likely mistakes in the text of the test, and advice on it.
fn show_hints(command: &TestCommand, target: &ReductionPaths, progress: &ProgressDisplay) {
    let inputs: Vec<PathBuf> = target.inputs.iter().map(|input| input.absolute.clone()).collect();
    for hint in clreduce_interestingness::hints(command, &inputs) {
        if hint.is_mistake() {
            progress.warning(&hint.to_string());
        } else {
            progress.note(&hint.to_string());
        }
    }
}
