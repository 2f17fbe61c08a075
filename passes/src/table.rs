//! A row of the table of passes: when a pass runs, and how its proposals are explored.

use std::fmt;

use clreduce_testcase::Language;

use crate::pass::Pass;

/// When a pass runs. Phases run in this order; those in rounds are repeated until a full round changes
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Once at the start: what makes every later test cheaper.
    Prepare,
    /// After every pass run that changed something: what is of no use any more.
    Sweep,
    /// C++ that ties most of a large program to the rest of it, one thing after the other.
    Cuts,
    /// Whole declarations and function bodies.
    Coarse,
    /// Statements, names, list elements, expressions.
    Fine,
    /// Literals, tokens, anything that spoils the structure for other passes.
    Polish,
    /// Once, when nothing else is left: names and layout for a person. Exempt from the size order, but for tokens.
    Finish,
    /// At the very end: whether a single token can go. Nothing counts as refuted but what was tested.
    Last,
}

impl Phase {
    /// Returns true if the phase belongs to the rounds that go on until nothing changes: phases that run once do not.
    #[must_use]
    pub fn is_in_rounds(self) -> bool {
        matches!(self, Self::Cuts | Self::Coarse | Self::Fine | Self::Polish)
    }

    /// Returns true if the phase goes round by itself before the next one begins. Only those
    /// whose passes make work for each other cheaply do.
    #[must_use]
    pub fn settles(self) -> bool {
        matches!(self, Self::Cuts | Self::Fine | Self::Last)
    }
}

/// The way in which the proposals of a pass are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// The number of proposals that are tried at once, and their order.
    pub grouping: Grouping,
    /// The first group holds all proposals divided by this number.
    pub first_group: u32,
    /// A group removes at least the program's tokens divided by this number, and a variant is skipped when a refuted one had
    /// everything that it keeps. Where proposals are tried one by one, a run ends with its first success. `None` tries single
    /// proposals to the end. A program that is small already has no such limit.
    pub smallest_group: Option<u32>,
    /// True if the pass runs on a program that is small already.
    pub on_small_programs: bool,
    /// True if declarations that a patch leaves unused are removed with it.
    pub removes_unused: bool,
    /// True if a refused variant is tried again with what compilers missed in it.
    pub repairs: bool,
}

impl fmt::Display for Policy {
    /// As `--list-passes` shows it: "groups from 1/8".
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.grouping, self.smallest_group) {
            (Grouping::BiggestFirst, _) => formatter.write_str("biggest first"),
            (Grouping::Halves, _) => formatter.write_str("halves, then groups"),
            (Grouping::Groups, None) => formatter.write_str("groups"),
            (Grouping::Groups, Some(part)) if self.first_group > 1 => {
                write!(formatter, "groups from 1/{part}")
            }
            (Grouping::Groups, Some(part)) => write!(formatter, "all, then groups from 1/{part}"),
        }
    }
}

/// The number of proposals that are tried at once, and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grouping {
    /// In groups, which get ever smaller, from the end of the list to its front.
    Groups,
    /// One after the other, the one that removes most first.
    BiggestFirst,
    /// Of a long list, all but one half, as long as one half is enough; then in groups.
    Halves,
}

/// All proposals together, then ever smaller groups.
pub const GROUPS: Policy = Policy {
    grouping: Grouping::Groups,
    first_group: 1,
    smallest_group: None,
    on_small_programs: true,
    removes_unused: false,
    repairs: false,
};

/// One by one, the proposal that removes most first.
pub(crate) const BIGGEST_FIRST: Policy = Policy { grouping: Grouping::BiggestFirst, ..GROUPS };

/// One half of the proposals after the other, then groups: where a single one of them is needed.
pub(crate) const HALVES: Policy = Policy { grouping: Grouping::Halves, ..GROUPS };

/// One by one on large programs, down to one in 64 of the program's tokens, until one succeeds.
pub(crate) const LARGE_ONES: Policy =
    Policy { smallest_group: Some(64), ..BIGGEST_FIRST.on_large_programs() };

/// Groups of a quarter of the proposals on large programs, with what they leave unused, down to one in 64 of the program's tokens.
/// All bodies or statements can hardly ever go at once.
pub(crate) const LARGE_GROUPS: Policy =
    Policy { first_group: 4, smallest_group: Some(64), ..GROUPS.with_unused().on_large_programs() };

/// All proposals together, then groups down to one in 32 of the program's tokens, with what they leave unused and with repairs.
pub(crate) const ALL_OR_LARGE_GROUPS: Policy =
    Policy { smallest_group: Some(32), repairs: true, ..GROUPS.with_unused() };

impl Policy {
    /// The same, but not on programs that are small already.
    pub(crate) const fn on_large_programs(self) -> Self {
        Self { on_small_programs: false, ..self }
    }

    /// The same, but declarations that a patch leaves unused go with it.
    pub(crate) const fn with_unused(self) -> Self {
        Self { removes_unused: true, ..self }
    }
}

/// One row of the table.
pub struct Row {
    /// The pass.
    pub pass: &'static Pass,
    /// When it runs.
    pub phase: Phase,
    /// The way in which its proposals are explored.
    pub policy: Policy,
}

pub(crate) const fn row(pass: &'static Pass, phase: Phase, policy: Policy) -> Row {
    Row { pass, phase, policy }
}

impl Row {
    /// Returns true if the pass knows a language.
    #[must_use]
    pub fn applies_to(&self, language: Language) -> bool {
        language.has_all(self.pass.needs)
    }
}
