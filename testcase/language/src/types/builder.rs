//! Reads types off a tree: first what declarations say, then from operands to operators.

use super::{Base, Field, Type, Types, is_vector, vector_literal};
use crate::aggregates::aggregate_name;
use crate::builtins::Shape;
use crate::kind::{NodeField, NodeKind};
use crate::numbers::{Number, Scalar, components, literal};
use crate::symbols::{SymbolKind, Symbols, declared_by};
use crate::tree::{NodeId, SyntaxTree};
use clreduce_testcase::text_steps;

pub(super) struct TypesBuilder<'a> {
    bytes: &'a [u8],
    tree: &'a SyntaxTree,
    symbols: &'a Symbols,
    out: Types,
}

/// Pointers and arrays around a declared name.
struct TypedDeclarator {
    name: Option<NodeId>,
    levels: u8,
    has_pointer: bool,
    known: bool,
}

impl<'a> TypesBuilder<'a> {
    pub(super) fn new(bytes: &'a [u8], tree: &'a SyntaxTree, symbols: &'a Symbols) -> Self {
        let of_node = vec![Type::default(); tree.len()];
        Self { bytes, tree, symbols, out: Types { of_node, ..Types::default() } }
    }

    pub(super) fn build(mut self) -> Types {
        for id in self.tree.ids() {
            self.declaration(id);
        }
        // Operands come behind their operator in pre-order.
        for id in self.tree.ids().rev() {
            if let Some(found) = self.expression(id) {
                self.set(id, found);
            }
        }
        self.out
    }

    fn text(&self, id: NodeId) -> &str {
        let range = self.tree.range(id);
        text_steps(range.len());
        std::str::from_utf8(&self.bytes[range]).unwrap_or("")
    }

    /// The first byte of a node. Operators nest: to read each as text would read what is inside as often as
    /// there are operators around it.
    fn first_byte(&self, id: NodeId) -> Option<u8> {
        self.bytes.get(self.tree.range(id).start).copied()
    }

    fn set(&mut self, id: NodeId, found: Type) {
        self.out.of_node[id.0 as usize] = found;
    }

    /// Enters the types of the names that a declaration declares.
    fn declaration(&mut self, id: NodeId) {
        let tree = self.tree;
        let kind = tree.kind(id);
        let declares = matches!(
            kind,
            NodeKind::Declaration
                | NodeKind::ParameterDeclaration
                | NodeKind::FieldDeclaration
                | NodeKind::TypeDefinition
                | NodeKind::FunctionDefinition
                | NodeKind::TypeDescriptor
        );
        if !declares || !tree.is_sound(id) && kind != NodeKind::FunctionDefinition {
            return;
        }
        let Some(name) = tree.field(id, NodeField::Type) else { return };
        let base = self.named_type(name);
        self.set(id, base);
        let declarators: Vec<NodeId> = tree.fields(id, NodeField::Declarator).collect();
        for declarator in declarators {
            let shape = self.declarator(declarator);
            let mut found = Type { levels: base.levels.saturating_add(shape.levels), ..base };
            if !shape.known {
                found = Type::default();
            }
            if matches!(kind, NodeKind::TypeDescriptor | NodeKind::ParameterDeclaration) {
                self.set(id, found);
            }
            let Some(name) = shape.name else { continue };
            self.set(name, found);
            if kind == NodeKind::FieldDeclaration {
                let field = Field { of: found, is_pointer: shape.has_pointer };
                self.field(id, name, field);
            } else if let Some(symbol) = self.symbols.of(name) {
                self.out.of_symbol.entry(symbol).or_insert(found);
            }
        }
    }

    fn field(&mut self, declaration: NodeId, name: NodeId, field: Field) {
        let Some(list) = self.tree.parent(declaration) else { return };
        let Some(specifier) = self.tree.parent(list) else { return };
        let name = self.bytes[self.tree.range(name)].to_vec();
        let fields = self.out.fields.entry(self.aggregate(specifier)).or_default();
        fields.by_name.insert(name, fields.in_order.len());
        fields.in_order.push(field);
    }

    fn aggregate(&self, specifier: NodeId) -> NodeId {
        aggregate_name(self.tree, self.symbols, specifier)
    }

    /// The type that a specifier means, and where it is spelled.
    fn named_type(&self, node: NodeId) -> Type {
        let spelled = |base| Type { base, levels: 0, slot: Some(node), storage: Some(node) };
        match self.tree.kind(node) {
            NodeKind::StructSpecifier | NodeKind::UnionSpecifier => {
                return spelled(Base::Aggregate(self.aggregate(node)));
            }
            NodeKind::EnumSpecifier => return spelled(Base::Number(Number::scalar(Scalar::Int))),
            _ => {}
        }
        if let Some(symbol) = self.symbols.of(node) {
            let is_typedef = self.symbols.get(symbol).kind == SymbolKind::Typedef;
            let found = self.out.of_symbol(symbol);
            // A pointer's name says where it points; of anything else each use says where it lies.
            let storage = if found.levels > 0 { found.storage } else { Some(node) };
            return if is_typedef { Type { storage, ..found } } else { Type::default() };
        }
        // Types of C++ nest: to read the text of each would read the innermost as often as there are others around it.
        let is_plain = matches!(
            self.tree.kind(node),
            NodeKind::Identifier
                | NodeKind::TypeIdentifier
                | NodeKind::PrimitiveType
                | NodeKind::SizedTypeSpecifier
        );
        if !is_plain {
            return Type::default();
        }
        match self.text(node) {
            "void" => spelled(Base::Void),
            name => {
                Number::named(name).map_or(Type::default(), |number| spelled(Base::Number(number)))
            }
        }
    }

    fn declarator(&self, mut at: NodeId) -> TypedDeclarator {
        let tree = self.tree;
        let mut shape = TypedDeclarator { name: None, levels: 0, has_pointer: false, known: true };
        loop {
            let next = match tree.kind(at) {
                NodeKind::PointerDeclarator | NodeKind::AbstractPointerDeclarator => {
                    shape.levels = shape.levels.saturating_add(1);
                    shape.has_pointer = true;
                    tree.field(at, NodeField::Declarator)
                }
                NodeKind::ArrayDeclarator | NodeKind::AbstractArrayDeclarator => {
                    shape.levels = shape.levels.saturating_add(1);
                    tree.field(at, NodeField::Declarator)
                }
                NodeKind::FunctionDeclarator => {
                    let inner = tree.field(at, NodeField::Declarator);
                    // A pointer to a function is nothing that this model knows.
                    shape.known &=
                        inner.is_some_and(|inner| tree.kind(inner) == NodeKind::Identifier);
                    inner
                }
                NodeKind::InitDeclarator => tree.field(at, NodeField::Declarator),
                NodeKind::ParenthesizedDeclarator | NodeKind::AttributedDeclarator => {
                    tree.named_children(at).find(|&child| !tree.kind(child).is_microsoft())
                }
                NodeKind::Identifier
                | NodeKind::FieldIdentifier
                | NodeKind::TypeIdentifier
                | NodeKind::PrimitiveType => {
                    shape.name = Some(at);
                    return shape;
                }
                _ => {
                    shape.known = false;
                    None
                }
            };
            match next {
                Some(next) => at = next,
                None => return shape,
            }
        }
    }

    /// The type of an expression whose operands are known; `None` for what is no expression.
    fn expression(&self, id: NodeId) -> Option<Type> {
        let tree = self.tree;
        let of = |field: NodeField| {
            tree.field(id, field).map_or(Type::default(), |node| self.out.of(node))
        };
        Some(match tree.kind(id) {
            NodeKind::Identifier => self.name(id)?,
            NodeKind::NumberLiteral => Type::numeric(literal(self.text(id))),
            NodeKind::CharLiteral | NodeKind::SizeofExpression => {
                Type::numeric(Number::scalar(Scalar::Int))
            }
            NodeKind::ParenthesizedExpression => self.parenthesized(id),
            NodeKind::CompoundStatement => self.statement_expression(id)?,
            NodeKind::FieldExpression => self.member(id, of(NodeField::Argument)),
            NodeKind::SubscriptExpression => of(NodeField::Argument).pointed_to(),
            NodeKind::PointerExpression if self.first_byte(id) == Some(b'&') => {
                of(NodeField::Argument).pointer()
            }
            NodeKind::PointerExpression => of(NodeField::Argument).pointed_to(),
            NodeKind::CastExpression | NodeKind::CompoundLiteralExpression => of(NodeField::Type),
            NodeKind::UpdateExpression => of(NodeField::Argument),
            NodeKind::UnaryExpression if self.first_byte(id) == Some(b'!') => {
                masked(of(NodeField::Argument))
            }
            NodeKind::UnaryExpression => of(NodeField::Argument),
            NodeKind::AssignmentExpression => of(NodeField::Left),
            NodeKind::CommaExpression => of(NodeField::Right),
            NodeKind::ConditionalExpression => {
                let (yes, no) = (of(NodeField::Consequence), of(NodeField::Alternative));
                if yes.levels > 0 || no.base == Base::Unknown { yes } else { arithmetic(yes, no) }
            }
            NodeKind::BinaryExpression => {
                self.binary(id, of(NodeField::Left), of(NodeField::Right))
            }
            NodeKind::CallExpression => self.call(id),
            _ => return None,
        })
    }

    fn name(&self, id: NodeId) -> Option<Type> {
        let Some(symbol) = self.symbols.of(id) else { return Some(Type::default()) };
        match self.symbols.get(symbol).kind {
            SymbolKind::Enumerator => Some(Type::numeric(Number::scalar(Scalar::Int))),
            // Declarations have been entered already.
            _ if declared_by(self.tree, id).is_some() => None,
            _ => Some(self.out.of_symbol(symbol)),
        }
    }

    /// Returns the type of an expression in parentheses; of a statement expression, that of its last value.
    fn parenthesized(&self, id: NodeId) -> Type {
        let inner = self.tree.named_children(id).next();
        inner.map_or(Type::default(), |inner| self.out.of(inner))
    }

    fn statement_expression(&self, id: NodeId) -> Option<Type> {
        let tree = self.tree;
        if tree.kind(tree.parent(id)?) != NodeKind::ParenthesizedExpression {
            return None;
        }
        let last = tree.named_children(id).last()?;
        let value = tree.named_children(last).next()?;
        (tree.kind(last) == NodeKind::ExpressionStatement).then(|| self.out.of(value))
    }

    /// A member of a structure, or components of a vector.
    fn member(&self, id: NodeId, of: Type) -> Type {
        let Some(name) = self.tree.field(id, NodeField::Field) else { return Type::default() };
        let through_pointer =
            self.tree.children(id).any(|child| self.tree.kind(child) == NodeKind::Arrow);
        let of = if through_pointer { of.pointed_to() } else { of };
        match of.base {
            Base::Number(number) if of.levels == 0 => {
                let picked = components(self.text(name), number.lanes);
                picked.map_or(Type::default(), |picked| Type {
                    base: Base::Number(Number { lanes: picked.len() as u8, ..number }),
                    slot: (picked.len() > 1).then_some(name),
                    ..of
                })
            }
            Base::Aggregate(aggregate) if of.levels == 0 => {
                let name = &self.bytes[self.tree.range(name)];
                let Some(field) = self.out.field(aggregate, name) else { return Type::default() };
                let storage = if field.is_pointer { field.of.storage } else { of.storage };
                Type { storage, ..field.of }
            }
            _ => Type::default(),
        }
    }

    fn binary(&self, id: NodeId, left: Type, right: Type) -> Type {
        let operator = self.tree.field(id, NodeField::Operator).map_or("", |node| self.text(node));
        match operator {
            "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => masked(arithmetic(left, right)),
            "<<" | ">>" if left.number().is_some_and(|left| left.lanes == 1) => left,
            _ if left.levels > 0 && right.levels > 0 => Type::numeric(Number::scalar(Scalar::Long)),
            _ if left.levels > 0 => left,
            _ if right.levels > 0 => right,
            _ => arithmetic(left, right),
        }
    }

    fn call(&self, id: NodeId) -> Type {
        let tree = self.tree;
        let Some(function) = tree.field(id, NodeField::Function) else { return Type::default() };
        if let Some(name) = vector_literal(tree, id) {
            return self.named_type(name);
        }
        if tree.kind(function) != NodeKind::Identifier {
            return Type::default();
        }
        if let Some(symbol) = self.symbols.of(function) {
            return match self.symbols.get(symbol).kind {
                SymbolKind::Function => self.out.of_symbol(symbol),
                _ => Type::default(),
            };
        }
        let Some(shape) = Shape::of(self.text(function)) else { return Type::default() };
        let Some(list) = tree.field(id, NodeField::Arguments) else { return Type::default() };
        let arguments: Vec<Type> =
            tree.named_children(list).take(8).map(|argument| self.out.of(argument)).collect();
        if matches!(shape, Shape::Elementwise | Shape::Mask | Shape::Widened)
            && arguments.iter().any(|argument| argument.number().is_none())
        {
            return Type::default();
        }
        if let Shape::Loaded(lanes) = shape {
            let from = arguments.get(1).and_then(|pointer| pointer.pointed_to().number());
            return from.map_or(Type::default(), |from| Type {
                slot: Some(function),
                ..Type::numeric(Number { lanes, ..from })
            });
        }
        let numbers: Vec<Option<Number>> =
            arguments.iter().map(|argument| argument.number()).collect();
        let Some(result) = shape.result(&numbers) else { return Type::default() };
        let slot = match shape {
            Shape::Converted(_) | Shape::Reinterpreted(_) => Some(function),
            _ => arguments.iter().find(|of| is_vector(**of)).and_then(|of| of.slot),
        };
        Type { slot: slot.filter(|_| result.lanes > 1), ..Type::numeric(result) }
    }
}

fn masked(of: Type) -> Type {
    match of.number() {
        Some(number) if number.lanes > 1 => {
            Type { base: Base::Number(Number { scalar: number.scalar.mask(), ..number }), ..of }
        }
        _ if of.base == Base::Unknown => Type::default(),
        _ => Type::numeric(Number::scalar(Scalar::Int)),
    }
}

/// The common type of two operands; of a vector and a scalar it is the vector.
fn arithmetic(left: Type, right: Type) -> Type {
    let (Some(a), Some(b)) = (left.number(), right.number()) else {
        // Who knows whether the other side is a vector.
        let pointers = left.levels > 0 || right.levels > 0;
        return if pointers { Type::numeric(Number::scalar(Scalar::Int)) } else { Type::default() };
    };
    if a.lanes > 1 || b.lanes > 1 {
        return if a.lanes > 1 { left } else { right };
    }
    let rank = |scalar: Scalar| scalar.max(Scalar::Int);
    Type::numeric(Number::scalar(rank(a.scalar).max(rank(b.scalar))))
}
