//! The contract between a pass and the engine.

use clreduce_testcase::{Edit, Language, Patch};

use crate::budget::Budget;
use crate::snapshot::Snapshot;

/// Something that proposes patches.
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
pub trait Pass: Send + Sync {
    /// What others need to know about the pass.
    fn info(&self) -> PassInfo;

    /// What could go from `snapshot`, in source order unless the pass has a reason.
    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal>;
}

/// The properties of a pass that the engine, the documentation and the tests rely on. The pass states
/// them once, beside its code; nothing else asks for a pass by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassInfo {
    /// The name used by `--passes` and in reports: lower case, words joined by hyphens.
    pub name: &'static str,
    /// One sentence for people, without a full stop, in the imperative: "Remove unused functions".
    pub about: &'static str,
    /// The languages the pass knows. Passes over text and tokens know every one.
    pub languages: &'static [Language],
    /// True if a proposal may make the program larger, because the pass cannot tell beforehand. The
    /// engine tests only those that do not.
    pub may_grow: bool,
    /// True if a proposal gives a declaration another name, or lets the uses of one declaration name another one.
    /// `--keep-names` leaves such a pass out.
    pub renames: bool,
    /// What the pass may change in the launch comment of a kernel.
    pub launch: LaunchEdits,
    /// True if the pass changes nothing but white space, which the size order does not see.
    pub layout_only: bool,
}

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

impl PassInfo {
    /// A pass that makes every program smaller and renames nothing.
    #[must_use]
    pub const fn new(
        name: &'static str,
        about: &'static str,
        languages: &'static [Language],
    ) -> Self {
        Self {
            name,
            about,
            languages,
            may_grow: false,
            renames: false,
            launch: LaunchEdits::Nothing,
            layout_only: false,
        }
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
    /// What to do.
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

/// Most proposals of a pass that has one for each expression or literal. What is beyond comes up when
/// the pass has its next turn; a file of many megabytes must not need gigabytes.
pub(crate) const MOST_PROPOSALS: Budget = Budget::new("proposals of one pass", 500_000);

/// For passes that need a syntax tree.
pub(crate) const PARSED: &[Language] = &[Language::OpenCl, Language::Cuda, Language::C];
/// For passes that need nothing but bytes.
pub(crate) const ANY: &[Language] = &Language::ALL;
