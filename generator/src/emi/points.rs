//! The places of a kernel where edits can be.

use super::synchronises;
use crate::interpret::Report;
use crate::ir::{ObjectType, Program, Region, StmtId, StmtKind, Storage, VarId};
use crate::policy::UsableVariables;

/// A place before a statement that is executed.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// The statement.
    pub before: StmtId,
    /// The variables that can be used here.
    pub scope: UsableVariables,
    /// True if all work-items of a group come here together.
    pub together: bool,
    /// True in a loop without barriers: some work-items may leave it earlier than others.
    pub may_leave: bool,
}

/// All of them, in the order of the text. What atomic sections have in them is left out: their effect must not depend on
/// the work-item that enters.
pub(super) fn points(program: &Program, report: &Report) -> Vec<Point> {
    let mut scope = UsableVariables::default();
    for (id, variable) in (0..).zip(&program.variables) {
        if matches!(variable.space, Storage::Constant(_)) {
            scope.arrays.push(VarId(id));
        }
    }
    let mut found = Vec::new();
    let around = Point { before: StmtId(0), scope, together: true, may_leave: false };
    visit(program, report, &program.body, around, &mut found);
    found
}

fn visit(
    program: &Program,
    report: &Report,
    block: &[StmtId],
    mut here: Point,
    found: &mut Vec<Point>,
) {
    for &id in block {
        if report.runs[id.0 as usize] == 0 {
            continue;
        }
        here.before = id;
        let stmt = &program.stmt(id).kind;
        match stmt {
            StmtKind::Nothing => continue,
            StmtKind::Section(_) => {
                found.push(here.clone());
                continue;
            }
            _ => found.push(here.clone()),
        }
        let mut inner = here.clone();
        match stmt {
            StmtKind::Declare(variable, _) => {
                here.scope.readable.push(*variable);
                here.scope.writable.push(*variable);
            }
            StmtKind::DeclareArray(variable, _) => here.scope.arrays.push(*variable),
            StmtKind::DeclareObject(variable, _) if is_of_one_item(program, *variable) => {
                here.scope.objects.push(*variable);
            }
            StmtKind::For(details) => {
                inner.scope.counters.push(details.counter);
                inner.may_leave = !program.does(&[id], &synchronises);
            }
            _ => {}
        }
        for block in stmt.blocks() {
            inner.together = block
                .iter()
                .any(|id| report.runs[id.0 as usize] > 0 && program.does(&[*id], &synchronises));
            visit(program, report, block, inner.clone(), found);
        }
    }
}

/// True if no other work-item can use an object, or what it points to. An element of shared memory belongs to another
/// work-item after the next barrier.
fn is_of_one_item(program: &Program, variable: VarId) -> bool {
    !matches!(program.shape(variable), ObjectType::Pointer(_, Region::Local | Region::Global))
}
