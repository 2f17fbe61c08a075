//! Numbers: many are special ones, and many are near to others.

use super::Maker;
use crate::ir::{Exact, ScalarType};
use crate::random::Stream;

impl Maker<'_> {
    /// The stored bits of a number.
    pub(super) fn stored(&mut self, scalar: ScalarType, stream: &mut Stream) -> i64 {
        if !scalar.is_float() {
            return scalar.wrap(self.number(scalar, stream));
        }
        let (number, scale) = match stream.below(10) {
            0 => (stream.within(-1, 1), 0),
            1..5 => (stream.within(-20, 100), 0),
            5..8 => (stream.within(-40, 40), 1 + stream.below(3) as u32),
            8 => (1 << stream.below(11), stream.below(4) as u32),
            _ => (stream.within(-70_000, 70_000), 0),
        };
        Exact::new(number, scale).stored()
    }

    pub(super) fn number(&mut self, scalar: ScalarType, stream: &mut Stream) -> i128 {
        let number = match stream.below(10) {
            0..3 => special(scalar, stream),
            3..6 if !self.pool.is_empty() => {
                let old = stream.pick(&self.pool);
                match stream.below(4) {
                    0 => old.wrapping_neg(),
                    1 => !old,
                    2 => old + i128::from(stream.within(1, 32)),
                    _ => old,
                }
            }
            6..9 => stream.within(-20, 100).into(),
            _ => stream.next().into(),
        };
        let number = scalar.value(scalar.wrap(number));
        if self.pool.len() < 10 {
            self.pool.push(number);
        }
        number
    }
}

/// Ends of the range, and runs of bits.
pub(crate) fn special(scalar: ScalarType, stream: &mut Stream) -> i128 {
    let bits = u64::from(scalar.bits());
    match stream.below(7) {
        0 => 0,
        1 => -1,
        2 => scalar.least(),
        3 => scalar.greatest(),
        4 => scalar.greatest() - i128::from(stream.below(4)),
        5 => 1 << stream.below(bits),
        _ => ((1 << (1 + stream.below(bits))) - 1) << stream.below(bits),
    }
}
