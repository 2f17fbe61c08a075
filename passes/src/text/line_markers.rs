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

use clreduce_testcase::{Edit, Language};

use super::view::directives;
use crate::Snapshot;
use crate::pass::{PARSED, Pass, Proposal};
use crate::tokens::unit::Tokens;

/// The pass.
pub(crate) struct LineMarkers;

impl Pass for LineMarkers {
    fn name(&self) -> &'static str {
        "line-markers"
    }

    fn about(&self) -> &'static str {
        "Remove line markers"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        for unit in Tokens::all(snapshot) {
            for directive in directives(unit) {
                if matches!(directive.name, b"" | b"line") {
                    proposals.push(Proposal::edit(Edit::delete(unit.file, directive.line)));
                }
            }
        }
        proposals
    }
}
