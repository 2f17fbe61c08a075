//! Removes line markers, which a preprocessor left behind.
//!
//! before:
//! ```c
//! # 1 "a.h" 1
//! #line 7
//! int x;
//! ```
//! after:
//! ```c
//! # 1 "a.h" 1
//! int x;
//! ```

use std::ops::Range;

use clreduce_testcase::{Edit, Patch};

use crate::Snapshot;
use crate::analysis::{Tokens, line_markers, without_effect};
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};

/// The pass.
pub(crate) struct LineMarkers;

/// So many line markers are tried one by one.
const MOST_SINGLE: usize = 64;

impl Pass for LineMarkers {
    fn info(&self) -> PassInfo {
        PassInfo::new("line-markers", "Remove line markers", PARSED)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Tokens::all(snapshot) {
            let lines = line_markers(unit);
            let edit = |line: &Range<usize>| Edit::delete(unit.file, line.clone());
            let whole = [lines.clone(), without_effect(unit.bytes, &lines)];
            for (lines, list) in whole.iter().zip(0..).filter(|(lines, _)| lines.len() > 1) {
                let patch = Patch::new(lines.iter().map(edit).collect());
                proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
            }
            // Single ones of many are not worth their tests: other passes remove them once the program is small.
            let single = lines.iter().filter(|_| lines.len() <= MOST_SINGLE);
            proposals.extend(single.map(|line| Proposal::edit(edit(line)).in_list(2)));
        }
    }
}
