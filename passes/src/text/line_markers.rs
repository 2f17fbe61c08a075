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
use crate::analysis::{Tokens, directives};
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
            let markers = directives(unit).into_iter();
            let markers = markers.filter(|directive| matches!(directive.name, b"" | b"line"));
            let lines: Vec<Range<usize>> = markers.map(|directive| directive.line).collect();
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

/// The line markers that do not change whether what follows is from a header of the system, in which compilers do not warn.
fn without_effect(bytes: &[u8], lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut is_system = false;
    let has_no_effect = |line: &&Range<usize>| {
        let words = bytes[(*line).clone()].rsplit(|&byte| byte == b'"').next().unwrap_or_default();
        let mut flags = words.split(u8::is_ascii_whitespace);
        let now = flags.any(|flag| flag == b"3");
        std::mem::replace(&mut is_system, now) == now
    };
    lines.iter().filter(has_no_effect).cloned().collect()
}
