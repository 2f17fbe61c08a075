//! Operations on all lanes of all work-items of a group.

use super::Machine;
use crate::ir::{Binary, ScalarType, Ty, Unary};

/// A value on the stack: its place, and its type after conversion.
pub(super) type Operand = (usize, Ty);

impl Machine<'_> {
    /// Computes each lane of a result from the lanes of the operands; an operand with one lane counts for all. The result
    /// takes the place at `base`. Returns the work-items for which the result is undefined: where `f` has none, or, if
    /// `exact`, where the type does not have it.
    pub(super) fn lanewise<const N: usize>(
        &mut self,
        base: usize,
        operands: [Operand; N],
        result: Ty,
        exact: bool,
        f: impl Fn([i128; N]) -> Option<i128>,
    ) -> u64 {
        let (width, at) = (self.width, self.stack.len());
        let count = usize::from(result.lanes) * width;
        self.stack.resize(at + count, 0);
        let (values, results) = self.stack.split_at_mut(at);
        let mut bad = 0;
        for (lane, results) in results.chunks_exact_mut(width).enumerate() {
            let rows = operands.map(|(start, ty)| {
                let start = start + if ty.is_vector() { lane * width } else { 0 };
                (&values[start..start + width], ty.scalar)
            });
            for (item, result_) in results.iter_mut().enumerate() {
                let numbers = rows.map(|(row, scalar)| scalar.value(row[item]));
                let number = f(numbers);
                let stored = result.scalar.wrap(number.unwrap_or(0));
                *result_ = stored;
                let wrong = number.is_none_or(|n| exact && result.scalar.value(stored) != n);
                bad |= u64::from(wrong) << item;
            }
        }
        self.settle(base, at, count);
        bad
    }

    /// Moves a result to its place, and drops what lies above.
    pub(super) fn settle(&mut self, base: usize, at: usize, count: usize) {
        self.stack.copy_within(at..at + count, base);
        self.stack.truncate(base + count);
    }

    /// Converts a value in its place.
    pub(super) fn convert(&mut self, at: usize, from: Ty, to: ScalarType) -> Operand {
        if from.scalar != to && (from.scalar.is_float() || to.is_float()) {
            self.convert_float(at, from, to);
        } else if from.scalar != to {
            let count = usize::from(from.lanes) * self.width;
            for value in &mut self.stack[at..at + count] {
                *value = to.wrap(from.scalar.value(*value));
            }
        }
        (at, from.of(to))
    }

    pub(super) fn unary(&mut self, operator: Unary, base: usize, ty: Ty, result: Ty) -> u64 {
        let truth = if ty.is_vector() { -1 } else { 1 };
        match operator {
            Unary::Not => self.lanewise(base, [(base, ty)], result, false, |[a]| {
                Some(if a == 0 { truth } else { 0 })
            }),
            Unary::Minus if ty.scalar.is_float() => self.float_minus(base, ty),
            Unary::Minus => {
                let a = self.convert(base, ty, result.scalar);
                self.lanewise(base, [a], result, result.scalar.is_signed(), |[a]| Some(-a))
            }
            Unary::Complement => {
                let a = self.convert(base, ty, result.scalar);
                self.lanewise(base, [a], result, false, |[a]| Some(!a))
            }
        }
    }

    /// An operator on two values that lie on top of the stack from `base` on. `&&` and `||` of scalars are not meant.
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        base: usize,
        types: (Ty, Ty),
        result: Ty,
    ) -> u64 {
        let second = base + usize::from(types.0.lanes) * self.width;
        let (left, right) = operator.operands(types.0, types.1);
        let both = [self.convert(base, types.0, left), self.convert(second, types.1, right)];
        if left.is_float() {
            return self.float_binary(operator, base, both, result);
        }
        let truth = if result.is_vector() { -1 } else { 1 };
        let bool = move |holds| Some(if holds { truth } else { 0 });
        let exact = result.scalar.is_signed();
        let bits = i128::from(result.scalar.bits() - 1);
        macro_rules! each {
            ($exact:expr, $f:expr) => {
                self.lanewise(base, both, result, $exact, $f)
            };
        }
        match operator {
            Binary::Add => each!(exact, |[a, b]| Some(a + b)),
            Binary::Subtract => each!(exact, |[a, b]| Some(a - b)),
            Binary::Multiply => each!(exact, |[a, b]| Some(a.wrapping_mul(b))),
            Binary::Divide => each!(exact, |[a, b]| a.checked_div(b)),
            // The remainder of MIN and -1 is undefined as well: the quotient does not fit.
            Binary::Remainder => each!(false, |[a, b]| {
                let overflows = exact && b == -1 && a == result.scalar.least();
                if overflows { None } else { a.checked_rem(b) }
            }),
            Binary::And => each!(false, |[a, b]| Some(a & b)),
            Binary::Or => each!(false, |[a, b]| Some(a | b)),
            Binary::Xor => each!(false, |[a, b]| Some(a ^ b)),
            // The amount counts modulo the width.
            Binary::ShiftLeft => each!(false, |[a, b]| Some(a << (b & bits))),
            Binary::ShiftRight => each!(false, |[a, b]| Some(a >> (b & bits))),
            Binary::Less => each!(false, |[a, b]| bool(a < b)),
            Binary::LessEqual => each!(false, |[a, b]| bool(a <= b)),
            Binary::Greater => each!(false, |[a, b]| bool(a > b)),
            Binary::GreaterEqual => each!(false, |[a, b]| bool(a >= b)),
            Binary::Equal => each!(false, |[a, b]| bool(a == b)),
            Binary::NotEqual => each!(false, |[a, b]| bool(a != b)),
            Binary::LogicalAnd => each!(false, |[a, b]| bool(a != 0 && b != 0)),
            Binary::LogicalOr => each!(false, |[a, b]| bool(a != 0 || b != 0)),
        }
    }
}
