//! The work that runs on slots now: tests, confirmations, and looks by the compile filter.

use std::collections::HashMap;

use clreduce_testcase::ContentHash;

use crate::confirmations::PendingConfirmation;

/// The name of a piece of work from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TestId(u64);

/// The use of a slot.
#[derive(Debug)]
pub(crate) enum Work {
    /// A test of a candidate.
    Test,
    /// The compile filter looks at a candidate. It is only killed at the very end, since its process would have to be
    /// started anew.
    Filter,
    /// One more test of a variant that the source took as interesting.
    Confirmation(Box<PendingConfirmation>),
}

/// A piece of work that runs.
#[derive(Debug)]
pub(crate) struct RunningTest {
    pub(crate) id: TestId,
    pub(crate) hash: ContentHash,
    pub(crate) work: Work,
    /// Another test ran at some time during this one, of this reduction or of another.
    pub(crate) shared: bool,
    /// It was to run alone, after a test that said nothing. Its word counts, since other reductions may never leave it
    /// alone.
    pub(crate) was_to_be_alone: bool,
    /// Told to end: its result does not count.
    pub(crate) killed: bool,
}

impl RunningTest {
    pub(crate) fn is_confirmation(&self) -> bool {
        matches!(self.work, Work::Confirmation(_))
    }

    /// Returns true if it is a confirmation that the source, which has taken `verdicts` verdicts, waits for.
    pub(crate) fn is_due(&self, verdicts: u64) -> bool {
        matches!(&self.work, Work::Confirmation(pending) if pending.is_due(verdicts))
    }
}

/// All the work that runs.
#[derive(Debug, Default)]
pub(crate) struct RunningTests {
    tests: Vec<RunningTest>,
    /// Pieces of work ever started.
    started: u64,
    /// By variant: the pieces of work whose end brings the source nearer to a verdict on it.
    serving: HashMap<ContentHash, u32>,
}

impl RunningTests {
    pub(crate) fn len(&self) -> usize {
        self.tests.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &RunningTest> {
        self.tests.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut RunningTest> {
        self.tests.iter_mut()
    }

    /// Takes note of a start. Whatever runs at the same time is not alone any more.
    pub(crate) fn start(&mut self, hash: ContentHash, work: Work, was_to_be_alone: bool) -> TestId {
        self.started += 1;
        let id = TestId(self.started);
        let shared = !self.tests.is_empty();
        self.tests.iter_mut().for_each(|test| test.shared = true);
        let test = RunningTest { id, hash, work, shared, was_to_be_alone, killed: false };
        if !test.is_confirmation() {
            *self.serving.entry(hash).or_default() += 1;
        }
        self.tests.push(test);
        id
    }

    /// Takes note of an end.
    ///
    /// # Panics
    /// When nothing of this name runs.
    pub(crate) fn end(&mut self, id: TestId) -> RunningTest {
        let at = self.tests.iter().position(|test| test.id == id).expect("a test ends once");
        let test = self.tests.remove(at);
        if !test.killed && !test.is_confirmation() {
            self.serves_no_more(&test.hash);
        }
        test
    }

    /// Takes note that work is told to end. Returns its name, and the confirmation that it was.
    pub(crate) fn kill(
        &mut self,
        which: impl Fn(&RunningTest) -> bool,
    ) -> Vec<(TestId, Option<PendingConfirmation>)> {
        let mut killed = Vec::new();
        for at in 0..self.tests.len() {
            let test = &mut self.tests[at];
            if test.killed || !which(test) {
                continue;
            }
            test.killed = true;
            let (id, hash) = (test.id, test.hash);
            match std::mem::replace(&mut test.work, Work::Test) {
                Work::Confirmation(pending) => killed.push((id, Some(*pending))),
                Work::Test | Work::Filter => {
                    self.serves_no_more(&hash);
                    killed.push((id, None));
                }
            }
        }
        killed
    }

    fn serves_no_more(&mut self, hash: &ContentHash) {
        if let Some(count) = self.serving.get_mut(hash) {
            *count -= 1;
            if *count == 0 {
                self.serving.remove(hash);
            }
        }
    }

    /// Returns true if something runs whose end brings the source nearer to a verdict on this
    /// variant.
    pub(crate) fn serves(&self, hash: &ContentHash) -> bool {
        self.serving.contains_key(hash)
    }
}
