//! Keeps one side of a conditional of the preprocessor.
//!
//! before:
//! ```c
//! #if A
//! int a;
//! #else
//! int b;
//! #endif
//! ```
//! after:
//! ```c
//! int b;
//! ```

use std::ops::Range;

use clreduce_testcase::{Edit, Patch};

use crate::Snapshot;
use crate::analysis::{Tokens, directives};
use crate::budget::Budget;
use crate::pass::{PREPROCESSED, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("conditionals", "Keep one side of #if, #ifdef and #ifndef", PREPROCESSED, propose);

/// Sides of one conditional that are tried; each is a list of its own.
const SIDES: Budget = Budget::new("sides of one #if", 4);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::all(snapshot) {
        let mut open: Vec<Vec<Range<usize>>> = Vec::new();
        for directive in directives(unit) {
            if directive.name.starts_with(b"if") {
                open.push(vec![directive.line]);
            } else if directive.name.starts_with(b"el") {
                if let Some(lines) = open.last_mut() {
                    lines.push(directive.line);
                }
            } else if directive.name == b"endif"
                && let Some(mut lines) = open.pop()
            {
                lines.push(directive.line);
                let level = open.len() * proposals.limit(&SIDES);
                let sides = proposals.limited(&SIDES, 0..lines.len() - 1);
                let sides = sides.into_iter().filter_map(|side| {
                    let patch = keep_side(unit.file, &lines, side)?;
                    Some(Proposal::new(patch).in_list((level + side) as u32))
                });
                proposals.extend(sides);
            }
        }
    }
}

/// Removes everything but what stands between two of the lines. A blank takes its place, so that
/// patches for different sides contradict each other instead of removing both.
fn keep_side(file: usize, lines: &[Range<usize>], side: usize) -> Option<Patch> {
    let (kept_from, kept_to) = (lines[side].end, lines[side + 1].start);
    let blank = |range| Edit::replace(file, range, b" ".as_slice());
    Patch::new(vec![blank(lines[0].start..kept_from), blank(kept_to..lines[lines.len() - 1].end)])
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(keep: &[&str], after: &str) {
        let before = "#ifdef A\nint a;\n#elif B\n#if C\nint c;\n#endif\nint b;\n#endif\nint d;";
        assert_reduces(&PASS, Language::C, before, keep, after);
    }

    #[test]
    fn one_side_stays() {
        check(&["int a;"], "int a; int d;");
        check(&["int c;"], "int c; int b; int d;");
    }
}
