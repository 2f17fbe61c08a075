//! One run of one pass on one snapshot: its proposals, which of them were accepted, and which are tried next.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use clreduce_passes::{Grouping, Proposal, Row, Snapshot, UnusedDeclarations};
use clreduce_testcase::{Complaint, ContentHash, Edit, Patch, Size, TestCase, is_recountable};

use crate::lists::ProposalList;
use crate::order::{compares_tokens, is_smaller};
use crate::refuted::{Refuted, Tried};
use crate::repairs::Repairs;
use crate::schedule::Change;
use crate::search::{GroupSizes, Halves, OneByOne, ProposalSearch, Weighted};

/// The state of one pass run. Proposals and patches are shared between clones.
#[derive(Clone)]
pub(crate) struct PassRun<G> {
    base: Arc<Snapshot>,
    /// By file of the base, whether variants can be measured by what is new in them.
    recountable: Arc<[bool]>,
    proposals: Arc<[Patch]>,
    /// The lists, the next one last.
    lists: Arc<[ProposalList]>,
    /// The number of those that have not begun yet.
    lists_left: usize,
    /// The sizes of groups; of proposals that are tried one by one, the tokens that a variant has less at least.
    sizes: GroupSizes,
    grouping: Grouping,
    /// Removes with a patch the declarations that it leaves without a use, if they may go.
    unused: Option<Arc<UnusedDeclarations>>,
    search: Exploration<G>,
    accepted: Arc<Patch>,
    /// True if what was accepted has fewer tokens.
    has_removed: bool,
    /// True if a variant may be tested that has no more tokens; otherwise it must be smaller.
    compares_tokens: bool,
    attempt: Option<Combination>,
    /// True if there was a verdict in this run.
    has_tried: bool,
    /// The repairs of refused groups, if there are any.
    repairs: Option<Repairs>,
    /// The refused group that is to be repaired.
    refused: Option<Combination>,
}

/// Of levels in the middle of deep nests, the smallest group is this part.
const DEEP_GROUPS: usize = 32;

/// A shorter list is not halved.
const WORTH_HALVING: usize = 8;

/// The search of the list under way.
#[derive(Clone)]
enum Exploration<G> {
    InHalves(Halves),
    InGroups(G),
    OneByOne(OneByOne),
}

/// Proposals that are tried together, and the variant that they make.
#[derive(Clone)]
pub(crate) struct Combination {
    pub(crate) variant: TestCase,
    pub(crate) hash: ContentHash,
    pub(crate) size: Size,
    /// The tokens that it has less than what it would replace.
    removed: usize,
    patch: Arc<Patch>,
    /// The proposals that are tried together, by index.
    group: Arc<[u32]>,
    tried: Tried,
}

impl<G: ProposalSearch> PassRun<G> {
    /// Begins a run of the proposals of one pass, in these [`lists`]. With `unused`, declarations that a patch leaves without a use go
    /// with it.
    pub(crate) fn new(
        base: Arc<Snapshot>,
        row: &Row,
        proposals: Vec<Proposal>,
        mut lists: Vec<ProposalList>,
        sizes: GroupSizes,
        unused: Option<Arc<UnusedDeclarations>>,
    ) -> Self {
        let patches: Vec<Patch> = proposals.into_iter().map(|proposal| proposal.patch).collect();
        let grouping = row.policy.grouping;
        if grouping == Grouping::BiggestFirst {
            let gain_of = |index: u32| -> i64 {
                patches[index as usize].edits().iter().map(|edit| gain(&base, edit)).sum()
            };
            for list in lists.iter_mut().filter(|list| !list.is_deep) {
                list.items.sort_by_cached_key(|&index| (Reverse(gain_of(index)), index));
            }
        }
        let recountable = (0..base.file_count())
            .map(|file| {
                is_recountable(base.language().lexer(), base.bytes(file), base.tokens(file))
            })
            .collect();
        Self {
            base,
            recountable,
            unused,
            proposals: patches.into(),
            lists_left: lists.len(),
            lists: lists.into(),
            search: Exploration::OneByOne(OneByOne::new(Vec::new())),
            sizes,
            grouping,
            accepted: Arc::default(),
            has_removed: false,
            compares_tokens: compares_tokens(row),
            attempt: None,
            has_tried: false,
            repairs: row.policy.repairs.then(Repairs::default),
            refused: None,
        }
    }

    /// Returns what to try next, or `None` when the run is over. `current` is the test case that a variant must be
    /// smaller than.
    pub(crate) fn next(
        &mut self,
        current: &(TestCase, Size),
        refuted: &Refuted,
    ) -> Option<&Combination> {
        while self.attempt.is_none() && !self.is_over() {
            if let Some(refused) = self.refused.take() {
                self.attempt = self.repaired(&refused, current, refuted);
                if self.attempt.is_none() {
                    self.search.take_verdict(false);
                }
                continue;
            }
            let items = self.search.next();
            if items.is_empty() {
                if let Exploration::InHalves(halves) = &self.search {
                    let search = G::over(halves.left().to_vec(), self.sizes);
                    self.search = Exploration::InGroups(search);
                } else {
                    self.begin_next_list()?;
                }
                continue;
            }
            let items: Vec<u32> =
                items.iter().copied().filter(|item| !refuted.is_hopeless(*item)).collect();
            let is_left = |item: &u32| !self.accepted.covers(&self.proposals[*item as usize]);
            if !items.is_empty() && !items.iter().any(is_left) {
                // They went with others. Nothing is built to see that: there may be a hundred thousand of them.
                self.search.take_verdict(true);
                continue;
            }
            let patch = (!items.is_empty())
                .then(|| union(&self.accepted, &items, &self.proposals))
                .flatten()
                .map(|patch| self.with_unused(patch));
            match patch {
                Some(patch) => {
                    let group: Arc<[u32]> = items.into();
                    let alone = Arc::clone(&group);
                    self.attempt = self.materialise(patch, (group, alone), current, refuted);
                    if self.attempt.is_none() {
                        self.search.take_verdict(false);
                    }
                }
                None => self.search.take_verdict(false),
            }
        }
        self.attempt.as_ref()
    }

    /// Large proposals change what the others are worth: a run of single ones ends with its first success.
    fn is_over(&self) -> bool {
        self.is_one_by_one() && self.sizes.least > 0 && !self.accepted.is_empty()
    }

    fn is_one_by_one(&self) -> bool {
        self.grouping == Grouping::BiggestFirst
    }

    /// Takes the verdict on the variant that is being tried. Returns what was tried if it is the new test case.
    pub(crate) fn take_verdict(
        &mut self,
        interesting: bool,
        refuted: &mut Refuted,
    ) -> Option<Combination> {
        let attempt = self.attempt.take()?;
        self.has_tried = true;
        if interesting {
            self.accepted = Arc::clone(&attempt.patch);
            self.has_removed |= attempt.removed > 0;
        }
        refuted.learn(&attempt.tried, interesting, &self.proposals);
        if let Some(repairs) = &mut self.repairs {
            let removed = attempt.removed;
            if repairs.take_verdict(interesting, removed) {
                self.refused = Some(attempt);
                return None;
            }
        }
        self.search.take_verdict(interesting);
        interesting.then_some(attempt)
    }

    /// Returns true if complaints about the variant that is tried matter.
    pub(crate) fn heeds_complaints(&self) -> bool {
        self.repairs.as_ref().is_some_and(Repairs::are_possible)
    }

    /// Takes the complaints about the variant that is tried, before the verdict.
    pub(crate) fn take_complaints(&mut self, complaints: &[Complaint]) {
        if let Some(repairs) = &mut self.repairs {
            repairs.hear(complaints);
        }
    }

    /// The variant that is left of a refused one without what was missed in it.
    fn repaired(
        &mut self,
        refused: &Combination,
        current: &(TestCase, Size),
        refuted: &Refuted,
    ) -> Option<Combination> {
        let repairs = self.repairs.as_mut()?;
        let group = &refused.group;
        let patches = (&*refused.patch, &*self.accepted);
        let left = repairs.repair(&self.base, group, &self.proposals, patches);
        let parts = repairs.parts().clone();
        let attempt = left.filter(|left| !left.is_empty() || !parts.is_empty()).and_then(|left| {
            let patch = union(&self.accepted, &left, &self.proposals)?.union(&parts)?;
            let group: Arc<[u32]> = left.into();
            let alone = if parts.is_empty() { Arc::clone(&group) } else { Arc::default() };
            self.materialise(self.with_unused(patch), (group, alone), current, refuted)
        });
        let repairs = self.repairs.as_mut()?;
        let attempt = attempt.filter(|it| it.hash != refused.hash && repairs.are_worth(it.removed));
        if attempt.is_none() {
            repairs.end_group();
        }
        attempt
    }

    /// Everything accepted so far, as one patch of the snapshot that the run began with.
    pub(crate) fn accepted(&self) -> &Patch {
        &self.accepted
    }

    /// The variant that a proposal makes alone, as a patch of the base, if it is small enough to be tried.
    pub(crate) fn alone(
        &self,
        proposal: usize,
        current: &(TestCase, Size),
    ) -> Option<(Arc<Patch>, ContentHash)> {
        let patch = self.with_unused(self.proposals[proposal].clone());
        let none = (Arc::default(), Arc::default());
        let made = self.materialise(patch, none, current, &Refuted::default())?;
        Some((made.patch, made.hash))
    }

    /// Returns true if there was a verdict in this run.
    pub(crate) fn has_tried(&self) -> bool {
        self.has_tried
    }

    /// What was accepted, all in all.
    pub(crate) fn change(&self) -> Change {
        match (self.accepted.is_empty(), self.has_removed) {
            (true, _) => Change::Nothing,
            (false, false) => Change::Spelling,
            (false, true) => Change::Tokens,
        }
    }

    fn begin_next_list(&mut self) -> Option<()> {
        self.lists_left = self.lists_left.checked_sub(1)?;
        let ProposalList { items, is_deep } = &self.lists[self.lists_left];
        let is_left = |index: &u32| !self.accepted.covers(&self.proposals[*index as usize]);
        let items: Vec<u32> = items.iter().copied().filter(is_left).collect();
        self.search = if *is_deep {
            let sizes = GroupSizes { least: (items.len() / DEEP_GROUPS) as u64, first: 1 };
            let levels = items.into_iter().map(|index| (index, 1)).collect();
            Exploration::InGroups(G::over(levels, sizes))
        } else if self.is_one_by_one() {
            Exploration::OneByOne(OneByOne::new(items))
        } else {
            let weights = self.weights(&items);
            let items: Vec<Weighted> = items.into_iter().zip(weights).collect();
            if self.grouping == Grouping::Halves && items.len() >= WORTH_HALVING {
                Exploration::InHalves(Halves::new(items))
            } else {
                Exploration::InGroups(G::over(items, self.sizes))
            }
        };
        Some(())
    }

    /// For each proposal, the number of tokens that it removes beside those that the proposals after it remove.
    fn weights(&self, items: &[u32]) -> Vec<u64> {
        let mut seen = HashSet::new();
        let mut weight = |item: &u32| -> u64 {
            let edits = self.proposals[*item as usize].edits().iter();
            let new = edits.filter(|edit| seen.insert((edit.file, edit.start, edit.end)));
            new.map(|edit| gain(&self.base, edit)).sum::<i64>().max(1) as u64
        };
        let mut weights: Vec<u64> = items.iter().rev().map(&mut weight).collect();
        weights.reverse();
        weights
    }

    /// A patch with what it leaves without a use.
    fn with_unused(&self, patch: Patch) -> Patch {
        match &self.unused {
            Some(unused) => {
                let needed = self.repairs.as_ref().map(Repairs::needed).unwrap_or_default();
                unused.follow(&self.base, patch, &needed)
            }
            None => patch,
        }
    }

    /// The variant that a patch makes, unless it is not small enough or known to be refuted.
    fn materialise(
        &self,
        patch: Patch,
        (group, alone): (Arc<[u32]>, Arc<[u32]>),
        current: &(TestCase, Size),
        refuted: &Refuted,
    ) -> Option<Combination> {
        let (variant, kept) = self.base.case().apply_and_track(&patch);
        let size = Size::of_variant(&variant, &kept, |file| {
            self.recountable[file].then(|| self.base.tokens(file))
        });
        let least = if self.is_one_by_one() { self.sizes.least as usize } else { 0 };
        let is_worth_it = least == 0 || size.tokens + least <= current.1.tokens;
        let is_small_enough = match self.compares_tokens {
            true => size.tokens <= current.1.tokens,
            false => is_smaller((&variant, &size), current),
        };
        if !is_worth_it || !is_small_enough {
            return None;
        }
        let hash = variant.hash();
        let tried = refuted.consider(hash, alone, &kept)?;
        let removed = current.1.tokens.saturating_sub(size.tokens);
        Some(Combination { hash, variant, size, removed, patch: Arc::new(patch), group, tried })
    }
}

impl<G: ProposalSearch> Exploration<G> {
    fn next(&self) -> &[u32] {
        match self {
            Self::InHalves(search) => search.next(),
            Self::InGroups(search) => search.next(),
            Self::OneByOne(search) => search.next(),
        }
    }

    fn take_verdict(&mut self, interesting: bool) {
        match self {
            Self::InHalves(search) => search.take_verdict(interesting),
            Self::InGroups(search) => search.take_verdict(interesting),
            Self::OneByOne(search) => search.take_verdict(interesting),
        }
    }
}

/// Everything accepted and these proposals; `None` where they contradict each other.
fn union(accepted: &Patch, items: &[u32], proposals: &[Patch]) -> Option<Patch> {
    let patch_of = |item: &u32| &proposals[*item as usize];
    match items {
        [item] => accepted.union(patch_of(item)),
        _ => {
            let edits = items.iter().flat_map(|item| patch_of(item).edits()).cloned().collect();
            accepted.union(&Patch::new(edits)?)
        }
    }
}

/// Tokens that an edit removes, less those that it adds.
fn gain(base: &Snapshot, edit: &Edit) -> i64 {
    let tokens = base.tokens(edit.file as usize);
    let first = tokens.partition_point(|token| token.start < edit.start);
    let last = tokens.partition_point(|token| token.start < edit.end);
    last as i64 - first as i64 - clreduce_testcase::count_tokens(&edit.text) as i64
}
