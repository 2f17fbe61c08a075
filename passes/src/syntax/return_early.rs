//! Returns a value at once where it is only stored, compared or passed on.
//!
//! before:
//! ```c
//! int f(int x) { if (g(x)) y = 1; y = h(x); }
//! ```
//! after:
//! ```c
//! int f(int x) { return g(x); y = h(x); }
//! ```

use clreduce_testcase::{Edit, Language};

use super::unit::{Unit, is_expression};
use crate::pass::{PARSED, Pass, Proposal};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct ReturnEarly;

impl Pass for ReturnEarly {
    fn name(&self) -> &'static str {
        "return-early"
    }

    fn about(&self) -> &'static str {
        "Return a condition, an assigned value or an argument in place of its statement"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        for unit in Unit::all(snapshot) {
            for (id, kind) in unit.sound() {
                let value = match kind {
                    "if_statement" | "while_statement" | "switch_statement" => {
                        unit.tree.field(id, "condition")
                    }
                    "expression_statement" => stored(unit, id),
                    _ => None,
                };
                if let Some(value) = value.filter(|_| !is_in_void_function(unit, id)) {
                    let text = [b"return ", unit.text(value), b";"].concat();
                    proposals.push(Proposal::edit(Edit::replace(
                        unit.file,
                        unit.tree.range(id),
                        text,
                    )));
                }
            }
        }
        proposals
    }
}

/// What a statement assigns, or what it is as a whole.
fn stored(unit: Unit<'_>, statement: NodeId) -> Option<NodeId> {
    let expression = unit.tree.named_children(statement).next()?;
    match unit.tree.kind(expression) {
        "assignment_expression" => unit.tree.field(expression, "right"),
        kind => is_expression(kind).then_some(expression),
    }
}

fn is_in_void_function(unit: Unit<'_>, id: NodeId) -> bool {
    let tree = unit.tree;
    let function = tree.ancestors(id).find(|&node| tree.kind(node) == "function_definition");
    function
        .and_then(|function| tree.field(function, "type"))
        .is_none_or(|kind| unit.text(kind) == b"void")
}

#[cfg(test)]
mod tests {
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
