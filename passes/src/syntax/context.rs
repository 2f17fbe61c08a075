//! Where an expression stands: what may replace it there.

use super::unit::{Unit, is_expression};
use crate::NodeId;

/// What is known about the place of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Any value will do.
    Value,
    /// Something with an address is needed: the left side of an assignment, what `&` or `++` act on.
    Lvalue,
    /// A pointer, array, structure or vector is needed: what `*`, `[]`, `.` or `->` act on.
    Composite,
    /// Not a place for anything else: a callee, a label, a name that is being declared.
    Fixed,
}

/// The places of all nodes of a tree; `Fixed` for what is no expression.
pub(crate) fn places(unit: Unit<'_>) -> Vec<Place> {
    let mut frozen = Vec::with_capacity(unit.tree.len());
    unit.tree
        .ids()
        .map(|id| {
            let node = unit.tree.node(id);
            let outer_is_frozen = frozen.get(node.parent.0 as usize).copied().unwrap_or(false);
            frozen.push(outer_is_frozen || freezes(node.kind));
            let usable = id.0 > 0
                && !outer_is_frozen
                && node.named
                && is_expression(node.kind)
                && unit.is_usable(id);
            if usable { place(unit, id) } else { Place::Fixed }
        })
        .collect()
}

/// Inside these, what looks like an expression follows rules of its own.
fn freezes(kind: &str) -> bool {
    kind.starts_with("attribute")
        || matches!(
            kind,
            "preproc_include"
                | "preproc_def"
                | "preproc_function_def"
                | "preproc_call"
                | "generic_expression"
                | "offsetof_expression"
                | "ms_declspec_modifier"
                | "launch_bounds"
        )
}

fn place(unit: Unit<'_>, id: NodeId) -> Place {
    let tree = unit.tree;
    let node = tree.node(id);
    let field = node.field.unwrap_or("");
    match (tree.kind(node.parent), field) {
        ("call_expression", "function") => Place::Fixed,
        ("assignment_expression", "left") | ("update_expression", _) => Place::Lvalue,
        ("pointer_expression", _) if unit.text(node.parent).starts_with(b"&") => Place::Lvalue,
        ("pointer_expression", _) => Place::Composite,
        ("field_expression", "argument") | ("subscript_expression", "argument") => Place::Composite,
        // A parenthesis passes on what is asked of it; its parent's place decides.
        ("parenthesized_expression", _) => place_of_parenthesis(unit, node.parent),
        (parent, "value" | "condition" | "size" | "index" | "initializer" | "update" | "right")
            if parent != "linkage_specification" =>
        {
            Place::Value
        }
        ("initializer_list" | "argument_list" | "expression_statement" | "return_statement", _)
        | ("bitfield_clause" | "subscript_designator" | "kernel_call_syntax", _)
        | ("condition_clause" | "sizeof_expression", _) => Place::Value,
        (
            "binary_expression"
            | "unary_expression"
            | "comma_expression"
            | "conditional_expression"
            | "cast_expression"
            | "assignment_expression",
            _,
        ) => Place::Value,
        _ => Place::Fixed,
    }
}

/// What is asked of the inside of a parenthesis.
fn place_of_parenthesis(unit: Unit<'_>, parenthesis: NodeId) -> Place {
    let mut at = parenthesis;
    // A chain of parentheses is as long as the input makes it; beyond a few nobody writes them.
    for _ in 0..8 {
        let parent = unit.tree.node(at).parent;
        match unit.tree.kind(parent) {
            "parenthesized_expression" => at = parent,
            kind if kind.ends_with("_statement") => return Place::Value,
            _ => return place(unit, at),
        }
    }
    Place::Fixed
}

/// Whether an expression of this kind can stand on the left of an assignment.
pub(crate) fn is_lvalue(kind: &str) -> bool {
    matches!(
        kind,
        "identifier"
            | "field_expression"
            | "subscript_expression"
            | "pointer_expression"
            | "parenthesized_expression"
    )
}

/// Whether a parenthesis belongs to the statement around it.
pub(crate) fn is_condition(unit: Unit<'_>, id: NodeId) -> bool {
    unit.tree.node(id).field == Some("condition")
        && unit.tree.kind(unit.tree.node(id).parent).ends_with("_statement")
        && unit.tree.kind(id) == "parenthesized_expression"
}
