//! The places of a kernel where parts of other kernels can stand.

use clreduce_language::{NodeField, NodeId, NodeKind, Number, SymbolKind, declared_name};

use crate::program::ParsedKernels;
use crate::shape::{is_delicate, is_expression, is_loop, is_statement, jumps_out, synchronises};

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiteKind {
    Expression,
    Statement,
    Block,
}

impl SiteKind {
    /// How often each is chosen.
    pub(crate) const WEIGHTS: [(u32, Self); 3] =
        [(5, Self::Expression), (3, Self::Statement), (2, Self::Block)];
}

/// A place of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) kind: SiteKind,
    pub(crate) node: NodeId,
    /// The type of an expression.
    pub(crate) number: Option<Number>,
}

impl Site {
    /// All places of a kind, in source order.
    pub(crate) fn all(program: &ParsedKernels, kind: SiteKind) -> Vec<Self> {
        let nodes = program
            .functions()
            .into_iter()
            .flat_map(|one| program.tree().subtree(one.body).filter(move |&node| node != one.body));
        let sites = nodes.filter_map(|node| {
            let number = match kind {
                SiteKind::Expression => Some(value(program, node)?),
                SiteKind::Statement => is_place(program, node).then_some(None)?,
                SiteKind::Block => is_block(program, node).then_some(None)?,
            };
            Some(Self { kind, node, number })
        });
        sites.collect()
    }
}

fn is_place(program: &ParsedKernels, node: NodeId) -> bool {
    let tree = program.tree();
    let around = tree.parent(node).map(|parent| tree.kind(parent));
    let is_body = tree.node(node).field == Some(NodeField::Body);
    let holds = match around {
        Some(NodeKind::CompoundStatement | NodeKind::ElseClause) => true,
        Some(NodeKind::IfStatement) => tree.node(node).field == Some(NodeField::Consequence),
        Some(kind) => is_loop(kind) && is_body,
        None => false,
    };
    holds && is_statement(tree.kind(node)) && !has_pragma(program, node)
}

/// Returns true if a pragma before a loop is about the loop.
fn has_pragma(program: &ParsedKernels, node: NodeId) -> bool {
    let tree = program.tree();
    let siblings = tree.parent(node).into_iter().flat_map(|parent| tree.children(parent));
    let before = siblings.take_while(|&sibling| sibling < node).last();
    before.is_some_and(|before| tree.kind(before) == NodeKind::PreprocCall)
}

fn is_block(program: &ParsedKernels, node: NodeId) -> bool {
    program.tree().kind(node) == NodeKind::CompoundStatement
        && !synchronises(program, node)
        && !jumps_out(program, node)
}

/// The type of an expression that another one can replace.
fn value(program: &ParsedKernels, node: NodeId) -> Option<Number> {
    let tree = program.tree();
    if !is_expression(tree.kind(node)) || !tree.is_sound(node) {
        return None;
    }
    let number = program.types().of(node).number()?;
    if tree.kind(node) == NodeKind::Identifier {
        let symbol = program.symbols().get(program.symbols().of(node)?);
        let is_value = matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter);
        if !is_value || symbol.declarations.contains(&node) {
            return None;
        }
    }
    is_replaceable(program, node).then_some(number)
}

/// Returns true if another value at a node changes nothing but values: no index, no address, no number of iterations.
fn is_replaceable(program: &ParsedKernels, node: NodeId) -> bool {
    let (tree, types) = (program.tree(), program.types());
    let mut at = node;
    while let Some(parent) = tree.parent(at) {
        let field = tree.node(at).field;
        match tree.kind(parent) {
            NodeKind::ReturnStatement | NodeKind::ExpressionStatement => return true,
            NodeKind::InitDeclarator => {
                let declared = tree.field(parent, NodeField::Declarator);
                let name = declared.and_then(|declarator| declared_name(tree, declarator));
                let symbol = name.and_then(|name| program.symbols().of(name));
                let is_number =
                    symbol.is_some_and(|symbol| types.of_symbol(symbol).base_number().is_some());
                return field == Some(NodeField::Value) && is_number;
            }
            NodeKind::IfStatement | NodeKind::SwitchStatement => {
                return field == Some(NodeField::Condition)
                    && !synchronises(program, parent)
                    && !jumps_out(program, parent);
            }
            NodeKind::ParenthesizedExpression
            | NodeKind::UnaryExpression
            | NodeKind::InitializerList => {}
            NodeKind::AssignmentExpression if field == Some(NodeField::Right) => {}
            NodeKind::FieldExpression if field == Some(NodeField::Argument) => {}
            NodeKind::ConditionalExpression | NodeKind::CastExpression
                if types.of(parent).number().is_some() => {}
            NodeKind::BinaryExpression if types.of(parent).number().is_some() => {
                let operator = tree.field(parent, NodeField::Operator);
                let divides = operator.is_some_and(|one| matches!(program.bytes(one), b"/" | b"%"));
                if divides && field == Some(NodeField::Right) {
                    return false;
                }
            }
            NodeKind::ArgumentList => {
                let Some(call) = tree.parent(parent) else { return false };
                if program.built_in_call(call).is_some_and(is_delicate) {
                    return false;
                }
            }
            NodeKind::CallExpression if field == Some(NodeField::Arguments) => {}
            _ => return false,
        }
        at = parent;
    }
    false
}
