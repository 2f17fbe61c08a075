//! The run of a reduction: it gives verdicts to the reducer in order, writes them to the journal, keeps each new current
//! test case, and tells of events.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clreduce_interestingness::{Filtered, Verdict};
use clreduce_testcase::{Size, TestCase};

use super::calibration::{CHECK_AFTER, OriginalFirst};
use super::clues::ClueFinder;
use super::commits::Commits;
use super::controls::{Confirmed, Controls};
use super::limits::{CommitLimits, LIMIT_AT_MOST, limit_for, put_into_force};
use super::result::{Efficiency, FilterFigures, Flakiness, Reduced, ReductionError};
use super::resume::{Versions, recall, resume};
use super::statistics::StepCounts;
use super::{Reduction, Resume};
use crate::events::{Ending, Event};
use clreduce_candidates::{CandidateSource, LeftOut};
use clreduce_journal::{Journal, JournalEntry, JournalHeader};
use clreduce_speculation::{
    Counters, Executor, FlakyCounts, Judged, Pool, Scheduler, Stop, Verdicts,
};

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
    reduction.test.set_time_limit(given_timeout.unwrap_or(limit_before));
    // In a resumed run as well: the filter reads everything as it could read the original.
    let accepts_original = accepts_original(&reduction);
    let is_filtered = earlier.as_ref().map_or(accepts_original, JournalHeader::compile_filter);
    let replay = journal.as_ref().map(|journal| journal.replay().clone()).unwrap_or_default();
    let verdicts = recall(&reduction.case, &replay, is_filtered);
    let earlier_clues = earlier.as_ref().map(JournalHeader::clues);
    let test =
        Arc::new(ClueFinder::new(Arc::clone(&reduction.test), &reduction.case, earlier_clues));
    source.take_clues(&test.clues());
    let mut executor =
        executor(&mut reduction, Arc::clone(&test), source.clone(), verdicts, started)?;
    let original = match executor.next_verdict() {
        Ok(original) if original.outcome.verdict == Verdict::Interesting => original,
        said => {
            executor.stop();
            let counters = executor.scheduler().counters();
            return not_begun(reduction.case, said, counters, started.elapsed());
        }
    };

    if earlier.is_none() && !test.clues().is_empty() {
        // The variants that were tested already came next without them.
        source.take_clues(&test.clues());
        let mut verdicts = recall(&reduction.case, &replay, is_filtered);
        verdicts.remember(reduction.case.hash(), Verdict::Interesting, &[], Filtered::Passed);
        executor.restart(OriginalFirst::new(&reduction.case, source.clone()), verdicts);
        executor.known_verdict();
    }
    // There is no pass yet that could be skipped.
    executor.take_skipped();
    let wall = original.outcome.wall;
    let timeout = given_timeout.unwrap_or_else(|| limit_for(wall).min(limit_before));
    reduction.test.set_time_limit(timeout);
    executor.limit_running(timeout);
    let journal = match (journal, &state) {
        (None, Some(Resume { folder, facts, .. })) => {
            let header =
                JournalHeader::new(&reduction.case.hash(), timeout, is_filtered, facts.clone());
            let header = header.with_clues(&test.clues());
            Some(folder.begin(&reduction.case, &header)?)
        }
        (journal, _) => journal,
    };
    // Otherwise an earlier run has judged it as well.
    if earlier.is_none() {
        executor.scheduler_mut().confirmations_mut().add(&reduction.case, CHECK_AFTER);
    }

    let size = Size::of(&reduction.case);
    let bytes = reduction.case.total_bytes();
    let resumed_steps = replay.len() as u64;
    let limits = CommitLimits::new(timeout, given_timeout.is_some(), reduction.test.part_limits());
    let limits = if earlier.is_none() { limits.knowing(wall) } else { limits };
    let mut run = ReductionRun {
        versions: Versions::default(),
        statistics: StepCounts::new(),
        best: (reduction.case.clone(), size),
        commits: Commits::new(&reduction.case, limits.now()),
        controls: Controls::default(),
        limits,
        history: Vec::new(),
        skips: Vec::new(),
        source,
        is_filtered,
        flaky: FlakyCounts::default(),
        went_back: 0,
        left_out: Vec::new(),
        on_disk: state.as_mut().and_then(|state| state.on_disk.take()),
        journal,
        started,
        reduction,
    };
    // An earlier run measured it.
    let original_time = (given_timeout.is_none() && resumed_steps == 0).then_some(wall);
    run.tell(&Event::Started { size, bytes, resumed_steps, time_limit: timeout, original_time });
    let ending = run.run(&mut executor);
    executor.stop();
    let ending = ending.and_then(|ending| run.lay_out(ending, &mut executor).map(|()| ending));
    let is_reduced = run.commits.last() > 0;
    let result = ending.and_then(|ending| run.finish(ending, &executor));
    if let (Err(error), Some(state)) = (&result, &state)
        && error.is_of_the_test()
        && !is_reduced
    {
        // There is nothing to go on with.
        state.folder.discard()?;
    }
    // Unlocked last: another run may start now.
    drop(state);
    result
}

/// The executor of the tests, which begins with that of the original.
fn executor<A: CandidateSource>(
    reduction: &mut Reduction<'_>,
    test: Arc<ClueFinder>,
    source: A,
    verdicts: Verdicts,
    started: Instant,
) -> Result<Executor<OriginalFirst<A>>, ReductionError> {
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = reduction.options.jobs.unwrap_or_else(cores);
    let pool = match reduction.pool.take() {
        Some(pool) => pool,
        None => Arc::new(Pool::new(jobs).map_err(ReductionError::Threads)?),
    };
    let slots = jobs.get().min(pool.threads());
    let source = OriginalFirst::new(&reduction.case, source);
    let scheduler = Scheduler::new(source, slots, verdicts);
    let gate = reduction.compile_filter.clone();
    let deadline = reduction.options.time_limit.and_then(|limit| started.checked_add(limit));
    let executor = Executor::new(scheduler, pool, test, gate, reduction.cancel.clone(), deadline);
    Ok(executor.skipping(reduction.skip.clone()))
}

/// Returns true if there is a compile filter that accepts the original. Nothing else decides whether it is used: no
/// clock, and no test.
fn accepts_original(reduction: &Reduction<'_>) -> bool {
    let filter = reduction.compile_filter.as_ref();
    filter.is_some_and(|filter| filter.accepts(&reduction.case, &reduction.cancel) == Some(true))
}

impl Halt {
    /// The ending of the reduction.
    fn ending(self) -> Result<Ending, ReductionError> {
        match self {
            Self::Stop(stop) => ending(stop),
            Self::Error(error) => Err(error),
        }
    }
}

fn ending(stop: Stop) -> Result<Ending, ReductionError> {
    match stop {
        Stop::Done => Ok(Ending::Minimal),
        Stop::Cancelled => Ok(Ending::Interrupted),
        Stop::Deadline => Ok(Ending::TimeLimit),
        Stop::NotRun(not_run) => Err(ReductionError::NotRun(not_run)),
    }
}

/// The end of a reduction whose original is not known to be interesting.
fn not_begun(
    case: TestCase,
    said: Result<Judged, Stop>,
    counters: Counters,
    wall: Duration,
) -> Result<Reduced, ReductionError> {
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
        wall,
        timeout: Duration::ZERO,
        passes: Vec::new(),
        flakiness: Flakiness::default(),
        compile_filter: FilterFigures::default(),
        efficiency: Efficiency::default(),
    })
}

/// A reason to leave the reduction, from wherever it is.
pub(super) enum Halt {
    Stop(Stop),
    Error(ReductionError),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<ReductionError> for Halt {
    fn from(error: ReductionError) -> Self {
        Self::Error(error)
    }
}

pub(super) struct ReductionRun<'a, S> {
    pub(super) reduction: Reduction<'a>,
    pub(super) journal: Option<Journal>,
    pub(super) statistics: StepCounts,
    pub(super) best: (TestCase, Size),
    pub(super) commits: Commits,
    pub(super) controls: Controls,
    pub(super) limits: CommitLimits,
    /// All verdicts that the source has taken, in the order of the steps.
    pub(super) history: Vec<JournalEntry>,
    /// The passes that a person skipped, each with the number of verdicts before it.
    pub(super) skips: Vec<(usize, &'static str)>,
    /// The source as it was in the beginning.
    pub(super) source: S,
    pub(super) is_filtered: bool,
    /// Variants that were tested again and again.
    pub(super) flaky: FlakyCounts,
    pub(super) went_back: u64,
    /// What passes left out since the last commit.
    left_out: Vec<LeftOut>,
    /// Files of the committed test cases, while an earlier run is replayed.
    pub(super) versions: Versions,
    pub(super) on_disk: Option<TestCase>,
    started: Instant,
}

impl<S: CandidateSource> ReductionRun<'_, S> {
    pub(super) fn tell(&mut self, event: &Event) {
        (self.reduction.on_event)(event);
    }

    /// Takes note of a pass that was skipped, before the next verdict.
    pub(super) fn skipped(&mut self, pass: &'static str) {
        self.skips.push((self.history.len(), pass));
        self.tell(&Event::PassSkipped { pass });
    }

    fn tell_left_out(&mut self, left_out: &[LeftOut]) {
        for &LeftOut { pass, of, most } in left_out {
            self.tell(&Event::LeftOut { pass, of, most });
        }
        let is_new = |new: &&LeftOut| !self.left_out.contains(new);
        let new: Vec<LeftOut> = left_out.iter().filter(is_new).copied().collect();
        self.left_out.extend(new);
    }

    fn run(&mut self, executor: &mut Executor<OriginalFirst<S>>) -> Result<Ending, ReductionError> {
        self.replay(executor)?;
        loop {
            let ended = match self.proceed(executor) {
                Ok(ending) => ending,
                Err(halt) => halt.ending()?,
            };
            self.begin_last_tests(ended, executor);
            if ended == Ending::Interrupted {
                return Ok(ended);
            }
            match self.confirm_result(executor) {
                Ok(is_confirmed) if is_confirmed || ended == Ending::TimeLimit => return Ok(ended),
                Ok(_) => {}
                Err(halt) => return halt.ending(),
            }
        }
    }

    /// Puts a test case in its place. The journal is on the disk before it: so it knows every version that FILE may have
    /// after a power cut.
    pub(super) fn keep(&mut self, case: &TestCase) -> Result<(), ReductionError> {
        if let Some(journal) = &self.journal {
            journal.sync()?;
        }
        (self.reduction.keep)(case).map_err(ReductionError::Keep)
    }

    fn proceed(&mut self, executor: &mut Executor<OriginalFirst<S>>) -> Result<Ending, Halt> {
        loop {
            let limit = self.reduction.options.max_steps;
            if limit.is_some_and(|limit| self.statistics.steps >= limit) && !executor.is_done() {
                return Ok(Ending::StepLimit);
            }
            let judged = executor.next_verdict()?;
            for pass in executor.take_skipped() {
                if let Some(journal) = &mut self.journal {
                    journal.record_skip(pass).map_err(ReductionError::from)?;
                }
                self.skipped(pass);
            }
            let committed = self.consume(judged, executor.scheduler().counters())?;
            if let Some(case) = committed {
                self.keep(&case)?;
                self.check_commit(executor);
            }
            self.confirm_some(executor)?;
            self.follow_limits(executor)?;
        }
    }

    /// Puts limits into force and into the journal where they have changed.
    fn follow_limits(&mut self, executor: &mut Executor<OriginalFirst<S>>) -> Result<(), Halt> {
        if self.limits.may_be_lower() {
            // The original, or another commit that is to be tested again, may need the limits that there are.
            executor.confirm()?;
            if self.take_confirmations(executor)? == Confirmed::WentBack {
                return Ok(());
            }
            self.limits.lower();
        }
        if self.limits.take_change() {
            put_into_force(self.limits.now(), &*self.reduction.test);
            executor.drop_tests_ahead();
            if let Some(journal) = &mut self.journal {
                journal.record_limits(self.limits.now().clone()).map_err(ReductionError::from)?;
            }
        }
        Ok(())
    }

    /// Writes a verdict to the journal and tells of it. Returns the new current test case, if there is one.
    pub(super) fn consume(
        &mut self,
        answered: Judged,
        counters: Counters,
    ) -> Result<Option<TestCase>, ReductionError> {
        let finished_pass = self.statistics.count(&answered);
        let Judged { candidate, outcome, known, filtered, committed, left_out } = answered;
        let (hash, verdict) = (candidate.hash, outcome.verdict);
        let complaints = outcome.complaints.clone();
        let entry = JournalEntry { hash, verdict, filtered, complaints };
        if let Some(journal) = &mut self.journal {
            journal.record(&entry, candidate.pass)?;
        }
        let interesting = verdict == Verdict::Interesting;
        self.history.push(entry);
        if verdict == Verdict::Uninteresting && filtered != Filtered::Rejected {
            self.controls.add(&candidate, (!known).then_some(self.history.len()));
        }
        if committed.is_some() && !known {
            self.limits.learn(&outcome);
        }
        if let Some(event) = finished_pass {
            self.tell(&event);
        }
        self.tell_left_out(&left_out);
        let number = self.statistics.steps;
        self.tell(&Event::Judged {
            step: number,
            hash: candidate.hash,
            pass: candidate.pass,
            chance: candidate.chance,
            outcome,
            known,
            filtered,
            tests: counters.started,
        });
        if filtered == Filtered::Doubted && interesting {
            self.tell(&Event::Warning(format!(
                "the compile filter rejected an interesting variant (step {number}), so it is not used any more: \
                 variants that do not compile are tested, too"
            )));
        }
        if let Some(case) = &committed {
            let size = if *case == candidate.variant { candidate.size } else { Size::of(case) };
            self.statistics.committed(self.best.1, size);
            self.best = (case.clone(), size);
            self.commits.add(case, size, self.history.len(), self.limits.now());
            self.left_out.clear();
            let (pass, bytes, case) = (candidate.pass, case.total_bytes(), case.clone());
            self.tell(&Event::Committed { step: number, pass, size, bytes, case });
        }
        Ok(committed)
    }

    fn finish(
        mut self,
        ending: Ending,
        executor: &Executor<OriginalFirst<S>>,
    ) -> Result<Reduced, ReductionError> {
        if let Some(journal) = &mut self.journal
            && ending == Ending::Minimal
        {
            journal.finish()?;
        }
        if let Some(event) = self.statistics.finish_pass_run() {
            self.tell(&event);
        }
        self.tell_left_out(executor.scheduler().left_out());
        let (case, size) = self.best.clone();
        self.tell(&Event::Finished { size, ending });
        let last_commit = self.commits.at(self.commits.last()).steps;
        let skipped = self.skips.iter().filter(|(before, _)| *before >= last_commit);
        let counters = executor.scheduler().counters();
        let wall = self.started.elapsed();
        let flakiness = self.flakiness(executor);
        Ok(Reduced {
            case,
            size,
            ending,
            left_out: self.left_out,
            skipped: skipped.map(|(_, pass)| *pass).collect(),
            steps: self.statistics.steps,
            tests: counters.started,
            killed: counters.killed,
            cache_hits: self.statistics.cache_hits,
            wall,
            timeout: self.limits.of_test(),
            compile_filter: FilterFigures {
                checked: counters.filtered,
                ..self.statistics.compile_filter
            },
            passes: self.statistics.into_passes(),
            flakiness,
            efficiency: Efficiency {
                consumed: share(counters.consumed as f64, counters.finished as f64),
                busy: share(
                    executor.busy().as_secs_f64(),
                    wall.as_secs_f64() * executor.scheduler().slots() as f64,
                ),
            },
        })
    }
}

/// `part` of `whole`; 0 of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}
