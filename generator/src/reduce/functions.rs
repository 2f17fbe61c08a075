//! Functions of a kernel that is reduced: they end up in the place where they are called.

use super::{KernelReducer, blocks};
use crate::ir::{ExprId, ExprKind, FunctionId, Program, StmtId, StmtKind};

impl KernelReducer<'_> {
    /// Puts the statements of a function before a statement that calls it, and its value in the place of the call. Other
    /// calls of it become numbers.
    pub(super) fn functions(&mut self) {
        for function in self.best.program.functions_in_use().into_iter().rev() {
            let program = &self.best.program;
            let calls: Vec<(StmtId, ExprId)> = program
                .statements()
                .into_iter()
                .filter_map(|id| Some((id, call_in(program, id, function)?)))
                .collect();
            let best = self.best.program.clone();
            let moved = calls
                .into_iter()
                .map(|(before, call)| ((), moved(best.clone(), function, before, call)));
            self.first_of(moved);
        }
    }
}

/// The first call of a function in the expressions of a statement.
fn call_in(program: &Program, id: StmtId, function: FunctionId) -> Option<ExprId> {
    let mut pending = program.stmt(id).kind.expressions();
    while let Some(id) = pending.pop() {
        let kind = &program.expr(id).kind;
        if matches!(kind, ExprKind::Invoke(called, _) if *called == function) {
            return Some(id);
        }
        pending.extend(kind.operands());
    }
    None
}

fn moved(mut program: Program, id: FunctionId, before: StmtId, call: ExprId) -> Program {
    let function = program.function(id).clone();
    let ExprKind::Invoke(_, arguments) = program.expr(call).kind.clone() else { return program };
    let key = program.stmt(before).key;
    let mut inner: Vec<StmtId> = function
        .parameters
        .iter()
        .zip(&arguments)
        .map(|(parameter, value)| program.statement(StmtKind::Declare(*parameter, *value), key))
        .collect();
    inner.extend(function.body);
    program.exprs[call.0 as usize].kind = program.expr(function.value).kind.clone();
    for expr in &mut program.exprs {
        if matches!(expr.kind, ExprKind::Invoke(called, _) if called == id) {
            expr.kind = ExprKind::Literal(expr.ty.scalar.wrap(1));
        }
    }
    blocks(&mut program, |block| {
        if let Some(at) = block.iter().position(|found| *found == before) {
            block.splice(at..at, inner.iter().copied());
        }
    });
    program
}
