//! A reduction from its settings to its exit status: reading the input, running the engine, and reporting.

mod diagnosis;
mod edits;
mod events_file;
mod finished;
mod input;
mod not_interesting;
mod page;
mod refused;
mod result_text;
mod summary;
mod unsteady;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clreduce_engine::events::{Ending, Event};
use clreduce_engine::{
    PASS_COMMAND_FACT, PREFER_FACT, Reduction, ReductionError, Resume, UserRequests,
};
use clreduce_interestingness::{Cancel, Outcome, Quantity};
use clreduce_journal::Facts;
use clreduce_testcase::TestCase;

use crate::failure::CliError;
use crate::files::keep::{KeepError, Keeper};
use crate::files::report_file::ReportFile;
use crate::files::target::{self, ReductionPaths};
use crate::judge::pass_command;
use crate::judge::recipe;
use crate::judge::remote;
use crate::judge::{CountedTest, Judge};
use crate::reduce::diagnosis::Diagnosis;
use crate::reduce::edits::EditFollower;
use crate::reduce::events_file::EventsFile;
use crate::reduce::finished::{EngineResult, FinishedReduction};
use crate::reduce::input::ReductionInput;
use crate::reduce::not_interesting::{Rejection, explain};
use crate::reduce::page::CommitCollector;
use crate::reduce::refused::RefusedBySandbox;
use crate::reduce::unsteady::Unsteady;
use crate::settings::resolve::ReduceSettings;
use crate::settings::sandbox;
use crate::settings::test::{Test, facts, of_command};
use crate::terminal::interrupt::{self, INTERRUPTED};
use crate::terminal::printing::shown_path;
use crate::terminal::progress::ProgressDisplay;
use crate::terminal::screen::{Drawn, Model};
use crate::terminal::statistics::RunStatistics;

/// Name of the folder in the state folder with a copy of an original that is not interesting.
const TRY: &str = "try";

/// The note on an original that is not interesting although an earlier run found it so.
const CHANGED_SINCE: &str = "an earlier run found this test case interesting, so something else has changed since; the \
     best version so far is on disk";

/// Runs a reduction, and prints its result.
///
/// # Errors
/// When the reduction could not start or failed on the way; the best version so far is on disk.
pub(crate) fn reduce(settings: &ReduceSettings) -> Result<ExitCode, CliError> {
    for report in settings.reports() {
        report.check()?;
    }
    let cancel = interrupt::on_interrupt()?;
    interrupt::end_soon(&cancel);
    let mut progress = ProgressDisplay::new(settings.verbosity, settings.plain);
    let subject = ReductionInput::open(settings, &progress)?;
    let state = subject.target.state();
    let (results, to_stdout) = (subject.target.results(), subject.target.to_stdout);
    let result = run(settings, subject, &cancel, &mut progress);
    cancel.notice();
    progress.finish();
    tidy(&state, &result, settings.keep_state);
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

/// A reduction with the pass and the preference of the user, if they are given.
fn with_own_commands<'a>(
    mut reduction: Reduction<'a>,
    settings: &ReduceSettings,
    cancel: &Cancel,
) -> Result<Reduction<'a>, CliError> {
    if let Some(command) = &settings.pass_command {
        reduction = reduction.pass_command(pass_command::ready(command, &settings.how)?);
    }
    let Some(command) = &settings.prefer else { return Ok(reduction) };
    let command = pass_command::ready_to_rank(command, &settings.how)?;
    let original = match command(reduction.case(), cancel) {
        // The reduction ends before its first test.
        Err(_) if cancel.is_cancelled() => Quantity::MAX,
        ranked => ranked.map_err(CliError::NotRanked)?,
    };
    Ok(reduction.prefer(command, original))
}

/// What is told about files in a language that is not known.
const READ_AS_TEXT: &str =
    "read as text; `clreduce languages` lists the known languages, and `--lang NAME` names one";

fn run(
    settings: &ReduceSettings,
    mut subject: ReductionInput,
    cancel: &Cancel,
    progress: &mut ProgressDisplay,
) -> Result<FinishedReduction, CliError> {
    let begun = Instant::now();
    subject.case = subject.case.in_language(settings.how.options.lang);
    if settings.how.options.lang.is_none() && !subject.case.language().is_known() {
        progress.note(READ_AS_TEXT);
    }
    let service = remote::connect(&settings.how)?;
    let judge = Arc::new(subject.judge(settings, service.as_ref(), cancel, progress)?);
    let ReductionInput { target, folder, case, on_disk, places, resumed } = subject;
    let events = settings.events.as_ref().map(ReportFile::create).transpose()?;
    // What the reduction begins with: an edit since then is not overwritten.
    let now = on_disk.clone().map_or_else(|| target::read(&places), Ok)?;
    let originals = target.originals(&case);
    let mut bases: Vec<PathBuf> = originals.iter().map(|copy| copy.base.clone()).collect();
    bases.dedup();
    let mut keeper = Keeper::new(places, target.state(), now, originals, case.clone());
    let (mut keep_error, not_aside) = (None, Mutex::new(None));
    let (requests, running) = draw(&target, &case, settings, cancel, progress);
    let collector = settings.report.as_ref().map(|_| CommitCollector::new(case.clone()));
    let (statistics, events) = (RunStatistics::new(), events.map(EventsFile::new));
    let edits = EditFollower::new(&target, &not_aside);
    let mut followers = Followers { judge: &judge, statistics, progress, collector, events, edits };
    let facts = facts_of(settings, &judge);
    let reduction = Reduction::of(case.clone())
        .test(CountedTest { judge: Arc::clone(&judge), running })
        .state(Resume { folder, facts, on_disk })
        .cancel(cancel.clone())
        .requests(requests)
        .keep(|case| {
            let lost = not_aside.lock().unwrap_or_else(PoisonError::into_inner).take();
            lost.map_or_else(|| keep(&mut keeper, case, &mut keep_error), Err)
        })
        .on_event(|event| followers.follow(event));
    let reduction = with_own_commands(reduction, settings, cancel)?;
    let result = within_time(settings.how.apply_to(reduction), settings, begun).run();
    let Followers { statistics, progress, collector, .. } = followers;
    let by_engine = EngineResult { settings, judge: &judge, target: &target, cancel, progress };
    match result {
        Ok(reduced) => {
            if !target.in_place() && statistics.began() {
                // Also when nothing could be removed.
                keeper.keep(&reduced.case)?;
            }
            let originals: Vec<PathBuf> = bases.into_iter().filter(|path| path.exists()).collect();
            let remarks = service.iter().flat_map(|service| service.remarks());
            remarks.for_each(|remark| by_engine.progress.note(&remark));
            Ok(by_engine.finish(&case, reduced, statistics, originals, collector))
        }
        Err(ReductionError::NotInteresting(outcome)) => {
            Err(refused(&by_engine, &case, &outcome, resumed))
        }
        Err(error) => Err(keep_error.map_or(CliError::Reduction(error), CliError::Keep)),
    }
}

/// Gives `progress` what it draws, and returns what the user asks for at the screen, and the number of tests that run now.
fn draw(
    target: &ReductionPaths,
    case: &TestCase,
    settings: &ReduceSettings,
    cancel: &Cancel,
    progress: &mut ProgressDisplay,
) -> (UserRequests, Arc<AtomicUsize>) {
    let (requests, running) = (UserRequests::new(), Arc::new(AtomicUsize::new(0)));
    let name = target.inputs.first().map(|input| shown_path(&input.named)).unwrap_or_default();
    let model = Model::new(name, case.clone(), settings.how.jobs().get(), Arc::clone(&running));
    progress.will_draw(Drawn { model, cancel: cancel.clone(), requests: requests.clone() });
    (requests, running)
}

/// Everything that follows the events of a reduction.
struct Followers<'a> {
    judge: &'a Judge,
    statistics: RunStatistics,
    progress: &'a mut ProgressDisplay,
    /// The commits for the page of `--report`.
    collector: Option<CommitCollector>,
    events: Option<EventsFile>,
    edits: EditFollower<'a>,
}

impl Followers<'_> {
    fn follow(&mut self, event: &Event) {
        self.statistics.update(event);
        if matches!(event, Event::Started { .. }) {
            warn_of_first_run(self.judge, self.progress);
        }
        self.progress.update(event, &self.statistics);
        self.edits.follow(event, self.progress);
        if let Some(collector) = &mut self.collector {
            collector.update(event);
        }
        if let Some(Err(error)) = self.events.as_mut().map(|events| events.write(event)) {
            self.progress.warning(&format!("cannot write all events: {error}"));
        }
    }
}

/// The facts that the verdicts depend on, for the journal.
fn facts_of(settings: &ReduceSettings, judge: &Judge) -> Facts {
    let mut facts = facts(&settings.how.test);
    let own =
        settings.pass_command.iter().map(|own| (PASS_COMMAND_FACT.to_owned(), of_command(own)));
    facts.extend(own);
    let prefer = settings.prefer.iter().map(|it| (PREFER_FACT.to_owned(), of_command(it)));
    facts.extend(prefer);
    match judge {
        Judge::Command(_) => {}
        Judge::Recipe(by) => recipe::note(&mut facts, &by.test),
        Judge::Remote(by) => remote::note(&mut facts, &by.test),
    }
    facts
}

/// Takes the time that the calibration of a recipe took off `--time-limit`: the user waits for both.
fn within_time<'a>(
    reduction: Reduction<'a>,
    settings: &ReduceSettings,
    begun: Instant,
) -> Reduction<'a> {
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

/// The error for an original that is not interesting; what an earlier run found about it is told.
fn refused(by: &EngineResult<'_>, case: &TestCase, outcome: &Outcome, resumed: bool) -> CliError {
    let failure = not_interesting(by.settings, by.target, by.judge, case, outcome, by.cancel);
    if resumed && matches!(failure, CliError::NotInteresting(_)) {
        by.progress.note(CHANGED_SINCE);
    }
    failure
}

/// The error for an original that is not interesting, with the reason as far as it can be found.
fn not_interesting(
    settings: &ReduceSettings,
    target: &ReductionPaths,
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
        _ if settings.how.options.flaky.is_some() || settings.how.options.measure.is_some() => None,
        Test::Command(command) => {
            let options = settings.how.command_options();
            let unsteady = Unsteady { command, options, original: case, outcome, cancel };
            if let Some(measured) = unsteady.find() {
                return CliError::Unsteady(measured);
            }
            let options = settings.how.command_options();
            let refusal = RefusedBySandbox { command, options, original: case, outcome, cancel };
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

/// Removes the state folder when it is no longer needed: after the end of a reduction, unless it is to be kept, and after a
/// failure before its start.
fn tidy(state: &Path, result: &Result<FinishedReduction, CliError>, keeps: bool) {
    let finished =
        !keeps && result.as_ref().is_ok_and(|done| done.reduced.ending == Ending::Minimal);
    let useful = state.join("journal").exists() || state.join(TRY).exists();
    if finished || !useful {
        // A folder that cannot be removed does not disturb the next run.
        let _ = clreduce_files::remove_tree(state);
    }
}
