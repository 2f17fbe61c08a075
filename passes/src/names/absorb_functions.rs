//! Moves the statements of a function without calls into its neighbour.
//!
//! before:
//! ```c
//! int x; void f(void) { x = x >> 1; } int main(void) { return x; }
//! ```
//! after:
//! ```c
//! int x; int main(void) { x = x >> 1; return x; }
//! ```

use clreduce_language::{NodeKind, SymbolKind, is_entry};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Function, functions};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "absorb-functions",
    "Move the statements of functions that are never called into their neighbours",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let functions = functions(snapshot, proposals);
    let neighbour = |at: usize| functions.get(at + 1).or_else(|| functions.get(at.checked_sub(1)?));
    let pairs = functions.iter().enumerate().filter_map(|(at, one)| Some((one, neighbour(at)?)));
    let edits = pairs.filter_map(|(one, other)| absorb(snapshot, one, other));
    proposals.extend(edits.filter_map(Patch::new).map(Proposal::new));
}

/// The edits that leave of a function nothing but its statements, first in another one.
fn absorb(snapshot: &Snapshot, function: &Function, into: &Function) -> Option<Vec<Edit>> {
    let file = function.file;
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    let symbols = snapshot.symbols(file);
    let calls_it = || tree.subtree(function.body).any(|node| symbols.of(node) == Some(into.symbol));
    if into.file != file || !is_spare(snapshot, function) || calls_it() {
        return None;
    }
    let declares =
        tree.named_children(function.body).any(|child| tree.kind(child) == NodeKind::Declaration);
    let body = tree.range(function.body);
    // Its own names stay its own.
    let moved = if declares { body } else { body.start + 1..body.end.checked_sub(1)? };
    let first = tree.range(into.body).start + 1;
    let mut text = vec![b' '];
    text.extend_from_slice(bytes.get(moved)?);
    let mut edits = vec![
        Edit::delete(file, tree.range(function.definition)),
        Edit::replace(file, first..first, text),
    ];
    edits.sort_by_key(|edit| edit.start);
    Some(edits)
}

/// Returns true if only its statements matter of a function: no code calls it, nor can code outside of the program,
/// it uses none of its parameters, and it does not return.
fn is_spare(snapshot: &Snapshot, function: &Function) -> bool {
    let (tree, symbols) = (snapshot.tree(function.file), snapshot.symbols(function.file));
    let bytes = snapshot.bytes(function.file);
    let symbol = symbols.get(function.symbol);
    let head = tree.range(function.definition).start..tree.range(function.body).start;
    let is_entry = is_entry(tree, bytes, function.definition);
    let uses_parameter = || {
        tree.subtree(function.body).filter_map(|node| symbols.of(node)).any(|id| {
            let used = symbols.get(id);
            used.kind == SymbolKind::Parameter
                && head.contains(&tree.range(used.declarations[0]).start)
        })
    };
    let returns =
        || tree.subtree(function.body).any(|node| tree.kind(node) == NodeKind::ReturnStatement);
    !symbol.opaque
        && symbol.uses.is_empty()
        && symbol.declarations.len() == 1
        && !is_entry
        && tree.is_sound(function.definition)
        && !returns()
        && !uses_parameter()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        assert_reduces(&PASS, Language::OPENCL, before, &[], after);
    }

    #[test]
    fn only_what_nobody_calls_and_needs_nothing() {
        check(
            "int x; void f() { x = 1; } kernel void k() { x = 2; }",
            "int x; kernel void k() { x = 1; x = 2; }",
        );
        check(
            "kernel void k() { } void f(int a) { int b = 1; }",
            "kernel void k() { { int b = 1; } }",
        );
        for kept in [
            "void f() { } void g() { f(); }",
            "int f() { return 1; } kernel void k() { }",
            "void f(int a) { a = 1; } kernel void k() { }",
            "kernel void k() { } kernel void l() { }",
        ] {
            check(kept, kept);
        }
    }
}
