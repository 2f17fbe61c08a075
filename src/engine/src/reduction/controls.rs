//! Controls: variants that the test rejected and is asked about again. While it accepts one of them, its successes do not count.

use clreduce_candidates::Candidate;
use clreduce_speculation::RepeatedResults;
use clreduce_testcase::{ContentHash, TestCase};

/// The outcome of tests that were run again.
#[derive(PartialEq, Eq)]
pub(super) enum Confirmed {
    /// All repeated tests agree with the first ones.
    Agreed,
    /// Some disagree, and the current test case stays nevertheless.
    Doubted(RepeatedResults),
    /// The reduction went back.
    WentBack,
}

/// The number of rejected variants that are kept, the last ones. A test that now and then rejects by mistake has hardly been wrong about all
/// of them.
const CONTROLS: usize = 4;

/// The last variants that a test found not to be interesting.
#[derive(Debug, Default)]
pub(super) struct Controls {
    variants: Vec<(ContentHash, TestCase)>,
    /// The number of the last verdict for which a test rejected a variant.
    last: usize,
}

impl Controls {
    /// Adds a variant that was rejected, with the number of the verdict if a test has just said so.
    pub(super) fn add(&mut self, rejected: &Candidate, number: Option<usize>) {
        self.remove(&rejected.hash);
        if self.variants.len() == CONTROLS {
            self.variants.remove(0);
        }
        self.variants.push((rejected.hash, rejected.variant.clone()));
        self.last = number.unwrap_or(self.last);
    }

    /// The last two, or the only one twice: the first is tested after a third of the confirmations, the second after two thirds.
    pub(super) fn choose(&self) -> impl Iterator<Item = &TestCase> {
        self.variants.iter().rev().map(|(_, variant)| variant).cycle().take(2)
    }

    /// The variant with this hash, if it is one of them.
    pub(super) fn find(&self, hash: &ContentHash) -> Option<&TestCase> {
        self.variants.iter().find(|(known, _)| known == hash).map(|(_, variant)| variant)
    }

    /// Takes a variant away that the test accepts after all. Returns true if it was the last.
    pub(super) fn remove(&mut self, hash: &ContentHash) -> bool {
        self.variants.retain(|(known, _)| known != hash);
        self.variants.is_empty()
    }

    /// The number of the last verdict for which a test rejected a variant: it had not changed by then.
    pub(super) fn last(&self) -> usize {
        self.last
    }
}
