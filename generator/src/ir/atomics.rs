//! Commutative functions: those of atomic updates, which reductions and scans have as well.

use super::types::ScalarType;

/// Commutative atomic functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names in OpenCL C")]
pub enum Atomic {
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Atomic {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Add, Self::Sub, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor];

    /// Its name in OpenCL C.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "atomic_add",
            Self::Sub => "atomic_sub",
            Self::Min => "atomic_min",
            Self::Max => "atomic_max",
            Self::And => "atomic_and",
            Self::Or => "atomic_or",
            Self::Xor => "atomic_xor",
        }
    }

    /// The new value in memory.
    #[must_use]
    pub fn apply(self, scalar: ScalarType, old: i64, value: i64) -> i64 {
        let (old, value) = (scalar.value(old), scalar.value(value));
        let new = match self {
            Self::Add => old + value,
            Self::Sub => old - value,
            Self::Min => old.min(value),
            Self::Max => old.max(value),
            Self::And => old & value,
            Self::Or => old | value,
            Self::Xor => old ^ value,
        };
        scalar.wrap(new)
    }
}
