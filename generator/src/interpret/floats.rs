//! Floating-point numbers: operations whose results are not exact in every way to compute them are faults.

use std::cmp::Ordering;

use super::Machine;
use super::lanes::Operand;
use crate::ir::{Binary, Builtin, Exact, ScalarType, Ty};

impl Machine<'_> {
    /// As `lanewise`, on stored bits. Returns the work-items for which `f` has no result.
    fn stored_lanes<const N: usize>(
        &mut self,
        base: usize,
        operands: [Operand; N],
        result: Ty,
        f: impl Fn([i64; N]) -> Option<i64>,
    ) -> u64 {
        let (width, at) = (self.width, self.stack.len());
        let mut bad = 0;
        for lane in 0..usize::from(result.lanes) {
            for item in 0..width {
                let stored = operands.map(|(start, ty)| {
                    let lane = if ty.is_vector() { lane } else { 0 };
                    self.stack[start + lane * width + item]
                });
                let found = f(stored);
                bad |= u64::from(found.is_none()) << item;
                self.stack.push(found.unwrap_or(0));
            }
        }
        self.settle(base, at, usize::from(result.lanes) * width);
        bad
    }

    /// Chooses one of two values of a type in each lane.
    pub(super) fn choose(
        &mut self,
        base: usize,
        operands: [Operand; 3],
        result: Ty,
        second: impl Fn(i64) -> bool,
    ) -> u64 {
        self.stored_lanes(base, operands, result, |[a, b, c]| Some(if second(a) { b } else { c }))
    }

    /// Converts a value in its place, to or from a floating-point type. Notes the work-items whose number the type does not
    /// have.
    pub(super) fn convert_float(&mut self, at: usize, from: Ty, to: ScalarType) {
        let count = usize::from(from.lanes) * self.width;
        let (width, mut bad) = (self.width, 0);
        for (index, value) in self.stack[at..at + count].iter_mut().enumerate() {
            let fits = if from.scalar.is_float() && to.is_float() {
                Exact::of_stored(*value).within(to).is_some()
            } else {
                let number = from.scalar.value(*value);
                *value = to.wrap(number);
                to.value(*value) == number
            };
            bad |= u64::from(!fits) << (index % width);
            if !fits {
                *value = 0;
            }
        }
        self.inexact |= bad;
    }

    /// An operator on values of one floating-point type.
    pub(super) fn float_binary(
        &mut self,
        operator: Binary,
        base: usize,
        both: [Operand; 2],
        result: Ty,
    ) -> u64 {
        let scalar = both[0].1.scalar;
        let truth = if result.is_vector() { -1 } else { 1 };
        let compared = |holds: fn(Ordering) -> bool| {
            move |[a, b]: [i64; 2]| {
                let order = Exact::of_stored(a).order(Exact::of_stored(b));
                Some(if holds(order) { truth } else { 0 })
            }
        };
        let holds: fn(Ordering) -> bool = match operator {
            Binary::Less => Ordering::is_lt,
            Binary::LessEqual => Ordering::is_le,
            Binary::Greater => Ordering::is_gt,
            Binary::GreaterEqual => Ordering::is_ge,
            Binary::Equal => Ordering::is_eq,
            Binary::NotEqual => Ordering::is_ne,
            _ => {
                return self.stored_lanes(base, both, result, |[a, b]| {
                    let (a, b) = (Exact::of_stored(a), Exact::of_stored(b));
                    let value = match operator {
                        Binary::Add => a.plus(b),
                        Binary::Subtract => a.plus(b.minus()),
                        Binary::Multiply => a.times(b),
                        Binary::Divide => a.over(b)?,
                        _ => return None,
                    };
                    Some(value.within(scalar)?.stored())
                });
            }
        };
        self.stored_lanes(base, both, result, compared(holds))
    }

    /// `-a`.
    pub(super) fn float_minus(&mut self, base: usize, ty: Ty) -> u64 {
        let minus = |[a]: [i64; 1]| Some(Exact::of_stored(a).minus().stored());
        self.stored_lanes(base, [(base, ty)], ty, minus)
    }

    /// A built-in function with a result of a floating-point type.
    pub(super) fn float_call(
        &mut self,
        function: Builtin,
        base: usize,
        operands: [Operand; 3],
        ty: Ty,
    ) -> u64 {
        self.stored_lanes(base, operands, ty, |arguments| {
            let value = function.exact(arguments.map(Exact::of_stored))?;
            Some(value.within(ty.scalar)?.stored())
        })
    }
}
