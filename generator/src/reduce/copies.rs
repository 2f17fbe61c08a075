//! Copies by a group that are made in another way.

use super::KernelReducer;
use crate::ir::StmtKind;

impl KernelReducer<'_> {
    /// Makes copies without `cp.async`.
    pub(super) fn copies(&mut self) {
        self.each(&self.best.program.statements(), |best, id| {
            let mut program = best.clone();
            let StmtKind::GroupCopy(copy) = &mut program.stmts[id.0 as usize].kind else {
                return None;
            };
            copy.cp_async.take()?;
            Some(program)
        });
    }
}
