//! Copies by a group that are made in another way.

use super::KernelReducer;
use crate::ir::StmtKind;

impl KernelReducer<'_> {
    /// Makes copies without `cp.async`.
    pub(super) fn copies(&mut self) {
        for id in self.best.program.statements() {
            let mut program = self.best.program.clone();
            if let StmtKind::GroupCopy(copy) = &mut program.stmts[id.0 as usize].kind
                && copy.cp_async.take().is_some()
            {
                self.tried(program);
            }
        }
    }
}
