//! How tightly expressions bind, and how tightly a place asks them to (C99 6.5, and what calls,
//! initialisers and statements take).

use super::unit::Unit;
use crate::NodeId;

/// How tightly an expression holds together: higher binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Binding(u8);

impl Binding {
    const COMMA: Self = Self(1);
    /// What an argument, an initialiser or the right of an assignment may be.
    pub(crate) const ASSIGNMENT: Self = Self(2);
    const CONDITIONAL: Self = Self(3);
    const OR: Self = Self(4);
    /// What a sign, `*`, `&` or a cast can stand before.
    pub(crate) const UNARY: Self = Self(14);
    /// What can be called, indexed or accessed.
    pub(crate) const POSTFIX: Self = Self(15);
    const PRIMARY: Self = Self(16);
}

/// How tightly an expression binds; `None` for what is none, or is not known. A parenthesis counts as
/// what it is, not as what stands in it.
pub(crate) fn binding(unit: Unit<'_>, id: NodeId) -> Option<Binding> {
    Some(match unit.tree.kind(id) {
        "comma_expression" => Binding::COMMA,
        "assignment_expression" => Binding::ASSIGNMENT,
        "conditional_expression" => Binding::CONDITIONAL,
        "binary_expression" => operator(unit, id)?,
        "unary_expression" | "pointer_expression" | "cast_expression" | "sizeof_expression" => {
            Binding::UNARY
        }
        "update_expression" => {
            let prefix = unit.text(id).starts_with(b"+") || unit.text(id).starts_with(b"-");
            if prefix { Binding::UNARY } else { Binding::POSTFIX }
        }
        "call_expression"
        | "subscript_expression"
        | "field_expression"
        | "compound_literal_expression" => Binding::POSTFIX,
        "identifier"
        | "number_literal"
        | "char_literal"
        | "string_literal"
        | "concatenated_string"
        | "parenthesized_expression"
        | "true"
        | "false"
        | "null" => Binding::PRIMARY,
        _ => return None,
    })
}

fn operator(unit: Unit<'_>, id: NodeId) -> Option<Binding> {
    let operator = unit.tree.field(id, "operator")?;
    Some(Binding(match unit.text(operator) {
        b"||" => 4,
        b"&&" => 5,
        b"|" => 6,
        b"^" => 7,
        b"&" => 8,
        b"==" | b"!=" => 9,
        b"<" | b">" | b"<=" | b">=" => 10,
        b"<<" | b">>" => 11,
        b"+" | b"-" => 12,
        b"*" | b"/" | b"%" => 13,
        _ => return None,
    }))
}

/// How tightly an expression must bind to stand in the place of `id`; `None` where nothing but what
/// is there, or a parenthesis, can stand.
pub(crate) fn demand(unit: Unit<'_>, id: NodeId) -> Option<Binding> {
    let tree = unit.tree;
    let node = tree.node(id);
    let field = node.field.unwrap_or("");
    Some(match (tree.kind(node.parent), field) {
        ("parenthesized_expression", _)
        | ("return_statement" | "expression_statement", _)
        | ("for_statement", "initializer" | "condition" | "update")
        | ("subscript_expression", "index") => Binding::COMMA,
        ("argument_list" | "initializer_list", _)
        | ("init_declarator" | "initializer_pair", "value")
        | ("comma_expression", _)
        | ("array_declarator" | "abstract_array_declarator", "size")
        | ("assignment_expression", "right")
        | ("conditional_expression", "consequence") => Binding::ASSIGNMENT,
        ("conditional_expression", "alternative")
        | ("enumerator" | "case_statement", "value")
        | ("bitfield_clause" | "subscript_designator", _) => Binding::CONDITIONAL,
        ("conditional_expression", _) => Binding::OR,
        ("binary_expression", "left") => operator(unit, node.parent)?,
        ("binary_expression", "right") => Binding(operator(unit, node.parent)?.0 + 1),
        ("unary_expression" | "pointer_expression" | "cast_expression", _)
        | ("assignment_expression", "left") => Binding::UNARY,
        ("call_expression", "function")
        | ("subscript_expression" | "field_expression", "argument")
        | ("update_expression", _) => Binding::POSTFIX,
        _ => return None,
    })
}
