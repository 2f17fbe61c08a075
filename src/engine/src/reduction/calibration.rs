//! The original: the first candidate of every reduction, on which the time limit of a test is measured.
//!
//! It is the first question of the conversation, so that slots beside it test what will most likely be asked next.

use std::time::Duration;

use clreduce_testcase::{ContentHash, Size, TestCase};

use clreduce_candidates::{Candidate, CandidateSource, Next};

/// Bounds of the derived limit.
const LIMIT_AT_LEAST: Duration = Duration::from_secs(2);
/// The limit as well until one is derived.
pub const LIMIT_AT_MOST: Duration = Duration::from_secs(300);

/// A test may take so many times what it took on the original.
const LIMIT_FACTOR: u32 = 10;

/// The original is judged a second time once so many tests have been consumed: soon, but not before what most of
/// a program goes in.
pub const CHECK_AFTER: u64 = 20;

/// The original as the first question, and then what somebody else asks.
#[derive(Clone)]
pub struct OriginalFirst<S> {
    original: Original,
    then: S,
}

#[derive(Clone)]
enum Original {
    Asked(Box<Candidate>),
    Interesting,
    Refused,
}

impl<S> OriginalFirst<S> {
    /// Asks about the original before `then` asks.
    pub fn new(original: &TestCase, then: S) -> Self {
        let candidate = Candidate {
            variant: original.clone(),
            hash: original.hash(),
            size: Size::of(original),
            pass: "original",
            chance: 999,
        };
        Self { original: Original::Asked(Box::new(candidate)), then }
    }
}

impl<S: CandidateSource> CandidateSource for OriginalFirst<S> {
    fn next(&mut self) -> Next {
        match &self.original {
            Original::Asked(candidate) => Next::Candidate((**candidate).clone()),
            Original::Interesting => self.then.next(),
            Original::Refused => Next::Done,
        }
    }

    fn take_verdict(&mut self, interesting: bool) -> Option<TestCase> {
        if let Original::Asked(_) = self.original {
            self.original = if interesting { Original::Interesting } else { Original::Refused };
            return None;
        }
        self.then.take_verdict(interesting)
    }

    fn retract(&mut self, is_retracted: &dyn Fn(&ContentHash) -> bool) {
        self.then.retract(is_retracted);
    }

    fn mark_supposed(&mut self) {
        self.then.mark_supposed();
    }

    fn confirm(&mut self) {
        self.then.confirm();
    }
}

/// Wall-time limit of a test where the original took so long.
pub fn limit_for(original: Duration) -> Duration {
    (original * LIMIT_FACTOR).clamp(LIMIT_AT_LEAST, LIMIT_AT_MOST)
}
