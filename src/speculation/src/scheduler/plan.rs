//! The decision which tests are started and which are ended.

use clreduce_candidates::{Candidate, CandidateSource};
use clreduce_interestingness::Occasion;
use clreduce_testcase::{ContentHash, TestCase};

use super::{Action, Scheduler};
use crate::running::{RunningTest, Work};
use crate::search::{CandidateSearch, Prospect};
use crate::tree::CERTAIN;

/// A candidate less probable than this leaves its slot to a confirmation.
const WORTH_A_SLOT: u64 = CERTAIN / 16;

impl<S: CandidateSource> Scheduler<S> {
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
        let search = self.search.get_or_insert_with(|| CandidateSearch::new(tree));
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

    /// Returns true if a confirmation runs alone, or waits for that.
    fn confirmation_runs_alone(&self) -> bool {
        let runs = self.running.iter().filter(|test| test.is_confirmation());
        let mut confirmations = runs.map(|test| &test.hash).chain(self.confirmations.next_hash());
        confirmations.any(|hash| self.verdicts.is_alone(hash))
    }

    /// Starts a test of this candidate, or the next confirmation, once everything that runs has ended by itself.
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
            let occasion = match () {
                () if is_again => Occasion::Again,
                () if is_alone => Occasion::Afresh,
                () if is_early => Occasion::Early,
                () => Occasion::Next,
            };
            actions.push(Action::Start(id, occasion, variant));
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
