//! Numbers of floating-point types that no device can get wrong: everything computed from them is exact, in any order of
//! the operations, with and without contraction, and with the options for fast arithmetic.
//!
//! A number is `number / 2^scale`. It is a sum of products of constants and of whole numbers that come from elsewhere.
//! Written as one sum of products, it has terms that are multiples of `2^-scale`, and the sum of their magnitudes is at most
//! `bound / 2^scale`. Where `bound` has fewer bits than the type has for digits, each of the terms, each sum of some of them and
//! each common factor has a value in the type, so nothing is ever rounded, whatever way a compiler takes.

use super::types::ScalarType;

/// A number and what is known of its terms. Zero has a bound as well, so that a product with zero has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    number: i64,
    bound: i64,
    scale: u32,
}

/// The bits for `number` and for `bound` in the stored form.
const WIDTH: u32 = 28;

impl Exact {
    /// The greatest scale. The result of a kernel has numbers times `2^SCALE`.
    pub const SCALE: u32 = 8;

    /// `number / 2^scale`, from a single term.
    #[must_use]
    pub fn new(number: i64, scale: u32) -> Self {
        let zeros = if number == 0 { scale } else { number.trailing_zeros().min(scale) };
        let number = number >> zeros;
        Self { number, bound: number.abs().max(1), scale: scale - zeros }
    }

    /// The number that 64 stored bits stand for.
    #[must_use]
    pub fn of_stored(stored: i64) -> Self {
        let number = stored >> (64 - WIDTH);
        let bound = (stored >> (64 - 2 * WIDTH)) & ((1 << WIDTH) - 1);
        Self { number, bound: bound.max(1), scale: (stored & 0xF) as u32 }
    }

    /// The stored bits. Zero has 0 as well.
    #[must_use]
    pub fn stored(self) -> i64 {
        self.number << (64 - WIDTH) | self.bound << (64 - 2 * WIDTH) | i64::from(self.scale)
    }

    /// The number, where a type has it with all its terms.
    #[must_use]
    pub fn within(self, scalar: ScalarType) -> Option<Self> {
        let limit = scalar.greatest() as i64;
        (self.bound <= limit && self.scale <= Self::SCALE).then_some(self)
    }

    /// The number times `2^SCALE`.
    #[must_use]
    pub fn scaled(self) -> i64 {
        self.number << (Self::SCALE - self.scale)
    }

    /// The number without what is behind the point.
    #[must_use]
    pub fn truncated(self) -> i64 {
        self.number / (1 << self.scale)
    }

    /// The bytes of the number in memory. Those of zero are not certain, as its sign is not.
    #[must_use]
    pub fn bytes(self, scalar: ScalarType) -> Option<[u8; 8]> {
        let (digits, greatest) = if scalar == ScalarType::Float { (23, 127) } else { (52, 1023) };
        let magnitude = self.number.unsigned_abs();
        let first = magnitude.checked_ilog2()?;
        let sign = u64::from(self.number < 0) << (scalar.bits() - 1);
        let exponent = u64::from(greatest + first - self.scale) << digits;
        let rest = (magnitude ^ (1 << first)) << (digits - first);
        Some((sign | exponent | rest).to_le_bytes())
    }

    /// The magnitude in decimal digits.
    #[must_use]
    pub fn digits(self) -> String {
        let magnitude = self.number.unsigned_abs();
        let (whole, rest) = (magnitude >> self.scale, magnitude & ((1 << self.scale) - 1));
        // A half has one digit behind the point, a quarter two, and so on.
        let (width, rest) = (self.scale.max(1) as usize, rest * 5_u64.pow(self.scale));
        format!("{whole}.{rest:0width$}")
    }

    /// True if the number is below zero.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.number < 0
    }

    /// `-a`.
    #[must_use]
    pub fn minus(self) -> Self {
        Self { number: -self.number, ..self }
    }

    /// The same number with the terms of another one beside its own.
    fn beside(self, other: Self) -> (Self, Self) {
        let scale = self.scale.max(other.scale);
        let at = |of: Self| {
            let by = scale - of.scale;
            Self { number: of.number << by, bound: of.bound << by, scale }
        };
        (at(self), at(other))
    }

    /// `a + b`.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (a, b) = self.beside(other);
        Self { number: a.number + b.number, bound: a.bound + b.bound, scale: a.scale }
    }

    /// `a * b`.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            number: self.number * other.number,
            bound: self.bound * other.bound,
            scale: self.scale + other.scale,
        }
    }

    /// `a / b` where `b` is a power of two.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        let magnitude = other.number.abs();
        if magnitude.count_ones() != 1 || magnitude != other.bound {
            return None;
        }
        let sign = Self::new(other.number.signum(), 0);
        let inverse = Self::new(1 << other.scale, magnitude.trailing_zeros());
        Some(self.times(sign).times(inverse))
    }

    /// Compares the numbers.
    #[must_use]
    pub fn order(self, other: Self) -> std::cmp::Ordering {
        let (a, b) = self.beside(other);
        a.number.cmp(&b.number)
    }

    /// The first number where `first`, else the second; what is computed from it may be computed from both.
    #[must_use]
    pub fn or(self, other: Self, first: bool) -> Self {
        let (a, b) = self.beside(other);
        let number = if first { a.number } else { b.number };
        Self { number, bound: a.bound.max(b.bound), scale: a.scale }
    }

    /// The magnitude with the sign of another number. That of zero is not certain.
    #[must_use]
    pub fn with_sign_of(self, other: Self) -> Option<Self> {
        let number = self.number.abs() * other.number.signum();
        (other.number != 0).then_some(Self { number, ..self })
    }

    /// The whole number that `f` makes of the number and of `2^scale`.
    #[must_use]
    pub fn rounded(self, f: impl Fn(i64, i64) -> i64) -> Self {
        Self::new(f(self.number, 1 << self.scale), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_that_of_all_terms_together() {
        let large = Exact::new((1 << 24) - 1, 0);
        assert!(large.within(ScalarType::Float).is_some());
        assert!(large.plus(Exact::new(1, 0)).within(ScalarType::Float).is_none());
        assert!(large.plus(Exact::new(1, 0)).within(ScalarType::Double).is_some());
        // The difference is 0, but `large` has a term that `large + large` does not.
        assert!(large.plus(large.minus()).within(ScalarType::Float).is_none());
        // A half more needs one digit more.
        assert!(Exact::new(1 << 23, 0).plus(Exact::new(1, 1)).within(ScalarType::Float).is_none());
        assert!(Exact::new(1 << 22, 0).plus(Exact::new(1, 1)).within(ScalarType::Float).is_some());
        // A compiler may multiply the factors first.
        let factor = Exact::new(1 << 13, 0);
        assert!(Exact::new(0, 0).times(factor).times(factor).within(ScalarType::Float).is_none());
        let odd = Exact::new(4097, 0);
        assert!(odd.times(odd).within(ScalarType::Float).is_none());
        assert!(Exact::new(4095, 0).times(odd).within(ScalarType::Float).is_some());
        assert!(Exact::new(1, 8).times(Exact::new(1, 1)).within(ScalarType::Float).is_none());
    }

    #[test]
    fn numbers_keep_their_terms_when_they_are_stored() {
        let number = Exact::new(-77, 3).plus(Exact::new(75, 3));
        let again = Exact::of_stored(number.stored());
        assert_eq!((again, again.bound, again.scaled()), (number, 152, -64));
        assert_eq!(Exact::of_stored(0), Exact::new(0, 5));
        assert_eq!(Exact::new(0, 0).bytes(ScalarType::Float), None);
    }

    #[test]
    fn numbers_have_the_digits_and_the_bits_of_their_type() {
        for (number, scale, digits) in [
            (-96, 6, "1.5"),
            (0, 3, "0.0"),
            (7, 0, "7.0"),
            (1, 8, "0.00390625"),
            (-2561, 8, "10.00390625"),
        ] {
            let exact = Exact::new(number, scale);
            assert_eq!(exact.digits(), digits);
            let value: f64 = digits.parse().expect("a number");
            let value = if number < 0 { -value } else { value };
            let (float, double) = ((value as f32).to_bits(), value.to_bits());
            let bits = |scalar| exact.bytes(scalar).map(u64::from_le_bytes);
            assert_eq!(bits(ScalarType::Float).unwrap_or(0), float.into(), "{digits}");
            assert_eq!(bits(ScalarType::Double).unwrap_or(0), double, "{digits}");
        }
    }

    #[test]
    fn division_is_by_powers_of_two() {
        let quotient = |a, b| Exact::over(a, b).map(Exact::scaled);
        assert_eq!(quotient(Exact::new(3, 0), Exact::new(-4, 0)), Some(-192));
        assert_eq!(quotient(Exact::new(3, 0), Exact::new(1, 2)), Some(12 * 256));
        assert_eq!(quotient(Exact::new(3, 0), Exact::new(3, 0)), None);
        assert_eq!(quotient(Exact::new(3, 0), Exact::new(0, 0)), None);
        let two = Exact::new(3, 0).plus(Exact::new(-1, 0));
        assert_eq!(quotient(Exact::new(3, 0), two), None, "it has other terms");
    }
}
