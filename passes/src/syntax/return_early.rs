//! Returns a value at once where it is only stored, compared or passed on.
//!
//! before:
//! ```c
//! int f(int x) { if (g(x)) y = 1; y = h(x); }
//! ```
//! after:
//! ```c
//! int f(int x) { return (g(x)); y = h(x); }
//! ```

use clreduce_language::{NodeField, NodeKind, Type, converts, declared_name};
use clreduce_testcase::Edit;

use crate::analysis::Unit;
use crate::edit::is_smaller;
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct ReturnEarly;

impl Pass for ReturnEarly {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "return-early",
            "Return a condition, an assigned value or an argument in place of its statement",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let types = snapshot.types(unit.file);
            let returned = returned(snapshot, unit);
            for (id, kind) in unit.sound() {
                let value = match kind {
                    NodeKind::IfStatement
                    | NodeKind::WhileStatement
                    | NodeKind::SwitchStatement => unit.tree.field(id, NodeField::Condition),
                    NodeKind::ExpressionStatement => stored(unit, id),
                    _ => None,
                };
                let fits = |value: &NodeId| {
                    let wanted = returned[id.0 as usize];
                    wanted.is_some_and(|to| converts(types.of(*value), to) != Some(false))
                };
                if let Some(value) = value.filter(fits) {
                    let text = [b"return ", unit.text(value), b";"].concat();
                    if is_smaller(&text, unit.text(id)) {
                        let edit = Edit::replace(unit.file, unit.tree.range(id), text);
                        proposals.push(Proposal::edit(edit));
                    }
                }
            }
        }
    }
}

/// The variable and value that a statement assigns.
fn stored(unit: Unit<'_>, statement: NodeId) -> Option<NodeId> {
    let expression = unit.tree.named_children(statement).next()?;
    let assigns = unit.tree.kind(expression) == NodeKind::AssignmentExpression;
    assigns.then(|| unit.tree.field(expression, NodeField::Right))?
}

/// For each node, what the function around it returns; `None` where there is none or it returns nothing.
fn returned(snapshot: &Snapshot, unit: Unit<'_>) -> Vec<Option<Type>> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let types = snapshot.types(unit.file);
    let mut inside: Vec<Option<Type>> = Vec::with_capacity(tree.len());
    for id in tree.ids() {
        let around = inside.get(tree.node(id).parent.0 as usize).copied().flatten();
        inside.push(match tree.kind(id) {
            NodeKind::FunctionDefinition => {
                let has_value =
                    tree.field(id, NodeField::Type).filter(|kind| unit.text(*kind) != b"void");
                let name = tree
                    .field(id, NodeField::Declarator)
                    .and_then(|node| declared_name(tree, node));
                let symbol = name.and_then(|name| symbols.of(name));
                let of = symbol.map_or(Type::default(), |symbol| types.of_symbol(symbol));
                has_value.map(|_| of)
            }
            _ => around,
        });
    }
    inside
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn values_are_returned() {
        assert_reduces(
            &ReturnEarly,
            Language::C,
            "int f(int x) { if (g(x)) y = 1; z = h(x); } void k(void) { y = 1; }",
            &["g(", "h(", "y = 1;"],
            "int f(int x) { return (g(x)); return h(x); } void k(void) { y = 1; }",
        );
    }
}
