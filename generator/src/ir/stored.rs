//! The 64 bits in which the value of a lane is stored, whatever its type.

use super::exact::Exact;
use super::types::ScalarType;

impl ScalarType {
    /// The number that 64 stored bits stand for, without what is behind the point.
    #[must_use]
    pub fn value(self, stored: i64) -> i128 {
        if self.is_float() {
            return Exact::of_stored(stored).truncated().into();
        }
        if self.is_signed() { i128::from(stored) } else { i128::from(stored as u64) }
    }

    /// The stored bits of a number, taken modulo the width: extended to 64 bits as the type says. For a floating-point type,
    /// those of the nearest number in its range.
    #[must_use]
    pub fn wrap(self, number: i128) -> i64 {
        match self {
            Self::Char => i64::from(number as i8),
            Self::Uchar => i64::from(number as u8),
            Self::Short => i64::from(number as i16),
            Self::Ushort => i64::from(number as u16),
            Self::Int => i64::from(number as i32),
            Self::Uint => i64::from(number as u32),
            Self::Long | Self::Ulong => number as i64,
            Self::Float | Self::Double => Exact::new(self.saturated(number) as i64, 0).stored(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exact;
    use super::ScalarType::{Char, Float, Uchar, Ulong};

    #[test]
    fn stored_bits_are_extended_as_the_type_says() {
        assert_eq!((Uchar.wrap(-1), Char.wrap(255), Ulong.wrap(-1)), (255, -1, -1));
        assert_eq!((Ulong.value(-1), Ulong.greatest()), (u64::MAX.into(), u64::MAX.into()));
        assert_eq!(Float.value(Exact::new(-7, 1).stored()), -3);
    }
}
