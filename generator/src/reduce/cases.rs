//! Cases of a kernel that is reduced: they go, and those that are left stand for single values.

use super::{KernelReducer, with_declarations};
use crate::ir::StmtKind;

impl KernelReducer<'_> {
    /// Removes cases, the last ones first.
    pub(super) fn cases(&mut self) {
        let program = &self.best.program;
        let mut changes = Vec::new();
        for id in program.statements() {
            if let StmtKind::Switch(switch) = &program.stmt(id).kind {
                changes.extend((0..switch.cases.len()).rev().map(|index| (id, index)));
            }
        }
        self.each(&changes, |best, &(id, index)| {
            let mut program = best.clone();
            let StmtKind::Switch(switch) = &mut program.stmts[id.0 as usize].kind else {
                return None;
            };
            switch.cases.remove(index);
            Some(with_declarations(program, best))
        });
    }

    /// Lets each case stand for a single value.
    pub(super) fn ranges(&mut self) {
        self.each(&self.best.program.statements(), |best, id| {
            let mut program = best.clone();
            let StmtKind::Switch(switch) = &mut program.stmts[id.0 as usize].kind else {
                return None;
            };
            let has_ranges = switch.has_ranges();
            for label in switch.cases.iter_mut().filter_map(|case| case.label.as_mut()) {
                label.last = label.first;
            }
            has_ranges.then_some(program)
        });
    }
}
