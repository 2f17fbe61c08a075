//! The search for the candidates that are most likely to come.
//!
//! It is interrupted whenever a test can be started, since making variants takes time, and goes on from there as long as no
//! verdict arrives. So a round of tests costs one search, however many slots there are.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};

use clreduce_candidates::CandidateSource;
use clreduce_testcase::ContentHash;

use crate::tree::{Branch, CERTAIN, Tree};

/// A candidate that may come, and how likely that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prospect {
    /// Content hash of the variant.
    pub hash: ContentHash,
    /// Its node in the tree.
    pub node: usize,
    /// The probability that it comes, in parts of [`CERTAIN`].
    pub probability: u64,
}

/// A search under way. It holds until a verdict arrives or the root moves on.
#[derive(Debug)]
pub(crate) struct CandidateSearch {
    /// The state to look at before those that are open: the root, at first.
    root: Option<usize>,
    open: BinaryHeap<Branch>,
    branches: u32,
    /// The variants that were found, each once.
    found: HashSet<ContentHash>,
    /// Those of them that wait for a slot, most probable first.
    waiting: VecDeque<Prospect>,
}

impl CandidateSearch {
    /// A search from the real state of a tree.
    pub(crate) fn new<S: CandidateSource>(tree: &Tree<S>) -> Self {
        Self {
            root: Some(tree.root_node()),
            open: BinaryHeap::new(),
            branches: 0,
            found: HashSet::new(),
            waiting: VecDeque::new(),
        }
    }

    /// The most probable candidate without a verdict for which nothing runs, of the `count` most probable ones. With
    /// `has_room` unset, there is none, and the states of all of them are made. A candidate comes again until it runs.
    pub(crate) fn best<S: CandidateSource>(
        &mut self,
        tree: &mut Tree<S>,
        (count, has_room): (usize, bool),
        known: impl Fn(&ContentHash) -> Option<bool>,
        runs: impl Fn(&ContentHash) -> bool,
    ) -> Option<Prospect> {
        while self.waiting.front().is_some_and(|first| runs(&first.hash)) {
            self.waiting.pop_front();
        }
        if has_room && let Some(first) = self.waiting.front() {
            return Some(*first);
        }
        while self.found.len() < count {
            let prospect = self.next(tree, &known)?;
            if runs(&prospect.hash) {
                continue;
            }
            self.waiting.push_back(prospect);
            if has_room {
                return Some(prospect);
            }
        }
        None
    }

    /// The next candidate without a verdict that was not found before. Makes the states that lead to it.
    pub(crate) fn next<S: CandidateSource>(
        &mut self,
        tree: &mut Tree<S>,
        known: &impl Fn(&ContentHash) -> Option<bool>,
    ) -> Option<Prospect> {
        let mut visit = self.root.take().map(|root| (root, CERTAIN, false));
        loop {
            let (node, probability, after_success) = match visit.take() {
                Some(visit) => visit,
                None => {
                    let best = self.open.pop()?;
                    let Some(node) = tree.child(&best) else { continue };
                    (node, best.probability, best.after_success)
                }
            };
            let Some(candidate) = tree.candidate(node) else { continue };
            let (hash, chance) = (candidate.hash, candidate.chance);
            let answer = known(&hash);
            // Neither verdict is impossible before it is there.
            let chance = u64::from(chance.clamp(1, 999));
            for (interesting, share) in [(false, 1000 - chance), (true, chance)] {
                if answer.is_some_and(|answer| answer != interesting) {
                    continue;
                }
                self.branches += 1;
                self.open.push(Branch {
                    probability: match answer {
                        Some(_) => probability,
                        None => probability * share / 1000,
                    },
                    number: Reverse(self.branches),
                    parent: node,
                    interesting,
                    after_success: after_success || interesting,
                });
            }
            if answer.is_none() && self.found.insert(hash) {
                return Some(Prospect { hash, node, probability });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use clreduce_candidates::{Candidate, Next};
    use clreduce_testcase::{Size, TestCase};

    use super::*;

    /// Asks for its answers so far. Each is "no" with seven chances in ten.
    #[derive(Clone)]
    struct Answers(String);

    impl CandidateSource for Answers {
        fn next(&mut self) -> Next {
            let variant = TestCase::single("answers", self.0.as_bytes()).unwrap();
            let size = Size { work_items: 1, tokens: 0, dense_bytes: 0 };
            let hash = variant.hash();
            Next::Candidate(Candidate { variant, hash, size, pass: "answers", chance: 300 })
        }

        fn take_verdict(&mut self, interesting: bool) -> Option<TestCase> {
            self.0.push(if interesting { 'y' } else { 'n' });
            None
        }

        fn mark_supposed(&mut self) {}

        fn confirm(&mut self) {}
    }

    /// Starting once more from the root for each test would look at half a million states.
    #[test]
    fn a_round_of_tests_costs_one_search() {
        const SLOTS: usize = 1000;
        let mut tree = Tree::new(Answers(String::new()), 8 * SLOTS);
        let mut search = CandidateSearch::new(&tree);
        let looks = Cell::new(0);
        let known = |_: &ContentHash| {
            looks.set(looks.get() + 1);
            None
        };
        let mut running: Vec<Prospect> = Vec::new();
        while let Some(best) = search.best(&mut tree, (SLOTS, true), known, |hash| {
            running.last().is_some_and(|last| last.hash == *hash)
        }) {
            running.push(best);
        }
        assert_eq!(running.len(), SLOTS);
        assert!(running.is_sorted_by(|one, two| one.probability >= two.probability));
        assert_eq!(looks.get(), SLOTS);
    }

    #[test]
    fn what_was_found_without_room_comes_first_when_there_is_some() {
        let mut tree = Tree::new(Answers(String::new()), 100);
        let mut search = CandidateSearch::new(&tree);
        let none = |_: &ContentHash| false;
        assert_eq!(search.best(&mut tree, (4, false), |_| None, none), None);
        let first = search.best(&mut tree, (4, true), |_| None, none).unwrap();
        assert_eq!(first.probability, CERTAIN);
        // It comes again until it runs.
        assert_eq!(search.best(&mut tree, (4, true), |_| None, none), Some(first));
        let runs = |hash: &ContentHash| *hash == first.hash;
        let second = search.best(&mut tree, (4, true), |_| None, runs).unwrap();
        assert_eq!(second.probability, CERTAIN * 7 / 10);
    }
}
