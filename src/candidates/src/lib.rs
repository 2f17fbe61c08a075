//! The interface between the reducer and the engine that runs its tests.
//!
//! A [`CandidateSource`] is a deterministic state machine. It proposes one candidate after the other, and only the
//! verdicts on them decide what it proposes next: no clock, no thread timing, no random number and no order of a
//! hash map. The engine can therefore test candidates early (speculation), repeat a run from its journal (resuming),
//! and come to the same result with any number of jobs.

use std::sync::Arc;

use clreduce_testcase::{Clues, Complaint, ContentHash, Size, TestCase};

/// A variant of the test case that its source wants judged.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The variant.
    pub variant: TestCase,
    /// The content hash of the variant.
    pub hash: ContentHash,
    /// The size of the variant.
    pub size: Size,
    /// The name of the pass that proposed it.
    pub pass: &'static str,
    /// The estimated chance that the variant is interesting, in thousandths. It decides which tests are started
    /// early, never which candidate comes next.
    pub chance: u16,
}

/// The name in the place of a pass for a test case that a person edited.
pub const EDIT: &str = "edit";

/// Something that a pass did not look at because there was too much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The name of the pass.
    pub pass: &'static str,
    /// The things that were counted: "calls of one function".
    pub of: &'static str,
    /// The number of them that the pass looked at.
    pub most: usize,
}

/// The next wish of a source of candidates.
#[derive(Clone, Debug)]
pub enum Next {
    /// A verdict on this candidate.
    Candidate(Candidate),
    /// Nothing, because the state is only supposed and the next step is expensive: it would need a new syntax tree
    /// and new proposals for a commit that may never happen. The source goes on once the state is confirmed.
    Blocked,
    /// Nothing, because the reduction is finished.
    Done,
}

/// A deterministic source of candidates. A clone is cheap, because large data are shared.
pub trait CandidateSource: Clone + Send {
    /// Takes the clues about the original, before anything else. A source that has no use for them does nothing.
    fn take_clues(&mut self, _clues: &Arc<Clues>) {}

    /// Returns what the source wants next. Until it takes a verdict, it returns the same again. The one exception is
    /// a blocked state that has been confirmed.
    fn next(&mut self) -> Next;

    /// Takes the verdict on the last candidate. Returns the variant that became the current test case, if one did.
    fn take_verdict(&mut self, interesting: bool) -> Option<TestCase>;

    /// Returns true if the complaints about the last candidate matter, should it not be interesting.
    fn heeds_complaints(&self) -> bool {
        false
    }

    /// Takes the complaints about the last candidate, which is not interesting, before its verdict. A source that does not
    /// heed them does nothing.
    fn take_complaints(&mut self, _complaints: &[Complaint]) {}

    /// Returns what passes left out since the last verdict, in the order of their runs.
    fn left_out(&self) -> &[LeftOut] {
        &[]
    }

    /// Forgets everything that was concluded from these verdicts, all of which were "not interesting". The source may
    /// propose the same variants again. A source that remembers nothing does nothing.
    fn retract(&mut self, _is_retracted: &dyn Fn(&ContentHash) -> bool) {}

    /// Gives up what is left of the pass under way, because a person asked for it. The state is real. A source without
    /// passes does nothing.
    fn skip_pass(&mut self) {}

    /// Goes on from another test case, which a person made and which is interesting. What was refuted stays known. A source that
    /// cannot do so does nothing.
    fn go_on_from(&mut self, _case: TestCase) {}

    /// Asks for a verdict on a test case that a person made before anything else. The state is real.
    fn take_edit(&mut self, _case: &TestCase) {}

    /// The current test case laid out for people: with the same tokens. A source without a layout has none.
    fn laid_out(&self) -> Option<TestCase> {
        None
    }

    /// Marks the state as one that rests on supposed verdicts.
    fn mark_supposed(&mut self);

    /// Marks the state as real: the supposed verdicts that led here came true.
    fn confirm(&mut self);

    /// Allows a state that rests on supposed verdicts what is expensive, because it is likely to come.
    fn look_past(&mut self) {
        self.confirm();
    }
}
