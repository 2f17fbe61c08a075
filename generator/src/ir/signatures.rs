//! Signatures of built-in functions.

use super::types::ScalarType;

/// How the types of the parameters follow from the type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinSignature {
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
    /// Scalars of 16 to 64 bits, all of the type of the result; the number of parameters. From here on, they are PTX's.
    Words(u8),
    /// The same of 32 or 64 bits.
    LongWords(u8),
    /// The first two parameters have half the width of the result, the third one has its type; the number of parameters.
    Wide(u8),
    /// A number of the type of the result, and a `uint`.
    Shifted,
    /// `int` or `uint` from two numbers of one type of 16 to 64 bits.
    Compared,
    /// Two numbers of the type of the result, of which the sign of an `int` selects one.
    BySign,
    /// `uint` from a number of 32 or 64 bits.
    Counted,
    /// Numbers of the type of the result, of 32 or 64 bits; and where a field begins and how many bits it has, in the
    /// lowest bytes of a `uint`; the count of the numbers.
    Field(u8),
    /// Only this result of scalars of these types. These functions are CUDA's.
    Exactly(ScalarType, &'static [ScalarType]),
}

const INT: ScalarType = ScalarType::Int;
const UINT: ScalarType = ScalarType::Uint;
const LONG: ScalarType = ScalarType::Long;
const ULONG: ScalarType = ScalarType::Ulong;

pub(super) const INT_OF_INT: BuiltinSignature = BuiltinSignature::Exactly(INT, &[INT]);
pub(super) const INT_OF_UINT: BuiltinSignature = BuiltinSignature::Exactly(INT, &[UINT]);
pub(super) const INT_OF_LONG: BuiltinSignature = BuiltinSignature::Exactly(INT, &[LONG]);
pub(super) const INT_OF_ULONG: BuiltinSignature = BuiltinSignature::Exactly(INT, &[ULONG]);
pub(super) const INT_OF_2: BuiltinSignature = BuiltinSignature::Exactly(INT, &[INT; 2]);
pub(super) const INT_OF_3: BuiltinSignature = BuiltinSignature::Exactly(INT, &[INT; 3]);
pub(super) const LONG_OF_2: BuiltinSignature = BuiltinSignature::Exactly(LONG, &[LONG; 2]);
pub(super) const UINT_OF_1: BuiltinSignature = BuiltinSignature::Exactly(UINT, &[UINT]);
pub(super) const UINT_OF_2: BuiltinSignature = BuiltinSignature::Exactly(UINT, &[UINT; 2]);
pub(super) const UINT_OF_3: BuiltinSignature = BuiltinSignature::Exactly(UINT, &[UINT; 3]);
pub(super) const UINT_OF_INTS: BuiltinSignature =
    BuiltinSignature::Exactly(UINT, &[INT, INT, UINT]);
pub(super) const ULONG_OF_1: BuiltinSignature = BuiltinSignature::Exactly(ULONG, &[ULONG]);
pub(super) const ULONG_OF_2: BuiltinSignature = BuiltinSignature::Exactly(ULONG, &[ULONG; 2]);
pub(super) const INT_OF_DP: BuiltinSignature = BuiltinSignature::Exactly(INT, &[UINT, INT, INT]);
pub(super) const ULONG_OF_MADC: BuiltinSignature =
    BuiltinSignature::Exactly(ULONG, &[UINT, UINT, ULONG]);
/// A number, and where its bits begin and how many there are.
pub(super) const INT_OF_BITS: BuiltinSignature = BuiltinSignature::Exactly(INT, &[INT, UINT, UINT]);
