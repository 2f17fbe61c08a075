//! Puts what a variable was set to in place of its uses.
//!
//! Only for variables set exactly once, by their initialiser or by one assignment that is a
//! statement, and whose address nobody takes.
//!
//! before:
//! ```c
//! int f(int a) { int x = a + 1; int y; y = 2; return x * y; }
//! ```
//! after:
//! ```c
//! int f(int a) { return (a + 1) * 2; }
//! ```

use clreduce_testcase::{Edit, Language, Patch};

use super::uses::{access_path, is_statement, remove_declaration, remove_expression};
use crate::pass::{PARSED, Pass, Proposal};
use crate::snapshot::Snapshot;
use crate::views::{NodeId, Symbol, SymbolKind, SyntaxTree};

/// See the [module](self).
pub struct Propagate;

impl Pass for Propagate {
    fn name(&self) -> &'static str {
        "propagate"
    }

    fn about(&self) -> &'static str {
        "Replace variables by the one value that they are set to"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        for file in 0..snapshot.file_count() {
            let symbols = snapshot.symbols(file);
            for id in symbols.ids() {
                let edits = propagate(snapshot, file, symbols.get(id));
                if let Some(patch) = edits.and_then(Patch::new) {
                    proposals.push(Proposal::new(patch));
                }
            }
        }
        proposals
    }
}

fn propagate(snapshot: &Snapshot, file: usize, symbol: &Symbol) -> Option<Vec<Edit>> {
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    let [declaring] = symbol.declarations[..] else { return None };
    if symbol.kind != SymbolKind::Variable || symbol.opaque || symbol.uses.is_empty() {
        return None;
    }
    let mut sets: Vec<(NodeId, Option<NodeId>)> = Vec::new();
    let mut reads = Vec::new();
    for &name in &symbol.uses {
        match assignment_to(tree, name)? {
            Some(assignment) => {
                sets.push((tree.field(assignment, "right")?, Some(assignment)));
            }
            None => reads.push(name),
        }
    }
    if let Some(value) = initialiser(tree, declaring) {
        sets.push((value, None));
    }
    let [(value, assignment)] = sets[..] else { return None };
    if tree.kind(value) == "initializer_list" || reads.is_empty() {
        return None;
    }
    let mut edits = vec![remove_declaration(tree, file, declaring)?];
    if let Some(assignment) = assignment {
        edits.push(remove_expression(tree, file, assignment));
    }
    for name in reads {
        let text = as_operand(tree, value, &bytes[tree.range(value)]);
        edits.push(Edit::replace(file, tree.range(name), text));
    }
    Some(edits)
}

/// The value a declarator gives to the variable.
fn initialiser(tree: &SyntaxTree, declaring: NodeId) -> Option<NodeId> {
    let parent = tree.parent(declaring)?;
    (tree.kind(parent) == "init_declarator").then(|| tree.field(parent, "value")).flatten()
}

/// `Some(Some(_))`: the use is the target of this plain assignment, a statement of its own.
/// `Some(None)`: the use only reads. `None`: it is changed in another way, or its address escapes.
#[expect(clippy::option_option, reason = "three cases, told apart by one caller")]
fn assignment_to(tree: &SyntaxTree, name: NodeId) -> Option<Option<NodeId>> {
    let path = access_path(tree, name);
    let parent = tree.parent(path)?;
    let is_target = tree.node(path).field == Some("left");
    match tree.kind(parent) {
        "assignment_expression" if is_target => {
            let plain = path == name
                && is_statement(tree, parent)
                && tree.field(parent, "operator").is_none_or(|op| tree.kind(op) == "=");
            if !plain {
                // Through a pointer the variable itself is only read.
                let through = tree.ancestors(name).take_while(|&node| node != parent).any(|node| {
                    tree.kind(node) == "pointer_expression"
                        || tree.children(node).any(|child| tree.kind(child) == "->")
                });
                return through.then_some(None);
            }
            Some(Some(parent))
        }
        "update_expression" if path == name => None,
        _ => {
            let address = tree.parent(name).is_some_and(|above| {
                tree.kind(above) == "pointer_expression"
                    && tree.field(above, "operator").is_some_and(|op| tree.kind(op) == "&")
            });
            (!address).then_some(None)
        }
    }
}

/// A text that can stand where an identifier stood.
pub(super) fn as_operand(tree: &SyntaxTree, value: NodeId, text: &[u8]) -> Vec<u8> {
    let is_primary = matches!(
        tree.kind(value),
        "identifier"
            | "number_literal"
            | "char_literal"
            | "string_literal"
            | "call_expression"
            | "parenthesized_expression"
            | "subscript_expression"
            | "field_expression"
    );
    if is_primary { text.to_vec() } else { [b"(", text, b")"].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn values_take_the_place_of_variables() {
        let source = "int f(int a) { int x = a + 1; int y; y = 2; int z = 1; z++; int *p = &z; return x * y; }";
        assert_eq!(
            reduce_with(&Propagate, source, Language::C, |_| true),
            "int f(int a) {    int z = 1; z++; int *p = &z; return (a + 1) * 2; }"
        );
    }
}
