//! The edits that make a kernel a variant of another one, and their removal.

use super::{Program, StmtId, StmtKind};

/// An edit of a kernel: a branch whose condition has a truth that the generator knows.
#[derive(Clone, Debug)]
pub(crate) struct EmiEdit {
    pub branch: StmtId,
    pub kind: EmiEditKind,
}

/// The kinds of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmiEditKind {
    /// Statements that are never executed. They read and write variables of the kernel.
    Dead,
    /// A statement of the kernel that is always executed; in the other branch are some that never are.
    Guard,
    /// A variable is kept, changed, and restored, which is always executed.
    Scramble,
}

impl EmiEdit {
    /// Takes the edit out of the kernel.
    pub(crate) fn drop_from(&self, program: &mut Program) {
        let branch = &mut program.stmts[self.branch.0 as usize].kind;
        let dropped = std::mem::replace(branch, StmtKind::Nothing);
        if let (EmiEditKind::Guard, StmtKind::If(_, then, _)) = (self.kind, dropped) {
            replace(program, self.branch, &then);
        }
    }
}

/// Puts statements in the place of one.
pub(crate) fn replace(program: &mut Program, id: StmtId, by: &[StmtId]) {
    let blocks = program.stmts.iter_mut().flat_map(|stmt| stmt.kind.blocks_mut());
    let functions = program.functions.iter_mut().map(|function| &mut function.body);
    for block in blocks.chain(functions).chain([&mut program.body]) {
        if let Some(at) = block.iter().position(|found| *found == id) {
            block.splice(at..=at, by.iter().copied());
            return;
        }
    }
}
