//! Functions of a kernel that is reduced: they end up in the place where they are called.

use super::{KernelReducer, blocks, replace};
use crate::ir::{
    ActualParameter, Address, ExprId, ExprKind, FunctionId, Initial, ObjectType, Path, Place,
    Program, StmtId, StmtKind,
};

impl KernelReducer<'_> {
    /// Puts the statements of a function before a statement that calls it, and its value in the place of the call. Other
    /// calls of it become numbers, or go.
    pub(super) fn functions(&mut self) {
        for function in self.best.program.functions_in_use().into_iter().rev() {
            let program = &self.best.program;
            // What a function that calls itself has in it cannot come before a statement within.
            let own = program.statements_of(&program.function(function).body);
            let calls: Vec<(StmtId, ExprId)> = program
                .statements()
                .into_iter()
                .filter(|id| !own.contains(id))
                .filter_map(|id| Some((id, call_in(program, id, function)?)))
                .collect();
            let best = self.best.program.clone();
            let moved = calls
                .into_iter()
                .map(|(before, call)| ((), moved(best.clone(), function, before, call)));
            let all = best.statements().into_iter();
            let in_place = all.filter_map(|id| Some(((), in_place(best.clone(), function, id)?)));
            self.first_of(moved.chain(in_place));
        }
    }
}

/// Puts the statements of a function that works on objects in the place of a call. Other calls of it go.
fn in_place(mut program: Program, id: FunctionId, place: StmtId) -> Option<Program> {
    let StmtKind::Call(call) = program.stmt(place).kind.clone() else { return None };
    if call.function != id {
        return None;
    }
    let function = program.function(id).clone();
    let key = program.stmt(place).key;
    let mut inner = Vec::new();
    for (&parameter, argument) in function.parameters.iter().zip(&call.arguments) {
        match argument {
            ActualParameter::Value(value) => inner.push(StmtKind::Declare(parameter, *value)),
            ActualParameter::Address(address) => {
                let first = Box::new([Initial::Address(address.clone())]);
                inner.push(StmtKind::DeclareObject(parameter, first));
            }
            ActualParameter::Object(path) => {
                let mut leaves = Vec::new();
                program.leaves(&program.shape(parameter), 0, &mut leaves);
                let first = leaves.into_iter().map(|(_, leaf)| match leaf {
                    ObjectType::Pointer(..) => Initial::Address(Address::Null),
                    _ => Initial::Number(0),
                });
                inner.push(StmtKind::DeclareObject(parameter, first.collect()));
                inner.push(StmtKind::Copy(Path::to(parameter), path.clone()));
            }
        }
    }
    let result = match (call.into, function.object) {
        (Place::Part(into), Some(object)) => StmtKind::Copy(into, object),
        (into, _) => StmtKind::Assign(into, function.value),
    };
    let inner = inner.into_iter().map(|kind| program.statement(kind, key));
    let mut inner: Vec<StmtId> = inner.collect();
    inner.extend(function.body);
    inner.push(program.statement(result, key));
    replace(&mut program, place, &inner);
    for stmt in &mut program.stmts {
        if matches!(&stmt.kind, StmtKind::Call(call) if call.function == id) {
            stmt.kind = StmtKind::Nothing;
        }
    }
    Some(program)
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
