//! Removes line markers that say nothing new, with blank lines and indentation, from a preprocessed program.
//!
//! A tenth of such a program is markers from one header to the next, and another tenth is indentation. Markers stay where
//! the file that was compiled begins or ends, and where headers of the system do.
//!
//! before:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "x.h" 1 3
//!
//! # 1 "y.h" 1 3
//! namespace n {
//!   int y;
//! }
//! # 3 "x.h" 2 3
//! # 2 "a.cc" 2
//! int main() {}
//! ```
//! after:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "x.h" 1 3
//! namespace n {
//! int y;
//! }
//! # 2 "a.cc" 2
//! int main() {}
//! ```

use std::ops::Range;

use clreduce_language::NodeKind;
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Tokens, Unit, line_markers, without_effect};
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct CppLayout;

impl Pass for CppLayout {
    fn info(&self) -> PassInfo {
        let about = "Remove line markers that say nothing new, blank lines and indentation";
        PassInfo::new("cpp-layout", about, CPP)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let markers = line_markers(Tokens::of(snapshot, unit.file));
            let markers = without_effect(unit.bytes, &markers);
            // The size order does not see white space, so it goes only with something else.
            if !markers.is_empty() {
                let edits = superfluous(unit, &markers).into_iter();
                let patch = Patch::new(edits.map(|range| Edit::delete(unit.file, range)).collect());
                proposals.extend(patch.map(Proposal::new));
            }
        }
    }
}

/// The lines of some markers, blank lines and indentation, in order and apart from each other.
fn superfluous(unit: Unit<'_>, markers: &[Range<usize>]) -> Vec<Range<usize>> {
    let is_one =
        |&id: &NodeId| matches!(unit.tree.kind(id), NodeKind::RawStringLiteral | NodeKind::Comment);
    let whole = unit.tree.ids().filter(is_one).map(|id| unit.tree.range(id));
    let mut whole = whole.peekable();
    let mut markers = markers.iter().peekable();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let (mut start, mut is_continued) = (0, false);
    for line in unit.bytes.split_inclusive(|&byte| byte == b'\n') {
        let end = start + line.len();
        while whole.next_if(|range| range.end <= start).is_some() {}
        let is_inside = whole.peek().is_some_and(|range| range.start < start);
        let text = line.trim_ascii_start();
        let is_marker = markers.next_if(|marker| marker.start < end).is_some();
        let length = if is_marker { line.len() } else { line.len() - text.len() };
        if length > 0 && !is_inside && !is_continued {
            match ranges.last_mut().filter(|last| last.end == start) {
                Some(last) => last.end = start + length,
                None => ranges.push(start..start + length),
            }
        }
        is_continued = line.trim_ascii_end().ends_with(b"\\");
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn what_is_inside_strings_and_comments_or_continues_a_line_stays() {
        let source = "# 1 \"a.cc\"\n# 2 \"a.cc\"\n  const char *s = R\"(\n\n  x)\";\n/*\n  c */\n#define A \\\n  1\n\n  int a;\n";
        let left = reduce_with(&CppLayout, source, Language::CPP, |_| true);
        let expected = "# 1 \"a.cc\"\nconst char *s = R\"(\n\n  x)\";\n/*\n  c */\n#define A \\\n  1\nint a;\n";
        assert_eq!(left, expected);
    }

    #[test]
    fn markers_of_the_main_file_and_of_system_headers_stay() {
        let source = "# 1 \"a.cc\"\n# 1 \"x.h\" 1\n# 1 \"y.h\" 1 3\n# 1 \"z.h\" 1 3\nint z;\n# 2 \"y.h\" 2 3\n# 2 \"x.h\" 2\n  int x;\n# 2 \"a.cc\" 2\nint a;\n";
        let left = reduce_with(&CppLayout, source, Language::CPP, |_| true);
        let expected = "# 1 \"a.cc\"\n# 1 \"x.h\" 1\n# 1 \"y.h\" 1 3\nint z;\n# 2 \"x.h\" 2\nint x;\n# 2 \"a.cc\" 2\nint a;\n";
        assert_eq!(left, expected);
    }

    #[test]
    fn a_program_without_markers_is_left_alone() {
        let left = reduce_with(&CppLayout, "\n  int a;\n", Language::CPP, |_| true);
        assert_eq!(left, "\n  int a;\n");
    }
}
