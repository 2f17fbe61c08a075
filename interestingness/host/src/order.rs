//! The order in which the host runs groups and work-items.

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The order in which groups run, and the work-items of a group between two barriers. The same order of the same
/// program gives the same result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By their numbers.
    #[default]
    Forward,
    /// The highest number first.
    Reverse,
    /// A permutation that follows from this seed; another one after each barrier.
    Shuffled(u64),
}

impl Order {
    /// The word for the run-time; it needs none for the usual order.
    pub(crate) fn word(self) -> Option<OsString> {
        match self {
            Self::Forward => None,
            Self::Reverse => Some("order:reverse".into()),
            Self::Shuffled(seed) => Some(format!("order:{seed}").into()),
        }
    }
}

/// A text that names no order.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("an order is `reverse` or a number, the seed of a random order")]
pub struct UnknownOrder;

/// As users write an order that is not the usual one: `reverse`, or the seed of a permutation.
impl FromStr for Order {
    type Err = UnknownOrder;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "reverse" => Ok(Self::Reverse),
            seed => seed.parse().map(Self::Shuffled).map_err(|_| UnknownOrder),
        }
    }
}

/// As in "groups and work-items run *in order*".
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forward => f.write_str("in order"),
            Self::Reverse => f.write_str("in reverse order"),
            Self::Shuffled(seed) => write!(f, "in the random order {seed}"),
        }
    }
}
