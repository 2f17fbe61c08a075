//! The run of a reduction after the first test: it gives verdicts to the reducer in order, writes them to the journal, keeps
//! each new current test case, and tells of events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clreduce_interestingness::{Filtered, Verdict};
use clreduce_testcase::{Size, TestCase};

use super::Reduction;
use super::calibration::OriginalFirst;
use super::commits::Commits;
use super::controls::{Confirmed, Controls};
use super::limits::{CommitLimits, put_into_force};
use super::result::{Efficiency, FilterFigures, Reduced, ReductionError};
use super::resume::Versions;
use super::statistics::StepCounts;
use crate::events::{Ending, Event};
use crate::ranked::Ranks;
use crate::rate::{MeasuredRate, RateTest};
use clreduce_candidates::{CandidateSource, EDIT, LeftOut};
use clreduce_journal::{Journal, JournalEntry};
use clreduce_speculation::{Counters, Executor, FlakyCounts, Judged, Stop};

impl Halt {
    fn ending(self) -> Result<Ending, ReductionError> {
        match self {
            Self::Stop(stop) => ending(stop),
            Self::Error(error) => Err(error),
        }
    }
}

pub(super) fn ending(stop: Stop) -> Result<Ending, ReductionError> {
    match stop {
        Stop::Done => Ok(Ending::Minimal),
        Stop::Cancelled => Ok(Ending::Interrupted),
        Stop::Deadline => Ok(Ending::TimeLimit),
        Stop::NotRun(not_run) => Err(ReductionError::NotRun(not_run)),
    }
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
    /// The test cases that a person edited, each with the number of verdicts before its own.
    pub(super) edits: Vec<(usize, TestCase)>,
    /// The source as it was in the beginning.
    pub(super) source: S,
    pub(super) is_filtered: bool,
    /// Variants that were tested again and again.
    pub(super) flaky: FlakyCounts,
    pub(super) went_back: u64,
    /// The test, where rates decide.
    pub(super) rates: Option<Arc<RateTest>>,
    /// The runs by which the result was measured then.
    pub(super) result_rate: Option<MeasuredRate>,
    /// The proposals that passes left out since the last commit.
    left_out: Vec<LeftOut>,
    /// Files of the committed test cases, while an earlier run is replayed.
    pub(super) versions: Versions,
    pub(super) on_disk: Option<TestCase>,
    started: Instant,
}

impl<'a, S: CandidateSource> ReductionRun<'a, S> {
    /// A run whose original was found interesting.
    pub(super) fn new(
        reduction: Reduction<'a>,
        source: S,
        journal: Option<Journal>,
        limits: CommitLimits,
        is_filtered: bool,
        started: Instant,
    ) -> Self {
        Self {
            versions: Versions::default(),
            statistics: StepCounts::new(),
            best: (reduction.case.clone(), Size::of(&reduction.case)),
            commits: Commits::new(&reduction.case, limits.now()),
            controls: Controls::default(),
            limits,
            history: Vec::new(),
            skips: Vec::new(),
            edits: Vec::new(),
            source,
            is_filtered,
            flaky: FlakyCounts::default(),
            went_back: 0,
            rates: None,
            result_rate: None,
            left_out: Vec::new(),
            on_disk: None,
            journal,
            started,
            reduction,
        }
    }

    /// Tells that it begins. The time of the first test is given if it decided the time limit.
    pub(super) fn tell_start(
        &mut self,
        resumed_steps: u64,
        time_limit: Duration,
        original_time: Option<Duration>,
    ) {
        let (size, bytes) = (self.best.1, self.reduction.case.total_bytes());
        self.tell(&Event::Started { size, bytes, resumed_steps, time_limit, original_time });
    }

    /// Runs it to its end. Also returns whether there was a commit.
    pub(super) fn until_end(
        mut self,
        mut executor: Executor<OriginalFirst<S>>,
    ) -> (Result<Reduced, ReductionError>, bool) {
        let ending = self.run(&mut executor);
        executor.stop();
        let ending = ending.and_then(|ending| self.record_proposed().map(|()| ending));
        let ending = ending.and_then(|ending| self.lay_out(ending, &mut executor).map(|()| ending));
        let has_commits = self.commits.last() > 0 || !self.edits.is_empty();
        (ending.and_then(|ending| self.finish(ending, &executor)), has_commits)
    }

    pub(super) fn tell(&mut self, event: &Event) {
        (self.reduction.on_event)(event);
    }

    /// Takes note of a pass that was skipped, before the next verdict.
    pub(super) fn skipped(&mut self, pass: &'static str) {
        self.skips.push((self.history.len(), pass));
        self.tell(&Event::PassSkipped { pass });
    }

    /// Writes a test case to the journal that a person edited and that is judged next.
    pub(super) fn record_edit(&mut self, case: TestCase) -> Result<(), ReductionError> {
        if let Some(journal) = &mut self.journal {
            journal.record_edit(&case)?;
        }
        self.edited(case);
        Ok(())
    }

    /// Takes note of a test case that a person edited.
    pub(super) fn edited(&mut self, case: TestCase) {
        self.versions.add(&case);
        self.edits.push((self.history.len(), case));
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
            // The files on disk show an edit until there is a verdict on it.
            let may_end = !executor.is_done() && !executor.scheduler().awaits_edit();
            if limit.is_some_and(|limit| self.statistics.steps >= limit) && may_end {
                return Ok(Ending::StepLimit);
            }
            let judged = executor.next_verdict();
            if judged.is_ok() {
                for pass in executor.take_skipped() {
                    if let Some(journal) = &mut self.journal {
                        journal.record_skip(pass).map_err(ReductionError::from)?;
                    }
                    self.skipped(pass);
                }
            }
            // Also where there is no verdict any more: the next run judges them.
            for case in executor.take_edited() {
                self.record_edit(case)?;
            }
            let judged = judged?;
            let edit = (judged.candidate.pass == EDIT)
                .then(|| (judged.candidate.variant.clone(), judged.outcome.reason.clone()));
            let committed = self.consume(judged, executor.scheduler().counters())?;
            match (committed, edit) {
                (Some(case), _) => {
                    self.keep(&case)?;
                    self.check_commit(executor);
                }
                (None, Some((case, reason))) => {
                    self.tell(&Event::EditRefused { case, reason });
                    if !executor.scheduler().awaits_edit() {
                        let best = self.best.0.clone();
                        self.keep(&best)?;
                    }
                }
                (None, None) => {}
            }
            self.look_again(executor);
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

    /// Writes what a user's pass proposed to the journal, before any verdict on it, and tells if it has failed.
    fn record_proposed(&mut self) -> Result<(), ReductionError> {
        let fresh = self.reduction.asked.as_ref().map(|asked| asked.take_fresh());
        for (proposed, failure) in fresh.into_iter().flatten() {
            if let Some(journal) = &mut self.journal {
                journal.record_proposed(&proposed)?;
            }
            if let Some(reason) = failure {
                self.tell(&Event::Warning(format!(
                    "the pass command failed and is not asked any more: {reason}"
                )));
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
        self.record_proposed()?;
        let Judged { candidate, outcome, known, filtered, committed, left_out } = answered;
        let (hash, verdict) = (candidate.hash, outcome.verdict);
        let complaints = outcome.complaints.clone();
        let rank = outcome.rank;
        let entry = JournalEntry { hash, verdict, filtered, complaints, rank };
        if let Some(journal) = &mut self.journal {
            journal.record(&entry, candidate.pass)?;
        }
        let interesting = verdict == Verdict::Interesting;
        self.history.push(entry);
        // The test accepts one that is only not preferred.
        let is_refused = verdict == Verdict::Uninteresting && rank.is_none();
        if is_refused && filtered != Filtered::Rejected {
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
        if ending == Ending::Minimal {
            // An edit since the last commit is judged by the next run, which a finished reduction does not have.
            self.keep(&self.best.0.clone())?;
            self.journal.as_mut().map_or(Ok(()), Journal::finish)?;
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
        let (rates, numbers) = (self.measured_rates(), self.measured_numbers());
        let preference = executor.scheduler().preference();
        let ranks =
            preference.map(|it| it.ranks()).map(|[original, result]| Ranks { original, result });
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
            rates,
            numbers,
            ranks,
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
