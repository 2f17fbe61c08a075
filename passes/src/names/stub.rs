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

use clreduce_testcase::Edit;

use crate::analysis::{functions, token_count};
use crate::edit::stub_of;
use crate::pass::{C_LIKE, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass =
    Pass::new("stub-bodies", "Empty function bodies, but for a return of zero", C_LIKE, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for function in functions(snapshot, proposals) {
        let range = snapshot.tree(function.file).range(function.body);
        let stub = stub_of(snapshot, &function);
        let stub_tokens = clreduce_testcase::count_tokens(&stub);
        if token_count(snapshot, function.file, function.body) > stub_tokens {
            proposals.push(Proposal::edit(Edit::replace(function.file, range, stub)));
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn keeps_a_return_where_something_is_returned() {
        let source =
            "int f(int x) { x++; return x; } void *p(void) { for (;;) ; } void g(void) { f(1); }";
        assert_eq!(
            reduce_with(&PASS, source, Language::C, |_| true),
            "int f(int x) { return 0; } void *p(void) { return 0; } void g(void) { }"
        );
        let source = "typedef struct { int a; } S; S f(void) { S s; s.a = 1; g(); return s; } S *p(void) { g(); }";
        assert_eq!(
            reduce_with(&PASS, source, Language::C, |_| true),
            "typedef struct { int a; } S; S f(void) { static S r; return r; } S *p(void) { return 0; }"
        );
    }
}
