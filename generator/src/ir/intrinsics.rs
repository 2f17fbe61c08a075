//! CUDA's own functions on integers, and inline PTX.

use super::builtins::Builtin;
use super::types::ScalarType;

/// The exact result. The caller takes it modulo the width.
pub(super) fn result(function: Builtin, ty: ScalarType, [a, b, c]: [i128; 3]) -> i128 {
    let [x, y, z] = [a, b, c].map(|value| value as u32);
    let both = u64::from(y) << 32 | u64::from(x);
    match function {
        // The text clears the bits of the selector that are reserved; in PTX, they repeat the sign.
        Builtin::BytePerm => permuted(both, z & 0x7777).into(),
        Builtin::PtxPrmt => permuted(both, z).into(),
        Builtin::FunnelshiftL | Builtin::PtxShfL => ((both << (z & 31)) >> 32).into(),
        Builtin::FunnelshiftLc => ((both << z.min(32)) >> 32).into(),
        Builtin::FunnelshiftR => (both >> (z & 31)).into(),
        Builtin::FunnelshiftRc => (both >> z.min(32)).into(),
        Builtin::Dp4a => {
            let products =
                (0..4).map(|i| i128::from((a >> (8 * i)) as i8) * i128::from((b >> (8 * i)) as i8));
            c + products.sum::<i128>()
        }
        Builtin::Dp4aUnsigned => {
            let products =
                (0..4).map(|i| i128::from((x >> (8 * i)) as u8) * i128::from((y >> (8 * i)) as u8));
            c + products.sum::<i128>()
        }
        Builtin::Brev => x.reverse_bits().into(),
        Builtin::Brevll => (a as u64).reverse_bits().into(),
        Builtin::Ffs | Builtin::Ffsll if a == 0 => 0,
        Builtin::Ffs | Builtin::Ffsll => i128::from(a.trailing_zeros()) + 1,
        Builtin::Popc => x.count_ones().into(),
        Builtin::Popcll => (a as u64).count_ones().into(),
        Builtin::ClzInt => x.leading_zeros().into(),
        Builtin::Clzll => (a as u64).leading_zeros().into(),
        Builtin::MulhiInt | Builtin::Mul64hi => (a * b) >> ty.bits(),
        Builtin::MulhiUint | Builtin::Umul64hi => ((a as u128 * b as u128) >> ty.bits()) as i128,
        Builtin::PtxMadHi => ((a * b) >> 32) + c,
        Builtin::Sad | Builtin::Usad => (a - b).abs() + c,
        Builtin::HaddInt | Builtin::HaddUint => (a + b) >> 1,
        Builtin::RhaddInt | Builtin::RhaddUint => (a + b + 1) >> 1,
        Builtin::PtxBfe => extracted(a, (y & 255, z & 255), false),
        Builtin::PtxBfeInt => extracted(a, (y & 255, z & 255), true),
        // Eight bits of the first operand into the second.
        Builtin::PtxBfi => {
            let mask = 255_u64.checked_shl(z & 255).unwrap_or(0) as u32;
            let inserted = u64::from(x & 255).checked_shl(z & 255).unwrap_or(0) as u32;
            ((y & !mask) | (inserted & mask)).into()
        }
        Builtin::PtxBfind => {
            if x == 0 {
                -1
            } else {
                i128::from(x.ilog2())
            }
        }
        Builtin::PtxLop3Majority => ((x & y) | (x & z) | (y & z)).into(),
        Builtin::PtxLop3Odd => (x ^ y ^ z).into(),
        Builtin::PtxAddCc => a + b,
        Builtin::PtxSubCc => a - b,
        _ => packed(function, x, y),
    }
}

/// The functions that take each byte, or each half, of a word as a number.
fn packed(function: Builtin, x: u32, y: u32) -> i128 {
    match function {
        Builtin::Vadd4 => bytes(x, y, |a, b| a + b),
        Builtin::Vsub4 => bytes(x, y, |a, b| a - b),
        Builtin::Vavgu4 => bytes(x, y, |a, b| (a + b + 1) >> 1),
        Builtin::Vabsdiffu4 => bytes(x, y, |a, b| (a - b).abs()),
        Builtin::Vmaxu4 => bytes(x, y, i32::max),
        Builtin::Vmins4 => bytes(x, y, |a, b| (a as i8).min(b as i8).into()),
        Builtin::Vcmpeq4 => bytes(x, y, |a, b| -i32::from(a == b)),
        Builtin::Vcmpgts4 => bytes(x, y, |a, b| -i32::from(a as i8 > b as i8)),
        Builtin::Vadd2 => halves(x, y, |a, b| a + b),
        Builtin::Vsub2 => halves(x, y, |a, b| a - b),
        Builtin::Vmaxs2 => halves(x, y, |a, b| (a as i16).max(b as i16).into()),
        Builtin::Vminu2 => halves(x, y, i32::min),
        Builtin::Vcmpltu2 => halves(x, y, |a, b| -i32::from(a < b)),
        _ => 0,
    }
}

/// The bytes that the selector names; its fourth bit asks for the sign of the byte.
pub(super) fn permuted(both: u64, selector: u32) -> u32 {
    (0..4).fold(0, |word, i| {
        let named = selector >> (4 * i);
        let byte = (both >> (8 * (named & 7))) as u8;
        let byte = if named & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        word | u32::from(byte) << (8 * i)
    })
}

/// `bfe`: a number of bits from a place on, extended by zeros or by the sign.
fn extracted(a: i128, (from, count): (u32, u32), signed: bool) -> i128 {
    let bits = a as u32;
    let sign = signed && count > 0 && bits >> (from + count - 1).min(31) & 1 != 0;
    let bit = |i: u32| if i < count && from + i < 32 { bits >> (from + i) & 1 != 0 } else { sign };
    let word = (0..32).fold(0_u32, |word, i| word | u32::from(bit(i)) << i);
    word.into()
}

fn bytes(x: u32, y: u32, part: impl Fn(i32, i32) -> i32) -> i128 {
    parts(8, x, y, part)
}

fn halves(x: u32, y: u32, part: impl Fn(i32, i32) -> i32) -> i128 {
    parts(16, x, y, part)
}

/// A function on each part of a word; its operands have no sign.
fn parts(bits: u32, x: u32, y: u32, part: impl Fn(i32, i32) -> i32) -> i128 {
    let mask = (1 << bits) - 1;
    let part =
        |at: u32| (part((x >> at & mask) as i32, (y >> at & mask) as i32) as u32 & mask) << at;
    (0..32 / bits).fold(0, |word, i| word | part(i * bits)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of NVIDIA's descriptions of the functions.
    #[test]
    fn results_are_what_the_manuals_say() {
        for (function, [a, b, c], expected) in [
            (Builtin::BytePerm, [0x3322_1100, 0x7766_5544, 0x8e41], 0x0066_4411),
            (Builtin::PtxPrmt, [0x80, 0, 0x8880], 0xFFFF_FF80),
            (Builtin::FunnelshiftL, [0x8000_0000, 1, 33], 3),
            (Builtin::FunnelshiftLc, [7, 1, 40], 7),
            (Builtin::FunnelshiftR, [0x10, 1, 36], 0x1000_0001),
            (Builtin::FunnelshiftRc, [7, 9, 99], 9),
            (Builtin::Dp4a, [0xFF01_0203, 0x0101_0101, 10], 15),
            (Builtin::Dp4aUnsigned, [0xFF01_0203, 0x0101_0101, 10], 271),
            (Builtin::Ffs, [0, 0, 0], 0),
            (Builtin::Ffs, [-8, 0, 0], 4),
            (Builtin::Vadd4, [0xFF01_7F80, 0x0101_0180, 0], 0x0002_8000),
            (Builtin::Vcmpgts4, [0x8001_0000, 0x0000_0000, 0], 0x00FF_0000),
            (Builtin::Vmaxs2, [0x8000_0001, 0x0001_FFFF, 0], 0x0001_0001),
            (Builtin::PtxBfe, [0xABCD, 4, 8], 0xBC),
            (Builtin::PtxBfe, [-1, 40, 8], 0),
            (Builtin::PtxBfeInt, [0xF0, 4, 4], 0xFFFF_FFFF),
            (Builtin::PtxBfeInt, [-1, 3, 0], 0),
            (Builtin::PtxBfi, [0xFF, 0, 28], 0xF000_0000),
            (Builtin::PtxBfi, [0xFF, 5, 200], 5),
            (Builtin::PtxBfind, [0, 0, 0], -1),
            (Builtin::PtxBfind, [0x8000, 0, 0], 15),
        ] {
            let found = result(function, ScalarType::Uint, [a, b, c]);
            assert_eq!(found, expected, "{function:?} {a:#x} {b:#x} {c:#x}");
        }
    }
}
