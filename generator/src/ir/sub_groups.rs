//! Functions of sub-groups in OpenCL C, as far as they are used: those of 32 work-items.

use super::atomics::Atomic;

/// A function that the 32 work-items of a sub-group come to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubGroup {
    /// `sub_group_reduce_add` and the like.
    Reduce(Atomic),
    /// `sub_group_scan_inclusive_add` and the like.
    ScanInclusive(Atomic),
    /// `sub_group_scan_exclusive_add` and the like.
    ScanExclusive(Atomic),
    /// `sub_group_broadcast`.
    Broadcast,
    /// `sub_group_all`.
    All,
    /// `sub_group_any`.
    Any,
    /// `sub_group_shuffle`, of `cl_khr_subgroup_shuffle`.
    Shuffle,
    /// `sub_group_shuffle_xor`.
    ShuffleXor,
}

impl SubGroup {
    /// Its name in OpenCL C.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduce(Atomic::Min) => "sub_group_reduce_min",
            Self::Reduce(Atomic::Max) => "sub_group_reduce_max",
            Self::Reduce(_) => "sub_group_reduce_add",
            Self::ScanInclusive(Atomic::Min) => "sub_group_scan_inclusive_min",
            Self::ScanInclusive(Atomic::Max) => "sub_group_scan_inclusive_max",
            Self::ScanInclusive(_) => "sub_group_scan_inclusive_add",
            Self::ScanExclusive(Atomic::Min) => "sub_group_scan_exclusive_min",
            Self::ScanExclusive(Atomic::Max) => "sub_group_scan_exclusive_max",
            Self::ScanExclusive(_) => "sub_group_scan_exclusive_add",
            Self::Broadcast => "sub_group_broadcast",
            Self::All => "sub_group_all",
            Self::Any => "sub_group_any",
            Self::Shuffle => "sub_group_shuffle",
            Self::ShuffleXor => "sub_group_shuffle_xor",
        }
    }
}
