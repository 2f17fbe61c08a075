//! Results of built-in functions.

use std::cmp::Ordering;

use super::builtins::Builtin;
use super::exact::Exact;
use super::intrinsics;
use super::ptx;
use super::types::ScalarType;

impl Builtin {
    /// The exact result in one lane for the numbers of the parameters, or `None` where it is undefined. The caller
    /// takes it modulo the width. `ty` is the type of the first parameter. `Select` is that of vectors: the highest bit of
    /// the third number decides. `All` and `Any` say whether the highest bit of the lane is set. `Shuffle` and `Shuffle2`
    /// are no functions of single lanes.
    #[must_use]
    #[inline]
    pub fn lane(self, ty: ScalarType, [a, b, c]: [i128; 3]) -> Option<i128> {
        let bits = ty.bits();
        let pattern = |value: i128| (value as u128) & (u128::MAX >> (128 - bits));
        let high = |a: i128, b: i128| {
            if ty.is_signed() { (a * b) >> bits } else { ((a as u128 * b as u128) >> bits) as i128 }
        };
        let sign = |value: i128| pattern(value) >> (bits - 1) != 0;
        Some(match self {
            Self::Abs => a.abs(),
            Self::AbsDiff => (a - b).abs(),
            Self::AddSat => ty.saturated(a + b),
            Self::SubSat => ty.saturated(a - b),
            Self::Hadd => (a + b) >> 1,
            Self::Rhadd => (a + b + 1) >> 1,
            Self::Max => a.max(b),
            Self::Min => a.min(b),
            Self::Clamp => (b <= c).then(|| a.clamp(b, c))?,
            Self::MulHi => high(a, b),
            // For the signed types the sum may not overflow.
            Self::MadHi => fitting(ty, high(a, b) + c)?,
            Self::MadSat if ty.is_signed() => ty.saturated(a * b + c),
            // The greatest unsigned product needs all 128 bits, and the greatest sum is below 2^128.
            Self::MadSat => (a as u128 * b as u128 + c as u128).min(ty.greatest() as u128) as i128,
            Self::Mul24 => fitting(ty, product24(ty, a, b)?)?,
            Self::Mad24 => fitting(ty, fitting(ty, product24(ty, a, b)?)? + c)?,
            Self::Clz => i128::from(pattern(a).leading_zeros() - (128 - bits)),
            Self::Ctz => i128::from(pattern(a).trailing_zeros().min(bits)),
            Self::Popcount => i128::from(pattern(a).count_ones()),
            Self::Rotate => {
                let (value, by) = (pattern(a), (pattern(b) as u32) & (bits - 1));
                (pattern((value << by) as i128) | (value >> ((bits - by) & 127))) as i128
            }
            Self::Bitselect => (a & !c) | (b & c),
            Self::Select if sign(c) => b,
            Self::Select => a,
            Self::Upsample => (a << bits) | pattern(b) as i128,
            Self::All | Self::Any => i128::from(sign(a)),
            Self::Shuffle | Self::Shuffle2 => return None,
            Self::Ceil
            | Self::Copysign
            | Self::Fabs
            | Self::Fdim
            | Self::Floor
            | Self::Fma
            | Self::Fmax
            | Self::Fmin
            | Self::Mad
            | Self::Rint
            | Self::Round
            | Self::Trunc => return None,
            Self::PtxMul24Lo | Self::PtxMad24Lo => product24(ty, a, b)? + c,
            Self::PtxMul24Hi => product24(ty, a, b)? >> 16,
            _ if self.since() == Self::PTX => ptx::result(self, ty, [a, b, c]),
            _ => intrinsics::result(self, ty, [a, b, c]),
        })
    }

    /// The result in one lane of a floating-point type, or `None` where it is not certain. It may need more digits than the
    /// type has. `Select` and `Shuffle` are not meant.
    #[must_use]
    pub fn exact(self, [a, b, c]: [Exact; 3]) -> Option<Exact> {
        let less = |a: Exact, b: Exact| a.order(b) == Ordering::Less;
        let least = |a: Exact, b: Exact| a.or(b, less(a, b));
        let greatest = |a: Exact, b: Exact| a.or(b, less(b, a));
        Some(match self {
            Self::Min | Self::Fmin => least(a, b),
            Self::Max | Self::Fmax => greatest(a, b),
            Self::Clamp => (!less(c, b)).then(|| least(greatest(a, b), c))?,
            Self::Fabs => greatest(a, a.minus()),
            Self::Copysign => a.with_sign_of(b)?,
            Self::Fdim => greatest(a.plus(b.minus()), Exact::new(0, 0)),
            Self::Fma | Self::Mad => a.times(b).plus(c),
            Self::Floor => a.rounded(i64::div_euclid),
            Self::Ceil => a.rounded(|number, one| -(-number).div_euclid(one)),
            Self::Trunc => a.rounded(|number, one| number / one),
            Self::Round => {
                a.rounded(|number, one| (2 * number + number.signum() * one) / (2 * one))
            }
            Self::Rint => a.rounded(nearest),
            _ => return None,
        })
    }
}

/// The nearest whole number of `number / one`, the even one of two.
fn nearest(number: i64, one: i64) -> i64 {
    let (below, rest) = (number.div_euclid(one), 2 * number.rem_euclid(one));
    match rest.cmp(&one) {
        Ordering::Less => below,
        Ordering::Greater => below + 1,
        Ordering::Equal => below + (below & 1),
    }
}

/// The number, where the type is unsigned (and wraps) or has it.
fn fitting(ty: ScalarType, number: i128) -> Option<i128> {
    (!ty.is_signed() || ty.saturated(number) == number).then_some(number)
}

/// The product of two numbers of 24 bits; that of wider ones is not defined.
fn product24(ty: ScalarType, a: i128, b: i128) -> Option<i128> {
    let range = if ty.is_signed() { -(1 << 23)..1 << 23 } else { 0..1 << 24 };
    (range.contains(&a) && range.contains(&b)).then_some(a * b)
}

#[cfg(test)]
mod tests {
    use super::Builtin::{Ceil, Floor, Rint, Round, Trunc};
    use super::Builtin::{Clamp, Clz, Hadd, Mad24, MadHi, MadSat, MulHi, Rotate, Select, Upsample};
    use super::Exact;
    use super::ScalarType::{Char, Int, Long, Uchar, Uint, Ulong};

    #[test]
    fn lanes_are_what_the_specification_says() {
        let greatest = i128::from(u64::MAX);
        for (function, ty, arguments, result) in [
            (MadSat, Ulong, [greatest, greatest, 1], Some(greatest)),
            (MadSat, Ulong, [greatest, 1 << 63, greatest], Some(greatest)),
            (MadSat, Ulong, [1 << 32, (1 << 32) - 1, 5], Some(greatest - (1 << 32) + 6)),
            (MadSat, Char, [100, -100, 7], Some(-128)),
            (MulHi, Ulong, [greatest, greatest, 0], Some(greatest - 1)),
            (MulHi, Long, [-1, 1, 0], Some(-1)),
            (MadHi, Int, [1 << 30, 1 << 30, i128::from(i32::MAX)], None),
            (Hadd, Char, [-1, 0, 0], Some(-1)),
            (Clamp, Int, [5, 3, 1], None),
            (Clz, Uchar, [1, 0, 0], Some(7)),
            (Clz, Char, [0, 0, 0], Some(8)),
            (Rotate, Uchar, [0x81, 9, 0], Some(3)),
            (Rotate, Uint, [5, 32, 0], Some(5)),
            (Select, Char, [1, 2, -1], Some(2)),
            (Select, Char, [1, 2, 0], Some(1)),
            (Upsample, Char, [-1, 255, 0], Some(-1)),
            (Mad24, Int, [1 << 23, 1, 0], None),
        ] {
            let found = function.lane(ty, arguments);
            assert_eq!(found, result, "{function:?} {ty:?} {arguments:?}");
        }
    }

    #[test]
    fn numbers_are_rounded_as_the_names_say() {
        for (function, results) in [
            (Floor, [-3, -2, -1, -1, 0, 0, 1, 2]),
            (Ceil, [-2, -1, 0, 0, 1, 1, 2, 3]),
            (Trunc, [-2, -1, 0, 0, 0, 0, 1, 2]),
            (Round, [-3, -2, -1, 0, 0, 1, 2, 3]),
            (Rint, [-2, -2, 0, 0, 0, 0, 2, 2]),
        ] {
            let quarters = [-10, -6, -2, -1, 1, 2, 6, 10];
            let found = quarters.map(|number| {
                let number = Exact::new(number, 2);
                function.exact([number; 3]).map(Exact::truncated)
            });
            assert_eq!(found, results.map(Some), "{function:?}");
        }
    }
}
