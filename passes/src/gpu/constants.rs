//! Puts a literal in place of every element that is read of a constant array or variable of file scope, and
//! removes the array.
//!
//! before:
//! ```cl
//! __constant int t[2][2] = { { 7, 8 }, { 9, 10 } }; int f(int i) { return t[i][1]; }
//! ```
//! after:
//! ```cl
//! int f(int i) { return 7; }
//! ```

use clreduce_language::{NodeField, NodeKind, Type};
use clreduce_testcase::{Edit, Patch};

use crate::edit::remove_declaration;
use crate::pass::{DEVICE, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, Symbol, SymbolKind, SyntaxTree};

pub(crate) const PASS: Pass = Pass::new(
    "constants",
    "Put literals in place of constant arrays of file scope",
    DEVICE,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let symbols = snapshot.symbols(file);
        let ids = symbols.ids().filter(|&id| symbols.get(id).kind == SymbolKind::Variable);
        let patches = ids.filter_map(|id| {
            let of = snapshot.types(file).of_symbol(id);
            Patch::new(to_literal(snapshot, file, symbols.get(id), of)?)
        });
        proposals.extend(patches.map(Proposal::new));
    }
}

fn to_literal(snapshot: &Snapshot, file: usize, symbol: &Symbol, of: Type) -> Option<Vec<Edit>> {
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    let [declaring] = symbol.declarations[..] else { return None };
    if symbol.opaque || symbol.scope != NodeId(0) || symbol.uses.is_empty() {
        return None;
    }
    let initialised =
        tree.ancestors(declaring).find(|&node| tree.kind(node) == NodeKind::InitDeclarator)?;
    let value = tree.field(initialised, NodeField::Value)?;
    let literal = tree.subtree(value).find(|&node| tree.kind(node) == NodeKind::NumberLiteral)?;
    let mut edits = vec![remove_declaration(tree, file, declaring)?];
    for &name in &symbol.uses {
        let read = element(tree, name, of.levels)?;
        edits.push(Edit::replace(file, tree.range(read), bytes[tree.range(literal)].to_vec()));
    }
    Some(edits)
}

/// The element that is read from an array through `levels` subscripts; `None` if the array is used in another way.
fn element(tree: &SyntaxTree, name: NodeId, levels: u8) -> Option<NodeId> {
    let mut at = name;
    for _ in 0..levels {
        let above = tree.parent(at)?;
        let is_subscript = tree.kind(above) == NodeKind::SubscriptExpression
            && tree.node(at).field == Some(NodeField::Argument);
        at = is_subscript.then_some(above)?;
    }
    let above = tree.parent(at)?;
    let changes = match tree.kind(above) {
        NodeKind::AssignmentExpression => tree.node(at).field == Some(NodeField::Left),
        NodeKind::UpdateExpression | NodeKind::PointerExpression | NodeKind::FieldExpression => {
            true
        }
        _ => false,
    };
    (!changes).then_some(at)
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
    fn variables_too() {
        check(
            "__constant int c = 5; int f(void) { return c + -c; }",
            "int f(void) { return 5 + -5; }",
        );
    }

    #[test]
    fn what_is_changed_or_pointed_to_stays() {
        for source in [
            "int c[2] = {1}; void f(void) { c[0] = 1; }",
            "int c[2] = {1}; int *f(void) { return &c[0]; }",
            "int c[2][2] = {{1}}; void f(void) { g(c[0]); }",
            "int c[2] = {1}; void f(void) { g(c); }",
        ] {
            check(source, source);
        }
    }
}
