//! Makes functions return nothing, where nobody uses what they return.
//!
//! before:
//! ```c
//! int f(int x) { if (x) return g(); return 0; } void h(void) { f(1); }
//! ```
//! after:
//! ```c
//! void f(int x) { if (x) return; } void h(void) { f(1); }
//! ```

use clreduce_language::{NodeField, NodeKind, declared_by};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Function, calls, functions};
use crate::edit::is_whole_statement;
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub(crate) struct ReturnToVoid;

impl Pass for ReturnToVoid {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "return-to-void",
            "Make functions return nothing if no caller uses the value",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let functions = functions(snapshot, proposals);
        let edits = functions.iter().filter_map(|function| to_void(snapshot, function));
        proposals.extend(edits.filter_map(Patch::new).map(Proposal::new));
    }
}

fn to_void(snapshot: &Snapshot, function: &Function) -> Option<Vec<Edit>> {
    let file = function.file;
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let symbol = symbols.get(function.symbol);
    let is_main = &bytes[tree.range(function.name)] == b"main";
    let ignored = |calls: Vec<_>| calls.into_iter().all(|call| is_whole_statement(tree, call));
    if symbol.opaque || is_main || !calls(snapshot, file, function.symbol).is_some_and(ignored) {
        return None;
    }
    let mut edits = Vec::new();
    for &name in &symbol.declarations {
        let declaration = declared_by(tree, name)?;
        let kind = tree.field(declaration, NodeField::Type)?;
        if &bytes[tree.range(kind)] == b"void"
            || tree.fields(declaration, NodeField::Declarator).count() > 1
        {
            return None;
        }
        // From the type to the name: pointers that are returned go with it, and parentheses stay.
        let parentheses = tree
            .ancestors(name)
            .take_while(|&node| tree.kind(node) == NodeKind::ParenthesizedDeclarator);
        let declared = parentheses.last().unwrap_or(name);
        let range = tree.range(kind).start..tree.range(declared).start;
        edits.push(Edit::replace(file, range, b"void ".as_slice()));
    }
    let declared = edits.len();
    let last = tree.named_children(function.body).last();
    for node in tree.subtree(function.body) {
        if tree.kind(node) == NodeKind::ReturnStatement {
            let range = tree.range(node);
            edits.push(match tree.named_children(node).next() {
                _ if Some(node) == last => Edit::delete(file, range),
                Some(value) => {
                    let keyword = range.start + b"return".len();
                    Edit::delete(file, keyword..tree.range(value).end)
                }
                None => continue,
            });
        }
    }
    (edits.len() > declared).then_some(edits)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_what_nobody_uses() {
        let check = |before: &str, after: &str| {
            assert_reduces(&ReturnToVoid, Language::C, before, &[], after);
        };
        check(
            "static int *f(int); static int *f(int x) { if (x) return a; b(); return 0; }",
            "static void f(int); static void f(int x) { if (x) return; b(); }",
        );
        check(
            "int *(f)(int x) { return 0; } void g(void) { f(1); }",
            "void (f)(int x) { } void g(void) { f(1); }",
        );
        let used = "int f(void) { return 1; } int main(void) { return f(); }";
        check(used, used);
    }
}
