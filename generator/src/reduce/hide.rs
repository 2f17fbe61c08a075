//! Values that the compiler cannot know, in the place of what leads to a bug: a table of one constant, which ptxas loads, takes the
//! place of an expression that has one value only.

use super::{KernelReducer, with_declarations};
use crate::interpret::values;
use crate::ir::{ExprId, ExprKind, Program, Storage, Ty};
use crate::profile::Target;

impl KernelReducer<'_> {
    /// Hides the values of expressions, first of whole ones, then of their parts. In a compiler that folds constants, a number in their
    /// place would hide the bug, and what led to the number would remain. Only PTX is reduced in this way.
    pub(super) fn hide(&mut self) {
        let mut tried: Vec<ExprId> = Vec::new();
        while self.best.target == Target::Ptx {
            let best = self.best.program.clone();
            let values = values(&best);
            let new = expressions(&best).into_iter().filter(|id| !tried.contains(id));
            let new: Vec<ExprId> = new.collect();
            let programs = new.iter().filter_map(|&id| {
                let mut program = best.clone();
                hidden(&mut program, id, values[id.0 as usize]?)?;
                Some((id, with_declarations(program, &best)))
            });
            let Some(taken) = self.first_of(programs) else { return };
            tried.extend(new.into_iter().take_while(|id| *id != taken));
            tried.push(taken);
        }
    }
}

/// The expressions of a program, the outer ones before their operands.
fn expressions(program: &Program) -> Vec<ExprId> {
    let (mut pending, mut all) = (program.roots(), Vec::new());
    while let Some(id) = pending.pop() {
        all.push(id);
        pending.extend(program.expr(id).kind.operands());
    }
    all
}

/// Puts a value that the compiler cannot know in the place of an expression. `None` if it has one already, or is no integer.
fn hidden(program: &mut Program, id: ExprId, value: i64) -> Option<()> {
    let (ty, key) = (program.ty(id), program.expr(id).key);
    if ty.is_vector() || ty.scalar.is_float() || is_hidden(program, id) {
        return None;
    }
    let table = program.declare_table(ty, [value].into());
    let at = program.literal(0, Ty::INT, key);
    program.exprs[id.0 as usize].kind = ExprKind::Element(table, at);
    Some(())
}

/// The number of expressions whose value the compiler may know.
pub(super) fn known(program: &Program) -> usize {
    let (mut pending, mut count) = (program.roots(), 0);
    while let Some(id) = pending.pop() {
        if !is_hidden(program, id) {
            count += 1;
            pending.extend(program.expr(id).kind.operands());
        }
    }
    count
}

/// Returns true for a number, and for a certain element of a table of constants.
fn is_hidden(program: &Program, id: ExprId) -> bool {
    match program.expr(id).kind {
        ExprKind::Literal(_) => true,
        ExprKind::Element(table, at) => {
            matches!(program.variable(table).space, Storage::Constant(_))
                && matches!(program.expr(at).kind, ExprKind::Literal(_))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret;
    use crate::ir::Builtin;
    use crate::profile::{Mode, Profile};
    use crate::reduce::reduce;

    fn is_number(program: &Program, id: ExprId) -> bool {
        let kind = &program.expr(id).kind;
        match kind {
            ExprKind::Literal(_) => true,
            ExprKind::Element(..) => false,
            _ => {
                let operands = kind.operands();
                !operands.is_empty() && operands.into_iter().all(|id| is_number(program, id))
            }
        }
    }

    /// The bug of this test is an instruction whose operand is more than numbers.
    #[test]
    fn a_value_that_a_compiler_cannot_know_takes_the_place_of_what_leads_to_it() {
        let tokens = crate::TokenRange::new(300, 700).expect("a range");
        let mode = Mode::Basic;
        let profile = Profile { target: Target::Ptx, mode, tokens, ..Profile::default() };
        let operand = |program: &Program| {
            let mut pending = program.roots();
            while let Some(id) = pending.pop() {
                match program.expr(id).kind {
                    ExprKind::Call(Builtin::PtxCnot, _, [operand, ..])
                        if !is_number(program, operand) =>
                    {
                        return Some(operand);
                    }
                    _ => pending.extend(program.expr(id).kind.operands()),
                }
            }
            None
        };
        let mut reduced = 0;
        for seed in 0..30 {
            let kernel = crate::generate(seed, &profile).expect("a profile that fits");
            if operand(&kernel.program).is_none() {
                continue;
            }
            let small = reduce(&kernel, &mut |candidates| {
                candidates.enumerate().find(|(_, one)| operand(&one.program).is_some())
            });
            let operand = operand(&small.program).expect("it has one");
            assert!(is_hidden(&small.program, operand), "{seed}: {}", small.source);
            assert!(known(&small.program) <= 5, "{seed}: {}", small.source);
            assert_eq!(small.expected, interpret::run(&small.program).results);
            reduced += 1;
        }
        assert!(reduced > 3, "{reduced} kernels have the instruction");
    }
}
