//! A reduction from its settings to its exit status: reading the input, running the engine, and reporting.

mod diagnosis;
mod events_file;
mod finished;
mod not_interesting;
mod page;
mod refused;
mod result_text;
mod summary;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use clreduce_engine::events::{Ending, Event};
use clreduce_engine::{Reduction, ReductionError, Resume, SkipPass};
use clreduce_interestingness::{Cancel, CommandOptions, CommandTest, Outcome, TestCommand};
use clreduce_journal::StateFolder;
use clreduce_recipe::RecipeTest;
use clreduce_testcase::TestCase;

use crate::failure::CliError;
use crate::files::keep::{KeepError, Keeper, repair};
use crate::files::load::{FilePlace, Input, load};
use crate::files::report_file::{ReportFile, ReportFileError};
use crate::files::target::{self, Target};
use crate::judge::recipe;
use crate::judge::remote;
use crate::judge::{Aside, ByCommand, ByRecipe, ByRemote, CountedTest, Judge};
use crate::reduce::diagnosis::Diagnosis;
use crate::reduce::events_file::EventsFile;
use crate::reduce::finished::{EngineResult, FinishedReduction};
use crate::reduce::not_interesting::{Rejection, explain};
use crate::reduce::page::CommitCollector;
use crate::reduce::refused::Refusal;
use crate::settings::flags::{CommandFlags, FlagSource};
use crate::settings::resolve::Settings;
use crate::settings::sandbox;
use crate::settings::test::{Test, facts};
use crate::terminal::interrupt::{self, INTERRUPTED};
use crate::terminal::printing::shown_path;
use crate::terminal::progress::ProgressDisplay;
use crate::terminal::screen::{Drawn, Model};
use crate::terminal::statistics::RunStatistics;

/// Name of the folder in the state folder with a copy of an original that is not interesting.
const TRY: &str = "try";

/// Runs a reduction, and prints its result.
///
/// # Errors
/// When the reduction could not start or failed on the way; the best version so far is on disk.
pub(crate) fn reduce(settings: &Settings) -> Result<ExitCode, CliError> {
    for report in settings.reports() {
        report.check()?;
    }
    let cancel = interrupt::on_interrupt()?;
    interrupt::end_soon(&cancel);
    let mut progress = ProgressDisplay::new(settings.verbosity, settings.plain);
    let subject = open(settings, &progress)?;
    let state = subject.target.state();
    let (results, to_stdout) = (subject.target.results(), subject.target.to_stdout);
    let result = run(settings, subject, &cancel, &mut progress);
    cancel.notice();
    progress.finish();
    tidy(&state, &result);
    let done = result?;
    if let Some(summary) = &settings.summary {
        summary::write(summary.create()?, &done, settings.how.jobs().get())
            .map_err(|source| summary.failed(source))?;
    }
    if let (Some(file), Some(page)) = (&settings.report, &done.page) {
        let bug_report = done.bug_report.as_ref().map(|report| &*report.text);
        page.write(file, &settings.how, bug_report)?;
    }
    if to_stdout && done.statistics.began() {
        let file = done.reduced.case.files().first();
        let bytes = file.map(|file| &*file.bytes).unwrap_or_default();
        crate::terminal::printing::data(bytes).map_err(CliError::Stdout)?;
    }
    result_text::print(&done, &results, settings, &progress)?;
    let interrupted = done.reduced.ending == Ending::Interrupted || cancel.is_cancelled();
    Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// The input of a reduction, read and compared with what an earlier run left.
struct ReductionInput {
    target: Target,
    folder: StateFolder,
    /// The original; after an interrupted run, the original of that run.
    case: TestCase,
    /// The current files, if they have to be a version that the journal knows.
    on_disk: Option<TestCase>,
    places: Vec<FilePlace>,
    resumed: bool,
}

fn open(settings: &Settings, progress: &ProgressDisplay) -> Result<ReductionInput, CliError> {
    let inputs = Input::find_all(&settings.inputs)?;
    let target = Target::of(inputs, settings.output.as_deref())?;
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
    let folder = StateFolder::open(&state)?;
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

/// Returns paths that are never part of a DIR: the test, the reports and the output.
fn excluded(settings: &Settings, target: &Target) -> Vec<PathBuf> {
    let reports = settings.reports().filter_map(ReportFile::path);
    let paths = reports.chain(test_file(settings)).chain(target.output());
    paths.filter_map(|path| target::absolute(path).ok()).collect()
}

/// Returns the path of the test; `None` for a shell command.
fn test_file(settings: &Settings) -> Option<&Path> {
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

fn run(
    settings: &Settings,
    subject: ReductionInput,
    cancel: &Cancel,
    progress: &mut ProgressDisplay,
) -> Result<FinishedReduction, CliError> {
    let begun = Instant::now();
    let ReductionInput { target, folder, case, on_disk, places, resumed } = subject;
    let case = case.in_language(settings.how.options.lang);
    let state = target.state();
    let service = remote::connect(&settings.how)?;
    let judge = Arc::new(match (&settings.how.test, &service) {
        (test, Some(service)) => {
            if let Test::Command(command) = test {
                show_hints(command, &target, progress);
            }
            let test = remote::ready(service, &settings.how, &case, &folder, cancel, progress)?;
            Judge::Remote(Box::new(ByRemote { test, also: also(settings, &target) }))
        }
        (Test::Command(command), None) => {
            let judge = judge(settings, command, &target, progress)?;
            show_hints(command, &target, progress);
            judge
        }
        (Test::Recipe(recipe, _), None) => {
            let test =
                recipe::ready(recipe, &case, &folder, settings.how.jobs(), cancel, progress)?;
            judge_by_recipe(test, settings, &target)
        }
    });
    let mut events = match &settings.events {
        Some(file) => Some(EventsFile::new(file.create()?)),
        None => None,
    };
    let now = target::read(&places)?;
    let originals = target.originals(&case);
    let mut bases: Vec<PathBuf> = originals.iter().map(|copy| copy.base.clone()).collect();
    bases.dedup();
    let mut keeper = Keeper::new(places, state.clone(), now, originals, case.clone());
    let mut keep_error = None;
    let mut collector = settings.report.as_ref().map(|_| CommitCollector::new(case.clone()));
    let mut statistics = RunStatistics::new();
    let (skip, running) = (SkipPass::new(), Arc::new(AtomicUsize::new(0)));
    let name = target.inputs.first().map(|input| shown_path(&input.named)).unwrap_or_default();
    let jobs = settings.how.jobs().get();
    let model = Model::new(name, case.clone(), jobs, Arc::clone(&running));
    progress.will_draw(Drawn { model, cancel: cancel.clone(), skip: skip.clone() });
    let listener = |event: &Event| {
        statistics.update(event);
        if matches!(event, Event::Started { .. }) {
            warn_of_first_run(&judge, progress);
        }
        progress.update(event, &statistics);
        if let Some(collector) = &mut collector {
            collector.update(event);
        }
        if let Some(Err(error)) = events.as_mut().map(|events| events.write(event)) {
            progress.warning(&format!("cannot write all events: {error}"));
        }
    };
    let mut facts = facts(&settings.how.test);
    match &*judge {
        Judge::Command(_) => {}
        Judge::Recipe(by) => recipe::note(&mut facts, &by.test),
        Judge::Remote(by) => remote::note(&mut facts, &by.test),
    }
    let reduction = Reduction::of(case.clone())
        .test(CountedTest { judge: Arc::clone(&judge), running })
        .state(Resume { folder, facts, on_disk })
        .cancel(cancel.clone())
        .skip_pass(skip)
        .keep(|case| keep(&mut keeper, case, &mut keep_error))
        .on_event(listener);
    match within_time(settings.how.apply_to(reduction), settings, begun).run() {
        Ok(reduced) => {
            if !target.in_place() && statistics.began() {
                // Also when nothing could be removed.
                keeper.keep(&reduced.case)?;
            }
            let originals: Vec<PathBuf> = bases.into_iter().filter(|path| path.exists()).collect();
            service.iter().flat_map(|service| service.remarks()).for_each(|r| progress.note(&r));
            let outcome =
                EngineResult { settings, judge: &judge, target: &target, cancel, progress };
            Ok(outcome.finish(&case, reduced, statistics, originals, collector))
        }
        Err(error) => {
            let failure = match error {
                ReductionError::NotInteresting(outcome) => {
                    not_interesting(settings, &target, &judge, &case, &outcome, cancel)
                }
                ReductionError::Keep(error) => keep_error
                    .map_or(CliError::Reduction(ReductionError::Keep(error)), CliError::Keep),
                error => CliError::Reduction(error),
            };
            Err(hint_at_resume(failure, resumed, progress))
        }
    }
}

/// Takes the time that the calibration of a recipe took off `--time-limit`: the user waits for both.
fn within_time<'a>(reduction: Reduction<'a>, settings: &Settings, begun: Instant) -> Reduction<'a> {
    match settings.how.options.time_limit {
        Some(limit) => reduction.time_limit(limit.saturating_sub(begun.elapsed())),
        None => reduction,
    }
}

/// Keeps a version on disk. The engine takes an `io::Error`, so the error itself goes to `failed`.
fn keep(keeper: &mut Keeper, case: &TestCase, failed: &mut Option<KeepError>) -> io::Result<()> {
    keeper.keep(case).map_err(|error| {
        let text = error.to_string();
        *failed = Some(error);
        io::Error::other(text)
    })
}

fn judge_by_recipe(test: RecipeTest, settings: &Settings, target: &Target) -> Judge {
    let aside = || Aside { folder: target.slipped(), scratch: target.state() };
    let slipped = settings.allow_slippage.then(aside);
    let test = if settings.allow_slippage { test.watch_for_slippage() } else { test };
    Judge::Recipe(Box::new(ByRecipe { test, slipped }))
}

fn judge(
    settings: &Settings,
    command: &TestCommand,
    target: &Target,
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
fn also(settings: &Settings, target: &Target) -> Option<(i32, Aside)> {
    let aside = || Aside { folder: target.also_interesting(), scratch: target.state() };
    settings.also_interesting.map(|code| (code, aside()))
}

/// Shows likely mistakes in the text of the test, and advice on it.
fn show_hints(command: &TestCommand, target: &Target, progress: &ProgressDisplay) {
    let inputs: Vec<PathBuf> = target.inputs.iter().map(|input| input.absolute.clone()).collect();
    for hint in clreduce_interestingness::hints(command, &inputs) {
        if hint.is_mistake() {
            progress.warning(&hint.to_string());
        } else {
            progress.note(&hint.to_string());
        }
    }
}

fn warn_of_first_run(judge: &Judge, progress: &ProgressDisplay) {
    if let Some(left) =
        judge.first().map(|first| first.rehearsal.processes_left).filter(|left| *left > 0)
    {
        let processes =
            if left == 1 { "a process".to_owned() } else { format!("{left} processes") };
        progress.warning(&format!(
            "the test left {processes} running when it ended; clreduce kills them after each test"
        ));
    }
}

/// The error for an original that is not interesting, with the reason as far as it can be found.
fn not_interesting(
    settings: &Settings,
    target: &Target,
    judge: &Judge,
    case: &TestCase,
    outcome: &Outcome,
    cancel: &Cancel,
) -> CliError {
    let first = judge.first();
    if let Some(file) = first.and_then(|first| first.rehearsal.modified.first()) {
        return CliError::Modifies(file.clone());
    }
    if first.is_some_and(|first| first.is_blind) {
        return CliError::BlindTest;
    }
    let found = match &settings.how.test {
        _ if settings.how.remote.remote.is_some() => remote::advice(outcome),
        Test::Command(command) => {
            let options = settings.how.command_options();
            let refusal = Refusal { command, options, original: case, outcome, cancel };
            if let Some(refused) = refusal.find() {
                return CliError::Refused(refused);
            }
            let options = settings.how.command_options();
            let diagnosis = Diagnosis { command, options, target, original: case, outcome, cancel };
            diagnosis.find().or_else(sandbox::advice)
        }
        Test::Recipe(..) => None,
    };
    let log = first.and_then(|first| first.rehearsal.log.as_ref());
    let by_hand = by_hand(&settings.how.test, case);
    let rejection = Rejection { case, outcome, log, by_hand: &by_hand, found };
    CliError::NotInteresting(explain(&rejection, &target.state().join(TRY)))
}

/// The command that runs the test by hand, in a directory with the test case.
fn by_hand(test: &Test, case: &TestCase) -> String {
    match test {
        Test::Command(command) => command.to_string(),
        Test::Recipe(_, path) => {
            let path = target::absolute(path).unwrap_or_else(|_| path.clone());
            let file = case.files().first().map(|file| &*file.path).unwrap_or_default();
            format!("clreduce explain --test {} {file}", path.display())
        }
    }
}

/// Adds a note if an earlier run found the same test case interesting.
fn hint_at_resume(failure: CliError, resumed: bool, progress: &ProgressDisplay) -> CliError {
    if resumed && matches!(failure, CliError::NotInteresting(_)) {
        progress.note(
            "an earlier run found this test case interesting, so something else has changed since; the best \
             version so far is on disk",
        );
    }
    failure
}

/// Removes the state folder when it is no longer needed: after the end of a reduction, and after a failure before its
/// start.
fn tidy(state: &Path, result: &Result<FinishedReduction, CliError>) {
    let finished = result.as_ref().is_ok_and(|done| done.reduced.ending == Ending::Minimal);
    let useful = state.join("journal").exists() || state.join(TRY).exists();
    if finished || !useful {
        // A folder that cannot be removed does not disturb the next run.
        let _ = clreduce_files::remove_tree(state);
    }
}
