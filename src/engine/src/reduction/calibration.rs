//! The original: the first candidate of every reduction, on which the first time limit of a test is measured.
//!
//! It is a candidate like others, so that the slots beside its test already test what will most likely come next. Test cases that a
//! person edited are candidates as well, and come before those of the source.

use std::collections::VecDeque;

use clreduce_testcase::{Complaint, ContentHash, Size, TestCase};

use clreduce_candidates::{Candidate, CandidateSource, EDIT, LeftOut, Next};

/// The original is tested a second time once the reducer has taken this number of verdicts of tests: soon, but after the
/// first large removals.
pub(super) const CHECK_AFTER: u64 = 20;

/// A source of candidates that begins with the original and continues with those of another source.
#[derive(Clone)]
pub(super) struct OriginalFirst<S> {
    original: OriginalState,
    /// Test cases that a person edited and that have no verdict yet.
    edits: VecDeque<Candidate>,
    then: S,
}

/// A test case that comes from no pass.
fn candidate(case: &TestCase, name: &'static str) -> Candidate {
    let (variant, hash, size) = (case.clone(), case.hash(), Size::of(case));
    Candidate { variant, hash, size, pass: name, chance: 999 }
}

#[derive(Clone)]
enum OriginalState {
    Asked(Box<Candidate>),
    Interesting,
    Refused,
}

impl<S> OriginalFirst<S> {
    /// The original before the candidates of `then`.
    pub(super) fn new(original: &TestCase, then: S) -> Self {
        let original = OriginalState::Asked(Box::new(candidate(original, "original")));
        Self { original, edits: VecDeque::new(), then }
    }

    /// Returns true if the next candidate is one of the other source.
    fn is_of_source(&self) -> bool {
        matches!(self.original, OriginalState::Interesting) && self.edits.is_empty()
    }
}

impl<S: CandidateSource> CandidateSource for OriginalFirst<S> {
    fn next(&mut self) -> Next {
        match &self.original {
            OriginalState::Asked(candidate) => Next::Candidate((**candidate).clone()),
            OriginalState::Interesting => match self.edits.front() {
                Some(edit) => Next::Candidate(edit.clone()),
                None => self.then.next(),
            },
            OriginalState::Refused => Next::Done,
        }
    }

    fn take_verdict(&mut self, interesting: bool) -> Option<TestCase> {
        if let OriginalState::Asked(_) = self.original {
            self.original =
                if interesting { OriginalState::Interesting } else { OriginalState::Refused };
            return None;
        }
        match self.edits.pop_front() {
            Some(Candidate { variant, .. }) if interesting => {
                self.then.go_on_from(variant.clone());
                Some(variant)
            }
            Some(_) => None,
            None => self.then.take_verdict(interesting),
        }
    }

    fn take_edit(&mut self, case: &TestCase) {
        self.edits.push_back(candidate(case, EDIT));
    }

    fn heeds_complaints(&self) -> bool {
        self.is_of_source() && self.then.heeds_complaints()
    }

    fn take_complaints(&mut self, complaints: &[Complaint]) {
        self.then.take_complaints(complaints);
    }

    fn left_out(&self) -> &[LeftOut] {
        self.then.left_out()
    }

    fn retract(&mut self, is_retracted: &dyn Fn(&ContentHash) -> bool) {
        self.then.retract(is_retracted);
    }

    fn skip_pass(&mut self) {
        if self.is_of_source() {
            self.then.skip_pass();
        }
    }

    fn laid_out(&self) -> Option<TestCase> {
        self.then.laid_out()
    }

    fn mark_supposed(&mut self) {
        self.then.mark_supposed();
    }

    fn confirm(&mut self) {
        self.then.confirm();
    }

    fn look_past(&mut self) {
        self.then.look_past();
    }
}
