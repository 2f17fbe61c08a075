//! The tree of states that a source of candidates may come to.
//!
//! The root is the real state of the source. The children of a node are its states after the verdict "not interesting"
//! and after "interesting". When the source takes a verdict, that child becomes the root and keeps everything below
//! it, so that no variant is made twice.

use std::cmp::Reverse;
use std::collections::HashSet;

use clreduce_candidates::{Candidate, CandidateSource, LeftOut, Next};
use clreduce_testcase::{Complaint, ContentHash, TestCase};
use slab::Slab;

/// The probability 1. Chances are thousandths, so that a product fits 64 bits.
pub(crate) const CERTAIN: u64 = 1 << 48;

/// From this probability on, a state is worth a new syntax tree behind a success that is only supposed.
const LIKELY: u64 = CERTAIN / 4;

/// The variants in a tree have no more bytes together, where there are more than two.
const MOST_BYTES: usize = 512 << 20;

/// A tree of supposed states.
#[derive(Debug)]
pub struct Tree<S> {
    nodes: Slab<TreeNode<S>>,
    root: usize,
    /// Most nodes at any time: each may hold a variant.
    capacity: usize,
}

#[derive(Debug)]
struct TreeNode<S> {
    source: S,
    next: Next,
    /// The variant that became the current test case on the way from the parent.
    committed: Option<TestCase>,
    /// By verdict: not interesting, interesting.
    children: [Option<usize>; 2],
    /// A blocked state was told to look past the supposed success that it waited for, and said what it wants then.
    released: bool,
}

/// A state that the search may look at, most probable first, then oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Branch {
    pub(crate) probability: u64,
    pub(crate) number: Reverse<u32>,
    pub(crate) parent: usize,
    pub(crate) interesting: bool,
    /// A supposed success lies on the way from the root.
    pub(crate) after_success: bool,
}

impl<S: CandidateSource> Tree<S> {
    /// A tree of the real state alone, to grow to no more than `capacity` states.
    #[must_use]
    pub fn new(mut source: S, capacity: usize) -> Self {
        let next = source.next();
        let mut nodes = Slab::new();
        let root = nodes.insert(TreeNode::new(source, next, None));
        Self { nodes, root, capacity }
    }

    /// The request of the source in its real state.
    #[must_use]
    pub fn next(&self) -> &Next {
        &self.nodes[self.root].next
    }

    /// The proposals that passes left out on the way to the candidate of the real state.
    pub(crate) fn left_out(&self) -> &[LeftOut] {
        self.nodes[self.root].source.left_out()
    }

    /// The current test case of the real state laid out for people, if the source has a layout for it.
    pub(crate) fn laid_out(&self) -> Option<TestCase> {
        self.nodes[self.root].source.laid_out()
    }

    /// The candidate at a node, if it has one.
    #[must_use]
    pub(crate) fn candidate(&self, node: usize) -> Option<&Candidate> {
        match &self.nodes[node].next {
            Next::Candidate(candidate) => Some(candidate),
            Next::Blocked | Next::Done => None,
        }
    }

    /// The variants that are the candidate of a state in the tree.
    #[must_use]
    pub(crate) fn candidates(&self) -> HashSet<ContentHash> {
        let hash = |(_, node): (usize, &TreeNode<S>)| match &node.next {
            Next::Candidate(candidate) => Some(candidate.hash),
            Next::Blocked | Next::Done => None,
        };
        self.nodes.iter().filter_map(hash).collect()
    }

    /// The node of the real state.
    pub(crate) fn root_node(&self) -> usize {
        self.root
    }

    /// The real state.
    #[cfg(test)]
    pub(crate) fn root(&self) -> &S {
        &self.nodes[self.root].source
    }

    /// Number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always the real state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns true if the source heeds complaints about the root's candidate.
    pub(crate) fn heeds_complaints(&self) -> bool {
        self.nodes[self.root].source.heeds_complaints()
    }

    /// Gives the source complaints about the root's candidate, before the verdict. The states that were supposed have not
    /// heard of them.
    pub(crate) fn take_complaints(&mut self, complaints: &[Complaint]) {
        self.drop_children(self.root);
        self.nodes[self.root].source.take_complaints(complaints);
    }

    /// Gives the source a verdict on the root's candidate. Returns that candidate, and the variant that became the current
    /// test case.
    pub fn advance(&mut self, interesting: bool) -> (Next, Option<TestCase>) {
        let child = self.nodes[self.root].children[usize::from(interesting)].take();
        let Some(child) = child else {
            self.drop_children(self.root);
            let root = &mut self.nodes[self.root];
            let committed = root.source.take_verdict(interesting);
            root.released = false;
            let next = root.source.next();
            return (std::mem::replace(&mut root.next, next), committed);
        };
        self.drop_children(self.root);
        let old = self.nodes.remove(self.root);
        self.root = child;
        let root = &mut self.nodes[child];
        root.source.confirm();
        if matches!(root.next, Next::Blocked) {
            root.next = root.source.next();
        }
        (old.next, root.committed.take())
    }

    /// Tells the source in its real state of what a person wants, and forgets the states that were supposed.
    pub(crate) fn tell(&mut self, wish: impl FnOnce(&mut S)) {
        self.drop_children(self.root);
        let root = &mut self.nodes[self.root];
        wish(&mut root.source);
        root.released = false;
        root.next = root.source.next();
    }

    /// Retracts verdicts, all of them "not interesting", and forgets the states that were supposed after them.
    pub(crate) fn retract(&mut self, is_retracted: &dyn Fn(&ContentHash) -> bool) {
        self.drop_children(self.root);
        self.nodes[self.root].source.retract(is_retracted);
    }

    /// Drops states that known verdicts exclude.
    pub(crate) fn prune(&mut self, known: impl Fn(&ContentHash) -> Option<bool>) {
        let mut pending = vec![self.root];
        while let Some(at) = pending.pop() {
            if let Some(candidate) = self.candidate(at)
                && let Some(interesting) = known(&candidate.hash)
                && let Some(child) = self.nodes[at].children[usize::from(!interesting)].take()
            {
                self.drop_subtree(child);
            }
            pending.extend(self.nodes[at].children.iter().flatten());
        }
    }

    /// The node of a branch, made if there is room.
    pub(crate) fn child(&mut self, branch: &Branch) -> Option<usize> {
        let answer = usize::from(branch.interesting);
        if let Some(child) = self.nodes[branch.parent].children[answer] {
            self.release(child, branch);
            return Some(child);
        }
        if self.nodes.len() >= self.capacity() {
            return None;
        }
        let mut source = self.nodes[branch.parent].source.clone();
        source.mark_supposed();
        let committed = source.take_verdict(branch.interesting);
        let next = source.next();
        let child = self.nodes.insert(TreeNode::new(source, next, committed));
        self.nodes[branch.parent].children[answer] = Some(child);
        self.release(child, branch);
        Some(child)
    }

    /// The number of states that there may be. Variants of huge programs must not fill the memory.
    fn capacity(&self) -> usize {
        let bytes = self.candidate(self.root).map_or(0, |root| root.variant.total_bytes());
        let that_fit = MOST_BYTES / bytes.max(1);
        self.capacity.min(that_fit.max(2))
    }

    /// Has a state that is blocked behind a supposed success look further, if that success has since become real, or
    /// the state is likely to come.
    fn release(&mut self, node: usize, branch: &Branch) {
        let node = &mut self.nodes[node];
        let is_due = !branch.after_success || branch.probability >= LIKELY;
        if matches!(node.next, Next::Blocked) && is_due && !node.released {
            node.released = true;
            node.source.look_past();
            node.next = node.source.next();
        }
    }

    fn drop_children(&mut self, node: usize) {
        for child in std::mem::take(&mut self.nodes[node].children).into_iter().flatten() {
            self.drop_subtree(child);
        }
    }

    fn drop_subtree(&mut self, node: usize) {
        let mut pending = vec![node];
        while let Some(at) = pending.pop() {
            pending.extend(self.nodes.remove(at).children.into_iter().flatten());
        }
    }
}

impl<S> TreeNode<S> {
    fn new(source: S, next: Next, committed: Option<TestCase>) -> Self {
        Self { source, next, committed, children: [None, None], released: false }
    }
}
