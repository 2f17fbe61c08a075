//! Which tests run, and what is done with their answers. No threads, no clock, no I/O.

use std::collections::HashSet;

use clreduce_interestingness::{Gated, Outcome, Verdict};
use clreduce_testcase::{ContentHash, TestCase};

use crate::checks::{Check, Checks, Recheck};
use crate::gatekeeper::Gatekeeper;
use crate::tree::{CERTAIN, Prospect, Tree};
use crate::verdicts::Verdicts;
use clreduce_candidates::{Candidate, CandidateSource, Next};

/// States per slot in the tree, and a few more. The most probable questions of a slow root lie on a
/// path that grows with every answer; this bounds how far ahead of the conversation tests may run.
const STATES_PER_SLOT: usize = 8;
const STATES_AT_LEAST: usize = 8;

/// A question less probable than this leaves its slot to the checking of an earlier answer.
const WORTH_A_SLOT: u64 = CERTAIN / 16;

/// Names a test from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TestId(u64);

/// What is to be done.
#[derive(Debug)]
pub enum Action {
    /// Start a test of this variant in a free slot.
    Start(TestId, TestCase),
    /// Have the gate look at this variant, in a free slot as well. It is not killed but at the very end.
    Look(TestId, TestCase),
    /// End this test early. Its slot stays taken until [`Scheduler::ended`] is told of its end.
    Kill(TestId),
}

/// What the conversation came to.
#[derive(Debug)]
pub enum Step {
    /// The next answer was consumed.
    Answered(Box<Answered>),
    /// It is not there yet.
    Waiting,
    /// Nothing is left to ask.
    Done,
}

/// A consumed answer.
#[derive(Debug)]
pub struct Answered {
    /// The question.
    pub candidate: Candidate,
    /// Its answer.
    pub outcome: Outcome,
    /// The answer had been consumed before, in this run or the one that is resumed.
    pub known: bool,
    /// What the gate had to do with it.
    pub gated: Gated,
    /// The variant that became the current test case.
    pub committed: Option<TestCase>,
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
    /// Ended by themselves, with an answer that was consumed.
    pub consumed: u64,
    /// Run once more to check an answer; not among `finished`.
    pub rechecks: u64,
    /// Variants that the gate looked at; not among `started`.
    pub looks: u64,
}

#[derive(Debug)]
struct Running {
    id: TestId,
    hash: ContentHash,
    /// It is no test: the gate looks at the variant.
    is_look: bool,
    /// The answer that is being checked.
    recheck: Option<Box<Check>>,
    /// Another test ran at some time during this one, of this reduction or of another.
    shared: bool,
    /// Told to end; what it says does not count.
    killed: bool,
}

/// Decides which tests run. Whoever drives it calls [`step`](Self::step) until it says `Waiting`,
/// carries out what [`plan`](Self::plan) returns, and reports ends of tests.
#[derive(Debug)]
pub struct Scheduler<S> {
    tree: Tree<S>,
    verdicts: Verdicts,
    gate: Gatekeeper,
    slots: usize,
    running: Vec<Running>,
    started: u64,
    /// Timed out while other tests ran: to be run alone before the answer counts.
    suspects: HashSet<ContentHash>,
    checks: Checks,
    counters: Counters,
}

impl<S: CandidateSource> Scheduler<S> {
    /// A scheduler of at most `slots` tests at a time that checks one in `recheck_one_in` answers (0:
    /// none), with what earlier runs are known to have said.
    #[must_use]
    pub fn new(source: S, slots: usize, verdicts: Verdicts, recheck_one_in: u64) -> Self {
        let slots = slots.max(1);
        Self {
            tree: Tree::new(source, slots * STATES_PER_SLOT + STATES_AT_LEAST),
            verdicts,
            gate: Gatekeeper::default(),
            slots,
            running: Vec::with_capacity(slots),
            started: 0,
            suspects: HashSet::new(),
            checks: Checks::new(recheck_one_in),
            counters: Counters::default(),
        }
    }

    /// Has variants that do not compile refused from now on without a test, as far as the gate is believed.
    pub fn set_gate(&mut self, gate: Gatekeeper) {
        self.gate = gate;
    }

    /// Has an answer checked by a second test, before all else once `answers` tests were consumed.
    pub fn check_after(&mut self, answers: u64, candidate: &Candidate, first: Outcome) {
        self.checks.add_due(answers, candidate, first);
    }

    /// The check that was due, told once when it is done.
    pub fn take_checked(&mut self) -> Option<Recheck> {
        self.checks.take_due()
    }

    /// What became of the gate.
    #[must_use]
    pub fn gate(&self) -> &Gatekeeper {
        &self.gate
    }

    /// Numbers of tests so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Answers that a second test contradicted.
    #[must_use]
    pub fn contradictions(&self) -> &[Recheck] {
        self.checks.contradictions()
    }

    /// States of the conversation held now, real and supposed.
    #[must_use]
    pub fn states(&self) -> usize {
        self.tree.len()
    }

    /// Whether no test runs.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether checks of earlier answers wait to be run.
    #[must_use]
    pub fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }

    /// Whether nothing is left to ask.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.tree.next(), Next::Done)
    }

    /// Consumes the next answer of the conversation if it is there.
    pub fn step(&mut self) -> Step {
        let candidate = match self.tree.next() {
            Next::Candidate(candidate) => candidate,
            Next::Done => return Step::Done,
            Next::Blocked => unreachable!("a real state is never blocked"),
        };
        let hash = candidate.hash;
        if self.gate.has_to_look(candidate) {
            return Step::Waiting;
        }
        // Before what a test may have said: whether one ran depends on the number of slots.
        if self.gate.refuses(&hash) {
            let known = self.gate.consume(&hash);
            let outcome = refused();
            let (candidate, committed) = self.advance(false);
            let gated = Gated::Refused;
            return Step::Answered(Box::new(Answered {
                candidate,
                outcome,
                known,
                gated,
                committed,
            }));
        }
        let Some((outcome, known)) = self.verdicts.consume(&hash) else { return Step::Waiting };
        let interesting = outcome.verdict == Verdict::Interesting;
        let (candidate, committed) = self.advance(interesting);
        let gated = self.gate.learn(&hash, interesting);
        if interesting && gated == Gated::Doubted {
            let gate = &self.gate;
            self.tree.retract(&|hash| gate.rests_on_it(hash));
        }
        self.suspects.remove(&hash);
        if !known {
            self.counters.consumed += 1;
            self.checks.consider(&candidate, &outcome);
        }
        Step::Answered(Box::new(Answered { candidate, outcome, known, gated, committed }))
    }

    fn advance(&mut self, interesting: bool) -> (Candidate, Option<TestCase>) {
        let (next, committed) = self.tree.advance(interesting);
        let Next::Candidate(candidate) = next else { unreachable!("the root has a candidate") };
        (candidate, committed)
    }

    /// Most tests at a time.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Whether it may run one more test at a time.
    #[must_use]
    pub fn has_slot(&self) -> bool {
        self.running.len() < self.slots
    }

    /// Whether the conversation waits for the answer to a question that no test runs for.
    #[must_use]
    pub fn is_urgent(&self) -> bool {
        let runs = |hash| self.running.iter().any(|test| test.answers(hash));
        matches!(self.tree.next(), Next::Candidate(candidate) if !runs(&candidate.hash))
    }

    /// What to do now: `may_start` says whether there is a place to run one more test. Making variants
    /// takes time, so that it returns as soon as a test can be started: to be called until nothing is left
    /// to do.
    ///
    /// The most probable question, which the conversation waits for, never waits for a slot: it became
    /// the next one because a test ended, and is the first to be started then.
    pub fn plan(&mut self, may_start: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        if !may_start && self.running.is_empty() {
            return actions;
        }
        if self.is_reserved() {
            self.start_reserved(&mut actions, may_start);
            return actions;
        }
        self.tree.prune(known(&self.verdicts, &self.suspects, &self.gate));
        if let Next::Candidate(candidate) = self.tree.next()
            && self.suspects.contains(&candidate.hash)
        {
            let (hash, variant) = (candidate.hash, candidate.variant.clone());
            self.kill(&mut actions, |test, tree| {
                !test.is_look && (test.recheck.is_some() || !tree.reaches(&test.hash))
            });
            // Whatever else runs ends by itself: it may well be asked for next.
            if may_start && self.running.is_empty() {
                self.start(&mut actions, hash, variant, None);
            }
            return actions;
        }
        let has_room = may_start && self.has_slot();
        if let Some((hash, variant)) = self.missing_look() {
            if has_room && !self.running.iter().any(|test| test.answers(&hash)) {
                self.look(&mut actions, hash, variant);
            }
            return actions;
        }
        let running = &self.running;
        let starts = |hash: &ContentHash| !running.iter().any(|test| test.answers(hash));
        let known = known(&self.verdicts, &self.suspects, &self.gate);
        let enough = |hash: &ContentHash| has_room && starts(hash);
        let prospects = self.tree.prospects(self.slots, known, enough);
        let best = prospects.last().filter(|last| starts(&last.hash)).copied();
        if has_room && self.start_best(&mut actions, best) {
            return actions;
        }
        self.kill(&mut actions, |test, tree| {
            test.recheck.is_none() && !test.is_look && !tree.reaches(&test.hash)
        });
        actions
    }

    /// What the conversation waits for a look at, though its test has ended: that was before there was a gate.
    fn missing_look(&self) -> Option<(ContentHash, TestCase)> {
        let Next::Candidate(candidate) = self.tree.next() else { return None };
        let is_missing = self.gate.has_to_look(candidate)
            && self.verdicts.interesting(&candidate.hash).is_some();
        is_missing.then(|| (candidate.hash, candidate.variant.clone()))
    }

    /// Decides as [`plan`](Self::plan) does when the conversation is over: only checks are left.
    pub fn plan_rechecks(&mut self, may_start: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        self.kill(&mut actions, |test, _| test.recheck.is_none() && !test.is_look);
        if self.is_reserved() {
            self.start_reserved(&mut actions, may_start);
        } else if may_start && self.has_slot() {
            self.start_best(&mut actions, None);
        }
        actions
    }

    /// Everything that runs is to end.
    pub fn kill_all(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.kill(&mut actions, |_, _| true);
        actions
    }

    /// Tests of other reductions ran during this one.
    pub fn disturbed(&mut self, id: TestId) {
        self.running.iter_mut().filter(|test| test.id == id).for_each(|test| test.shared = true);
    }

    /// A test has ended and its slot is free.
    ///
    /// # Panics
    /// When no such test runs.
    pub fn ended(&mut self, id: TestId, outcome: Outcome) {
        let at = self.running.iter().position(|test| test.id == id).expect("a test ends once");
        let test = self.running.remove(at);
        if test.killed {
            self.counters.killed += 1;
            return;
        }
        if let Some(check) = test.recheck {
            self.counters.rechecks += 1;
            self.checks.ended(*check, outcome, test.shared);
            return;
        }
        self.counters.finished += 1;
        // The second time counts anyway: other reductions may never leave it alone.
        let is_suspect = outcome.verdict == Verdict::TimedOut && test.shared;
        if !(is_suspect && self.suspects.insert(test.hash)) {
            self.verdicts.insert(test.hash, outcome);
        }
    }

    /// The gate has looked at a variant: whether it compiles, where that can be said. The slot is free.
    ///
    /// # Panics
    /// When it does not look at one.
    pub fn looked(&mut self, id: TestId, accepts: Option<bool>) {
        let at = self.running.iter().position(|test| test.id == id).expect("a look ends once");
        let look = self.running.remove(at);
        if !look.killed {
            self.gate.remember(look.hash, accepts == Some(false));
        }
    }

    /// Whether a check that nothing may run beside waits or runs.
    fn is_reserved(&self) -> bool {
        let runs_alone = |test: &Running| test.recheck.as_ref().is_some_and(|check| check.alone);
        self.checks.next_is_alone() || self.running.iter().any(runs_alone)
    }

    /// Starts that check once whatever else runs has ended by itself.
    fn start_reserved(&mut self, actions: &mut Vec<Action>, may_start: bool) {
        if may_start && self.running.is_empty() {
            self.start_best(actions, None);
        }
    }

    /// Starts a test of this question, or a check where it is not probable. Whether there was either.
    fn start_best(&mut self, actions: &mut Vec<Action>, best: Option<Prospect>) -> bool {
        let is_idle = best.is_none_or(|best| best.probability < WORTH_A_SLOT);
        if let Some(check) = self.checks.next(self.counters.consumed, is_idle) {
            self.start(actions, check.hash, check.variant.clone(), Some(Box::new(check)));
            return true;
        }
        let Some(candidate) = best.and_then(|best| self.tree.candidate(best.node)) else {
            return false;
        };
        let (hash, variant) = (candidate.hash, candidate.variant.clone());
        if self.gate.has_to_look(candidate) {
            self.look(actions, hash, variant);
        } else {
            self.start(actions, hash, variant, None);
        }
        true
    }
}

impl<S> Scheduler<S> {
    fn start(
        &mut self,
        actions: &mut Vec<Action>,
        hash: ContentHash,
        variant: TestCase,
        recheck: Option<Box<Check>>,
    ) {
        self.counters.started += 1;
        let id = self.run(hash, false, recheck);
        actions.push(Action::Start(id, variant));
    }

    fn look(&mut self, actions: &mut Vec<Action>, hash: ContentHash, variant: TestCase) {
        self.counters.looks += 1;
        let id = self.run(hash, true, None);
        actions.push(Action::Look(id, variant));
    }

    fn run(&mut self, hash: ContentHash, is_look: bool, recheck: Option<Box<Check>>) -> TestId {
        self.started += 1;
        let id = TestId(self.started);
        let shared = !self.running.is_empty();
        self.running.iter_mut().for_each(|test| test.shared = true);
        self.running.push(Running { id, hash, is_look, recheck, shared, killed: false });
        id
    }

    fn kill(&mut self, actions: &mut Vec<Action>, which: impl Fn(&Running, &Tree<S>) -> bool) {
        for test in self.running.iter_mut().filter(|test| !test.killed) {
            if !which(test, &self.tree) {
                continue;
            }
            test.killed = true;
            actions.push(Action::Kill(test.id));
            if let Some(check) = test.recheck.take() {
                self.checks.put_back(*check);
            }
        }
    }
}

impl Running {
    /// Whether its answer will be that to the question about this variant.
    fn answers(&self, hash: &ContentHash) -> bool {
        self.hash == *hash && !self.killed && self.recheck.is_none()
    }
}

/// What speculation builds on: answers, what the gate refuses by now, and that what timed out will do so
/// again.
fn known(
    verdicts: &Verdicts,
    suspects: &HashSet<ContentHash>,
    gate: &Gatekeeper,
) -> impl Fn(&ContentHash) -> Option<bool> {
    |hash| {
        let refused = gate.refuses(hash).then_some(false);
        let is_suspect = || suspects.contains(hash).then_some(false);
        refused.or_else(|| verdicts.interesting(hash)).or_else(is_suspect)
    }
}

/// The answer that the gate gives.
fn refused() -> Outcome {
    let reason = "it does not compile, says the gate".to_owned();
    Outcome { reason, ..Outcome::from(Verdict::Uninteresting) }
}

#[cfg(test)]
mod tests;
