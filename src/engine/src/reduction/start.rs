//! The start of a reduction: the first test of the original, the clues that it finds, and the journal.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clreduce_candidates::CandidateSource;
use clreduce_interestingness::{Filtered, Verdict};
use clreduce_journal::{Journal, JournalHeader, StateError};
use clreduce_speculation::{Executor, Judged, Pool, Preference, Scheduler, Stop, Verdicts};
use clreduce_testcase::{Size, TestCase};

use super::calibration::{CHECK_AFTER, OriginalFirst};
use super::clues::ClueFinder;
use super::limits::{CommitLimits, LIMIT_AT_MOST, limit_for};
use super::result::{Efficiency, FilterFigures, Flakiness, Reduced, ReductionError};
use super::resume::{recall, resume};
use super::run::{ReductionRun, ending};
use super::{Reduction, Resume};
use crate::ranked::RankedTest;
use crate::rate::{AskedBound, Criterion, RateTest};

/// Runs a reduction from the first test of the original to the last event.
pub(super) fn run(
    mut reduction: Reduction<'_>,
    mut source: impl CandidateSource,
) -> Result<Reduced, ReductionError> {
    let started = Instant::now();
    let mut state = reduction.state.take();
    let (journal, earlier) = resume(&mut state, &reduction)?.unzip();
    let limit_before = earlier.as_ref().map_or(LIMIT_AT_MOST, JournalHeader::time_limit);
    let given_timeout = reduction.options.timeout;
    let rates = rate_test(&mut reduction, earlier.as_ref());
    let preference = preference(&mut reduction, earlier.as_ref());
    reduction.test.set_time_limit(given_timeout.unwrap_or(limit_before));
    // In a resumed run as well: the filter reads everything as it could read the original.
    let accepts_original = accepts_original(&reduction);
    let is_filtered = earlier.as_ref().map_or(accepts_original, JournalHeader::compile_filter);
    let replay = journal.as_ref().map(|journal| journal.replay().clone()).unwrap_or_default();
    let verdicts = recall(&reduction.case, &replay, is_filtered);
    let clues = earlier.as_ref().map(JournalHeader::clues);
    let test = Arc::new(ClueFinder::new(Arc::clone(&reduction.test), &reduction.case, clues));
    source.take_clues(&test.clues());
    let mut executor =
        executor(&mut reduction, Arc::clone(&test), source.clone(), verdicts, started, preference)?;
    let original = match executor.next_verdict() {
        Ok(original) if original.outcome.verdict == Verdict::Interesting => original,
        said => return not_begun(reduction.case, said, &mut executor, started),
    };
    if earlier.is_none() && !test.clues().is_empty() {
        // The variants that were tested already came next without them.
        source.take_clues(&test.clues());
        let verdicts = recall(&reduction.case, &replay, is_filtered);
        restart(&mut executor, &reduction.case, source.clone(), verdicts);
    }
    // There is no pass yet that could be skipped.
    executor.take_skipped();
    let wall = original.outcome.wall;
    // Where rates decide, an earlier run has measured the original, and this one has not tested it.
    let is_tested = rates.is_none() || earlier.is_none();
    let allowed = if is_tested { limit_for(wall).min(limit_before) } else { limit_before };
    let timeout = given_timeout.unwrap_or(allowed);
    set_limit(timeout, &reduction, rates.is_some(), &mut executor);
    let begin =
        || begin(state.as_ref()?, &reduction, timeout, is_filtered, (&test, rates.as_deref()));
    let journal = journal.map_or_else(|| begin().transpose(), |journal| Ok(Some(journal)))?;
    // Otherwise an earlier run has judged it as well, or it was measured.
    if earlier.is_none() && rates.is_none() {
        executor.scheduler_mut().confirmations_mut().add(&reduction.case, CHECK_AFTER);
    }
    let limits = CommitLimits::new(timeout, given_timeout.is_some(), reduction.test.part_limits());
    let limits = if earlier.is_none() { limits.knowing(wall) } else { limits };
    let mut run = ReductionRun::new(reduction, source, journal, limits, is_filtered, started);
    run.rates = rates;
    run.on_disk = state.as_mut().and_then(|state| state.on_disk.take());
    // An earlier run measured it.
    let original_time = (given_timeout.is_none() && replay.is_empty()).then_some(wall);
    run.tell_start(replay.len() as u64, timeout, original_time);
    run.tell_criterion();
    let (result, has_commits) = run.until_end(executor);
    unlock(state, &result, has_commits)?;
    result
}

/// Sets the time limit of all tests from now on, and of those that are under way. Where rates decide, it is the limit of each of
/// many runs, and no test under way is one of them.
fn set_limit<A: CandidateSource>(
    limit: Duration,
    reduction: &Reduction<'_>,
    has_rates: bool,
    executor: &mut Executor<OriginalFirst<A>>,
) {
    reduction.test.set_time_limit(limit);
    if !has_rates {
        executor.limit_running(limit);
    }
}

/// Begins the journal.
fn begin(
    state: &Resume,
    reduction: &Reduction<'_>,
    timeout: Duration,
    is_filtered: bool,
    (test, rates): (&ClueFinder, Option<&RateTest>),
) -> Option<Result<Journal, StateError>> {
    let (hash, facts) = (reduction.case.hash(), state.facts.clone());
    let header = JournalHeader::new(&hash, timeout, is_filtered, facts);
    let measured = rates.and_then(RateTest::criterion).as_ref().map(Criterion::note);
    let rank = reduction.prefer.as_ref().map(|(_, original)| *original);
    let header = header.with_clues(&test.clues()).with_measured(measured).with_rank(rank);
    Some(state.folder.begin(&reduction.case, &header))
}

/// Puts a test that is about rates or numbers in the place of the user's, if one is wanted.
fn rate_test(
    reduction: &mut Reduction<'_>,
    earlier: Option<&JournalHeader>,
) -> Option<Arc<RateTest>> {
    let options = &reduction.options;
    let rate = options.flaky.map(AskedBound::Rate);
    let asked = rate.or(options.measure.map(AskedBound::Number))?;
    let measured = earlier.and_then(JournalHeader::measured);
    let test = RateTest::new(Arc::clone(&reduction.test), &reduction.case, asked, measured);
    let test = Arc::new(test);
    reduction.test = test.clone();
    Some(test)
}

/// Has a command rank variants, if one is wanted. An earlier run has ranked the original.
fn preference(
    reduction: &mut Reduction<'_>,
    earlier: Option<&JournalHeader>,
) -> Option<Preference> {
    let (command, rank) = reduction.prefer.clone()?;
    let (original, test) = (reduction.case.clone(), Arc::clone(&reduction.test));
    reduction.test = Arc::new(RankedTest { original, test, command });
    let rank = earlier.and_then(JournalHeader::rank).unwrap_or(rank);
    Some(Preference::new(Size::of(&reduction.case), rank))
}

/// Leaves the state folder: another run may start now. The folder goes where there is nothing to go on with.
fn unlock(
    state: Option<Resume>,
    result: &Result<Reduced, ReductionError>,
    has_commits: bool,
) -> Result<(), ReductionError> {
    let Some(state) = state else { return Ok(()) };
    if result.as_ref().is_err_and(ReductionError::is_of_the_test) && !has_commits {
        state.folder.discard()?;
    }
    Ok(())
}

/// Begins again with the original, which is known to be interesting.
pub(super) fn restart<A: CandidateSource>(
    executor: &mut Executor<OriginalFirst<A>>,
    original: &TestCase,
    source: A,
    mut verdicts: Verdicts,
) {
    verdicts.remember(original.hash(), Verdict::Interesting, &[], Filtered::Passed, None);
    executor.restart(OriginalFirst::new(original, source), verdicts);
    executor.known_verdict();
}

/// The executor of the tests, which begins with that of the original.
fn executor<A: CandidateSource>(
    reduction: &mut Reduction<'_>,
    test: Arc<ClueFinder>,
    source: A,
    verdicts: Verdicts,
    started: Instant,
    preference: Option<Preference>,
) -> Result<Executor<OriginalFirst<A>>, ReductionError> {
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = reduction.options.jobs.unwrap_or_else(cores);
    let pool = match reduction.pool.take() {
        Some(pool) => pool,
        None => Arc::new(Pool::new(jobs).map_err(ReductionError::Threads)?),
    };
    let slots = jobs.get().min(pool.threads());
    let source = OriginalFirst::new(&reduction.case, source);
    let scheduler = Scheduler::new(source, slots, verdicts).preferring(preference);
    let filter = reduction.compile_filter.clone();
    let deadline = reduction.options.time_limit.and_then(|limit| started.checked_add(limit));
    let executor = Executor::new(scheduler, pool, test, filter, reduction.cancel.clone(), deadline);
    Ok(executor.heeding(reduction.requests.clone()))
}

/// Returns true if there is a compile filter that accepts the original. Nothing else decides whether it is used: no
/// clock, and no test.
fn accepts_original(reduction: &Reduction<'_>) -> bool {
    let filter = reduction.compile_filter.as_ref();
    filter.is_some_and(|filter| filter.accepts(&reduction.case, &reduction.cancel) == Some(true))
}

/// The end of a reduction whose original is not known to be interesting.
fn not_begun<A: CandidateSource>(
    case: TestCase,
    said: Result<Judged, Stop>,
    executor: &mut Executor<OriginalFirst<A>>,
    started: Instant,
) -> Result<Reduced, ReductionError> {
    executor.stop();
    let counters = executor.scheduler().counters();
    let stop = match said {
        Ok(original) => return Err(ReductionError::NotInteresting(Box::new(original.outcome))),
        Err(stop) => stop,
    };
    Ok(Reduced {
        size: Size::of(&case),
        case,
        ending: ending(stop)?,
        left_out: Vec::new(),
        skipped: Vec::new(),
        steps: 0,
        tests: counters.started,
        killed: counters.killed,
        cache_hits: 0,
        wall: started.elapsed(),
        timeout: Duration::ZERO,
        passes: Vec::new(),
        flakiness: Flakiness::default(),
        rates: None,
        numbers: None,
        ranks: None,
        compile_filter: FilterFigures::default(),
        efficiency: Efficiency::default(),
    })
}
