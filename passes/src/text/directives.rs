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
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};

/// The pass.
pub(crate) struct Directives;

impl Pass for Directives {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "directives",
            "Remove #include, #define, #undef, #pragma and the like",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
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
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn continued_lines_go_as_one() {
        assert_reduces(
            &Directives,
            Language::C,
            "#define A \\\n 1\n#pragma once\n#if 1\n#include \"a.h\"\n#endif\nint x;",
            &["once"],
            "#pragma once\n#if 1\n#endif\nint x;",
        );
    }
}
