//! Confirmations: variants that the source took as interesting, tested again when a slot is free, or soon after.

use std::collections::VecDeque;

use clreduce_interestingness::Outcome;
use clreduce_testcase::{ContentHash, TestCase};

/// The outcome of a test that was run again.
#[derive(Clone, Debug)]
pub struct Confirmation {
    /// Content hash of the variant.
    pub hash: ContentHash,
    /// The verdict of the test this time.
    pub outcome: Outcome,
}

/// A variant that waits to be tested again.
#[derive(Debug)]
pub(crate) struct PendingConfirmation {
    pub(crate) hash: ContentHash,
    pub(crate) variant: TestCase,
    /// The source takes this number of verdicts of tests, then the outcome. It does not take the last of these verdicts before
    /// the outcome is there. Until then the test waits for a slot that nothing probable wants.
    pub(crate) due: u64,
}

impl PendingConfirmation {
    /// Returns true if the source, which has taken `verdicts` verdicts, waits for the outcome.
    pub(crate) fn is_due(&self, verdicts: u64) -> bool {
        self.due <= verdicts + 1
    }
}

/// Variants that wait to be tested again, and the outcomes of those that were.
#[derive(Debug, Default)]
pub struct Confirmations {
    waiting: VecDeque<PendingConfirmation>,
    /// Each with the number of verdicts that the source takes before it.
    ended: VecDeque<(u64, Confirmation)>,
}

impl Confirmations {
    /// Has a variant tested again: its outcome can be taken once the source has taken `due` verdicts of tests, and is there
    /// by then.
    pub fn add(&mut self, variant: &TestCase, due: u64) {
        let (hash, variant) = (variant.hash(), variant.clone());
        self.waiting.push_back(PendingConfirmation { hash, variant, due });
    }

    /// Makes all of them due now, those that have ended as well.
    pub(crate) fn hurry(&mut self) {
        self.waiting.iter_mut().for_each(|pending| pending.due = 0);
        self.ended.iter_mut().for_each(|(due, _)| *due = 0);
    }

    /// The next outcome that is due now that the source has taken this number of verdicts, told once. One that is there earlier
    /// waits, and one that comes later holds up the last of these verdicts. So the place where it is taken does not depend
    /// on the number of slots.
    pub(crate) fn take(&mut self, verdicts: u64) -> Option<Confirmation> {
        let is_due = self.ended.front()?.0 <= verdicts;
        is_due.then(|| self.ended.pop_front()).flatten().map(|(_, confirmation)| confirmation)
    }

    /// Returns true if the source, which has taken `verdicts` verdicts, waits for the outcome of the next one.
    pub(crate) fn is_due(&self, verdicts: u64) -> bool {
        self.waiting.front().is_some_and(|pending| pending.is_due(verdicts))
    }

    /// Returns true if nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Content hash of the next variant to be tested again.
    pub(crate) fn next_hash(&self) -> Option<&ContentHash> {
        self.waiting.front().map(|pending| &pending.hash)
    }

    /// The next one, if it is due now that the source has taken this number of verdicts, or if the slot is idle.
    pub(crate) fn next(&mut self, verdicts: u64, is_idle: bool) -> Option<PendingConfirmation> {
        (self.is_due(verdicts) || is_idle).then(|| self.waiting.pop_front()).flatten()
    }

    /// Takes back what could not be tested.
    pub(crate) fn put_back(&mut self, pending: PendingConfirmation) {
        self.waiting.push_front(pending);
    }

    pub(crate) fn ended(&mut self, pending: PendingConfirmation, outcome: Outcome) {
        self.ended.push_back((pending.due, Confirmation { hash: pending.hash, outcome }));
    }
}
