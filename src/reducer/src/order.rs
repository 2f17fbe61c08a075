//! The condition that a variant must meet to be worth a test.

use clreduce_passes::{Phase, Row};
use clreduce_testcase::{Size, TestCase};

/// Returns whether only the tokens of a row's variants count: names and layout do not show in the size order.
pub(crate) fn compares_tokens(row: &Row) -> bool {
    row.phase == Phase::Finish || row.pass.layout_only
}

/// Returns whether a variant is strictly smaller than the current test case.
pub(crate) fn is_smaller((variant, size): (&TestCase, &Size), current: &(TestCase, Size)) -> bool {
    size.cmp(&current.1).then_with(|| Size::tie_break(variant, &current.0)).is_lt()
}
