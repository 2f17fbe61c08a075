//! Types of expressions of C++, as a program may spell them.
//!
//! Only what declarations and literals say is known: variables, members and functions of which there is one of the name, casts,
//! and pointers to these. Overloads, templates and operators of classes are not.

use clreduce_language::{
    Entities, EntityId, ItemKind, NodeField, NodeId, NodeKind, SymbolKind, Symbols, SyntaxTree,
};

use super::{DEEPEST, Unit, is_closed};

/// A type: what stands before a declarator, and the pointers in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SpelledType<'a> {
    pub(crate) base: &'a [u8],
    pub(crate) pointers: usize,
}

impl SpelledType<'_> {
    pub(crate) fn text(&self) -> Vec<u8> {
        [self.base, b"*".repeat(self.pointers).as_slice()].concat()
    }
}

/// The declarations of a file, from which types are read.
#[derive(Clone, Copy)]
pub(crate) struct Spelling<'a> {
    pub(crate) unit: Unit<'a>,
    pub(crate) entities: &'a Entities,
    pub(crate) symbols: &'a Symbols,
}

impl<'a> Spelling<'a> {
    /// The type of an expression.
    pub(crate) fn of(&self, expression: NodeId) -> Option<SpelledType<'a>> {
        self.at_depth(expression, 0)
    }

    fn at_depth(&self, id: NodeId, depth: usize) -> Option<SpelledType<'a>> {
        let unit = self.unit;
        let tree = unit.tree;
        let of = |inner: NodeId| (depth < DEEPEST).then(|| self.at_depth(inner, depth + 1))?;
        let plain = |base| Some(SpelledType { base, pointers: 0 });
        let less =
            |of: SpelledType<'a>| Some(SpelledType { pointers: of.pointers.checked_sub(1)?, ..of });
        match tree.kind(id) {
            NodeKind::ParenthesizedExpression => of(tree.named_children(id).next()?),
            NodeKind::SubscriptExpression => less(of(tree.field(id, NodeField::Argument)?)?),
            NodeKind::PointerExpression => {
                let inner = of(tree.field(id, NodeField::Argument)?)?;
                match &unit.bytes[tree.range(id).start] {
                    b'*' => less(inner),
                    _ => Some(SpelledType { pointers: inner.pointers + 1, ..inner }),
                }
            }
            NodeKind::CastExpression => self.written(tree.field(id, NodeField::Type)?),
            NodeKind::CallExpression => self.called(tree.field(id, NodeField::Function)?),
            NodeKind::CompoundLiteralExpression => self.base(tree.field(id, NodeField::Type)?, 0),
            NodeKind::FieldExpression => {
                let member = self.member(tree.field(id, NodeField::Field)?)?;
                self.declared(member, ItemKind::Variable)
            }
            NodeKind::Identifier => self.variable(id),
            NodeKind::CharLiteral => plain(b"char"),
            NodeKind::StringLiteral => Some(SpelledType { base: b"const char", pointers: 1 }),
            NodeKind::NumberLiteral => plain(number(unit.text(id))?),
            _ => None,
        }
    }

    /// The member that a name behind `.` or `->` leads to: the only one of its name.
    pub(crate) fn member(&self, name: NodeId) -> Option<EntityId> {
        let named = self.entities.named(self.unit.text(name)).iter();
        let mut members = named.filter(|&&entity| is_member(self.entities, entity));
        members.next().copied().filter(|_| members.next().is_none())
    }

    /// The type of a variable, parameter or data member.
    fn variable(&self, name: NodeId) -> Option<SpelledType<'a>> {
        if let Some(symbol) = self.symbols.of(name).map(|id| self.symbols.get(id)) {
            let is_value = matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter);
            return self.of_variable(*symbol.declarations.first().filter(|_| is_value)?);
        }
        self.declared(self.entities.meant(name)?, ItemKind::Variable)
    }

    /// The type of what a call calls.
    fn called(&self, function: NodeId) -> Option<SpelledType<'a>> {
        let tree = self.unit.tree;
        let plain = |base| Some(SpelledType { base, pointers: 0 });
        match tree.kind(function) {
            NodeKind::FieldExpression => {
                let member = self.member(tree.field(function, NodeField::Field)?)?;
                self.declared(member, ItemKind::Function)
            }
            NodeKind::TemplateFunction => {
                let name = self.unit.text(tree.field(function, NodeField::Name)?);
                let list = tree.field(function, NodeField::Arguments)?;
                let is_cast = name.ends_with(b"_cast");
                self.written(tree.named_children(list).next().filter(|_| is_cast)?)
            }
            NodeKind::Identifier | NodeKind::QualifiedIdentifier => {
                let mut names =
                    tree.subtree(function).filter(|&id| tree.kind(id) == NodeKind::Identifier);
                let name = names.next_back()?;
                let entity = self.entities.meant(name)?;
                let items = self.entities.declarations(entity);
                match self.entities.item(*items.first()?).kind {
                    ItemKind::Type => plain(self.unit.text(function)),
                    _ => self.declared(entity, ItemKind::Function),
                }
            }
            _ => None,
        }
    }

    /// The type that the only declaration of an entity gives it, or all of them.
    fn declared(&self, entity: EntityId, kind: ItemKind) -> Option<SpelledType<'a>> {
        let tree = self.unit.tree;
        let items = self.entities.declarations(entity).iter().take(DEEPEST);
        let mut types = items.map(|&id| {
            let item = self.entities.item(id);
            let text = self.entities.name(entity);
            let is_name = |&id: &NodeId| {
                matches!(tree.kind(id), NodeKind::Identifier | NodeKind::FieldIdentifier)
                    && self.unit.text(id) == text
            };
            let declarators = tree.fields(item.inner, NodeField::Declarator);
            let name = declarators.flat_map(|it| tree.subtree(it)).find(is_name);
            let is_plain = item.kind == kind && !item.is_template;
            self.of_name(name.filter(|_| is_plain)?, kind == ItemKind::Function)
        });
        let first = types.next()??;
        types.all(|other| other == Some(first)).then_some(first)
    }

    /// The type of the variable or parameter that a name declares.
    pub(crate) fn of_variable(&self, name: NodeId) -> Option<SpelledType<'a>> {
        self.of_name(name, false)
    }

    /// The type of what a name declares, or of what a function returns.
    fn of_name(&self, name: NodeId, is_function: bool) -> Option<SpelledType<'a>> {
        let tree = self.unit.tree;
        let (mut pointers, mut functions) = (0, 0);
        for at in tree.ancestors(name).take(DEEPEST) {
            match tree.kind(at) {
                NodeKind::PointerDeclarator | NodeKind::ArrayDeclarator => pointers += 1,
                NodeKind::FunctionDeclarator => functions += 1,
                NodeKind::ReferenceDeclarator | NodeKind::InitDeclarator => {}
                NodeKind::Declaration
                | NodeKind::FieldDeclaration
                | NodeKind::ParameterDeclaration
                | NodeKind::OptionalParameterDeclaration
                | NodeKind::FunctionDefinition => {
                    let base = self.base(tree.field(at, NodeField::Type)?, 0)?;
                    let is_known = functions == usize::from(is_function);
                    let pointers = base.pointers + pointers;
                    return is_known.then_some(SpelledType { pointers, ..base });
                }
                _ => return None,
            }
        }
        None
    }

    /// The type that a type name spells.
    fn written(&self, node: NodeId) -> Option<SpelledType<'a>> {
        let tree = self.unit.tree;
        let base = self.base(tree.field(node, NodeField::Type)?, 0)?;
        let inside = tree.subtree(node);
        let pointers = inside.filter(|&id| tree.kind(id) == NodeKind::AbstractPointerDeclarator);
        Some(SpelledType { pointers: base.pointers + pointers.count(), ..base })
    }

    /// A type that means the same elsewhere in the file. What an alias stands for takes its place.
    fn base(&self, node: NodeId, depth: usize) -> Option<SpelledType<'a>> {
        let tree = self.unit.tree;
        let node = match tree.kind(node) {
            NodeKind::StructSpecifier
            | NodeKind::ClassSpecifier
            | NodeKind::UnionSpecifier
            | NodeKind::EnumSpecifier => tree.field(node, NodeField::Name)?,
            _ => node,
        };
        let is_name = matches!(
            tree.kind(node),
            NodeKind::TypeIdentifier
                | NodeKind::PrimitiveType
                | NodeKind::SizedTypeSpecifier
                | NodeKind::QualifiedIdentifier
                | NodeKind::TemplateType
        );
        if !is_name || !is_closed(self.unit, node) {
            return None;
        }
        let alias = self.alias(node).filter(|_| depth < DEEPEST);
        let meant = alias.and_then(|(of, pointers)| {
            let of = self.base(of, depth + 1)?;
            Some(SpelledType { pointers: of.pointers + pointers, ..of })
        });
        Some(meant.unwrap_or(SpelledType { base: self.unit.text(node), pointers: 0 }))
    }

    /// The type before the declarator of what a name is an alias of, and the pointers in that.
    fn alias(&self, name: NodeId) -> Option<(NodeId, usize)> {
        let tree = self.unit.tree;
        let last = tree.subtree(name).rfind(|&id| tree.kind(id) == NodeKind::TypeIdentifier);
        let items = self.entities.declarations(self.entities.meant(last?)?);
        let [item] = *items else { return None };
        let item = self.entities.item(item);
        if item.kind != ItemKind::Alias || item.is_template {
            return None;
        }
        let is_alias = tree.kind(item.inner) == NodeKind::AliasDeclaration;
        let whole = if is_alias { tree.field(item.inner, NodeField::Type)? } else { item.inner };
        let mut declarators = tree.fields(whole, NodeField::Declarator);
        let first = declarators.next();
        let pointers = first.map_or(0, |it| pointers_in(tree, it));
        let is_plain = |kind| is_pointer(kind) || kind == NodeKind::TypeIdentifier;
        let is_simple =
            first.is_none_or(|it| is_plain(tree.kind(it))) && declarators.next().is_none();
        Some((tree.field(whole, NodeField::Type).filter(|_| is_simple)?, pointers))
    }
}

/// Returns whether an entity stands in a class, and not in a namespace.
pub(crate) fn is_member(entities: &Entities, entity: EntityId) -> bool {
    entities.scope(entity).is_some_and(|scope| !entities.is_namespace(scope))
}

/// The number of pointers in a declarator.
pub(crate) fn pointers_in(tree: &SyntaxTree, declarator: NodeId) -> usize {
    tree.subtree(declarator).filter(|&id| is_pointer(tree.kind(id))).count()
}

fn is_pointer(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::PointerDeclarator | NodeKind::AbstractPointerDeclarator)
}

/// The type of a number.
fn number(text: &[u8]) -> Option<&'static [u8]> {
    let is_hex = text.starts_with(b"0x") || text.starts_with(b"0X");
    let has = |byte: u8| text.iter().any(|it| it.eq_ignore_ascii_case(&byte));
    if text.contains(&b'.') || !is_hex && has(b'e') {
        return Some(if !is_hex && has(b'f') { b"float" } else { b"double" });
    }
    match (has(b'u'), has(b'l')) {
        (false, false) => Some(b"int"),
        (true, false) => Some(b"unsigned"),
        (false, true) => Some(b"long"),
        (true, true) => Some(b"unsigned long"),
    }
}
