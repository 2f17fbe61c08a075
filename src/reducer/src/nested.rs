//! A nested reduction of a variant that is larger than the current test case.
//!
//! Some reductions have to make the program larger first: a function inlined at three calls is more code until its
//! copies have been simplified. A growing pass proposes such a variant. If the variant is interesting, the ordinary
//! passes work on it for a limited number of steps. As soon as the result is smaller than the current test case, the
//! whole is committed as one step; if the steps run out first, it is forgotten. Two passes can therefore not undo
//! each other's work for ever. The idea is shrinkray's.

use clreduce_candidates::{CandidateSource, Next};
use clreduce_testcase::{ContentHash, Size, TestCase};

use crate::order::is_smaller;

/// The number of steps that a grown variant gets before it is given up.
const MOST_STEPS: u32 = 60;

/// The reduction of a grown variant by a source of its own.
#[derive(Clone)]
pub(crate) struct Nested<S> {
    source: Box<S>,
    steps_left: u32,
}

impl<S: CandidateSource> Nested<S> {
    /// Begins with a source for the grown variant.
    pub(crate) fn new(source: S) -> Self {
        Self { source: Box::new(source), steps_left: MOST_STEPS }
    }

    /// Returns what is wanted next; [`Next::Done`] when the grown variant is given up.
    pub(crate) fn next(&mut self) -> Next {
        if self.steps_left == 0 { Next::Done } else { self.source.next() }
    }

    /// Takes a verdict. Returns a test case that is smaller than `current`, if there is one now.
    pub(crate) fn take_verdict(
        &mut self,
        interesting: bool,
        current: &(TestCase, Size),
    ) -> Option<(TestCase, Size)> {
        self.steps_left = self.steps_left.saturating_sub(1);
        let case = self.source.take_verdict(interesting)?;
        let size = Size::of(&case);
        is_smaller((&case, &size), current).then_some((case, size))
    }

    /// The same, to look ahead.
    pub(crate) fn source_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The source that reduces the grown variant.
    pub(crate) fn source(&self) -> &S {
        &self.source
    }

    pub(crate) fn retract(&mut self, is_retracted: &dyn Fn(&ContentHash) -> bool) {
        self.source.retract(is_retracted);
    }

    pub(crate) fn mark_supposed(&mut self) {
        self.source.mark_supposed();
    }

    pub(crate) fn confirm(&mut self) {
        self.source.confirm();
    }
}
