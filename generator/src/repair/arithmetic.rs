//! Arithmetic without a defined result.

use super::ProgramRepair;
use crate::ir::{Binary, Builtin, ExprId, ExprKind, Ty};
use crate::random::SeedKey;

/// The rungs below the last one.
const RUNGS: u64 = 3;

impl ProgramRepair<'_> {
    /// Moves an operation one rung up.
    pub(super) fn arithmetic(&mut self, id: ExprId) {
        let expr = self.program.expr(id);
        let (ty, key, repairs) = (expr.ty, expr.key.named("repair"), u64::from(expr.repairs));
        if self.has_floats(id) {
            return self.floats(id);
        }
        let expr = self.program.expr(id);
        let kind = match expr.kind.clone() {
            ExprKind::Binary(operator, a, b) => {
                let start = key.stream().below(RUNGS);
                let rung = if repairs < RUNGS { Some((start + repairs) % RUNGS) } else { None };
                self.binary(operator, [a, b], ty, (rung, key))
            }
            // -MIN; the complement is total.
            ExprKind::Unary(_, a) => ExprKind::Unary(crate::ir::Unary::Complement, a),
            ExprKind::Call(builtin, count, arguments) => {
                self.call(builtin, count, arguments, (repairs, key))
            }
            other => other,
        };
        self.program.exprs[id.0 as usize].kind = kind;
    }

    fn binary(
        &mut self,
        operator: Binary,
        [a, b]: [ExprId; 2],
        ty: Ty,
        (rung, key): (Option<u64>, SeedKey),
    ) -> ExprKind {
        let mut draws = key.child(1).stream();
        match rung {
            // Another operand, near to the first.
            Some(0) if self.features.allows("add", ty) => {
                let number = draws.within(1, 100).into();
                let operand = self.program.ty(b);
                let number = self.program.literal(number, operand, key.child(2));
                let sum = self.program.binary(Binary::Add, b, number, key.child(3));
                let sum = self.program.convert(sum, operand, key.child(4));
                ExprKind::Binary(operator, a, sum)
            }
            Some(1) => match dual(operator).filter(|dual| self.features.allows(dual.texts().1, ty))
            {
                Some(dual) => ExprKind::Binary(dual, a, b),
                None => self.last(a, b, ty),
            },
            Some(2) => self.unsigned(operator, [a, b], ty, key.child(5)),
            _ => self.last(a, b, ty),
        }
    }

    /// `a ^ b`, which has every type.
    fn last(&self, a: ExprId, b: ExprId, ty: Ty) -> ExprKind {
        if self.features.allows("xor", ty) {
            return ExprKind::Binary(Binary::Xor, a, b);
        }
        let same = if self.program.ty(a).lanes == ty.lanes { a } else { b };
        ExprKind::Convert(same)
    }

    /// The operation on unsigned numbers, converted back.
    fn unsigned(
        &mut self,
        operator: Binary,
        [a, b]: [ExprId; 2],
        ty: Ty,
        key: SeedKey,
    ) -> ExprKind {
        let scalar = ty.scalar.with_sign(false);
        if !self.features.allows(operator.texts().1, ty.of(scalar))
            || !self.features.allows("or", ty.of(scalar))
        {
            return self.last(a, b, ty);
        }
        let a_type = self.program.ty(a).of(scalar);
        let b_type = self.program.ty(b).of(scalar);
        let a = self.program.convert(a, a_type, key.child(1));
        let mut b = self.program.convert(b, b_type, key.child(2));
        if matches!(operator, Binary::Divide | Binary::Remainder) {
            let one = self.program.literal(1, b_type, key.child(3));
            b = self.program.binary(Binary::Or, b, one, key.child(4));
            b = self.program.convert(b, b_type, key.child(6));
        }
        let value = self.program.binary(operator, a, b, key.child(5));
        // Narrow unsigned scalars become `int`, but operations on scalars have at least 32 bits.
        ExprKind::Convert(value)
    }

    fn call(
        &mut self,
        builtin: Builtin,
        count: u8,
        mut arguments: [ExprId; 3],
        (repairs, key): (u64, SeedKey),
    ) -> ExprKind {
        let [a, b, c] = arguments;
        let ty = self.program.ty(a);
        if repairs > 1 {
            return ExprKind::Convert(a);
        }
        match builtin {
            Builtin::Clamp
                if self.features.allows("min", ty) && self.features.allows("max", ty) =>
            {
                let of = self.program.ty(b);
                let low = self.program.add(ExprKind::Call(Builtin::Min, 2, [b, c, b]), of, key);
                let high = self.program.add(ExprKind::Call(Builtin::Max, 2, [b, c, b]), of, key);
                ExprKind::Call(builtin, count, [a, low, high])
            }
            // Half of the range for the addend is always enough.
            Builtin::MadHi if self.features.allows("shift_right", ty) => {
                let half = self.operate(Binary::ShiftRight, c, 1, key.child(1));
                ExprKind::Call(builtin, count, [a, b, half])
            }
            Builtin::Mul24
            | Builtin::Mad24
            | Builtin::PtxMul24Lo
            | Builtin::PtxMul24Hi
            | Builtin::PtxMad24Lo
                if self.features.allows("and", ty) =>
            {
                for (index, argument) in arguments.iter_mut().enumerate().take(count.into()) {
                    let mask = if index < 2 { 0x7FF } else { 0xFFFF };
                    *argument = self.operate(Binary::And, *argument, mask, key.child(index as u64));
                }
                ExprKind::Call(builtin, count, arguments)
            }
            _ => ExprKind::Convert(a),
        }
    }

    /// An operation with a number, of the type of the first operand.
    pub(super) fn operate(
        &mut self,
        operator: Binary,
        a: ExprId,
        number: i128,
        key: SeedKey,
    ) -> ExprId {
        let ty = self.program.ty(a);
        let by = self.program.literal(number, ty, key);
        let value = self.program.binary(operator, a, by, key);
        self.program.convert(value, ty, key)
    }
}

/// The inverse operation.
fn dual(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Add => Binary::Subtract,
        Binary::Subtract => Binary::Add,
        Binary::Multiply => Binary::Divide,
        Binary::Divide => Binary::Remainder,
        Binary::Remainder => Binary::Divide,
        _ => return None,
    })
}
