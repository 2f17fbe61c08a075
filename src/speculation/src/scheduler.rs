//! The decisions which tests run and when the source gets a verdict. No threads, no clock, no I/O.

use clreduce_candidates::{Candidate, CandidateSource, LeftOut, Next};
use clreduce_interestingness::{Filtered, NotRun, Outcome};
use clreduce_testcase::{ContentHash, TestCase};

use crate::confirmations::{Confirmation, Confirmations};
use crate::running::{RunningTest, RunningTests, TestId, Work};
use crate::search::{Prospect, Search};
use crate::tree::{CERTAIN, Tree};
use crate::verdicts::{TakenVerdict, Verdicts};

/// States per slot in the tree, and a few more. The most probable candidates of a slow root lie on a
/// path that grows with every verdict; this bounds how far ahead of the source tests may run.
const STATES_PER_SLOT: usize = 8;
const STATES_AT_LEAST: usize = 8;

/// A candidate less probable than this leaves its slot to a confirmation.
const WORTH_A_SLOT: u64 = CERTAIN / 16;

/// An order to the one who drives the scheduler.
#[derive(Debug)]
pub enum Action {
    /// Start a test of this variant in a free slot.
    Start(TestId, TestCase),
    /// Start a test of this variant in a free slot, although its verdict may turn out not to be needed.
    StartEarly(TestId, TestCase),
    /// Start a test of this variant in a free slot, because an earlier one said nothing.
    StartAfresh(TestId, TestCase),
    /// Start a test of this variant in a free slot, although it was tested before, to see whether the verdict holds.
    StartAgain(TestId, TestCase),
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
    /// The candidate.
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
    /// Started.
    pub started: u64,
    /// Ended early, since nobody waited for them any more.
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
    search: Option<Search>,
    slots: usize,
    counters: Counters,
    /// A test whose verdict is needed cannot be run.
    not_run: Option<NotRun>,
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
        }
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
        let pass = self.awaited()?.pass;
        self.tree.skip_pass();
        self.search = None;
        Some(pass)
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
        let Some(taken) = self.verdicts.take(&candidate.hash, heeds_complaints) else {
            return SchedulerStep::Waiting;
        };
        self.search = None;
        let left_out = self.tree.left_out().to_vec();
        if !taken.outcome.complaints.is_empty() {
            self.tree.take_complaints(&taken.outcome.complaints);
        }
        let (next, committed) = self.tree.advance(taken.is_interesting());
        let Next::Candidate(candidate) = next else { unreachable!("the root had a candidate") };
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

    /// The next action: `may_start` says whether there is a place to run one more test. Making variants
    /// takes time, so that it returns as soon as a test can be started: to be called until nothing is left
    /// to do.
    ///
    /// The candidate that the source waits for never waits for a slot: it became the next one because a test ended,
    /// and is the first to be started then.
    pub fn plan(&mut self, may_start: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        if !may_start && self.running.is_empty() {
            return actions;
        }
        if self.confirmation_runs_alone() {
            self.start_alone(&mut actions, may_start, None);
            return actions;
        }
        if self.search.is_none() {
            let verdicts = &self.verdicts;
            self.tree.prune(|hash| verdicts.expected(hash));
        }
        let is_alone = |next: &&Candidate| self.verdicts.is_alone(&next.hash);
        if let Some(candidate) = self.awaited().filter(is_alone)
            && !self.waits_for_confirmation()
        {
            let candidate = (candidate.hash, candidate.variant.clone());
            // Tests that may be needed next end by themselves.
            let reached = self.tree.candidates();
            self.kill(&mut actions, |test| match test.work {
                Work::Test => !reached.contains(&test.hash),
                Work::Filter => false,
                Work::Confirmation(_) => true,
            });
            self.start_alone(&mut actions, may_start, Some(candidate));
            return actions;
        }
        let has_room = may_start && self.has_slot();
        let best = self.best(has_room);
        if has_room && self.start_best(&mut actions, best) {
            return actions;
        }
        let reached = self.tree.candidates();
        self.kill(&mut actions, |test| {
            matches!(test.work, Work::Test) && !reached.contains(&test.hash)
        });
        actions
    }

    /// The candidate to start next, if there is room.
    fn best(&mut self, has_room: bool) -> Option<Prospect> {
        let (tree, verdicts, running) = (&mut self.tree, &self.verdicts, &self.running);
        let search = self.search.get_or_insert_with(|| Search::new(tree));
        search.best(
            tree,
            (self.slots, has_room),
            |hash| verdicts.expected(hash),
            |hash| running.serves(hash),
        )
    }

    /// Decides as [`plan`](Self::plan) does once the source is done: only confirmations are left.
    pub fn plan_confirmations(&mut self, may_start: bool) -> Vec<Action> {
        let mut actions = self.kill_tests();
        self.confirmations.hurry();
        if self.confirmation_runs_alone() {
            self.start_alone(&mut actions, may_start, None);
        } else if may_start && self.has_slot() {
            self.start_best(&mut actions, None);
        }
        actions
    }

    /// Ends the tests of candidates, and forgets the verdicts that the source has not taken: they are not what tests say
    /// from now on. What is tested again goes on.
    pub fn drop_tests_ahead(&mut self) -> Vec<Action> {
        self.verdicts.drop_untaken();
        self.kill_tests()
    }

    fn kill_tests(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.search = None;
        self.kill(&mut actions, |test| matches!(test.work, Work::Test));
        actions
    }

    /// Ends everything that runs.
    pub fn kill_all(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.search = None;
        self.kill(&mut actions, |_| true);
        actions
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

    /// Returns true if a confirmation runs alone, or waits for that.
    fn confirmation_runs_alone(&self) -> bool {
        let runs = self.running.iter().filter(|test| test.is_confirmation());
        let mut confirmations = runs.map(|test| &test.hash).chain(self.confirmations.next_hash());
        confirmations.any(|hash| self.verdicts.is_alone(hash))
    }

    /// Starts a test of this candidate, or the next confirmation, once all that runs has ended by itself.
    fn start_alone(
        &mut self,
        actions: &mut Vec<Action>,
        may_start: bool,
        candidate: Option<(ContentHash, TestCase)>,
    ) {
        match candidate {
            _ if !may_start || !self.running.is_empty() => {}
            Some((hash, variant)) => self.start(actions, hash, variant, Work::Test),
            None => {
                self.start_best(actions, None);
            }
        }
    }

    /// Starts a test of this candidate, or a confirmation if the candidate is not probable. Whether there was either.
    fn start_best(&mut self, actions: &mut Vec<Action>, best: Option<Prospect>) -> bool {
        let is_idle = best.is_none_or(|best| best.probability < WORTH_A_SLOT);
        if let Some(pending) = self.confirmations.next(self.counters.consumed, is_idle) {
            let (hash, variant) = (pending.hash, pending.variant.clone());
            self.start(actions, hash, variant, Work::Confirmation(Box::new(pending)));
            return true;
        }
        let Some(candidate) = best.and_then(|best| self.tree.candidate(best.node)) else {
            return false;
        };
        let (hash, variant) = (candidate.hash, candidate.variant.clone());
        let work = if self.verdicts.needs_filter(candidate) { Work::Filter } else { Work::Test };
        self.start(actions, hash, variant, work);
        true
    }

    fn start(
        &mut self,
        actions: &mut Vec<Action>,
        hash: ContentHash,
        variant: TestCase,
        work: Work,
    ) {
        let is_look = matches!(work, Work::Filter);
        let is_alone = self.verdicts.is_alone(&hash);
        // Where the test is flaky, what it believes may be a mistake.
        let is_flaky = self.verdicts.wrong_successes().is_some();
        let is_again = is_flaky || matches!(work, Work::Confirmation(_));
        let is_early = self.awaited().is_none_or(|candidate| candidate.hash != hash);
        let id = self.running.start(hash, work, is_alone);
        if is_look {
            self.counters.filtered += 1;
            actions.push(Action::Filter(id, variant));
        } else {
            self.counters.started += 1;
            actions.push(if is_again {
                Action::StartAgain(id, variant)
            } else if is_alone {
                Action::StartAfresh(id, variant)
            } else if is_early {
                Action::StartEarly(id, variant)
            } else {
                Action::Start(id, variant)
            });
        }
    }

    fn kill(&mut self, actions: &mut Vec<Action>, which: impl Fn(&RunningTest) -> bool) {
        for (id, confirmation) in self.running.kill(which) {
            actions.push(Action::Kill(id));
            if let Some(pending) = confirmation {
                self.confirmations.put_back(pending);
            }
        }
    }
}

#[cfg(test)]
mod tests;
