//! PTX's instructions on integers as built-in functions, with their meaning by NVIDIA's manual of the instruction set.

use super::builtins::Builtin;
use super::intrinsics::permuted;
use super::operators::Binary;
use super::types::ScalarType;

/// The types that the end of the name of an instruction tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suffix {
    /// `.s32` or `.u32`: that of the first operand.
    Number,
    /// `.s32`: that of the first operand, with a sign.
    Signed,
    /// `.b32`: the width of the first operand.
    Bits,
    /// The name has it already.
    Whole,
}

impl Binary {
    /// The instruction that computes it, without its type. `None` for comparisons.
    #[must_use]
    pub fn instruction(self) -> Option<&'static str> {
        Some(match self {
            Self::Add => "add",
            Self::Subtract => "sub",
            Self::Multiply => "mul.lo",
            Self::Divide => "div",
            Self::Remainder => "rem",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::ShiftLeft => "shl",
            Self::ShiftRight => "shr",
            _ => return None,
        })
    }
}

impl Builtin {
    /// The instruction that has the result of the function by itself or with others, without its type; `None` if PTX has
    /// none.
    #[must_use]
    pub fn instruction(self) -> Option<(String, Suffix)> {
        let whole = |text: &str| Some((text.to_owned(), Suffix::Whole));
        match self {
            Self::Min | Self::Max | Self::Clamp => Some((self.name().to_owned(), Suffix::Number)),
            Self::Abs => Some((self.name().to_owned(), Suffix::Signed)),
            Self::FunnelshiftL => whole("shf.l.wrap.b32"),
            Self::FunnelshiftLc => whole("shf.l.clamp.b32"),
            Self::FunnelshiftR => whole("shf.r.wrap.b32"),
            Self::FunnelshiftRc => whole("shf.r.clamp.b32"),
            Self::Dp4a => whole("dp4a.s32.s32"),
            Self::Dp4aUnsigned => whole("dp4a.u32.u32"),
            Self::PtxDp4aMixed => whole("dp4a.u32.s32"),
            Self::PtxDp2aLo => whole("dp2a.lo.s32.s32"),
            Self::PtxDp2aHi => whole("dp2a.hi.s32.s32"),
            Self::PtxPrmt => whole("prmt.b32"),
            Self::PtxAddSat => whole("add.sat.s32"),
            Self::PtxSubSat => whole("sub.sat.s32"),
            Self::PtxMadHiSat => whole("mad.hi.sat.s32"),
            Self::Vadd4 => whole("vadd4.u32.u32.u32"),
            Self::Vsub4 => whole("vsub4.u32.u32.u32"),
            Self::Vabsdiffu4 => whole("vabsdiff4.u32.u32.u32"),
            Self::Vmaxu4 => whole("vmax4.u32.u32.u32"),
            Self::Vmins4 => whole("vmin4.s32.s32.s32"),
            Self::Vadd2 => whole("vadd2.u32.u32.u32"),
            Self::Vsub2 => whole("vsub2.u32.u32.u32"),
            Self::PtxAddCc => whole("add.cc.u32"),
            Self::PtxSubCc => whole("sub.cc.u32"),
            Self::PtxMadc => whole("mad.lo.cc.u32"),
            Self::PtxLop3Majority | Self::PtxLop3Odd => whole("lop3.b32"),
            Self::PtxBmskClamp => whole("bmsk.clamp.b32"),
            Self::PtxBmskWrap => whole("bmsk.wrap.b32"),
            Self::PtxFma => whole("fma.rn.f32"),
            Self::PtxRcp => whole("rcp.rn.f32"),
            Self::PtxSqrt => whole("sqrt.rn.f32"),
            Self::Upsample => whole("mov"),
            _ if self.since() != Self::PTX => None,
            _ if self.table().is_some() => whole("lop3.b32"),
            _ => Some((self.mnemonic(), self.suffix())),
        }
    }

    /// The name of an instruction without its type: that of the function.
    fn mnemonic(self) -> String {
        let name = self.name().trim_start_matches("ptx_").trim_end_matches("_any");
        let text = name.replace('_', ".");
        match text.strip_prefix("prmt.") {
            Some(mode) => format!("prmt.b32.{mode}"),
            None => text,
        }
    }

    fn suffix(self) -> Suffix {
        match self {
            Self::PtxNeg | Self::PtxAbs => Suffix::Signed,
            Self::PtxNot
            | Self::PtxCnot
            | Self::PtxAnd
            | Self::PtxOr
            | Self::PtxXor
            | Self::PtxShl
            | Self::PtxSlct
            | Self::PtxPopc
            | Self::PtxClz
            | Self::PtxBrev
            | Self::PtxBfiAny => Suffix::Bits,
            _ if self.name().starts_with("ptx_prmt") => Suffix::Whole,
            _ if self.name().starts_with("ptx_testp") => Suffix::Whole,
            _ => Suffix::Number,
        }
    }

    /// The comparisons by `set`, whose results are numbers.
    pub const PTX_COMPARISONS: [Self; 6] = [
        Self::PtxSetEq,
        Self::PtxSetNe,
        Self::PtxSetLt,
        Self::PtxSetLe,
        Self::PtxSetGt,
        Self::PtxSetGe,
    ];

    /// All of `lop3`, each with a table of truth values.
    pub const PTX_TABLES: [Self; 12] = [
        Self::PtxLop3Majority,
        Self::PtxLop3Odd,
        Self::PtxLop302,
        Self::PtxLop31a,
        Self::PtxLop32d,
        Self::PtxLop33c,
        Self::PtxLop340,
        Self::PtxLop36a,
        Self::PtxLop3B1,
        Self::PtxLop3Ca,
        Self::PtxLop3D8,
        Self::PtxLop3F4,
    ];

    /// The table of truth values of `lop3`.
    #[must_use]
    pub fn table(self) -> Option<u8> {
        u8::from_str_radix(self.name().strip_prefix("ptx_lop3_")?, 16).ok()
    }
}

/// The exact result. The caller takes it modulo the width. `ty` is the type of the first operand.
pub(super) fn result(function: Builtin, ty: ScalarType, [a, b, c]: [i128; 3]) -> i128 {
    let bits = ty.bits();
    let ones = u128::MAX >> (128 - bits);
    let pattern = a as u128 & ones;
    let truth = |holds: bool| -i128::from(holds);
    match function {
        Builtin::PtxAdd => a + b,
        Builtin::PtxSub => a - b,
        Builtin::PtxAddSat => ScalarType::Int.saturated(a + b),
        Builtin::PtxSubSat => ScalarType::Int.saturated(a - b),
        Builtin::PtxMulLo | Builtin::PtxMulWide => a.wrapping_mul(b),
        Builtin::PtxMadLo | Builtin::PtxMadWide => a.wrapping_mul(b).wrapping_add(c),
        Builtin::PtxMadc => a * b + c,
        Builtin::PtxMulHi => high(ty, a, b),
        Builtin::PtxMadHiAny => high(ty, a, b) + c,
        Builtin::PtxMadHiSat => ScalarType::Int.saturated(high(ty, a, b) + c),
        Builtin::PtxNeg => -a,
        Builtin::PtxAbs => ty.with_sign(true).value(ty.with_sign(true).wrap(a)).abs(),
        Builtin::PtxNot => !a,
        Builtin::PtxCnot => i128::from(a == 0),
        Builtin::PtxAnd => a & b,
        Builtin::PtxOr => a | b,
        Builtin::PtxXor => a ^ b,
        Builtin::PtxSad => (a - b).abs() + c,
        // The amounts are unsigned, and those above the width count as the width.
        Builtin::PtxShl => a << b.min(bits.into()),
        Builtin::PtxShr => a >> b.min(bits.into()),
        Builtin::PtxSetEq => truth(a == b),
        Builtin::PtxSetNe => truth(a != b),
        Builtin::PtxSetLt => truth(a < b),
        Builtin::PtxSetLe => truth(a <= b),
        Builtin::PtxSetGt => truth(a > b),
        Builtin::PtxSetGe => truth(a >= b),
        Builtin::PtxSlct if c >= 0 => a,
        Builtin::PtxSlct => b,
        Builtin::PtxPopc => pattern.count_ones().into(),
        Builtin::PtxClz => i128::from(pattern.leading_zeros() + bits) - 128,
        Builtin::PtxBfindAny => leading(ty, a),
        // How far the bit is from the highest one.
        Builtin::PtxBfindShiftamt => match leading(ty, a) {
            -1 => -1,
            found => i128::from(bits) - 1 - found,
        },
        Builtin::PtxBrev => (pattern.reverse_bits() >> (128 - bits)) as i128,
        // The carry of the first two is added to the third.
        Builtin::PtxAddc => c + i128::from((pattern + (b as u128 & ones)) > ones),
        Builtin::PtxSubc => c - i128::from(pattern < (b as u128 & ones)),
        Builtin::PtxBfeAny => extracted(ty, pattern, (b & 255, b >> 8 & 255)),
        Builtin::PtxBfiAny => inserted(ty, [pattern, b as u128 & ones], (c & 255, c >> 8 & 255)),
        Builtin::PtxDp4aMixed => c + products(4, |i| byte(a, i), |i| signed_byte(b, i)),
        Builtin::PtxDp2aLo => c + products(2, |i| half(a, i), |i| signed_byte(b, i)),
        Builtin::PtxDp2aHi => c + products(2, |i| half(a, i), |i| signed_byte(b, i + 2)),
        // The highest bits, as numbers that `float` has.
        Builtin::PtxFma => (a >> 22) * (b >> 22) + (c >> 22),
        _ => words(function, [a, b, c].map(|value| value as u32)).into(),
    }
}

/// Functions of the bits of words.
fn words(function: Builtin, [x, y, z]: [u32; 3]) -> u32 {
    if let Some(table) = function.table() {
        let bit = |i: u32| {
            let row = (x >> i & 1) << 2 | (y >> i & 1) << 1 | z >> i & 1;
            u32::from(table >> row & 1) << i
        };
        return (0..32).fold(0, |word, i| word | bit(i));
    }
    let exponent = x >> 23 & 255;
    match function {
        Builtin::PtxBmskClamp => return mask(x.min(32), y.min(32)),
        Builtin::PtxBmskWrap => return mask(x & 31, y & 31),
        Builtin::PtxTestpFinite => return u32::from(exponent != 255),
        // A zero counts as normal.
        Builtin::PtxTestpNormal => return u32::from(exponent != 255 && !is_subnormal(x)),
        Builtin::PtxTestpSubnormal => return is_subnormal(x).into(),
        Builtin::PtxTestpNotanumber => return u32::from(exponent == 255 && x << 9 != 0),
        // A power of two, as the bits of a `float`.
        Builtin::PtxRcp => return (127 - (x & 31)) << 23,
        // The root of a square.
        Builtin::PtxSqrt => return x & 0xFFF,
        _ => {}
    }
    let at = z & 3;
    // The bytes of the selector, the lowest first.
    let named = match function {
        Builtin::PtxPrmtF4e => [0, 1, 2, 3].map(|i| at + i),
        Builtin::PtxPrmtB4e => [0, 1, 2, 3].map(|i| (at + 8 - i) & 7),
        Builtin::PtxPrmtRc8 => [at; 4],
        Builtin::PtxPrmtEcl => [0, 1, 2, 3].map(|i: u32| i.max(at)),
        Builtin::PtxPrmtEcr => [0, 1, 2, 3].map(|i: u32| i.min(at)),
        _ => [0, 1, 0, 1].map(|i| (at & 1) * 2 + i),
    };
    let selector = named.into_iter().rev().fold(0, |all, one| all << 4 | one);
    permuted(u64::from(y) << 32 | u64::from(x), selector)
}

/// A mask of 32 bits in which the bits `from..from + count` are set.
fn mask(from: u32, count: u32) -> u32 {
    let below = |end: u32| ((1_u64 << end.min(32)) - 1) as u32;
    below(from + count) & !below(from)
}

/// True for a `float` below the normal ones that is not zero.
fn is_subnormal(bits: u32) -> bool {
    bits >> 23 & 255 == 0 && bits << 9 != 0
}

/// The high half of a product.
fn high(ty: ScalarType, a: i128, b: i128) -> i128 {
    match ty.is_signed() {
        true => (a * b) >> ty.bits(),
        false => ((a as u128 * b as u128) >> ty.bits()) as i128,
    }
}

/// The place of the highest 1, or of the highest 0 of a negative number; -1 if there is none.
fn leading(ty: ScalarType, a: i128) -> i128 {
    let value = if ty.is_signed() && a < 0 { !a } else { a };
    if value == 0 { -1 } else { value.ilog2().into() }
}

/// `bfe`: a number of bits from a place on, extended by zeros or by the highest bit of the field.
fn extracted(ty: ScalarType, pattern: u128, (from, count): (i128, i128)) -> i128 {
    let top = i128::from(ty.bits()) - 1;
    let bit = |at: i128| pattern >> at & 1 != 0;
    let sign = ty.is_signed() && count > 0 && bit((from + count - 1).min(top));
    let one = |i: i128| if i < count && from + i <= top { bit(from + i) } else { sign };
    (0..=top).fold(0, |word, i| word | i128::from(one(i)) << i)
}

/// `bfi`: the lowest bits of the first number at a place in the second.
fn inserted(ty: ScalarType, [a, b]: [u128; 2], (from, count): (i128, i128)) -> i128 {
    let is_in = |i: i128| i >= from && i < from + count;
    let bit = |i: i128| if is_in(i) { a >> (i - from) & 1 } else { b >> i & 1 };
    (0..i128::from(ty.bits())).fold(0, |word, i| word | (bit(i) as i128) << i)
}

fn products(count: u32, a: impl Fn(u32) -> i128, b: impl Fn(u32) -> i128) -> i128 {
    (0..count).map(|i| a(i) * b(i)).sum()
}

fn byte(word: i128, i: u32) -> i128 {
    word >> (8 * i) & 255
}

fn signed_byte(word: i128, i: u32) -> i128 {
    i128::from((word >> (8 * i)) as i8)
}

fn half(word: i128, i: u32) -> i128 {
    i128::from((word >> (16 * i)) as i16)
}

#[cfg(test)]
mod tests {
    use super::Builtin::*;
    use super::ScalarType::{Int, Long, Short, Uint, Ulong, Ushort};
    use super::*;

    const MIN: i128 = -(1 << 31);
    const MAX: i128 = (1 << 31) - 1;

    fn assert_results(result_type: ScalarType, rows: &[(Builtin, ScalarType, [i128; 3], i128)]) {
        for (function, ty, operands, expected) in rows {
            let found = function.lane(*ty, *operands).map(|one| result_type.wrap(one));
            let expected = Some(result_type.wrap(*expected));
            assert_eq!(found, expected, "{function:?} {ty:?} {operands:x?}");
        }
    }

    /// The numbers are computed by hand from NVIDIA's descriptions of the instructions.
    #[test]
    fn products_and_sums_are_what_the_manual_says() {
        assert_results(
            Int,
            &[
                (PtxMulWide, Short, [-2, 3, 0], -6),
                (PtxMadHiAny, Int, [1 << 30, 4, 5], 6),
                (PtxAbs, Int, [MIN, 0, 0], MIN),
                (PtxAbs, Uint, [0xFFFF_FFFF, 0, 0], 1),
                (PtxNeg, Int, [MIN, 0, 0], MIN),
                (PtxSad, Uint, [1, 3, 10], 12),
                (PtxAddc, Uint, [0xFFFF_FFFF, 1, 10], 11),
                (PtxAddc, Int, [-1, 1, 10], 11),
                (PtxAddc, Uint, [1, 2, 10], 10),
                (PtxSubc, Uint, [1, 2, 10], 9),
                (PtxSubc, Int, [-1, 1, 10], 10),
                (PtxAddSat, Int, [MAX, 1, 0], MAX),
                (PtxSubSat, Int, [MIN, 1, 0], MIN),
                (PtxMadHiSat, Int, [MIN, MIN, MAX], MAX),
                (PtxMul24Hi, Int, [1 << 22, 1 << 22, 0], 1 << 28),
                (PtxMad24Lo, Int, [-1, 5, 3], -2),
                (PtxDp4aMixed, Uint, [0xFF01_0203, 0xFF01_0101 - (1 << 32), 10], -239),
                (PtxFma, Int, [-3 << 22, 5 << 22, (7 << 22) + 9], -8),
                (PtxDp2aLo, Int, [0xFFFF_0002 - (1 << 32), 0x0403_0201, 7], 7),
                (PtxDp2aHi, Int, [0xFFFF_0002 - (1 << 32), 0x0403_0201, 7], 9),
            ],
        );
        assert_results(Short, &[(PtxMulHi, Short, [300, -300, 0], -2)]);
        assert_results(Ushort, &[(PtxMulHi, Ushort, [0xFFFF, 0xFFFF, 0], 0xFFFE)]);
        let all = 0xFFFF_FFFF;
        assert_results(Ulong, &[(PtxMadc, Uint, [all, all, 1], 0xFFFF_FFFE_0000_0002)]);
        assert_eq!(PtxMul24Lo.lane(Int, [1 << 23, 1, 0]), None);
    }

    #[test]
    fn bits_and_choices_are_what_the_manual_says() {
        let field = |from: i128, count: i128| from | count << 8;
        assert_results(
            Int,
            &[
                (PtxCnot, Uint, [0, 0, 0], 1),
                (PtxCnot, Uint, [5, 0, 0], 0),
                (PtxShl, Uint, [1, 99, 0], 0),
                (PtxShr, Int, [-8, 99, 0], -1),
                (PtxShr, Uint, [1 << 31, 31, 0], 1),
                (PtxShr, Uint, [1 << 31, 32, 0], 0),
                (PtxSetLt, Short, [-1, 0, 0], -1),
                (PtxSetGe, Ulong, [1, 2, 0], 0),
                (PtxSlct, Int, [7, 9, -1], 9),
                (PtxSlct, Int, [7, 9, 0], 7),
                (PtxPopc, Int, [-1, 0, 0], 32),
                (PtxClz, Long, [-1, 0, 0], 0),
                (PtxClz, Uint, [0, 0, 0], 32),
                (PtxBfindAny, Int, [-1, 0, 0], -1),
                (PtxBfindAny, Int, [-2, 0, 0], 0),
                (PtxBfindAny, Ulong, [1 << 40, 0, 0], 40),
                (PtxBfindShiftamt, Uint, [0x8000, 0, 0], 16),
                (PtxBrev, Uint, [1, 0, 0], MIN),
                (PtxBfeAny, Uint, [0xABCD, field(4, 8), 0], 0xBC),
                (PtxBfeAny, Int, [0xF0, field(4, 4), 0], -1),
                (PtxBfeAny, Int, [MIN, field(28, 8), 0], -8),
                (PtxBfeAny, Int, [-1, field(3, 0), 0], 0),
                (PtxBfiAny, Uint, [0xFF, 0, field(28, 8)], 0xF000_0000),
                (PtxBfiAny, Uint, [5, 0xFFFF_FFFF, field(4, 4)], 0xFFFF_FF5F),
                (PtxBfiAny, Uint, [5, 9, field(4, 0)], 9),
                (PtxBmskClamp, Uint, [4, 8, 0], 0xFF0),
                (PtxBmskClamp, Uint, [28, 99, 0], 0xF000_0000),
                (PtxBmskClamp, Uint, [32, 1, 0], 0),
                (PtxBmskWrap, Uint, [33, 34, 0], 6),
                (PtxBmskWrap, Uint, [3, 32, 0], 0),
                (PtxTestpNormal, Uint, [0x8000_0000, 0, 0], 1),
                (PtxTestpNormal, Uint, [0x7F80_0000, 0, 0], 0),
                (PtxTestpSubnormal, Uint, [0x8000_0001, 0, 0], 1),
                (PtxTestpNotanumber, Uint, [0xFFC0_0000, 0, 0], 1),
                (PtxTestpFinite, Uint, [0xFF80_0000, 0, 0], 0),
                (PtxRcp, Uint, [3, 0, 0], 0x3E00_0000),
                (PtxSqrt, Uint, [0xF00_0A0B, 0, 0], 0xA0B),
            ],
        );
        assert_results(Ushort, &[(PtxShl, Ushort, [1, 15, 0], 32768)]);
        assert_results(Ulong, &[(PtxBrev, Ulong, [2, 0, 0], 1 << 62)]);
        assert_results(Ulong, &[(PtxBfeAny, Ulong, [1 << 63, field(63, 1), 0], 1)]);
    }

    #[test]
    fn bytes_and_tables_are_what_the_manual_says() {
        for (function, selector, expected) in [
            (PtxPrmtF4e, 1, 0x4433_2211),
            (PtxPrmtB4e, 0, 0x5566_7700),
            (PtxPrmtRc8, 2, 0x2222_2222),
            (PtxPrmtEcl, 1, 0x3322_1111),
            (PtxPrmtEcr, 1, 0x1111_1100),
            (PtxPrmtRc16, 3, 0x3322_3322),
            (PtxPrmtRc16, 2, 0x1100_1100),
        ] {
            let found = function.lane(Uint, [0x3322_1100, 0x7766_5544, selector]);
            assert_eq!(found, Some(expected), "{function:?}");
        }
        // The operands that the manual gives for a table.
        let tables = Builtin::ALL.iter().filter_map(|one| Some((one, one.table()?)));
        let tables: Vec<_> = tables.collect();
        assert!(tables.len() > 10);
        for (function, table) in tables {
            let found = function.lane(Uint, [0xF0, 0xCC, 0xAA]);
            assert_eq!(found.map(|word| word & 0xFF), Some(table.into()), "{function:?}");
        }
    }

    #[test]
    fn each_instruction_has_a_name() {
        let text = |function: Builtin| function.instruction().map(|(text, _)| text);
        for (function, expected) in [
            (PtxMulWide, "mul.wide"),
            (PtxBfindShiftamt, "bfind.shiftamt"),
            (PtxMadHiAny, "mad.hi"),
            (PtxPrmtRc16, "prmt.b32.rc16"),
            (PtxMul24Lo, "mul24.lo"),
            (PtxSetLe, "set.le"),
            (PtxLop3D8, "lop3.b32"),
        ] {
            assert_eq!(text(function).as_deref(), Some(expected));
        }
        assert!(text(Builtin::Rotate).is_none() && text(Builtin::Vavgu4).is_none());
    }
}
