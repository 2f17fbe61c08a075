//! The run of a reduction: it gives verdicts to the reducer in order, writes them to the journal, keeps each new current
//! test case, and tells of events.

use std::collections::{HashSet, VecDeque};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clreduce_interestingness::{Filtered, Verdict};
use clreduce_testcase::{ContentHash, Size, SourceFile, TestCase};

use super::calibration::{CHECK_AFTER, LIMIT_AT_MOST, OriginalFirst, limit_for};
use super::result::{Efficiency, FilterFigures, Reduced, ReductionError};
use super::statistics::StepCounts;
use super::{Reduction, Resume};
use crate::events::{Ending, Event};
use clreduce_candidates::{CandidateSource, LeftOut};
use clreduce_journal::{Journal, JournalEntry, JournalHeader, StateError};
use clreduce_speculation::{Counters, Executor, Judged, Pool, Scheduler, Stop, Verdicts};

/// Runs a reduction from the first test of the original to the last event.
pub(super) fn run(
    mut reduction: Reduction<'_>,
    source: impl CandidateSource,
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
    let mut executor = executor(&mut reduction, source, verdicts, started)?;
    let original = match executor.next_verdict() {
        Ok(original) if original.outcome.verdict == Verdict::Interesting => original,
        said => {
            executor.stop();
            let counters = executor.scheduler().counters();
            return not_begun(reduction.case, said, counters, started.elapsed());
        }
    };

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
            Some(folder.begin(&reduction.case, &header)?)
        }
        (journal, _) => journal,
    };
    // Otherwise an earlier run has judged it as well.
    if earlier.is_none() {
        let Judged { candidate, outcome, .. } = original;
        executor.scheduler_mut().rechecks_mut().add_due(CHECK_AFTER, &candidate, outcome);
    }

    let size = Size::of(&reduction.case);
    let bytes = reduction.case.total_bytes();
    let resumed_steps = replay.len() as u64;
    let mut run = ReductionRun {
        versions: Versions::default(),
        statistics: StepCounts::new(),
        best: (reduction.case.clone(), size),
        on_disk: state.as_mut().and_then(|state| state.on_disk.take()),
        journal,
        timeout,
        started,
        reduction,
    };
    run.tell(&Event::Started { size, bytes, resumed_steps, time_limit: timeout });
    let ending = run.run(&mut executor);
    executor.stop();
    let result = ending.and_then(|ending| run.finish(ending, &executor));
    if let (Err(ReductionError::Flaky { .. }), Some(state)) = (&result, &state) {
        // There is nothing to go on with.
        state.folder.discard()?;
    }
    // Unlocked last: another run may start now.
    drop(state);
    result
}

/// The journal of an earlier run, if there is one.
fn resume(
    state: &mut Option<Resume>,
    reduction: &Reduction<'_>,
) -> Result<Option<(Journal, JournalHeader)>, StateError> {
    let Some(state) = state else { return Ok(None) };
    state.facts.extend(reduction.facts());
    let facts = state.facts.clone();
    let header = JournalHeader::new(&reduction.case.hash(), Duration::ZERO, false, facts);
    state.folder.resume(&header)
}

/// The executor of the tests, which begins with that of the original.
fn executor<A: CandidateSource>(
    reduction: &mut Reduction<'_>,
    source: A,
    verdicts: Verdicts,
    started: Instant,
) -> Result<Executor<OriginalFirst<A>>, ReductionError> {
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = reduction.options.jobs().unwrap_or_else(cores);
    let pool = match reduction.pool.take() {
        Some(pool) => pool,
        None => Arc::new(Pool::new(jobs).map_err(ReductionError::Threads)?),
    };
    let slots = jobs.get().min(pool.threads());
    let source = OriginalFirst::new(&reduction.case, source);
    let scheduler = Scheduler::new(source, slots, verdicts, reduction.recheck_one_in);
    let (test, gate) = (Arc::clone(&reduction.test), reduction.compile_filter.clone());
    let deadline = reduction.options.time_limit.map(|limit| started + limit);
    let executor = Executor::new(scheduler, pool, test, gate, reduction.cancel.clone(), deadline);
    Ok(executor.skipping(reduction.skip.clone()))
}

/// Returns true if there is a compile filter that accepts the original. Nothing else decides whether it is used: no
/// clock, and no test.
fn accepts_original(reduction: &Reduction<'_>) -> bool {
    let filter = reduction.compile_filter.as_ref();
    filter.is_some_and(|filter| filter.accepts(&reduction.case, &reduction.cancel) == Some(true))
}

fn ending(stop: Stop) -> Result<Ending, ReductionError> {
    match stop {
        Stop::Done => Ok(Ending::Minimal),
        Stop::Cancelled => Ok(Ending::Interrupted),
        Stop::Deadline => Ok(Ending::TimeLimit),
        Stop::NotRun(not_run) => Err(ReductionError::NotRun(not_run)),
    }
}

/// What is known before the first test: what the journal holds.
fn recall(original: &TestCase, replay: &VecDeque<JournalEntry>, is_filtered: bool) -> Verdicts {
    let mut verdicts = Verdicts::default();
    if is_filtered {
        verdicts.use_filter();
    }
    verdicts.insert_filtered(original.hash(), false);
    for JournalEntry { hash, verdict, filtered } in replay {
        verdicts.remember(*hash, *verdict, *filtered);
    }
    verdicts
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
        steps: 0,
        tests: counters.started,
        killed: counters.killed,
        cache_hits: 0,
        wall,
        timeout: Duration::ZERO,
        passes: Vec::new(),
        contradictions: Vec::new(),
        compile_filter: FilterFigures::default(),
        efficiency: Efficiency::default(),
    })
}

struct ReductionRun<'a> {
    reduction: Reduction<'a>,
    journal: Option<Journal>,
    statistics: StepCounts,
    best: (TestCase, Size),
    /// Files of the committed test cases, while an earlier run is replayed.
    versions: Versions,
    on_disk: Option<TestCase>,
    timeout: Duration,
    started: Instant,
}

impl ReductionRun<'_> {
    fn tell(&mut self, event: &Event) {
        (self.reduction.on_event)(event);
    }

    fn tell_left_out(&mut self, left_out: &[LeftOut]) {
        for &LeftOut { pass, of, most } in left_out {
            self.tell(&Event::LeftOut { pass, of, most });
        }
    }

    fn run<A: CandidateSource>(
        &mut self,
        executor: &mut Executor<A>,
    ) -> Result<Ending, ReductionError> {
        self.replay(executor)?;
        let ending = self.proceed(executor)?;
        if matches!(ending, Ending::Minimal | Ending::StepLimit) {
            executor.recheck();
            self.take_second_test(executor)?;
        }
        Ok(ending)
    }

    /// Repeats the steps in the journal. Neither a cancellation nor a limit stops it on the way, since the result would
    /// be larger than what is on disk.
    fn replay<A: CandidateSource>(
        &mut self,
        executor: &mut Executor<A>,
    ) -> Result<(), ReductionError> {
        self.versions.add(&self.best.0);
        loop {
            if let Some(journaled) = self.journal.as_mut().and_then(Journal::take_skip) {
                match executor.scheduler_mut().skip_pass() {
                    Some(pass) if *pass == journaled => self.tell(&Event::PassSkipped { pass }),
                    _ => break,
                }
                continue;
            }
            if self.journal.as_ref().is_none_or(|journal| journal.replay().is_empty()) {
                return self.check_disk();
            }
            let Some(answered) = executor.known_verdict() else { break };
            if let Some(case) = self.consume(answered, executor.scheduler().counters())? {
                self.versions.add(&case);
            }
        }
        // A candidate that the earlier run did not have.
        Err(self.journal.as_ref().map_or_else(
            || unreachable!("there is a journal to replay"),
            |journal| journal.diverged().into(),
        ))
    }

    /// Checks that the files on disk are a version that the journal knows, and puts the best one there.
    fn check_disk(&mut self) -> Result<(), ReductionError> {
        let on_disk = self.on_disk.take();
        if let Some(case) = &on_disk {
            self.versions.check(case)?;
        }
        let is_there = on_disk.as_ref() == Some(&self.best.0);
        if is_there || (on_disk.is_none() && self.statistics.steps == 0) {
            return Ok(());
        }
        (self.reduction.keep)(&self.best.0).map_err(ReductionError::Keep)
    }

    fn proceed<A: CandidateSource>(
        &mut self,
        executor: &mut Executor<A>,
    ) -> Result<Ending, ReductionError> {
        loop {
            let limit = self.reduction.options.max_steps;
            if limit.is_some_and(|limit| self.statistics.steps >= limit) && !executor.is_done() {
                return Ok(Ending::StepLimit);
            }
            let answered = match executor.next_verdict() {
                Ok(answered) => answered,
                Err(stop) => return ending(stop),
            };
            for pass in executor.take_skipped() {
                if let Some(journal) = &mut self.journal {
                    journal.record_skip(pass)?;
                }
                self.tell(&Event::PassSkipped { pass });
            }
            let committed = self.consume(answered, executor.scheduler().counters())?;
            if let Some(case) = committed {
                (self.reduction.keep)(&case).map_err(ReductionError::Keep)?;
            }
            self.take_second_test(executor)?;
        }
    }

    /// Takes the result of the second test of the original, once it has ended. If it contradicts the first, no verdict
    /// can be relied on, and the original is put back. Otherwise its time may lower the limit of a test: the first was
    /// cold.
    fn take_second_test<A: CandidateSource>(
        &mut self,
        executor: &mut Executor<A>,
    ) -> Result<(), ReductionError> {
        let Some(check) = executor.scheduler_mut().rechecks_mut().take_due() else { return Ok(()) };
        if check.second.verdict != Verdict::Interesting {
            if self.best.0 != self.reduction.case {
                (self.reduction.keep)(&self.reduction.case).map_err(ReductionError::Keep)?;
            }
            let contrary = Box::new(check.second);
            return Err(ReductionError::Flaky { interesting: 1, runs: 2, contrary });
        }
        if self.reduction.options.timeout.is_none() {
            self.timeout = self.timeout.min(limit_for(check.second.wall));
            self.reduction.test.set_time_limit(self.timeout);
        }
        Ok(())
    }

    /// Writes a verdict to the journal and tells of it. Returns the new current test case, if there is one.
    fn consume(
        &mut self,
        answered: Judged,
        counters: Counters,
    ) -> Result<Option<TestCase>, ReductionError> {
        let finished_pass = self.statistics.count(&answered);
        let Judged { candidate, outcome, known, filtered, committed, left_out } = answered;
        if let Some(journal) = &mut self.journal {
            journal.record(&candidate.hash, outcome.verdict, filtered, candidate.pass)?;
        }
        let interesting = outcome.verdict == Verdict::Interesting;
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
            let (pass, bytes, case) = (candidate.pass, case.total_bytes(), case.clone());
            self.tell(&Event::Committed { step: number, pass, size, bytes, case });
        }
        Ok(committed)
    }

    fn finish<A: CandidateSource>(
        mut self,
        ending: Ending,
        executor: &Executor<A>,
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
        let counters = executor.scheduler().counters();
        let wall = self.started.elapsed();
        Ok(Reduced {
            case,
            size,
            ending,
            steps: self.statistics.steps,
            tests: counters.started,
            killed: counters.killed,
            cache_hits: self.statistics.cache_hits,
            wall,
            timeout: self.timeout,
            compile_filter: FilterFigures {
                checked: counters.filtered,
                ..self.statistics.compile_filter
            },
            passes: self.statistics.into_passes(),
            contradictions: executor.scheduler().rechecks().contradictions().to_vec(),
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

/// Content hashes of the files of all committed test cases. With several files, a crash may leave some of one commit
/// and some of the next.
#[derive(Default)]
struct Versions {
    files: HashSet<ContentHash>,
}

impl Versions {
    fn add(&mut self, case: &TestCase) {
        self.files.extend(case.files().iter().map(version));
    }

    fn check(&self, case: &TestCase) -> Result<(), StateError> {
        match case.files().iter().find(|file| !self.files.contains(&version(file))) {
            Some(file) => Err(StateError::FileChanged { path: file.path.to_string() }),
            None => Ok(()),
        }
    }
}

fn version(file: &SourceFile) -> ContentHash {
    let content = ContentHash::of(&file.bytes);
    ContentHash::of(&[file.path.as_bytes(), &content.0].concat())
}
