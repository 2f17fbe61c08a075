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
use crate::analysis::{Tokens, begins_system_header, line_markers, without_effect};
use crate::pass::{PREPROCESSED, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("line-markers", "Remove line markers", PREPROCESSED, propose);

/// Up to this number, line markers are tried one by one as well.
const MOST_SINGLE: usize = 64;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::all(snapshot) {
        let lines = line_markers(unit);
        let edit = |line: &Range<usize>| Edit::delete(unit.file, line.clone());
        let whole = [lines.clone(), without_effect(unit.bytes, &lines)];
        for (lines, list) in whole.iter().zip(0..).filter(|(lines, _)| lines.len() > 1) {
            let patch = Patch::new(lines.iter().map(edit).collect());
            proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
        }
        // Single ones of many are not worth their tests: other passes remove them once the program is small. What ends a
        // header of the system stays as long as what begins it: compilers would not warn of what follows.
        let is_system = |line: &Range<usize>| begins_system_header(&unit.bytes[line.clone()]);
        let before = std::iter::once(false).chain(lines.iter().map(is_system));
        let single = lines.iter().zip(before).filter(|_| lines.len() <= MOST_SINGLE);
        let single =
            single.filter(|(line, before)| !before || is_system(line)).map(|(line, _)| line);
        proposals.extend(single.map(|line| Proposal::edit(edit(line)).in_list(2)));
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn own_code_does_not_become_a_header_of_the_system() {
        let source = "# 1 \"a.c\"\n# 1 \"x.h\" 1 3\nint x;\n# 2 \"a.c\" 2\nint a;\n";
        let left = reduce_with(&PASS, source, Language::C, |text| text.contains("x.h"));
        assert_eq!(left, "# 1 \"x.h\" 1 3\nint x;\n# 2 \"a.c\" 2\nint a;\n");
    }
}
