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

use clreduce_testcase::Edit;

use crate::Snapshot;
use crate::analysis::{Tokens, directives};
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};

/// The pass.
pub(crate) struct LineMarkers;

impl Pass for LineMarkers {
    fn info(&self) -> PassInfo {
        PassInfo::new("line-markers", "Remove line markers", PARSED)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Tokens::all(snapshot) {
            for directive in directives(unit) {
                if matches!(directive.name, b"" | b"line") {
                    proposals.push(Proposal::edit(Edit::delete(unit.file, directive.line)));
                }
            }
        }
    }
}
