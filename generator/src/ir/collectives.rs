//! Collective functions: a team of work-items comes to the call together, and each gets a result that depends on the
//! values of all. The teams are work-groups and sub-groups in OpenCL C, and warps in CUDA C++.

use super::atomics::Atomic;
use super::sub_groups::SubGroup;
use super::types::{ScalarType, Ty};
use super::{ExprId, VarId};

/// The work-items of a warp, and of a sub-group.
pub const WARP: u32 = 32;

/// A call of a collective function.
#[derive(Clone, Debug)]
pub struct Collective {
    /// The function that is called.
    pub function: Joint,
    /// The value that each work-item contributes, of exactly the type of the parameter.
    pub value: ExprId,
    /// The second argument: the number of the work-item that a broadcast or a shuffle reads from, or the distance to it.
    pub at: Option<ExprId>,
    /// The lanes within which a shuffle stays: a power of two up to 32.
    pub width: u8,
    /// True if the warp is synchronised before.
    pub syncs: bool,
    /// The variable that gets the result.
    pub into: VarId,
}

/// A collective function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// `work_group_reduce_add` and the like.
    Reduce(Atomic),
    /// `work_group_scan_inclusive_add` and the like.
    ScanInclusive(Atomic),
    /// `work_group_scan_exclusive_add` and the like.
    ScanExclusive(Atomic),
    /// `work_group_broadcast`.
    Broadcast,
    /// `work_group_all`.
    GroupAll,
    /// `work_group_any`.
    GroupAny,
    /// `__shfl_sync` and the like.
    Shuffle(Shuffle),
    /// `__ballot_sync`.
    Ballot,
    /// `__all_sync`.
    WarpAll,
    /// `__any_sync`.
    WarpAny,
    /// `__match_any_sync`.
    MatchAny,
    /// `__reduce_add_sync` and the like.
    WarpReduce(Atomic),
    /// A function of sub-groups.
    SubGroup(SubGroup),
}

/// How a shuffle finds the lane that it reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// By its number.
    To,
    /// The lane that is this number below.
    Up,
    /// The lane that is this number above.
    Down,
    /// The lane whose number differs in these bits.
    Xor,
}

impl Shuffle {
    /// The lane that a lane reads from. It is its own if the other one lies outside of its segment, as in PTX.
    #[must_use]
    pub fn source(self, lane: u32, by: u32, width: u32) -> u32 {
        let outside = !(width - 1) & 31;
        let (least, greatest) = (lane & outside, (lane & outside) | (width - 1));
        let (found, is_inside) = match self {
            Self::To => (least | (by & (width - 1)), true),
            Self::Up => (lane.wrapping_sub(by), lane >= least + by),
            Self::Down => (lane + by, lane + by <= greatest),
            Self::Xor => (lane ^ by, lane ^ by <= greatest),
        };
        if is_inside { found } else { lane }
    }
}

const INTEGERS: [ScalarType; 4] =
    [ScalarType::Int, ScalarType::Uint, ScalarType::Long, ScalarType::Ulong];

impl Joint {
    /// All of them: those of work-groups, of warps, of sub-groups.
    pub const ALL: [Self; 40] = [
        Self::Reduce(Atomic::Add),
        Self::Reduce(Atomic::Min),
        Self::Reduce(Atomic::Max),
        Self::ScanInclusive(Atomic::Add),
        Self::ScanInclusive(Atomic::Min),
        Self::ScanInclusive(Atomic::Max),
        Self::ScanExclusive(Atomic::Add),
        Self::ScanExclusive(Atomic::Min),
        Self::ScanExclusive(Atomic::Max),
        Self::Broadcast,
        Self::GroupAll,
        Self::GroupAny,
        Self::Shuffle(Shuffle::To),
        Self::Shuffle(Shuffle::Up),
        Self::Shuffle(Shuffle::Down),
        Self::Shuffle(Shuffle::Xor),
        Self::Ballot,
        Self::WarpAll,
        Self::WarpAny,
        Self::MatchAny,
        Self::WarpReduce(Atomic::Add),
        Self::WarpReduce(Atomic::Min),
        Self::WarpReduce(Atomic::Max),
        Self::WarpReduce(Atomic::And),
        Self::WarpReduce(Atomic::Or),
        Self::WarpReduce(Atomic::Xor),
        Self::SubGroup(SubGroup::Reduce(Atomic::Add)),
        Self::SubGroup(SubGroup::Reduce(Atomic::Min)),
        Self::SubGroup(SubGroup::Reduce(Atomic::Max)),
        Self::SubGroup(SubGroup::ScanInclusive(Atomic::Add)),
        Self::SubGroup(SubGroup::ScanInclusive(Atomic::Min)),
        Self::SubGroup(SubGroup::ScanInclusive(Atomic::Max)),
        Self::SubGroup(SubGroup::ScanExclusive(Atomic::Add)),
        Self::SubGroup(SubGroup::ScanExclusive(Atomic::Min)),
        Self::SubGroup(SubGroup::ScanExclusive(Atomic::Max)),
        Self::SubGroup(SubGroup::Broadcast),
        Self::SubGroup(SubGroup::All),
        Self::SubGroup(SubGroup::Any),
        Self::SubGroup(SubGroup::Shuffle),
        Self::SubGroup(SubGroup::ShuffleXor),
    ];

    /// True if a sub-group calls it.
    #[must_use]
    pub fn is_of_sub_group(self) -> bool {
        matches!(self, Self::SubGroup(_))
    }

    /// True if its result says whether a condition holds for all members of the team, or for any.
    #[must_use]
    pub fn is_vote(self) -> bool {
        matches!(self.like(), Self::GroupAll | Self::GroupAny | Self::WarpAll | Self::WarpAny)
    }

    /// The feature that stands for all functions of its kind of team.
    #[must_use]
    pub fn feature(self) -> &'static str {
        match self {
            Self::SubGroup(_) => "sub_group",
            _ if self.is_of_warp() => "warp",
            _ => "collective",
        }
    }

    /// The function of another team that gives the same results: each function of sub-groups has one.
    #[must_use]
    pub fn like(self) -> Self {
        let Self::SubGroup(function) = self else { return self };
        match function {
            SubGroup::Reduce(function) => Self::Reduce(function),
            SubGroup::ScanInclusive(function) => Self::ScanInclusive(function),
            SubGroup::ScanExclusive(function) => Self::ScanExclusive(function),
            SubGroup::Broadcast => Self::Broadcast,
            SubGroup::All => Self::GroupAll,
            SubGroup::Any => Self::GroupAny,
            SubGroup::Shuffle => Self::Shuffle(Shuffle::To),
            SubGroup::ShuffleXor => Self::Shuffle(Shuffle::Xor),
        }
    }

    /// True if a warp calls it, and not a work-group.
    #[must_use]
    pub fn is_of_warp(self) -> bool {
        matches!(
            self,
            Self::Shuffle(_)
                | Self::Ballot
                | Self::WarpAll
                | Self::WarpAny
                | Self::MatchAny
                | Self::WarpReduce(_)
        )
    }

    /// Its name in OpenCL C or CUDA C++.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduce(Atomic::Min) => "work_group_reduce_min",
            Self::Reduce(Atomic::Max) => "work_group_reduce_max",
            Self::Reduce(_) => "work_group_reduce_add",
            Self::ScanInclusive(Atomic::Min) => "work_group_scan_inclusive_min",
            Self::ScanInclusive(Atomic::Max) => "work_group_scan_inclusive_max",
            Self::ScanInclusive(_) => "work_group_scan_inclusive_add",
            Self::ScanExclusive(Atomic::Min) => "work_group_scan_exclusive_min",
            Self::ScanExclusive(Atomic::Max) => "work_group_scan_exclusive_max",
            Self::ScanExclusive(_) => "work_group_scan_exclusive_add",
            Self::Broadcast => "work_group_broadcast",
            Self::GroupAll => "work_group_all",
            Self::GroupAny => "work_group_any",
            Self::Shuffle(Shuffle::To) => "__shfl_sync",
            Self::Shuffle(Shuffle::Up) => "__shfl_up_sync",
            Self::Shuffle(Shuffle::Down) => "__shfl_down_sync",
            Self::Shuffle(Shuffle::Xor) => "__shfl_xor_sync",
            Self::Ballot => "__ballot_sync",
            Self::WarpAll => "__all_sync",
            Self::WarpAny => "__any_sync",
            Self::MatchAny => "__match_any_sync",
            Self::WarpReduce(Atomic::Min) => "__reduce_min_sync",
            Self::WarpReduce(Atomic::Max) => "__reduce_max_sync",
            Self::WarpReduce(Atomic::And) => "__reduce_and_sync",
            Self::WarpReduce(Atomic::Or) => "__reduce_or_sync",
            Self::WarpReduce(Atomic::Xor) => "__reduce_xor_sync",
            Self::WarpReduce(_) => "__reduce_add_sync",
            Self::SubGroup(function) => function.name(),
        }
    }

    /// The types of the value that each work-item contributes.
    #[must_use]
    pub fn types(self) -> &'static [ScalarType] {
        match self.like() {
            Self::Ballot => &INTEGERS[..1],
            _ if self.is_vote() => &INTEGERS[..1],
            Self::WarpReduce(Atomic::Add | Atomic::Min | Atomic::Max) => &INTEGERS[..2],
            Self::WarpReduce(_) => &INTEGERS[1..2],
            _ => &INTEGERS,
        }
    }

    /// The type of the result for values of a type.
    #[must_use]
    pub fn result(self, value: Ty) -> Ty {
        match self.like() {
            Self::Ballot | Self::MatchAny => Ty::scalar(ScalarType::Uint),
            _ if self.is_vote() => Ty::INT,
            _ => value,
        }
    }

    /// True if work-items of a work-group can get different results from it.
    #[must_use]
    pub fn varies(self) -> bool {
        self.is_of_warp()
            || matches!(self, Self::ScanInclusive(_) | Self::ScanExclusive(_) | Self::SubGroup(_))
    }

    /// True if it has a second argument.
    #[must_use]
    pub fn has_place(self) -> bool {
        matches!(self.like(), Self::Broadcast | Self::Shuffle(_))
    }

    /// True if it adds values up, in any order.
    #[must_use]
    pub fn adds(self) -> bool {
        matches!(
            self.like(),
            Self::Reduce(Atomic::Add)
                | Self::ScanInclusive(Atomic::Add)
                | Self::ScanExclusive(Atomic::Add)
                | Self::WarpReduce(Atomic::Add)
        )
    }

    /// The results of the members of a team, as stored bits. `values` are those of the members in their order. The second
    /// arguments say which value a broadcast or a shuffle gets, and the result is `None` if there is no such member.
    #[must_use]
    pub fn results(
        self,
        scalar: ScalarType,
        values: &[i64],
        from: &[Option<usize>],
    ) -> Vec<Option<i64>> {
        let fold = |function: Atomic, values: &[i64], first: i64| {
            values.iter().fold(first, |sum, &value| function.apply(scalar, sum, value))
        };
        let same = |value: i64| vec![Some(value); values.len()];
        let truth = |holds: bool| same(i64::from(holds));
        match self {
            Self::Reduce(function) | Self::WarpReduce(function) => {
                same(fold(function, &values[1..], values[0]))
            }
            Self::ScanInclusive(function) => {
                let ends = 1..=values.len();
                ends.map(|end| Some(fold(function, &values[1..end], values[0]))).collect()
            }
            Self::ScanExclusive(function) => {
                let first = scalar.wrap(match function {
                    Atomic::Min => scalar.greatest(),
                    Atomic::Max => scalar.least(),
                    _ => 0,
                });
                (0..values.len()).map(|end| Some(fold(function, &values[..end], first))).collect()
            }
            Self::Broadcast | Self::Shuffle(_) => {
                from.iter().map(|from| from.and_then(|at| values.get(at).copied())).collect()
            }
            Self::GroupAll | Self::WarpAll => truth(values.iter().all(|value| *value != 0)),
            Self::GroupAny | Self::WarpAny => truth(values.iter().any(|value| *value != 0)),
            Self::Ballot => same(bits(values, |value| value != 0)),
            Self::MatchAny => {
                values.iter().map(|&own| Some(bits(values, |value| value == own))).collect()
            }
            Self::SubGroup(_) => self.like().results(scalar, values, from),
        }
    }
}

/// A bit for each value, as a stored `uint`.
fn bits(values: &[i64], holds: impl Fn(i64) -> bool) -> i64 {
    let numbered = (0..).zip(values);
    let word: u32 = numbered.map(|(bit, &value)| u32::from(holds(value)) << bit).sum();
    ScalarType::Uint.wrap(word.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of the description of `shfl.sync` in PTX.
    #[test]
    fn shuffles_stay_in_their_segment() {
        for (shuffle, [lane, by, width], expected) in [
            (Shuffle::To, [5, 3, 32], 3),
            (Shuffle::To, [21, 11, 8], 19),
            (Shuffle::Up, [5, 2, 32], 3),
            (Shuffle::Up, [9, 2, 8], 9),
            (Shuffle::Down, [29, 3, 32], 29),
            (Shuffle::Down, [4, 3, 8], 7),
            (Shuffle::Down, [5, 3, 8], 5),
            (Shuffle::Xor, [5, 16, 32], 21),
            // Earlier segments can be read, later ones cannot.
            (Shuffle::Xor, [5, 16, 8], 5),
            (Shuffle::Xor, [21, 16, 8], 5),
        ] {
            assert_eq!(
                shuffle.source(lane, by, width),
                expected,
                "{shuffle:?} {lane} {by} {width}"
            );
        }
    }

    #[test]
    fn scans_begin_with_what_changes_nothing() {
        let values = [3, -4, 5];
        let results = |function: Joint| {
            let found = function.results(ScalarType::Int, &values, &[]);
            found.into_iter().map(Option::unwrap).collect::<Vec<_>>()
        };
        assert_eq!(results(Joint::ScanExclusive(Atomic::Add)), [0, 3, -1]);
        assert_eq!(results(Joint::ScanExclusive(Atomic::Min)), [i32::MAX.into(), 3, -4]);
        assert_eq!(results(Joint::ScanExclusive(Atomic::Max)), [i32::MIN.into(), 3, 3]);
        assert_eq!(results(Joint::ScanInclusive(Atomic::Max)), [3, 3, 5]);
        assert_eq!(results(Joint::Reduce(Atomic::Min)), [-4; 3]);
        assert_eq!(Joint::MatchAny.results(ScalarType::Int, &[7, 8, 7], &[])[0], Some(5));
        assert_eq!(Joint::Ballot.results(ScalarType::Int, &[0, 8, 7], &[])[0], Some(6));
    }
}
