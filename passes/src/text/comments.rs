//! Removes comments, all but the one that says how a kernel is launched.
//!
//! before:
//! ```c
//! int x; /* a */ int y; // b
//! ```
//! after:
//! ```c
//! int x; /* a */ int y;
//! ```

use clreduce_testcase::{Edit, Feature};

use crate::Snapshot;
use crate::analysis::{Tokens, comments, launch_comment};
use crate::pass::{Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("comments", "Remove comments", &[Feature::Comments], propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::all(snapshot) {
        let launch = launch_comment(unit.bytes);
        for comment in comments(unit) {
            if comment.range.start >= launch.end {
                proposals.push(Proposal::edit(Edit::delete(unit.file, comment.range)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn comments_go_and_line_breaks_and_strings_stay() {
        let source = "// -g 4 -l 2\r\nint/**/x; // b\r\nchar *s = \"/* no */\"; /* c\n */";
        let left = reduce_with(&PASS, source, Language::OPENCL, |_| true);
        assert_eq!(left, "// -g 4 -l 2\r\nint x; \r\nchar *s = \"/* no */\"; ");
    }
}
