//! Empties function bodies.
//!
//! A function that returns something keeps one `return`, so that its callers stay valid.
//!
//! before:
//! ```c
//! int f(int x) { x++; return x; } void g(void) { f(1); }
//! ```
//! after:
//! ```c
//! int f(int x) { return 0; } void g(void) { }
//! ```

use clreduce_testcase::{Edit, Language};

use super::functions::{functions, returns_void, token_count};
use crate::pass::{PARSED, Pass, Proposal};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub struct StubBodies;

impl Pass for StubBodies {
    fn name(&self) -> &'static str {
        "stub-bodies"
    }

    fn about(&self) -> &'static str {
        "Empty function bodies, but for a return of zero"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        for function in functions(snapshot) {
            let range = snapshot.tree(function.file).range(function.body);
            let stub: &[u8] =
                if returns_void(snapshot, &function) { b"{ }" } else { b"{ return 0; }" };
            let stub_tokens = clreduce_testcase::count_tokens(stub);
            if token_count(snapshot, function.file, function.body) > stub_tokens {
                proposals.push(Proposal::edit(Edit::replace(function.file, range, stub)));
            }
        }
        proposals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn keeps_a_return_where_something_is_returned() {
        let source =
            "int f(int x) { x++; return x; } void *p(void) { for (;;) ; } void g(void) { f(1); }";
        assert_eq!(
            reduce_with(&StubBodies, source, Language::C, |_| true),
            "int f(int x) { return 0; } void *p(void) { return 0; } void g(void) { }"
        );
    }
}
