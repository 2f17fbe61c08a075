//! The decisions which tests run and when the source gets a verdict. No threads, no clock, no I/O.

mod plan;

use clreduce_candidates::{Candidate, CandidateSource, EDIT, LeftOut, Next};
use clreduce_interestingness::{Filtered, NotRun, Occasion, Outcome};
use clreduce_testcase::TestCase;

use crate::confirmations::{Confirmation, Confirmations};
use crate::preference::Preference;
use crate::running::{RunningTest, RunningTests, TestId, Work};
use crate::search::CandidateSearch;
use crate::tree::Tree;
use crate::verdicts::{TakenVerdict, Verdicts};

/// States per slot in the tree, and a few more. The most probable candidates of a slow root lie on a
/// path that grows with every verdict; this bounds how far ahead of the source tests may run.
const STATES_PER_SLOT: usize = 8;
const STATES_AT_LEAST: usize = 8;

/// An order to the one who drives the scheduler.
#[derive(Debug)]
pub enum Action {
    /// Start a test of this variant in a free slot, on this occasion.
    Start(TestId, Occasion, TestCase),
    /// Have the compile filter look at this variant in a free slot.
    Filter(TestId, TestCase),
    /// End this test early. Its slot stays taken until [`Scheduler::ended`] is told of its end.
    Kill(TestId),
}

/// The result of [`Scheduler::step`].
#[derive(Debug)]
pub enum SchedulerStep {
    /// The source took the next verdict.
    Judged(Box<Judged>),
    /// The next verdict is not there yet.
    Waiting,
    /// The source wants no more verdicts.
    Done,
}

/// A verdict that the source took.
#[derive(Debug)]
pub struct Judged {
    /// The candidate with the variant.
    pub candidate: Candidate,
    /// The verdict on it and how it came about.
    pub outcome: Outcome,
    /// The source had taken it before, in this run or the one that is resumed.
    pub known: bool,
    /// The part of the compile filter in it.
    pub filtered: Filtered,
    /// The variant that became the current test case.
    pub committed: Option<TestCase>,
    /// The proposals that passes left out before they came to the candidate.
    pub left_out: Vec<LeftOut>,
}

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Started, in all.
    pub started: u64,
    /// Ended early, since they were no longer needed.
    pub killed: u64,
    /// Ended by themselves.
    pub finished: u64,
    /// Ended by themselves, with a verdict that the source took.
    pub consumed: u64,
    /// Run once more on a variant that the source took as interesting; not among `finished`.
    pub confirmations: u64,
    /// Variants that the compile filter looked at; not among `started`.
    pub filtered: u64,
}

/// Decides which tests run. Its driver calls [`step`](Self::step) until it says `Waiting`, carries out what
/// [`plan`](Self::plan) returns, and reports ends of tests.
#[derive(Debug)]
pub struct Scheduler<S> {
    tree: Tree<S>,
    verdicts: Verdicts,
    confirmations: Confirmations,
    running: RunningTests,
    /// The search for the next candidate, until a verdict arrives.
    search: Option<CandidateSearch>,
    slots: usize,
    counters: Counters,
    /// A test whose verdict is needed cannot be run.
    not_run: Option<NotRun>,
    /// What somebody prefers among interesting variants.
    preference: Option<Preference>,
}

fn tree<S: CandidateSource>(source: S, slots: usize) -> Tree<S> {
    Tree::new(source, slots * STATES_PER_SLOT + STATES_AT_LEAST)
}

impl<S: CandidateSource> Scheduler<S> {
    /// A scheduler of at most `slots` tests at a time, with what is known from earlier runs.
    #[must_use]
    pub fn new(source: S, slots: usize, verdicts: Verdicts) -> Self {
        let slots = slots.max(1);
        Self {
            tree: tree(source, slots),
            verdicts,
            confirmations: Confirmations::default(),
            running: RunningTests::default(),
            search: None,
            slots,
            counters: Counters::default(),
            not_run: None,
            preference: None,
        }
    }

    /// Refuses interesting variants of a worse rank that are hardly smaller.
    #[must_use]
    pub fn preferring(self, preference: Option<Preference>) -> Self {
        Self { preference, ..self }
    }

    /// The preference, as it is for the current test case.
    #[must_use]
    pub fn preference(&self) -> Option<Preference> {
        self.preference
    }

    /// Begins again with another source and other known verdicts. Nothing may run.
    ///
    /// # Panics
    /// When a test runs.
    pub fn restart(&mut self, source: S, verdicts: Verdicts) {
        assert!(self.is_idle(), "a test of the old source runs");
        self.tree = tree(source, self.slots);
        self.search = None;
        self.verdicts = verdicts;
        self.confirmations = Confirmations::default();
        self.preference.iter_mut().for_each(Preference::restart);
    }

    /// Variants to be tested again.
    pub fn confirmations_mut(&mut self) -> &mut Confirmations {
        &mut self.confirmations
    }

    /// The next outcome of a variant that was tested again, told once. It is there after the same verdict however early its
    /// test ended.
    pub fn take_confirmation(&mut self) -> Option<Confirmation> {
        self.confirmations.take(self.counters.consumed)
    }

    /// Returns true if a confirmation is due that has not ended. The source takes no verdict before that.
    fn waits_for_confirmation(&self) -> bool {
        let verdicts = self.counters.consumed;
        self.confirmations.is_due(verdicts) || self.running.iter().any(|test| test.is_due(verdicts))
    }

    /// The verdicts on variants.
    #[must_use]
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// The verdicts on variants.
    pub fn verdicts_mut(&mut self) -> &mut Verdicts {
        self.search = None;
        &mut self.verdicts
    }

    /// Numbers of tests so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// States of the source held now, real and supposed.
    #[must_use]
    pub fn states(&self) -> usize {
        self.tree.len()
    }

    /// Returns true if no test runs.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Returns true if no test runs and nothing waits to be tested again.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        self.is_idle() && self.confirmations.is_empty()
    }

    /// Returns true if the source wants no more verdicts.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.tree.next(), Next::Done)
    }

    /// The proposals that passes left out since the last verdict.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        self.tree.left_out()
    }

    /// The current test case laid out for people, if the source has a layout for it.
    #[must_use]
    pub fn laid_out(&self) -> Option<TestCase> {
        self.tree.laid_out()
    }

    /// The reason why a test whose verdict is needed cannot be run, if there is one.
    #[must_use]
    pub fn not_run(&self) -> Option<&NotRun> {
        self.not_run.as_ref()
    }

    /// Most tests at a time.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns true if one more test may run.
    #[must_use]
    pub fn has_slot(&self) -> bool {
        self.running.len() < self.slots
    }

    /// Returns true if the source waits for a verdict that nothing runs for.
    #[must_use]
    pub fn is_urgent(&self) -> bool {
        self.awaited().is_some_and(|candidate| !self.running.serves(&candidate.hash))
    }

    /// The candidate that the source waits for a verdict on.
    fn awaited(&self) -> Option<&Candidate> {
        match self.tree.next() {
            Next::Candidate(candidate) => Some(candidate),
            Next::Blocked | Next::Done => None,
        }
    }

    /// Has the source give up what is left of the pass that its next candidate comes from. Returns the pass.
    pub fn skip_pass(&mut self) -> Option<&'static str> {
        let pass = self.awaited().map(|candidate| candidate.pass).filter(|pass| *pass != EDIT)?;
        self.tree.tell(CandidateSource::skip_pass);
        self.search = None;
        Some(pass)
    }

    /// Has the source ask for a verdict on a test case that a person edited.
    pub fn take_edit(&mut self, case: &TestCase) {
        self.tree.tell(|source| source.take_edit(case));
        self.search = None;
    }

    /// Returns true if the next verdict is one on a test case that a person edited.
    #[must_use]
    pub fn awaits_edit(&self) -> bool {
        self.awaited().is_some_and(|candidate| candidate.pass == EDIT)
    }

    /// Gives the source its next verdict if it is there.
    pub fn step(&mut self) -> SchedulerStep {
        let candidate = match self.tree.next() {
            Next::Candidate(candidate) => candidate,
            Next::Done => return SchedulerStep::Done,
            Next::Blocked => unreachable!("a real state is never blocked"),
        };
        if self.verdicts.needs_filter(candidate) || self.waits_for_confirmation() {
            return SchedulerStep::Waiting;
        }
        let heeds_complaints = self.tree.heeds_complaints();
        let prefer = |outcome: &mut Outcome| {
            let preference = self.preference.iter().filter(|_| candidate.pass != EDIT);
            preference.for_each(|it| it.judge(&candidate.size, outcome));
        };
        let Some(taken) = self.verdicts.take(&candidate.hash, heeds_complaints, prefer) else {
            return SchedulerStep::Waiting;
        };
        self.search = None;
        let left_out = self.tree.left_out().to_vec();
        if !taken.outcome.complaints.is_empty() {
            self.tree.take_complaints(&taken.outcome.complaints);
        }
        let (next, committed) = self.tree.advance(taken.is_interesting());
        let Next::Candidate(candidate) = next else { unreachable!("the root had a candidate") };
        if let (Some(preference), Some(_)) = (&mut self.preference, &committed) {
            preference.committed(candidate.size, taken.outcome.rank);
        }
        if taken.contradicts_filter() {
            let verdicts = &self.verdicts;
            self.tree.retract(&|hash| verdicts.rests_on_filter(hash));
        }
        let TakenVerdict { outcome, known, filtered } = taken;
        if !known && filtered != Filtered::Rejected {
            self.counters.consumed += 1;
        }
        let judged = Judged { candidate, outcome, known, filtered, committed, left_out };
        SchedulerStep::Judged(Box::new(judged))
    }

    /// Takes note that tests of other reductions ran during this one.
    pub fn disturbed(&mut self, id: TestId) {
        self.running.iter_mut().filter(|test| test.id == id).for_each(|test| test.shared = true);
    }

    /// Takes the outcome of a test that has ended. Its slot is free. A test that was not run is run again alone, once
    /// its verdict is needed.
    ///
    /// # Panics
    /// When no such test runs.
    pub fn ended(&mut self, id: TestId, outcome: Result<Outcome, NotRun>) {
        let test = self.running.end(id);
        if test.killed {
            self.counters.killed += 1;
            return;
        }
        self.search = None;
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(not_run) => return self.take_note(test, not_run),
        };
        let says_nothing = outcome.ran_out_of_time && test.shared && !test.was_to_be_alone;
        if says_nothing {
            self.verdicts.retest_alone(test.hash);
        }
        match test.work {
            Work::Confirmation(pending) => {
                self.counters.confirmations += 1;
                if says_nothing {
                    self.confirmations.put_back(*pending);
                } else {
                    self.confirmations.ended(*pending, outcome);
                }
            }
            Work::Test | Work::Filter => {
                self.counters.finished += 1;
                if !says_nothing {
                    self.verdicts.insert(test.hash, outcome);
                }
            }
        }
    }

    fn take_note(&mut self, test: RunningTest, not_run: NotRun) {
        if test.was_to_be_alone {
            self.not_run = Some(not_run);
        }
        self.verdicts.retest_alone(test.hash);
        if let Work::Confirmation(pending) = test.work {
            self.confirmations.put_back(*pending);
        }
    }

    /// Takes the word of the compile filter: whether the variant compiles, where that can be said. The slot is free.
    ///
    /// # Panics
    /// When the filter does not look at it.
    pub fn filtered(&mut self, id: TestId, accepts: Option<bool>) {
        let look = self.running.end(id);
        if !look.killed {
            self.search = None;
            self.verdicts.insert_filtered(look.hash, accepts == Some(false));
        }
    }
}

#[cfg(test)]
mod tests;
