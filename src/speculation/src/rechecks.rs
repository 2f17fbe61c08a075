//! Second tests of verdicts: one in so many, when a slot is free, and those that are due at a certain time.

use std::collections::VecDeque;

use clreduce_candidates::Candidate;
use clreduce_interestingness::{Outcome, Verdict};
use clreduce_testcase::{ContentHash, TestCase};

/// Most verdicts that wait for a second test.
const WAITING_AT_MOST: usize = 64;

/// A verdict and the result of a second test.
#[derive(Clone, Debug)]
pub struct Recheck {
    /// Content hash of the variant.
    pub hash: ContentHash,
    /// The variant.
    pub variant: TestCase,
    /// The outcome that the source took. It stands.
    pub first: Outcome,
    /// The outcome of the second test.
    pub second: Outcome,
}

/// A verdict that waits for a second test.
#[derive(Debug)]
pub(crate) struct PendingRecheck {
    pub(crate) hash: ContentHash,
    pub(crate) variant: TestCase,
    first: Outcome,
    /// It goes before all candidates once the source has taken so many verdicts of tests. Others go after them.
    due: Option<u64>,
}

/// Verdicts that wait for a second test, and the results of those that had one.
#[derive(Debug)]
pub struct Rechecks {
    one_in: u64,
    waiting: VecDeque<PendingRecheck>,
    /// The result of the one that was due.
    due: Option<Recheck>,
    contradictions: Vec<Recheck>,
}

impl Rechecks {
    /// Rechecks one in so many verdicts; 0 for none.
    pub(crate) fn new(one_in: u64) -> Self {
        Self { one_in, waiting: VecDeque::new(), due: None, contradictions: Vec::new() }
    }

    /// Returns true if nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Verdicts that a second test contradicted.
    #[must_use]
    pub fn contradictions(&self) -> &[Recheck] {
        &self.contradictions
    }

    /// Has a verdict rechecked before all else once the source has taken `verdicts` verdicts of tests.
    pub fn add_due(&mut self, verdicts: u64, candidate: &Candidate, first: Outcome) {
        self.waiting.retain(|recheck| recheck.hash != candidate.hash);
        self.waiting.push_front(PendingRecheck::new(candidate, first, Some(verdicts)));
    }

    /// The result of the recheck that was due, told once.
    pub fn take_due(&mut self) -> Option<Recheck> {
        self.due.take()
    }

    /// Takes a verdict in, or not. Its content decides, so that every `-j` rechecks the same.
    pub(crate) fn consider(&mut self, candidate: &Candidate, outcome: &Outcome) {
        let is_chosen = candidate.hash.low_bits().checked_rem(self.one_in) == Some(0);
        let is_plain = matches!(outcome.verdict, Verdict::Interesting | Verdict::Uninteresting);
        if is_chosen && is_plain && self.waiting.len() < WAITING_AT_MOST {
            self.waiting.push_back(PendingRecheck::new(candidate, outcome.clone(), None));
        }
    }

    /// Content hash of the next variant to be tested again.
    pub(crate) fn next_hash(&self) -> Option<&ContentHash> {
        self.waiting.front().map(|recheck| &recheck.hash)
    }

    /// The next recheck: if it is due now that the source has taken so many verdicts, or if the slot is idle.
    pub(crate) fn next(&mut self, verdicts: u64, is_idle: bool) -> Option<PendingRecheck> {
        let is_due = self.waiting.front()?.due.is_some_and(|due| due <= verdicts);
        (is_due || is_idle).then(|| self.waiting.pop_front()).flatten()
    }

    /// Takes back what could not be tested.
    pub(crate) fn put_back(&mut self, recheck: PendingRecheck) {
        self.waiting.push_front(recheck);
    }

    /// Takes the outcome of a second test. A time-out contradicts nothing: the machine may have been busy.
    pub(crate) fn ended(&mut self, recheck: PendingRecheck, second: Outcome) {
        let PendingRecheck { hash, variant, first, due } = recheck;
        let yes = |outcome: &Outcome| outcome.verdict == Verdict::Interesting;
        let contradicts = yes(&first) != yes(&second) && second.verdict != Verdict::TimedOut;
        let recheck = Recheck { hash, variant, first, second };
        if due.is_some() {
            self.due = Some(recheck);
        } else if contradicts {
            self.contradictions.push(recheck);
        }
    }
}

impl PendingRecheck {
    fn new(candidate: &Candidate, first: Outcome, due: Option<u64>) -> Self {
        Self { hash: candidate.hash, variant: candidate.variant.clone(), first, due }
    }

    /// Returns true if something waits for its result.
    pub(crate) fn is_due(&self) -> bool {
        self.due.is_some()
    }
}
