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

use std::borrow::Cow;

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::Edit;

use crate::analysis::{Function, functions, returns_void, token_count};
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub(crate) struct StubBodies;

impl Pass for StubBodies {
    fn info(&self) -> PassInfo {
        PassInfo::new("stub-bodies", "Empty function bodies, but for a return of zero", PARSED)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for function in functions(snapshot, proposals) {
            let range = snapshot.tree(function.file).range(function.body);
            let stub = stub_of(snapshot, &function);
            let stub_tokens = clreduce_testcase::count_tokens(&stub);
            if token_count(snapshot, function.file, function.body) > stub_tokens {
                proposals.push(Proposal::edit(Edit::replace(function.file, range, stub)));
            }
        }
    }
}

/// The smallest body that is valid for the function's type.
fn stub_of(snapshot: &Snapshot, function: &Function) -> Cow<'static, [u8]> {
    if returns_void(snapshot, function) {
        return Cow::Borrowed(b"{ }");
    }
    match returned_aggregate(snapshot, function) {
        // Static, so that what is returned has a value.
        Some(kind) => {
            let kind = &snapshot.bytes(function.file)[snapshot.tree(function.file).range(kind)];
            Cow::Owned([b"{ static ", kind, b" r; return r; }"].concat())
        }
        None => Cow::Borrowed(b"{ return 0; }"),
    }
}

/// The type of a function that returns a structure or union by value.
fn returned_aggregate(snapshot: &Snapshot, function: &Function) -> Option<NodeId> {
    let tree = snapshot.tree(function.file);
    let declarator = tree.field(function.definition, NodeField::Declarator)?;
    if tree.kind(declarator) != NodeKind::FunctionDeclarator {
        return None; // a pointer to something
    }
    let kind = tree.field(function.definition, NodeField::Type)?;
    let mut at = kind;
    // A chain of typedefs is as long as the program at most.
    for _ in 0..tree.len() {
        match tree.kind(at) {
            NodeKind::StructSpecifier | NodeKind::UnionSpecifier => return Some(kind),
            NodeKind::TypeIdentifier => {
                let symbols = snapshot.symbols(function.file);
                let declaring = symbols.get(symbols.of(at)?).declarations[0];
                let definition = tree.parent(declaring)?;
                if tree.kind(definition) != NodeKind::TypeDefinition {
                    return None;
                }
                at = tree.field(definition, NodeField::Type)?;
            }
            _ => return None,
        }
    }
    None
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
            reduce_with(&StubBodies, source, Language::C, |_| true),
            "int f(int x) { return 0; } void *p(void) { return 0; } void g(void) { }"
        );
        let source = "typedef struct { int a; } S; S f(void) { S s; s.a = 1; g(); return s; } S *p(void) { g(); }";
        assert_eq!(
            reduce_with(&StubBodies, source, Language::C, |_| true),
            "typedef struct { int a; } S; S f(void) { static S r; return r; } S *p(void) { return 0; }"
        );
    }
}
