//! Values that the compiler cannot know, in the place of what leads to a bug: an element of a buffer takes the place of an
//! expression that has one value only.

use super::{KernelReducer, with_declarations};
use crate::interpret::values;
use crate::ir::{Binary, Buffer, ExprId, ExprKind, Program, ScalarType, Ty, VarId};
use crate::profile::Target;

/// The length of the buffer, whose elements go down to 1.
const LENGTH: i64 = Buffer::EMI as i64;

impl KernelReducer<'_> {
    /// Hides the values of expressions, first of whole ones, then of their parts. In a compiler that folds constants, a number in their
    /// place would hide the bug, and what led to the number would remain. Only PTX is reduced in this way.
    pub(super) fn hide(&mut self) {
        let buffer = self.best.program.buffer(Buffer::Emi);
        let Some(buffer) = buffer.filter(|_| self.best.target == Target::Ptx) else { return };
        let mut tried: Vec<ExprId> = Vec::new();
        loop {
            let best = self.best.program.clone();
            let values = values(&best);
            let all = outside_of_functions(&best);
            let new = all.into_iter().filter(|id| !tried.contains(id)).collect::<Vec<_>>();
            let programs = new.iter().filter_map(|&id| {
                let mut program = best.clone();
                hidden(&mut program, id, values[id.0 as usize]?, buffer)?;
                Some((id, with_declarations(program, &best)))
            });
            let taken = self.first_of(programs);
            let Some(taken) = taken else { return };
            tried.extend(new.into_iter().take_while(|id| *id != taken));
            tried.push(taken);
        }
    }
}

/// The expressions of a kernel, the outer ones before their operands. Functions have no buffers.
fn outside_of_functions(program: &Program) -> Vec<ExprId> {
    let (mut pending, mut all) = (program.roots_of_body(), Vec::new());
    while let Some(id) = pending.pop() {
        all.push(id);
        pending.extend(program.expr(id).kind.operands());
    }
    all
}

/// Puts a value that the compiler cannot know in the place of an expression. `None` if it has one already, or is no integer.
fn hidden(program: &mut Program, id: ExprId, value: i64, buffer: VarId) -> Option<()> {
    let (ty, key) = (program.ty(id), program.expr(id).key);
    if ty.is_vector() || ty.scalar.is_float() || is_hidden(program, id) {
        return None;
    }
    let element = |program: &mut Program, value: i64| {
        let at = program.literal((LENGTH - value).into(), Ty::INT, key);
        program.add(ExprKind::Element(buffer, at), Ty::INT, key)
    };
    let with_value = if (1..=LENGTH).contains(&value) {
        element(program, value)
    } else {
        let word = if ty.scalar.bits() > 32 { Ty::scalar(ScalarType::Long) } else { Ty::INT };
        let one = element(program, 1);
        let one = program.convert(one, word, key);
        let rest = program.literal((value ^ 1).into(), word, key);
        program.binary(Binary::Xor, one, rest, key)
    };
    let with_value = program.convert(with_value, ty, key);
    program.exprs[id.0 as usize] = program.expr(with_value).clone();
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

/// Returns true for a number, and for an element of the buffer with what makes another number of it.
fn is_hidden(program: &Program, id: ExprId) -> bool {
    match program.expr(id).kind {
        ExprKind::Literal(_) => true,
        ExprKind::Convert(of) => is_hidden(program, of),
        ExprKind::Binary(_, a, b) => {
            is_hidden(program, a) && matches!(program.expr(b).kind, ExprKind::Literal(_))
        }
        ExprKind::Element(array, at) => {
            Some(array) == program.buffer(Buffer::Emi)
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
            let mut pending = program.roots_of_body();
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
