//! The text of a part of a program after edits in it.

use std::ops::Range;

use clreduce_testcase::{Edit, steps};

use crate::analysis::Unit;

/// The text of a range after edits in order. An edit that begins before the range, or inside of an earlier one, is left out.
pub(crate) fn edited(unit: Unit<'_>, range: Range<usize>, edits: &[Edit]) -> Vec<u8> {
    steps(range.len());
    let mut text = Vec::with_capacity(range.len());
    let mut at = range.start;
    for edit in edits {
        let place = edit.range();
        if place.start >= at {
            text.extend_from_slice(&unit.bytes[at..place.start]);
            text.extend_from_slice(&edit.text);
            at = place.end;
        }
    }
    text.extend_from_slice(&unit.bytes[at..range.end.max(at)]);
    text
}
