//! Signatures of built-in functions.

use super::types::Scalar;

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

const INT: Scalar = Scalar::Int;
const UINT: Scalar = Scalar::Uint;
const LONG: Scalar = Scalar::Long;
const ULONG: Scalar = Scalar::Ulong;

pub(super) const INT_OF_INT: Signature = Signature::Exactly(INT, &[INT]);
pub(super) const INT_OF_UINT: Signature = Signature::Exactly(INT, &[UINT]);
pub(super) const INT_OF_LONG: Signature = Signature::Exactly(INT, &[LONG]);
pub(super) const INT_OF_ULONG: Signature = Signature::Exactly(INT, &[ULONG]);
pub(super) const INT_OF_2: Signature = Signature::Exactly(INT, &[INT; 2]);
pub(super) const INT_OF_3: Signature = Signature::Exactly(INT, &[INT; 3]);
pub(super) const LONG_OF_2: Signature = Signature::Exactly(LONG, &[LONG; 2]);
pub(super) const UINT_OF_1: Signature = Signature::Exactly(UINT, &[UINT]);
pub(super) const UINT_OF_2: Signature = Signature::Exactly(UINT, &[UINT; 2]);
pub(super) const UINT_OF_3: Signature = Signature::Exactly(UINT, &[UINT; 3]);
pub(super) const UINT_OF_INTS: Signature = Signature::Exactly(UINT, &[INT, INT, UINT]);
pub(super) const ULONG_OF_1: Signature = Signature::Exactly(ULONG, &[ULONG]);
pub(super) const ULONG_OF_2: Signature = Signature::Exactly(ULONG, &[ULONG; 2]);
/// A number, and where its bits begin and how many there are.
pub(super) const INT_OF_BITS: Signature = Signature::Exactly(INT, &[INT, UINT, UINT]);
