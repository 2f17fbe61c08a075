//! Built-in functions: names, parameters and the version of OpenCL C that has them.

use std::cmp::Ordering;

use super::exact::Exact;
use super::intrinsics::{self, *};
use super::types::{Scalar, Type};

/// How the types of the parameters follow from the type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// All are of the type of the result; the number of parameters.
    Same(u8),
    /// As `Same`, and in vectors all but the first may be scalars.
    SameOrScalar(u8),
    /// The result is unsigned, the parameters have either sign; the number of parameters.
    Magnitude(u8),
    /// Only `int` and `uint`; the number of parameters.
    Only32(u8),
    /// The high and the low half of the result, the low one unsigned.
    Halves,
    /// The third is an integer of the same width with either sign.
    Choice,
    /// `int` from one value with signed lanes.
    Truth,
    /// Lanes of one vector, as the second one says.
    Shuffle,
    /// Lanes of two vectors, as the third one says.
    Shuffle2,
    /// Only floating-point types, all the same; the number of parameters.
    Float(u8),
    /// Only this result of scalars of these types. These functions are CUDA's.
    Exactly(Scalar, &'static [Scalar]),
}

macro_rules! builtins {
    ($($variant:ident $name:literal $shape:expr, $since:expr;)*) => {
        /// A built-in function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "their names in OpenCL C")]
        pub enum Builtin { $($variant,)* }

        impl Builtin {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its name in OpenCL C.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its parameters.
            #[must_use]
            pub fn signature(self) -> Signature {
                match self { $(Self::$variant => $shape,)* }
            }

            /// The first version of OpenCL C that has it, as in 120 for 1.2; [`NEVER`](Self::NEVER) for CUDA's functions.
            #[must_use]
            pub fn since(self) -> u32 {
                match self { $(Self::$variant => $since,)* }
            }
        }
    };
}

builtins! {
    Abs "abs" Signature::Magnitude(1), 120;
    AbsDiff "abs_diff" Signature::Magnitude(2), 120;
    AddSat "add_sat" Signature::Same(2), 120;
    All "all" Signature::Truth, 120;
    Any "any" Signature::Truth, 120;
    Bitselect "bitselect" Signature::Same(3), 120;
    Ceil "ceil" Signature::Float(1), 120;
    Clamp "clamp" Signature::SameOrScalar(3), 120;
    Clz "clz" Signature::Same(1), 120;
    Copysign "copysign" Signature::Float(2), 120;
    Ctz "ctz" Signature::Same(1), 200;
    Fabs "fabs" Signature::Float(1), 120;
    Fdim "fdim" Signature::Float(2), 120;
    Floor "floor" Signature::Float(1), 120;
    Fma "fma" Signature::Float(3), 120;
    Fmax "fmax" Signature::Float(2), 120;
    Fmin "fmin" Signature::Float(2), 120;
    Hadd "hadd" Signature::Same(2), 120;
    Mad "mad" Signature::Float(3), 120;
    Mad24 "mad24" Signature::Only32(3), 120;
    MadHi "mad_hi" Signature::Same(3), 120;
    MadSat "mad_sat" Signature::Same(3), 120;
    Max "max" Signature::SameOrScalar(2), 120;
    Min "min" Signature::SameOrScalar(2), 120;
    Mul24 "mul24" Signature::Only32(2), 120;
    MulHi "mul_hi" Signature::Same(2), 120;
    Popcount "popcount" Signature::Same(1), 120;
    Rhadd "rhadd" Signature::Same(2), 120;
    Rint "rint" Signature::Float(1), 120;
    Rotate "rotate" Signature::Same(2), 120;
    Round "round" Signature::Float(1), 120;
    Select "select" Signature::Choice, 120;
    Shuffle "shuffle" Signature::Shuffle, 120;
    Shuffle2 "shuffle2" Signature::Shuffle2, 120;
    SubSat "sub_sat" Signature::Same(2), 120;
    Trunc "trunc" Signature::Float(1), 120;
    Upsample "upsample" Signature::Halves, 120;
    BytePerm "__byte_perm" UINT_OF_3, Self::NEVER;
    FunnelshiftL "__funnelshift_l" UINT_OF_3, Self::NEVER;
    FunnelshiftLc "__funnelshift_lc" UINT_OF_3, Self::NEVER;
    FunnelshiftR "__funnelshift_r" UINT_OF_3, Self::NEVER;
    FunnelshiftRc "__funnelshift_rc" UINT_OF_3, Self::NEVER;
    Dp4a "__dp4a" INT_OF_3, Self::NEVER;
    Dp4aUnsigned "__dp4a" UINT_OF_3, Self::NEVER;
    Brev "__brev" UINT_OF_1, Self::NEVER;
    Brevll "__brevll" ULONG_OF_1, Self::NEVER;
    Ffs "__ffs" INT_OF_INT, Self::NEVER;
    Ffsll "__ffsll" INT_OF_LONG, Self::NEVER;
    Popc "__popc" INT_OF_UINT, Self::NEVER;
    Popcll "__popcll" INT_OF_ULONG, Self::NEVER;
    ClzInt "__clz" INT_OF_INT, Self::NEVER;
    Clzll "__clzll" INT_OF_LONG, Self::NEVER;
    MulhiInt "__mulhi" INT_OF_2, Self::NEVER;
    MulhiUint "__umulhi" UINT_OF_2, Self::NEVER;
    Mul64hi "__mul64hi" LONG_OF_2, Self::NEVER;
    Umul64hi "__umul64hi" ULONG_OF_2, Self::NEVER;
    Sad "__sad" UINT_OF_INTS, Self::NEVER;
    Usad "__usad" UINT_OF_3, Self::NEVER;
    HaddInt "__hadd" INT_OF_2, Self::NEVER;
    RhaddInt "__rhadd" INT_OF_2, Self::NEVER;
    HaddUint "__uhadd" UINT_OF_2, Self::NEVER;
    RhaddUint "__urhadd" UINT_OF_2, Self::NEVER;
    Vadd4 "__vadd4" UINT_OF_2, Self::NEVER;
    Vsub4 "__vsub4" UINT_OF_2, Self::NEVER;
    Vavgu4 "__vavgu4" UINT_OF_2, Self::NEVER;
    Vabsdiffu4 "__vabsdiffu4" UINT_OF_2, Self::NEVER;
    Vmaxu4 "__vmaxu4" UINT_OF_2, Self::NEVER;
    Vmins4 "__vmins4" UINT_OF_2, Self::NEVER;
    Vcmpeq4 "__vcmpeq4" UINT_OF_2, Self::NEVER;
    Vcmpgts4 "__vcmpgts4" UINT_OF_2, Self::NEVER;
    Vadd2 "__vadd2" UINT_OF_2, Self::NEVER;
    Vsub2 "__vsub2" UINT_OF_2, Self::NEVER;
    Vmaxs2 "__vmaxs2" UINT_OF_2, Self::NEVER;
    Vminu2 "__vminu2" UINT_OF_2, Self::NEVER;
    Vcmpltu2 "__vcmpltu2" UINT_OF_2, Self::NEVER;
    PtxPrmt "ptx_prmt" UINT_OF_3, Self::NEVER;
    PtxShfL "ptx_shf_l" UINT_OF_3, Self::NEVER;
    PtxBfe "ptx_bfe_u32" UINT_OF_3, Self::NEVER;
    PtxBfeInt "ptx_bfe_s32" INT_OF_BITS, Self::NEVER;
    PtxBfi "ptx_bfi" UINT_OF_3, Self::NEVER;
    PtxBfind "ptx_bfind" UINT_OF_1, Self::NEVER;
    PtxLop3Majority "ptx_lop3_e8" UINT_OF_3, Self::NEVER;
    PtxLop3Odd "ptx_lop3_96" UINT_OF_3, Self::NEVER;
    PtxMadHi "ptx_mad_hi" INT_OF_3, Self::NEVER;
    PtxAddCc "ptx_add_cc" ULONG_OF_2, Self::NEVER;
    PtxSubCc "ptx_sub_cc" ULONG_OF_2, Self::NEVER;
}

impl Builtin {
    /// The version of OpenCL C that has what no version has.
    pub const NEVER: u32 = u32::MAX;

    /// True if there is a function of this name with this result.
    #[must_use]
    pub fn can_return(self, ty: Type) -> bool {
        let is_float = ty.scalar.is_float();
        match self.signature() {
            Signature::SameOrScalar(_) | Signature::Choice => true,
            Signature::Same(_) => !is_float,
            Signature::Float(_) => is_float,
            Signature::Magnitude(_) => !ty.scalar.is_signed(),
            Signature::Only32(_) => ty.scalar.bits() == 32 && !is_float,
            Signature::Halves => ty.scalar.bits() > 8 && !is_float,
            Signature::Truth => ty == Type::INT,
            Signature::Shuffle | Signature::Shuffle2 => matches!(ty.lanes, 2 | 4 | 8 | 16),
            Signature::Exactly(result, _) => ty == Type::scalar(result),
        }
    }

    /// The exact result in one lane for the numbers of the parameters, or `None` where it is undefined. The caller
    /// takes it modulo the width. `ty` is the type of the first parameter. `Select` is that of vectors: the highest bit of
    /// the third number decides. `All` and `Any` say whether the highest bit of the lane is set. `Shuffle` and `Shuffle2`
    /// are no functions of single lanes.
    #[must_use]
    #[inline]
    pub fn lane(self, ty: Scalar, [a, b, c]: [i128; 3]) -> Option<i128> {
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
            Self::Select => {
                if sign(c) {
                    b
                } else {
                    a
                }
            }
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
fn fitting(ty: Scalar, number: i128) -> Option<i128> {
    (!ty.is_signed() || ty.saturated(number) == number).then_some(number)
}

/// The product of two numbers of 24 bits; that of wider ones is not defined.
fn product24(ty: Scalar, a: i128, b: i128) -> Option<i128> {
    let range = if ty.is_signed() { -(1 << 23)..1 << 23 } else { 0..1 << 24 };
    (range.contains(&a) && range.contains(&b)).then_some(a * b)
}

#[cfg(test)]
mod tests {
    use super::Builtin::{Ceil, Floor, Rint, Round, Trunc};
    use super::Builtin::{Clamp, Clz, Hadd, Mad24, MadHi, MadSat, MulHi, Rotate, Select, Upsample};
    use super::Exact;
    use super::Scalar::{Char, Int, Long, Uchar, Uint, Ulong};

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
