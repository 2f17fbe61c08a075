//! Types of OpenCL C: ten scalars, and vectors of 2, 3, 4, 8 and 16 of them.

use std::fmt;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "their names in OpenCL C")]
pub enum ScalarType {
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Float,
    Double,
}

impl ScalarType {
    /// The floating-point types.
    pub const FLOATS: [Self; 2] = [Self::Float, Self::Double];
    /// The integer types, from the narrowest.
    pub const ALL: [Self; 8] = [
        Self::Char,
        Self::Uchar,
        Self::Short,
        Self::Ushort,
        Self::Int,
        Self::Uint,
        Self::Long,
        Self::Ulong,
    ];

    /// Its name in OpenCL C.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::Uchar => "uchar",
            Self::Short => "short",
            Self::Ushort => "ushort",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Long => "long",
            Self::Ulong => "ulong",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// Its width.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Float => 32,
            Self::Double => 64,
            _ => 8 << (self as u32 / 2),
        }
    }

    /// True for the floating-point types.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }

    /// True for the types with negative numbers.
    #[must_use]
    pub fn is_signed(self) -> bool {
        self.is_float() || (self as u32).is_multiple_of(2)
    }

    /// The integer type of the same width with this sign.
    #[must_use]
    pub fn with_sign(self, signed: bool) -> Self {
        let integer = match self {
            Self::Float => Self::Int,
            Self::Double => Self::Long,
            integer => integer,
        };
        Self::ALL[integer as usize / 2 * 2 + usize::from(!signed)]
    }

    /// The integer type of twice or half the width with the same sign, if there is one.
    #[must_use]
    pub fn scaled(self, wider: bool) -> Option<Self> {
        if self.is_float() {
            return None;
        }
        let index = if wider { self as usize + 2 } else { (self as usize).wrapping_sub(2) };
        Self::ALL.get(index).copied()
    }

    /// The type that a scalar of this type has in an operation: at least `int`.
    #[must_use]
    pub fn promoted(self) -> Self {
        self.max_rank(Self::Int)
    }

    /// The type of an operation on two scalars: C's usual arithmetic conversions.
    #[must_use]
    pub fn usual(self, other: Self) -> Self {
        let (a, b) = (self.promoted(), other.promoted());
        if a.is_float() || b.is_float() {
            return a.max(b);
        }
        if a.bits() == b.bits() { a.max(b) } else { a.max_rank(b) }
    }

    fn max_rank(self, other: Self) -> Self {
        if self.bits() < other.bits() { other } else { self }
    }

    /// The least number; of a floating-point type, the least of those that are used.
    #[must_use]
    pub fn least(self) -> i128 {
        if self.is_float() {
            return -self.greatest();
        }
        if self.is_signed() { -(1 << (self.bits() - 1)) } else { 0 }
    }

    /// The greatest number; of a floating-point type, the greatest of those that are used. `float` has 24 digits. Numbers of
    /// `double` have no more than 26 here: they are not in `float`, and two of them fit into 64 bits.
    #[must_use]
    pub fn greatest(self) -> i128 {
        match self {
            Self::Float => return (1 << 24) - 1,
            Self::Double => return (1 << 26) - 1,
            _ => {}
        }
        (1 << (self.bits() - u32::from(self.is_signed()))) - 1
    }

    /// The nearest number of the type.
    #[must_use]
    pub fn saturated(self, number: i128) -> i128 {
        number.clamp(self.least(), self.greatest())
    }
}

/// A scalar or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ty {
    /// The type of a lane.
    pub scalar: ScalarType,
    /// 1 for scalars, else 2, 3, 4, 8 or 16.
    pub lanes: u8,
}

impl Ty {
    /// The number of lanes that vectors can have.
    pub const LANES: [u8; 5] = [2, 3, 4, 8, 16];
    /// The type of comparisons of scalars.
    pub const INT: Self = Self::scalar(ScalarType::Int);

    /// A scalar type.
    #[must_use]
    pub const fn scalar(scalar: ScalarType) -> Self {
        Self { scalar, lanes: 1 }
    }

    /// As many lanes of another type.
    #[must_use]
    pub const fn of(self, scalar: ScalarType) -> Self {
        Self { scalar, lanes: self.lanes }
    }

    /// True for vectors.
    #[must_use]
    pub const fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// The type of one lane.
    #[must_use]
    pub const fn lane(self) -> Self {
        Self::scalar(self.scalar)
    }

    /// The type of comparisons of values of this type: `int`, or signed lanes of the same width.
    #[must_use]
    pub fn truth(self) -> Self {
        if self.is_vector() { self.of(self.scalar.with_sign(true)) } else { Self::INT }
    }

    /// Twice as many lanes.
    #[must_use]
    pub const fn of_twice(self) -> Self {
        Self { scalar: self.scalar, lanes: self.lanes * 2 }
    }

    /// The width of all lanes, without the one that a vector of three has in memory only.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.scalar.bits() * u32::from(self.lanes)
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.scalar.name())?;
        if self.is_vector() { write!(out, "{}", self.lanes) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_those_of_c() {
        use ScalarType::{Char, Int, Long, Short, Uchar, Uint, Ulong, Ushort};
        for (a, b, both) in [
            (Char, Char, Int),
            (Uchar, Ushort, Int),
            (Short, Uint, Uint),
            (Int, Uint, Uint),
            (Uint, Long, Long),
            (Long, Ulong, Ulong),
        ] {
            assert_eq!((a.usual(b), b.usual(a)), (both, both), "{a:?} {b:?}");
        }
        let (float, double) = (ScalarType::Float, ScalarType::Double);
        assert_eq!(
            (float.usual(Ulong), Int.usual(double), float.usual(double)),
            (float, double, double)
        );
        assert_eq!((float.bits(), double.with_sign(false), float.scaled(true)), (32, Ulong, None));
        assert_eq!((Ulong.bits(), Char.bits(), Long.is_signed()), (64, 8, true));
        assert_eq!(
            (Char.scaled(false), Ulong.scaled(true), Int.scaled(true)),
            (None, None, Some(Long))
        );
    }
}
