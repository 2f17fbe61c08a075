//! Removes directives of one line: `#include`, `#define`, `#undef`, `#pragma`, `#error`, ...
//!
//! before:
//! ```c
//! #include <stdio.h>
//! #define N 4
//! int x[N];
//! ```
//! after:
//! ```c
//! #define N 4
//! int x[N];
//! ```

use clreduce_testcase::Edit;

use crate::Snapshot;
use crate::analysis::{Tokens, directives};
use crate::pass::{PREPROCESSED, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "directives",
    "Remove #include, #define, #undef, #pragma and the like",
    PREPROCESSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::all(snapshot) {
        for directive in directives(unit) {
            // Conditionals and line markers have passes of their own.
            let has_parts = directive.name.starts_with(b"if")
                || directive.name.starts_with(b"el")
                || matches!(directive.name, b"" | b"line" | b"endif");
            if !has_parts {
                proposals.push(Proposal::edit(Edit::delete(unit.file, directive.line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::{assert_reduces, check};

    #[test]
    fn a_comment_that_ends_on_another_line_holds_a_directive() {
        check(&PASS, b"#pragma pack(1) /* a\n b c */\nint x;\n#pragma once /* a */\n", Language::C);
    }

    #[test]
    fn continued_lines_go_as_one() {
        assert_reduces(
            &PASS,
            Language::C,
            "#define A \\\n 1\n#pragma once\n#if 1\n#include \"a.h\"\n#endif\nint x;",
            &["once"],
            "#pragma once\n#if 1\n#endif\nint x;",
        );
    }
}
