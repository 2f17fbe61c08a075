//! Leaves out `int` where old C implies it: of functions, of variables of file scope, and of all
//! parameters of a definition together.
//!
//! What is left is hard to read for every other pass, so this comes when they are done.
//!
//! before:
//! ```c
//! int x; int f(int a, int b) { const int c; return a; }
//! ```
//! after:
//! ```c
//! x; f(a, b) { const c; return a; }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Feature, Patch};

use crate::analysis::Unit;
use crate::pass::{Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct ImplicitInt;

impl Pass for ImplicitInt {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "implicit-int",
            "Leave out int where old C implies it",
            &[Feature::ImplicitDeclarations],
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            for (id, kind) in unit.sound() {
                let patch = match kind {
                    NodeKind::Declaration | NodeKind::FunctionDefinition => alone(unit, id),
                    NodeKind::ParameterList => parameters(unit, id),
                    _ => None,
                };
                proposals.extend(patch.map(Proposal::new));
            }
        }
    }
}

/// The only type of a declaration, if it is `int`.
fn int(unit: Unit<'_>, declaration: NodeId) -> Option<NodeId> {
    unit.tree.field(declaration, NodeField::Type).filter(|&kind| unit.text(kind) == b"int")
}

/// `int x;` becomes `x;` outside functions; inside, something else must say that it is a declaration.
fn alone(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let kind = int(unit, id)?;
    let is_outside = tree.node(id).parent == NodeId(0);
    let is_qualified = || {
        tree.children(id).any(|child| {
            matches!(tree.kind(child), NodeKind::TypeQualifier | NodeKind::StorageClassSpecifier)
        })
    };
    tree.field(id, NodeField::Declarator)?;
    (is_outside || is_qualified()).then(|| Patch::single(unit.delete(tree.range(kind))))
}

/// `f(int a, int b) {` becomes `f(a, b) {`; a list of names cannot hold a type as well.
fn parameters(unit: Unit<'_>, list: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let declarator = tree.node(list).parent;
    let is_definition = tree.kind(tree.node(declarator).parent) == NodeKind::FunctionDefinition;
    let removal = |parameter: NodeId| {
        let name = tree.field(parameter, NodeField::Declarator)?;
        let whole = tree.named_children(parameter).count() == 2;
        let is_plain = whole && tree.kind(name) == NodeKind::Identifier;
        let kind = int(unit, parameter).filter(|_| is_plain)?;
        Some(unit.delete(tree.range(kind)))
    };
    let edits: Option<Vec<_>> =
        tree.named_children(list).take_while(|_| is_definition).map(removal).collect();
    Patch::new(edits?).filter(|patch| !patch.is_empty())
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_where_it_is_implied() {
        let check = |before: &str, keep: &str, after: &str| {
            assert_reduces(&ImplicitInt, Language::C, before, &[keep], after);
        };
        check("int *p, f(int); int g(int a, int b) { }", "", "*p, f(int); g(a, b) { }");
        let mixed = "int f(int a, char b) { static int c; int d; }";
        check(mixed, "int f", "int f(int a, char b) { static c; int d; }");
        let other = "unsigned x; int f(void) { return (int)x; }";
        check(other, "", "unsigned x; f(void) { return (int)x; }");
    }
}
