//! Repairs operations on floating-point numbers whose results are not exact.

use super::ProgramRepair;
use crate::ir::{Binary, Builtin, ExprId, ExprKind, ScalarType, Ty};
use crate::random::SeedKey;

/// The mask of the bits that an operand keeps: products of three such numbers are exact.
const MASK: i128 = 63;
/// The mask of the bits that an integer keeps before it becomes a floating-point number.
const LOW: i128 = 0x3FF;

impl ProgramRepair<'_> {
    /// True if an operand or the result of an operation is a floating-point number.
    pub(super) fn has_floats(&self, id: ExprId) -> bool {
        let expr = self.program.expr(id);
        let operands = expr.kind.operands().into_iter().map(|operand| self.program.ty(operand));
        operands.chain([expr.ty]).any(|ty| ty.scalar.is_float())
    }

    /// The first repair gives the operation small whole numbers as operands. The next one puts an operand in its place.
    pub(super) fn floats(&mut self, id: ExprId) {
        let expr = self.program.expr(id);
        let (ty, key, again) = (expr.ty, expr.key.named("repair"), expr.repairs > 0);
        let kind = match expr.kind.clone() {
            ExprKind::Binary(Binary::Divide, a, b) if !again && self.is_divisor(b) => {
                ExprKind::Binary(Binary::Divide, self.cut_float(a, key), b)
            }
            ExprKind::Binary(operator, a, b) if !again && operator != Binary::Divide => {
                let [a, b] = [(a, 1), (b, 2)].map(|(of, part)| self.cut_float(of, key.child(part)));
                ExprKind::Binary(operator, a, b)
            }
            ExprKind::Call(function, count, arguments)
                if !again && !matches!(function, Builtin::Clamp | Builtin::Copysign) =>
            {
                let cut = arguments.map(|argument| self.cut_float(argument, key));
                ExprKind::Call(function, count, cut)
            }
            ExprKind::Convert(a) if !again && !self.program.ty(a).scalar.is_float() => {
                match self.features.allows("and", self.program.ty(a)) {
                    true => ExprKind::Convert(self.operate(Binary::And, a, LOW, key)),
                    false => ExprKind::Literal(ty.scalar.wrap(1)),
                }
            }
            kind => {
                let mut same = kind.operands().into_iter().filter(|operand| {
                    let from = self.program.ty(*operand);
                    from.lanes == ty.lanes && from.scalar.is_float()
                });
                match same.next_back().filter(|_| self.features.allows("convert", ty)) {
                    Some(operand) => self.in_range(operand, ty, key),
                    None => ExprKind::Literal(ty.scalar.wrap(1)),
                }
            }
        };
        self.program.exprs[id.0 as usize].kind = kind;
    }

    fn is_divisor(&self, id: ExprId) -> bool {
        matches!(self.program.expr(id).kind, ExprKind::Literal(_))
    }

    /// A conversion of `operand` to `ty` that is defined for every value.
    fn in_range(&mut self, operand: ExprId, ty: Ty, key: SeedKey) -> ExprKind {
        if self.program.ty(operand).scalar == ty.scalar {
            return ExprKind::Convert(operand);
        }
        let converted = self.program.convert(operand, ty, key);
        self.program.expr(converted).kind.clone()
    }

    /// A whole number from 0 to [`MASK`] that depends on a value, in its type.
    fn cut_float(&mut self, value: ExprId, key: SeedKey) -> ExprId {
        let ty = self.program.ty(value);
        let int = ty.of(ScalarType::Int);
        if !self.features.allows("and", int) || !self.features.allows("convert", ty) {
            return self.program.literal(3, ty, key);
        }
        let whole = self.program.convert(value, int, key);
        let mask = self.program.literal(MASK, int, key);
        let cut = self.program.binary(Binary::And, whole, mask, key);
        self.program.convert(cut, ty, key)
    }
}
