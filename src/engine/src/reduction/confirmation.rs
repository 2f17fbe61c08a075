//! Confirmations: a reduction tests successes again, so that its result can be relied on although a test may be flaky.
//!
//! Some commits are tested again on the way, and the result at the end. While all of these tests agree, that is all. If
//! one does not, more tests of the same variant decide. Was the success a mistake, the last commit that is no mistake is
//! searched for in halves, the reduction goes back to it, and from then on every success is tested until it is certain.
//! Going back is like resuming: the source begins anew, and takes the verdicts up to there.
//!
//! Mistakes may come in a row, as on a busy machine, and all tests of one variant then agree. So variants that were rejected
//! are tested between them. One that is accepted is repeated until it is rejected again, and then the others are, too. If the
//! test goes on to accept all of them, it has changed, and the reduction ends with the last commit that was certain before.

use clreduce_candidates::CandidateSource;
use clreduce_interestingness::{Filtered, Outcome, Verdict};
use clreduce_speculation::{Confirmation, Executor, FlakyCounts, RepeatedResults, WrongSuccesses};

use super::calibration::OriginalFirst;
use super::controls::Confirmed;
use super::limits::put_into_force;
use super::result::{Flakiness, ReductionError};
use super::resume::{recall, remember};
use super::run::{Halt, ReductionRun};
use super::statistics::StepCounts;
use crate::events::Event;
use clreduce_testcase::{Size, TestCase};

/// A commit that is to be tested again waits for a free slot until the source has taken this number of further verdicts.
const WAITS_FOR: u64 = 20;

/// The least number of times that the result is tested again. A bad test calls one variant in five interesting by mistake,
/// and one in 16,000 all of these times.
const RESULT_AT_LEAST: u32 = 6;

/// The same for a test that has rejected nothing yet: perhaps it accepted by mistake for as long as the reduction took.
const UNREJECTED_AT_LEAST: u32 = 100;

/// The most times that the result is tested again because a rejected variant was accepted meanwhile.
const MOST_ROUNDS: u32 = 20;

/// The most times that a reduction goes back. Each success is tested until it is certain after the first time, so that more are
/// due to a test whose mistakes come in rows again and again.
const MOST_RETURNS: u64 = 20;

/// The facts about a commit that was rejected once, and of a rejected variant that was accepted once.
const REJECTED: RepeatedResults = RepeatedResults { interesting: 0, runs: 1 };
const REJECTED_AND_ACCEPTED: RepeatedResults = RepeatedResults { interesting: 1, runs: 2 };

/// A variant that was tested again and again.
struct Repeated {
    is_interesting: bool,
    tally: RepeatedResults,
    /// The last outcome that was not interesting.
    contrary: Option<Outcome>,
}

impl<S: CandidateSource> ReductionRun<'_, S> {
    /// Has a commit tested again if that is due, and takes the outcomes that are there.
    pub(super) fn confirm_some(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
    ) -> Result<(), Halt> {
        if self.rates.is_some() {
            // Each verdict is certain at its level.
            return Ok(());
        }
        let verdicts = executor.scheduler().counters().consumed;
        if let Some(case) = self.commits.choose(verdicts) {
            executor.scheduler_mut().confirmations_mut().add(&case, verdicts + WAITS_FOR);
        }
        self.take_confirmations(executor).map(drop)
    }

    /// Has a rejected variant tested again after a commit, if the test is flaky.
    pub(super) fn check_commit(&mut self, executor: &mut Executor<OriginalFirst<S>>) {
        if executor.scheduler().verdicts().wrong_successes().is_some()
            && let Some(control) = self.controls.choose().next()
        {
            executor.scheduler_mut().confirmations_mut().add(control, 0);
        }
    }

    /// Tests the result again. False if it was a mistake, and the reduction went back.
    pub(super) fn confirm_result(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
    ) -> Result<bool, Halt> {
        if let Some(rates) = self.rates.clone() {
            self.measure_result(&rates, executor)?;
            return Ok(true);
        }
        let mut errors = RepeatedResults::default();
        for _ in 0..MOST_ROUNDS {
            self.order_tests_of_result(executor);
            executor.confirm()?;
            match self.take_confirmations(executor)? {
                Confirmed::Agreed => return Ok(true),
                Confirmed::WentBack => return Ok(false),
                Confirmed::Doubted(tally) => errors = tally,
            }
        }
        Err(self.end_with(self.commits.last_confirmed(), undecided(errors)))
    }

    /// The result several times, and rejected variants between a third of these and the next.
    fn order_tests_of_result(&mut self, executor: &mut Executor<OriginalFirst<S>>) {
        let last = self.commits.last();
        if last == 0 {
            return;
        }
        let seen = executor.scheduler().verdicts().wrong_successes();
        let mut controls = self.controls.choose().peekable();
        let least = if controls.peek().is_some() { RESULT_AT_LEAST } else { UNREJECTED_AT_LEAST };
        let times = seen.map_or(least, |seen| seen.lead().max(least));
        let confirmations = executor.scheduler_mut().confirmations_mut();
        for number in 0..times {
            if number > 0 && number % times.div_ceil(3) == 0 {
                controls.next().into_iter().for_each(|control| confirmations.add(control, 0));
            }
            confirmations.add(&self.commits.at(last).case, 0);
        }
    }

    /// Takes the outcomes of tests that were run again.
    pub(super) fn take_confirmations(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
    ) -> Result<Confirmed, Halt> {
        let mut confirmed = Confirmed::Agreed;
        while let Some(confirmation) = executor.scheduler_mut().take_confirmation() {
            let control = self.controls.find(&confirmation.hash).cloned();
            let doubtful = match control {
                Some(_) if confirmation.outcome.verdict != Verdict::Interesting => None,
                Some(control) => {
                    let tally = self.repeat_control(executor, &control)?;
                    confirmed = Confirmed::Doubted(tally);
                    // A variant that was accepted meanwhile is tested once more.
                    Some((self.commits.last(), RepeatedResults::default()))
                }
                None => self.doubtful(confirmation).map(|index| (index, REJECTED)),
            };
            if let Some((index, tally)) = doubtful
                && self.investigate(executor, index, tally)?
            {
                return Ok(Confirmed::WentBack);
            }
        }
        Ok(confirmed)
    }

    /// Tests a rejected variant that was accepted until the results decide. The reduction ends if the test accepts all rejected
    /// variants that are left.
    fn repeat_control(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
        control: &TestCase,
    ) -> Result<RepeatedResults, Halt> {
        let repeated = self.repeat_until_decided(executor, control, REJECTED_AND_ACCEPTED)?;
        if repeated.is_interesting && self.controls.remove(&control.hash()) {
            let certain = self.commits.confirmed_before(self.controls.last());
            return Err(self.end_with(certain, ReductionError::TestChanged));
        }
        Ok(repeated.tally)
    }

    /// Takes an outcome. Returns the index of the commit if it was not interesting this time.
    fn doubtful(&mut self, Confirmation { hash, outcome }: Confirmation) -> Option<usize> {
        let index = self.commits.find(&hash)?;
        if outcome.verdict != Verdict::Interesting {
            return Some(index);
        }
        self.limits.learn_again(&outcome);
        if index == 0 {
            self.limits.learn_original(&outcome);
        }
        self.commits.confirm(index, self.history.len());
        None
    }

    /// Finds out whether a commit was a mistake. If so, goes back to the last one that was none, and returns true.
    fn investigate(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
        index: usize,
        tally: RepeatedResults,
    ) -> Result<bool, Halt> {
        let suspect = self.repeat(executor, index, tally)?;
        if suspect.is_interesting {
            return Ok(false);
        }
        if index == 0 {
            return Err(self.give_up(suspect));
        }
        if suspect.tally.is_undecided() {
            // Most likely it cannot decide about any variant.
            self.test_original(executor)?;
        }
        let (mut good, mut bad) = (0, index);
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            if self.repeat(executor, middle, RepeatedResults::default())?.is_interesting {
                good = middle;
            } else {
                bad = middle;
            }
        }
        if good == 0 {
            self.test_original(executor)?;
        }
        if self.went_back == MOST_RETURNS {
            return Err(self.end_with(good, undecided(suspect.tally)));
        }
        self.go_back(executor, good)?;
        Ok(true)
    }

    fn test_original(&mut self, executor: &mut Executor<OriginalFirst<S>>) -> Result<(), Halt> {
        let original = self.repeat(executor, 0, RepeatedResults::default())?;
        if original.is_interesting { Ok(()) } else { Err(self.give_up(original)) }
    }

    /// Tests a commit until the results decide, within the time that it needs.
    fn repeat(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
        index: usize,
        tally: RepeatedResults,
    ) -> Result<Repeated, Halt> {
        put_into_force(&self.commits.at(index).limits, &*self.reduction.test);
        let case = self.commits.at(index).case.clone();
        let repeated = self.repeat_until_decided(executor, &case, tally);
        put_into_force(self.limits.now(), &*self.reduction.test);
        repeated
    }

    fn repeat_until_decided(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
        case: &TestCase,
        mut tally: RepeatedResults,
    ) -> Result<Repeated, Halt> {
        let hash = case.hash();
        let mut contrary = None;
        loop {
            let lead = seen(executor).lead();
            if let Some(is_interesting) = tally.decides(lead) {
                self.flaky.add(&tally, is_interesting);
                return Ok(Repeated { is_interesting, tally, contrary });
            }
            let missing = lead + tally.runs - 2 * tally.interesting;
            let slots = u32::try_from(executor.scheduler().slots()).unwrap_or(u32::MAX);
            for _ in 0..missing.min(slots) {
                executor.scheduler_mut().confirmations_mut().add(case, 0);
            }
            executor.confirm()?;
            while let Some(confirmation) = executor.scheduler_mut().take_confirmation() {
                // Another commit is tested again in its turn, or goes anyway. What came after the decision because there
                // are many slots says nothing.
                if confirmation.hash == hash && tally.decides(lead).is_none() {
                    let is_interesting = confirmation.outcome.verdict == Verdict::Interesting;
                    tally.add(is_interesting);
                    contrary = Some(confirmation.outcome).filter(|_| !is_interesting).or(contrary);
                }
            }
        }
    }

    /// Goes back to a commit: the verdicts after it are void.
    fn go_back(
        &mut self,
        executor: &mut Executor<OriginalFirst<S>>,
        index: usize,
    ) -> Result<(), ReductionError> {
        let before = self.best.1;
        let seen = seen(executor);
        add(&mut self.flaky, executor.scheduler().verdicts().flaky_counts());
        self.went_back += 1;
        self.void_after(index)?;

        let original = self.reduction.case.clone();
        let mut verdicts = recall(&original, &self.history, self.is_filtered);
        verdicts.remember(original.hash(), Verdict::Interesting, &[], Filtered::Passed, None);
        let source = OriginalFirst::new(&original, self.source.clone());
        executor.restart(source, verdicts);
        let repeats = executor.known_verdict();
        debug_assert!(repeats.is_some(), "the original is the first candidate");
        self.statistics = StepCounts::new();
        self.best = (original.clone(), Size::of(&original));
        // Skips after the last verdict that was taken are void with the verdict that they waited for.
        executor.take_skipped();
        for number in 0..=self.history.len() {
            for (_, pass) in self.skips.iter().filter(|(before, _)| *before == number) {
                if executor.scheduler_mut().skip_pass() != Some(pass) {
                    return Err(self.diverged());
                }
            }
            for (_, case) in self.edits.iter().filter(|(before, _)| *before == number) {
                executor.scheduler_mut().take_edit(case);
            }
            let Some(entry) = self.history.get(number).cloned() else { break };
            remember(executor.scheduler_mut().verdicts_mut(), &entry);
            let Some(judged) = executor.known_verdict() else { return Err(self.diverged()) };
            let _ = self.statistics.count(&judged);
            if let Some(case) = judged.committed {
                let size = Size::of(&case);
                self.statistics.committed(self.best.1, size);
                self.best = (case, size);
            }
        }
        executor.scheduler_mut().verdicts_mut().distrust(seen);

        let (case, size) = self.best.clone();
        let (step, bytes) = (self.statistics.steps, case.total_bytes());
        self.tell(&Event::WentBack { step, size, bytes, case });
        self.tell(&Event::Warning(format!(
            "the test is flaky: it accepted a variant that it rejects when it is repeated, so clreduce goes back from {} \
             to {} tokens and tests each success several times from now on",
            before.tokens, size.tokens
        )));
        Ok(())
    }

    /// Puts a commit back on disk, and makes the verdicts after it void.
    fn void_after(&mut self, index: usize) -> Result<(), ReductionError> {
        let commit = self.commits.at(index);
        let (case, size, steps) = (commit.case.clone(), commit.size, commit.steps);
        let limits = commit.limits.clone();
        // First the file: the journal knows every version until the verdicts are void.
        self.keep(&case)?;
        self.best = (case, size);
        // Verdicts of "no" on variants of this commit stand. The next success may be the mistake.
        let is_success = |at: &usize| self.history[*at].verdict == Verdict::Interesting;
        let end = self.history.len();
        let steps = (steps..end).find(is_success).unwrap_or(end);
        self.history.truncate(steps);
        self.skips.retain(|(before, _)| *before <= steps);
        self.edits.retain(|(before, _)| *before <= steps);
        self.commits.go_back(index);
        if let Some(journal) = &mut self.journal {
            journal.go_back(steps)?;
            journal.record_limits(limits.clone())?;
        }
        put_into_force(&limits, &*self.reduction.test);
        self.limits.restore(limits);
        Ok(())
    }

    /// Ends the reduction, because the test does not accept the original any more. Nothing that it said lately can be
    /// relied on: the last commit that was confirmed, or else the original, is put back.
    fn give_up(&mut self, original: Repeated) -> Halt {
        let Repeated { tally, contrary, .. } = original;
        let error = if tally.is_undecided() {
            undecided(tally)
        } else {
            let contrary = contrary.unwrap_or_else(|| Outcome::from(Verdict::Uninteresting));
            let (interesting, runs) = (tally.interesting as usize + 1, tally.runs as usize + 1);
            ReductionError::Flaky { interesting, runs, contrary: Box::new(contrary) }
        };
        self.end_with(self.commits.last_confirmed(), error)
    }

    /// Puts a commit back, and says why the reduction ends.
    fn end_with(&mut self, index: usize, error: ReductionError) -> Halt {
        self.void_after(index).err().unwrap_or(error).into()
    }

    /// The flakiness of the test, as far as it was seen.
    pub(super) fn flakiness(&self, executor: &Executor<OriginalFirst<S>>) -> Flakiness {
        let mut counts = self.flaky;
        add(&mut counts, executor.scheduler().verdicts().flaky_counts());
        let FlakyCounts { repeated, wrongly_interesting, wrongly_rejected } = counts;
        let went_back = self.went_back;
        Flakiness { repeated, wrongly_interesting, wrongly_rejected, went_back }
    }
}

/// The error for a test that says both of one variant, again and again.
fn undecided(RepeatedResults { interesting, runs }: RepeatedResults) -> ReductionError {
    ReductionError::Undecided { interesting, runs }
}

/// The mistakes of the test that were seen.
fn seen<S: CandidateSource>(executor: &Executor<S>) -> WrongSuccesses {
    executor.scheduler().verdicts().wrong_successes().unwrap_or_default()
}

fn add(counts: &mut FlakyCounts, more: FlakyCounts) {
    counts.repeated += more.repeated;
    counts.wrongly_interesting += more.wrongly_interesting;
    counts.wrongly_rejected += more.wrongly_rejected;
}
