//! The condition that a variant must meet to be worth a test.

use clreduce_passes::{Phase, Row};
use clreduce_testcase::{Size, TestCase};

/// The number of tokens that a grown variant may have more than the current test case.
const MOST_GROWTH: usize = 200;

/// The condition on a variant, compared with the current test case, for it to be tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SizeRule {
    /// Strictly smaller.
    Smaller,
    /// Not more tokens. Names and layout do not show in the size order.
    TokensOnly,
    /// Not much larger.
    MayGrow,
}

impl SizeRule {
    /// The order that the variants of a row are held to.
    pub(crate) fn of(row: &Row) -> Self {
        match row.phase {
            _ if row.policy.nested => Self::MayGrow,
            Phase::Finish => Self::TokensOnly,
            _ if row.info().layout_only => Self::TokensOnly,
            _ => Self::Smaller,
        }
    }

    /// Returns whether a variant may be tested.
    pub(crate) fn allows(
        self,
        (variant, size): (&TestCase, &Size),
        current: &(TestCase, Size),
    ) -> bool {
        match self {
            Self::Smaller => is_smaller((variant, size), current),
            Self::TokensOnly => size.tokens <= current.1.tokens,
            Self::MayGrow => {
                size.work_items <= current.1.work_items
                    && size.tokens <= current.1.tokens + MOST_GROWTH
            }
        }
    }
}

/// Returns whether a variant is strictly smaller than the current test case.
pub(crate) fn is_smaller((variant, size): (&TestCase, &Size), current: &(TestCase, Size)) -> bool {
    size.cmp(&current.1).then_with(|| Size::tie_break(variant, &current.0)).is_lt()
}
