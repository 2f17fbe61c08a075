//! The findings of the interpreter about a kernel.

use crate::ir::{ExprId, Program, StmtId, VarId};

/// The set of events at a node, in any work-item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u8);

impl Faults {
    /// Arithmetic without a defined result.
    pub const ARITHMETIC: Self = Self(1);
    /// An index outside of an array.
    pub const RANGE: Self = Self(2);
    /// An element was read that was not written.
    pub const UNSET: Self = Self(4);
    /// Memory that another work-item uses between the same barriers.
    pub const RACE: Self = Self(8);
    /// A barrier that not all work-items of the group came to.
    pub const DIVERGENCE: Self = Self(16);
    /// A loop that used up the steps.
    pub const ENDLESS: Self = Self(32);
    /// An atomic section whose effect depends on which work-item enters, or that is executed twice.
    pub const ORDER: Self = Self(64);
    /// No fault: the node was executed.
    pub const EXECUTED: Self = Self(128);

    /// Adds another set.
    pub fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// True if something of another set happened.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True if anything is wrong.
    #[must_use]
    pub fn any(self) -> bool {
        self.0 & !Self::EXECUTED.0 != 0
    }
}

/// The findings of the interpreter about a kernel.
#[derive(Clone, Debug)]
pub struct Report {
    /// The events at each expression.
    pub exprs: Vec<Faults>,
    /// The events at each statement.
    pub stmts: Vec<Faults>,
    /// How often each statement was executed by at least one work-item of a group.
    pub runs: Vec<u32>,
    /// The result of each work-item.
    pub results: Vec<u64>,
    /// The last contents of the buffers that came with their first contents.
    pub buffers: Vec<(VarId, Vec<i64>)>,
    /// The lane operations that were executed.
    pub steps: u64,
}

impl Report {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            exprs: vec![Faults::default(); program.exprs.len()],
            stmts: vec![Faults::default(); program.stmts.len()],
            runs: vec![0; program.stmts.len()],
            results: vec![0; program.sizes.items() as usize],
            buffers: Vec::new(),
            steps: 0,
        }
    }

    /// Adds what it says about statements that were merged since.
    pub(crate) fn know_merged(&mut self, program: &Program) {
        for stmt in &program.stmts[self.stmts.len()..] {
            let first = stmt.kind.blocks().into_iter().flatten().next();
            let first = first.map_or(0, |id| id.0 as usize);
            let (faults, runs) = (self.stmts.get(first), self.runs.get(first));
            let (faults, runs) = (faults.copied().unwrap_or_default(), runs.copied().unwrap_or(0));
            self.stmts.push(faults);
            self.runs.push(runs);
        }
    }

    /// True if the kernel is valid, and its results are certain.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        !self.exprs.iter().chain(&self.stmts).any(|faults| faults.any())
    }

    /// Returns the events at an expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> Faults {
        self.exprs[id.0 as usize]
    }

    /// Returns the events at a statement.
    #[must_use]
    pub fn stmt(&self, id: StmtId) -> Faults {
        self.stmts[id.0 as usize]
    }
}
