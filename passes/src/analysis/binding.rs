//! The precedence of expressions, and the precedence that a place in the program demands (C99 6.5, and the rules
//! for arguments, initialisers and statements). A pass that moves an expression compares the two.

use clreduce_language::{NodeField, NodeKind};

use super::unit::Unit;
use crate::NodeId;

/// The precedence of an expression; a higher one binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Binding(u8);

impl Binding {
    const COMMA: Self = Self(1);
    /// The least for an argument, an initialiser or the right side of an assignment.
    pub(crate) const ASSIGNMENT: Self = Self(2);
    const CONDITIONAL: Self = Self(3);
    const OR: Self = Self(4);
    /// The least for an operand of a sign, `*`, `&` or a cast.
    pub(crate) const UNARY: Self = Self(14);
    /// The least for an expression that is called, indexed or accessed.
    pub(crate) const POSTFIX: Self = Self(15);
    const PRIMARY: Self = Self(16);
}

/// Returns the precedence of an expression; `None` for other nodes. A parenthesised expression binds as a
/// parenthesis, not as the expression in it.
pub(crate) fn binding(unit: Unit<'_>, id: NodeId) -> Option<Binding> {
    Some(match unit.tree.kind(id) {
        NodeKind::CommaExpression => Binding::COMMA,
        NodeKind::AssignmentExpression => Binding::ASSIGNMENT,
        NodeKind::ConditionalExpression => Binding::CONDITIONAL,
        NodeKind::BinaryExpression => operator(unit, id)?,
        NodeKind::UnaryExpression
        | NodeKind::PointerExpression
        | NodeKind::CastExpression
        | NodeKind::SizeofExpression => Binding::UNARY,
        NodeKind::UpdateExpression => {
            let prefix = unit.text(id).starts_with(b"+") || unit.text(id).starts_with(b"-");
            if prefix { Binding::UNARY } else { Binding::POSTFIX }
        }
        NodeKind::CallExpression
        | NodeKind::SubscriptExpression
        | NodeKind::FieldExpression
        | NodeKind::CompoundLiteralExpression => Binding::POSTFIX,
        NodeKind::Identifier
        | NodeKind::NumberLiteral
        | NodeKind::CharLiteral
        | NodeKind::StringLiteral
        | NodeKind::ConcatenatedString
        | NodeKind::ParenthesizedExpression
        | NodeKind::True
        | NodeKind::False
        | NodeKind::Null => Binding::PRIMARY,
        _ => return None,
    })
}

fn operator(unit: Unit<'_>, id: NodeId) -> Option<Binding> {
    let operator = unit.tree.field(id, NodeField::Operator)?;
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

/// Returns the precedence that an expression needs to stand in the place of `id`; `None` where only the present
/// one, or a parenthesised one, can stand.
pub(crate) fn demand(unit: Unit<'_>, id: NodeId) -> Option<Binding> {
    let tree = unit.tree;
    let node = tree.node(id);
    let field = node.field;
    Some(match (tree.kind(node.parent), field) {
        (NodeKind::ParenthesizedExpression, _)
        | (NodeKind::ReturnStatement | NodeKind::ExpressionStatement, _)
        | (
            NodeKind::ForStatement,
            Some(NodeField::Initializer | NodeField::Condition | NodeField::Update),
        )
        | (NodeKind::SubscriptExpression, Some(NodeField::Index)) => Binding::COMMA,
        (NodeKind::ArgumentList | NodeKind::InitializerList, _)
        | (NodeKind::InitDeclarator | NodeKind::InitializerPair, Some(NodeField::Value))
        | (NodeKind::CommaExpression, _)
        | (NodeKind::ArrayDeclarator | NodeKind::AbstractArrayDeclarator, Some(NodeField::Size))
        | (NodeKind::AssignmentExpression, Some(NodeField::Right))
        | (NodeKind::ConditionalExpression, Some(NodeField::Consequence)) => Binding::ASSIGNMENT,
        (NodeKind::ConditionalExpression, Some(NodeField::Alternative))
        | (NodeKind::Enumerator | NodeKind::CaseStatement, Some(NodeField::Value))
        | (NodeKind::BitfieldClause | NodeKind::SubscriptDesignator, _) => Binding::CONDITIONAL,
        (NodeKind::ConditionalExpression, _) => Binding::OR,
        (NodeKind::BinaryExpression, Some(NodeField::Left)) => operator(unit, node.parent)?,
        (NodeKind::BinaryExpression, Some(NodeField::Right)) => {
            Binding(operator(unit, node.parent)?.0 + 1)
        }
        (NodeKind::UnaryExpression | NodeKind::PointerExpression | NodeKind::CastExpression, _)
        | (NodeKind::AssignmentExpression, Some(NodeField::Left)) => Binding::UNARY,
        (NodeKind::CallExpression, Some(NodeField::Function))
        | (NodeKind::SubscriptExpression | NodeKind::FieldExpression, Some(NodeField::Argument))
        | (NodeKind::UpdateExpression, _) => Binding::POSTFIX,
        _ => return None,
    })
}
