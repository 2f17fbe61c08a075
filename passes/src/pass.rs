//! The contract between a pass and the engine.

use std::collections::BTreeSet;

use clreduce_testcase::{Edit, Feature, Language, Patch};

use crate::budget::Budget;
use crate::snapshot::Snapshot;

/// Something that proposes patches, with the properties that the engine, the documentation and the tests rely on. A pass states
/// them once, beside its code; nothing else asks for a pass by its name.
///
/// # Contract
/// - **Pure and deterministic**: equal snapshots give equal proposals, in equal order.
/// - **Total**: no panic and no unbounded time or growth on any bytes at all: half a program, NULs,
///   invalid UTF-8, one line of 10 MB. Time is about linear in the size of the snapshot.
/// - **In bounds**: every edit lies inside a file of the snapshot.
/// - **Well formed where it can be**: what is declared together with what uses it goes in one patch.
///   A pass that is not sure proposes nothing.
/// - **Smaller**: each proposal alone makes the program smaller (or equal in size and lower under
///   the tie-break); the engine discards the others unasked.
/// - **Composable**: proposals of one list are combined with [`Patch::union`]. Where two overlap, the
///   larger edit decides; where that is no union, they are not combined.
///
/// [`harness::check`](crate::harness::check) holds a pass to all of this.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The name used by `--passes` and in reports: lower case, words joined by hyphens.
    pub name: &'static str,
    /// One sentence for people, without a full stop, in the imperative: "Remove unused functions".
    pub about: &'static str,
    /// The features that a language must have. Passes over text and tokens need none.
    pub needs: &'static [Feature],
    /// True if a proposal may make the program larger, because the pass cannot tell beforehand. The
    /// engine tests only those that do not.
    pub may_grow: bool,
    /// True if a proposal gives a declaration another name, or lets the uses of one declaration name another one.
    /// `--keep-names` leaves such a pass out.
    pub renames: bool,
    /// The part of a kernel's launch comment that the pass may change.
    pub launch: LaunchEdits,
    /// True if the pass changes nothing but white space, which the size order does not see.
    pub layout_only: bool,
    /// Proposes what could go from a snapshot, in source order unless the pass has a reason.
    propose: Propose,
}

type Propose = fn(&Snapshot, &mut Proposals);

/// The parts of a launch comment that a pass may change. The comment says how a kernel is run, which is
/// part of what the test case means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchEdits {
    /// None.
    Nothing,
    /// The numbers of work-items, and the number of dimensions.
    Sizes,
    /// The flags that describe the arguments of the kernel.
    Arguments,
}

impl Pass {
    /// A pass that makes every program smaller and renames nothing.
    #[must_use]
    pub const fn new(
        name: &'static str,
        about: &'static str,
        needs: &'static [Feature],
        propose: Propose,
    ) -> Self {
        Self {
            name,
            about,
            needs,
            may_grow: false,
            renames: false,
            launch: LaunchEdits::Nothing,
            layout_only: false,
            propose,
        }
    }

    /// The languages that the pass applies to.
    pub fn languages(&self) -> impl Iterator<Item = Language> {
        let needs = self.needs;
        Language::ALL.into_iter().filter(move |language| language.has_all(needs))
    }

    /// The same, but a proposal may make the program larger.
    #[must_use]
    pub const fn growing(self) -> Self {
        Self { may_grow: true, ..self }
    }

    /// The same, but names are replaced.
    #[must_use]
    pub const fn renaming(self) -> Self {
        Self { renames: true, ..self }
    }

    /// The same, but some of the launch comment is changed.
    #[must_use]
    pub const fn editing_launch(self, launch: LaunchEdits) -> Self {
        Self { launch, ..self }
    }

    /// The same, but only white space is changed.
    #[must_use]
    pub const fn layout_only(self) -> Self {
        Self { layout_only: true, ..self }
    }
}

/// One thing that could go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The action.
    pub patch: Patch,
    /// Proposals of one list are explored together; lists are explored in ascending order. A
    /// hierarchy is told by one list per level, outermost first.
    pub list: u32,
}

impl Proposal {
    /// A proposal in list 0.
    #[must_use]
    pub fn new(patch: Patch) -> Self {
        Self { patch, list: 0 }
    }

    /// A proposal of one edit in list 0.
    #[must_use]
    pub fn edit(edit: Edit) -> Self {
        Self::new(Patch::single(edit))
    }

    /// The same proposal in another list.
    #[must_use]
    pub fn in_list(self, list: u32) -> Self {
        Self { list, ..self }
    }
}

/// The proposals of a pass for a snapshot, and the budgets because of which it did not look at everything.
#[derive(Debug)]
pub struct Proposals {
    /// The proposals, in the order in which the pass made them.
    pub list: Vec<Proposal>,
    /// The budgets that were exceeded.
    pub left_out: BTreeSet<Budget>,
    /// No budget allows more.
    most: usize,
}

/// A file of many megabytes must not need gigabytes. What is beyond comes up in a later run of the pass.
const MOST_PROPOSALS: Budget = Budget::new("proposals of one pass", 500_000);

impl Proposals {
    /// Runs a pass on a snapshot.
    #[must_use]
    pub fn of(pass: &Pass, snapshot: &Snapshot) -> Self {
        Self::with_budgets_of(usize::MAX, pass, snapshot)
    }

    /// Runs a pass on a snapshot, with no more than `most` in each of its budgets. For tests of what passes do when
    /// there is too much to look at.
    #[must_use]
    pub fn with_budgets_of(most: usize, pass: &Pass, snapshot: &Snapshot) -> Self {
        let mut proposals = Self { list: Vec::new(), left_out: BTreeSet::new(), most };
        (pass.propose)(snapshot, &mut proposals);
        proposals
    }

    /// Adds a proposal. Returns false if there are too many already.
    pub(crate) fn push(&mut self, proposal: Proposal) -> bool {
        let has_room = self.allow(&MOST_PROPOSALS, self.list.len() + 1);
        if has_room {
            self.list.push(proposal);
        }
        has_room
    }

    /// Adds proposals until there are too many.
    pub(crate) fn extend(&mut self, proposals: impl IntoIterator<Item = Proposal>) {
        proposals.into_iter().all(|proposal| self.push(proposal));
    }

    /// The number of things that a budget allows.
    pub(crate) fn limit(&self, budget: &Budget) -> usize {
        budget.most.min(self.most)
    }

    /// Returns true if `count` things are within a budget. If they are not, the reduction reports it.
    pub(crate) fn allow(&mut self, budget: &Budget, count: usize) -> bool {
        let is_within = count <= self.limit(budget);
        if !is_within {
            self.left_out.insert(*budget);
        }
        is_within
    }

    /// The first things, as many as a budget allows. If there are more, it is noted.
    pub(crate) fn limited<T>(
        &mut self,
        budget: &Budget,
        things: impl IntoIterator<Item = T>,
    ) -> Vec<T> {
        let most = self.limit(budget);
        let mut first: Vec<T> = things.into_iter().take(most.saturating_add(1)).collect();
        self.allow(budget, first.len());
        first.truncate(most);
        first
    }
}

/// For passes that need nothing but bytes.
pub(crate) const ANY: &[Feature] = &[];
/// For passes that need a syntax tree.
pub(crate) const PARSED: &[Feature] = &[Feature::Syntax];
/// For passes that ask a grammar what can be left out and what can stand where.
pub(crate) const GRAMMAR: &[Feature] = &[Feature::Grammar];
/// For passes over the functions, blocks and instructions of LLVM IR.
pub(crate) const BLOCKS: &[Feature] = &[Feature::Blocks];
/// For passes over the instructions of PTX.
pub(crate) const INSTRUCTIONS: &[Feature] = &[Feature::VirtualInstructions];
/// For passes over directives and line markers.
pub(crate) const PREPROCESSED: &[Feature] = &[Feature::Preprocessor, Feature::Syntax];
/// For passes that need a syntax tree, and the rules of C for names and types.
pub(crate) const C_LIKE: &[Feature] = &[Feature::Symbols];
/// For passes over what only C++ has, and so what extends it.
pub(crate) const CPP: &[Feature] = &[Feature::Classes];
/// For passes over what devices run, whatever it is written in.
pub(crate) const DEVICE: &[Feature] = &[Feature::Kernels];
/// For passes over words and functions of OpenCL.
pub(crate) const OPENCL: &[Feature] = &[Feature::OpenClWords];
