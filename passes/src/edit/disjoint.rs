//! Edits of one patch that were found independently.

use clreduce_testcase::Edit;

/// The edits of one file in order, without those that begin inside of another.
pub(crate) fn disjoint(mut edits: Vec<Edit>) -> Vec<Edit> {
    let mut end = 0;
    edits.sort_by_key(|edit| (edit.start, std::cmp::Reverse(edit.end)));
    edits.retain(|edit| {
        let is_apart = edit.start >= end;
        end = end.max(edit.end);
        is_apart
    });
    edits
}
