//! Second tests of answers: of one in so many, when a slot is free, and of what is to be checked soon.

use std::collections::VecDeque;

use clreduce_interestingness::{Outcome, Verdict};
use clreduce_testcase::{ContentHash, TestCase};

use clreduce_candidates::Candidate;

/// Variants kept to be tested once more, at most.
const WAITING_AT_MOST: usize = 64;

/// An answer that was checked by a second test.
#[derive(Clone, Debug)]
pub struct Recheck {
    /// Content hash of the variant.
    pub hash: ContentHash,
    /// The variant.
    pub variant: TestCase,
    /// The answer that was consumed, and stands.
    pub first: Outcome,
    /// What the second test said.
    pub second: Outcome,
}

/// An answer that waits for a second test.
#[derive(Debug)]
pub(crate) struct Check {
    /// Content hash of the variant.
    pub(crate) hash: ContentHash,
    /// The variant.
    pub(crate) variant: TestCase,
    first: Outcome,
    /// Goes before all questions once so many tests were consumed; until then, or without, after them.
    due: Option<u64>,
    /// It timed out beside other tests, and nothing else may run during the second try.
    pub(crate) alone: bool,
}

/// What waits, and what came of the rest.
#[derive(Debug)]
pub(crate) struct Checks {
    one_in: u64,
    waiting: VecDeque<Check>,
    /// The check that was due, once it is done.
    due: Option<Recheck>,
    contradictions: Vec<Recheck>,
}

impl Checks {
    /// Checks one in so many answers; 0 for none.
    pub(crate) fn new(one_in: u64) -> Self {
        Self { one_in, waiting: VecDeque::new(), due: None, contradictions: Vec::new() }
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Answers that a second test contradicted.
    pub(crate) fn contradictions(&self) -> &[Recheck] {
        &self.contradictions
    }

    /// Takes an answer in, or not: chosen by content, so that every `-j` checks the same.
    pub(crate) fn consider(&mut self, candidate: &Candidate, outcome: &Outcome) {
        let is_chosen = candidate.hash.low_bits().checked_rem(self.one_in) == Some(0);
        let is_plain = matches!(outcome.verdict, Verdict::Interesting | Verdict::Uninteresting);
        if is_chosen && is_plain && self.waiting.len() < WAITING_AT_MOST {
            self.waiting.push_back(Check::new(candidate, outcome.clone(), None));
        }
    }

    /// Has an answer checked before all else once so many tests were consumed.
    pub(crate) fn add_due(&mut self, consumed: u64, candidate: &Candidate, first: Outcome) {
        self.waiting.retain(|check| check.hash != candidate.hash);
        self.waiting.push_front(Check::new(candidate, first, Some(consumed)));
    }

    /// What to check now that so many tests were consumed; whether nothing better could run in the slot.
    pub(crate) fn next(&mut self, consumed: u64, is_idle: bool) -> Option<Check> {
        let is_due = self.waiting.front()?.due.is_some_and(|due| due <= consumed);
        (is_due || is_idle).then(|| self.waiting.pop_front()).flatten()
    }

    /// Whether what comes next is to run alone.
    pub(crate) fn next_is_alone(&self) -> bool {
        self.waiting.front().is_some_and(|check| check.alone)
    }

    /// Takes back what could not be tested.
    pub(crate) fn put_back(&mut self, check: Check) {
        self.waiting.push_front(check);
    }

    /// Learns what the second test said, and whether other tests ran during it. A busy machine explains a time-out: that
    /// contradicts nothing, and what is due is tried once more.
    pub(crate) fn ended(&mut self, check: Check, second: Outcome, shared: bool) {
        let timed_out = second.verdict == Verdict::TimedOut;
        if timed_out && shared && check.due.is_some() && !check.alone {
            return self.put_back(Check { alone: true, ..check });
        }
        let Check { hash, variant, first, due, .. } = check;
        let yes = |outcome: &Outcome| outcome.verdict == Verdict::Interesting;
        let contradicts = yes(&first) != yes(&second) && !timed_out;
        let recheck = Recheck { hash, variant, first, second };
        if due.is_some() {
            self.due = Some(recheck);
        } else if contradicts {
            self.contradictions.push(recheck);
        }
    }

    /// The check that was due, told once when it is done.
    pub(crate) fn take_due(&mut self) -> Option<Recheck> {
        self.due.take()
    }
}

impl Check {
    fn new(candidate: &Candidate, first: Outcome, due: Option<u64>) -> Self {
        Self { hash: candidate.hash, variant: candidate.variant.clone(), first, due, alone: false }
    }
}
