//! What each item mentions: the entities that its names lead to, as far as scopes tell.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use clreduce_testcase::{Token, TokenKind, step, tokens};

use super::declared::{is_declared_locally, parameter_names};
use super::scopes::{EntityKind, EntityScopes, NameId};
use super::{Entities, EntityId, Item, ItemKind};
use crate::kind::{NodeField, NodeKind};
use crate::tree::{NodeId, SyntaxTree};

/// The meaning of a name in an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Reference {
    /// One entity.
    Entity(EntityId),
    /// Some member with a name, of whatever class.
    Member(NameId),
    /// Something with a name that is no member: a function is found by its arguments.
    Free(NameId),
    /// Something with a name.
    Any(NameId),
}

/// The scope that a qualifier names.
#[derive(Clone, Copy)]
enum Qualifier {
    Entity(EntityId),
    /// It depends on a parameter of a template, or on the type of an expression.
    Dependent,
    /// It is not declared, or lies in what was not understood.
    Unknown,
}

/// Classes in the parameters of one function that are looked at.
const MOST_NEEDS: usize = 8;

/// Finds out what the items mention.
pub(super) fn resolve(bytes: &[u8], tree: &SyntaxTree, entities: &mut Entities) {
    let mut is_item = vec![false; tree.len()];
    for item in &entities.items {
        is_item[item.node.0 as usize] = true;
    }
    let mut references = Vec::new();
    for index in 0..entities.items.len() {
        let item = &entities.items[index];
        let mut reader = ReferenceReader {
            bytes,
            tree,
            scopes: &entities.scopes,
            context: item.context,
            in_class: entities.scopes.kind(item.context) == EntityKind::Class,
            locals: HashSet::new(),
            parameters: HashSet::new(),
            qualified: HashMap::new(),
            found: BTreeSet::new(),
            references: Vec::new(),
        };
        reader.read_locals(item.node, &is_item);
        let (mentions, mut needs) = match has_words(tree, item, &is_item) {
            true => (reader.words(tree.range(item.node)), BTreeSet::new()),
            false => reader.read(item, &is_item),
        };
        references.append(&mut reader.references);
        let item = &mut entities.items[index];
        needs.retain(|need| !item.declares.contains(need));
        item.needs.extend(needs);
        item.mentions = mentions;
    }
    references.sort_unstable();
    entities.references = references;
}

/// Returns whether nothing but its words is known of an item.
fn has_words(tree: &SyntaxTree, item: &Item, is_item: &[bool]) -> bool {
    let has_error =
        tree.has_error(item.node) && !matches!(item.kind, ItemKind::Namespace | ItemKind::Linkage);
    // A pragma names nothing.
    let is_macro =
        item.kind == ItemKind::Directive && tree.kind(item.node) != NodeKind::PreprocCall;
    item.kind == ItemKind::Opaque
        || is_macro
        || has_error && !tree.subtree(item.node).skip(1).any(|node| is_item[node.0 as usize])
}

/// Returns whether a node stands in the parameters of a function, or in the arguments of a specialisation.
fn is_in_signature(tree: &SyntaxTree, inner: NodeId, id: NodeId) -> bool {
    if !matches!(tree.kind(id), NodeKind::TypeIdentifier) {
        return false;
    }
    // Arguments of templates nest as deep as somebody writes them.
    let mut inside = tree.ancestors(id).take_while(|&at| at > inner).take(16);
    inside.any(|at| match tree.kind(at) {
        NodeKind::ParameterList => true,
        NodeKind::TemplateArgumentList => {
            let whole = tree.node(tree.node(at).parent);
            whole.kind == NodeKind::TemplateType
                && whole.field == Some(NodeField::Name)
                && whole.parent == inner
        }
        _ => false,
    })
}

struct ReferenceReader<'a> {
    bytes: &'a [u8],
    tree: &'a SyntaxTree,
    scopes: &'a EntityScopes,
    context: EntityId,
    in_class: bool,
    /// Values that the item declares for itself: parameters, and variables in its body.
    locals: HashSet<&'a [u8]>,
    /// Parameters of templates in the item. Only they, and no values, may stand before `::`.
    parameters: HashSet<&'a [u8]>,
    /// For names behind `::`, what stands before.
    qualified: HashMap<NodeId, Qualifier>,
    found: BTreeSet<Reference>,
    /// The names that lead to one entity.
    references: Vec<(NodeId, EntityId)>,
}

impl<'a> ReferenceReader<'a> {
    fn read_locals(&mut self, item: NodeId, is_item: &[bool]) {
        let tree = self.tree;
        let end = tree.node(item).after;
        let mut id = item;
        while id < end {
            if id != item && is_item[id.0 as usize] {
                id = tree.node(id).after;
                continue;
            }
            match tree.kind(id) {
                NodeKind::TemplateParameterList => {
                    let names = parameter_names(tree, id).into_iter();
                    self.parameters.extend(names.map(|name| &self.bytes[tree.range(name)]));
                }
                NodeKind::Identifier if is_declared_locally(tree, id, item) => {
                    self.locals.insert(&self.bytes[tree.range(id)]);
                }
                _ => {}
            }
            id = NodeId(id.0 + 1);
        }
    }

    /// What an item mentions outside of the items in it, and the classes that its signature needs.
    fn read(
        &mut self,
        item: &Item,
        is_item: &[bool],
    ) -> (Vec<(u32, Reference)>, BTreeSet<EntityId>) {
        let tree = self.tree;
        let (mut mentions, mut needs) = (Vec::new(), BTreeSet::new());
        let mut id = item.node;
        let end = tree.node(item.node).after;
        while id < end {
            let node = tree.node(id);
            if id != item.node && is_item[id.0 as usize] {
                id = node.after;
                continue;
            }
            self.visit(id);
            if !self.found.is_empty() {
                let found = std::mem::take(&mut self.found);
                if needs.len() < MOST_NEEDS && is_in_signature(tree, item.inner, id) {
                    needs.extend(found.iter().filter_map(|mention| self.class(*mention)));
                }
                mentions.extend(found.into_iter().map(|mention| (node.start, mention)));
            }
            id = NodeId(id.0 + 1);
        }
        (mentions, needs)
    }

    fn visit(&mut self, id: NodeId) {
        let tree = self.tree;
        let node = tree.node(id);
        match node.kind {
            NodeKind::QualifiedIdentifier => self.qualify(id),
            NodeKind::TemplateType | NodeKind::TemplateFunction | NodeKind::TemplateMethod => {
                self.pass_on(id, tree.field(id, NodeField::Name));
            }
            NodeKind::DependentName | NodeKind::DependentType => {
                self.pass_on(id, tree.named_children(id).next());
            }
            NodeKind::FieldIdentifier => {
                let text = &self.bytes[node.range()];
                self.found.extend(self.scopes.name(text).map(Reference::Member));
            }
            NodeKind::Identifier
            | NodeKind::TypeIdentifier
            | NodeKind::NamespaceIdentifier
            | NodeKind::PrimitiveType => self.name(id),
            NodeKind::OperatorName => {
                let text = self.bytes[node.range()].iter().copied();
                let text: Vec<u8> = text.filter(|byte| !byte.is_ascii_whitespace()).collect();
                self.found.extend(self.scopes.name(&text).map(Reference::Any));
            }
            NodeKind::SubscriptExpression => self.all_named(&[b"operator[]"]),
            NodeKind::CallExpression => self.all_named(&[b"operator()"]),
            // Compilers make calls of these of `k<<<1, 1>>>(x)`.
            NodeKind::KernelCallSyntax => self.all_named(&[
                b"cudaConfigureCall",
                b"cudaLaunchKernel",
                b"__cudaPushCallConfiguration",
                b"__cudaPopCallConfiguration",
            ]),
            NodeKind::NewExpression => self.all_named(&[b"operatornew", b"operatornew[]"]),
            NodeKind::DeleteExpression => self.all_named(&[b"operatordelete", b"operatordelete[]"]),
            NodeKind::ForRangeLoop => {
                self.all_named(&[
                    b"begin",
                    b"end",
                    b"operator!=",
                    b"operator==",
                    b"operator++",
                    b"operator*",
                ]);
            }
            NodeKind::StructuredBindingDeclarator => {
                self.all_named(&[b"get", b"tuple_size", b"tuple_element"]);
            }
            NodeKind::InitializerList => {
                // The class that the compiler makes of it has the same name.
                self.all_named(&[NodeKind::InitializerList.name().as_bytes()]);
            }
            NodeKind::Arrow => self.all_named(&[b"operator->"]),
            _ if node.field == Some(NodeField::Operator) && !node.named => self.operator(id),
            _ => {}
        }
    }

    /// Remembers what the qualifier of a name stands for.
    fn qualify(&mut self, id: NodeId) {
        let tree = self.tree;
        let around = self.qualified.get(&id).copied();
        let scope = tree.field(id, NodeField::Scope);
        let found = match scope {
            None => Qualifier::Entity(EntityId(0)),
            Some(scope) => {
                // `template rebind<int>`: the word says nothing that the scope does not.
                let inner = match tree.kind(scope) {
                    NodeKind::DependentName => tree.named_children(scope).next(),
                    _ => Some(scope),
                };
                let inner = inner.unwrap_or(scope);
                let name = match tree.kind(inner) {
                    NodeKind::TemplateType => tree.field(inner, NodeField::Name),
                    NodeKind::NamespaceIdentifier
                    | NodeKind::Identifier
                    | NodeKind::TypeIdentifier => Some(inner),
                    _ => None,
                };
                if let Some(around) = around {
                    self.qualified.insert(scope, around);
                }
                match name {
                    Some(name) => self.scope(name, around),
                    None => Qualifier::Dependent,
                }
            }
        };
        if let Some(name) = tree.field(id, NodeField::Name) {
            self.qualified.insert(name, found);
        }
    }

    fn scope(&self, name: NodeId, around: Option<Qualifier>) -> Qualifier {
        let text = &self.bytes[self.tree.range(name)];
        let Some(known) = self.scopes.name(text) else {
            return if self.parameters.contains(text) {
                Qualifier::Dependent
            } else {
                Qualifier::Unknown
            };
        };
        let entity = match around {
            None if self.parameters.contains(text) => return Qualifier::Dependent,
            None => self.scopes.find(self.context, known),
            Some(Qualifier::Entity(scope)) => self.scopes.find_in(scope, known),
            Some(Qualifier::Dependent) => return Qualifier::Dependent,
            Some(Qualifier::Unknown) => None,
        };
        let Some(entity) = entity.map(|entity| self.scopes.target(entity)) else {
            return Qualifier::Unknown;
        };
        match self.scopes.kind(entity) {
            EntityKind::Namespace | EntityKind::Class => Qualifier::Entity(entity),
            EntityKind::Other | EntityKind::Parameter => Qualifier::Dependent,
        }
    }

    fn pass_on(&mut self, from: NodeId, to: Option<NodeId>) {
        if let (Some(&qualifier), Some(to)) = (self.qualified.get(&from), to) {
            self.qualified.insert(to, qualifier);
        }
    }

    fn name(&mut self, id: NodeId) {
        let text = &self.bytes[self.tree.range(id)];
        let Some(name) = self.scopes.name(text) else { return };
        match self.qualified.get(&id).copied() {
            Some(Qualifier::Entity(scope)) => match self.scopes.find_in(scope, name) {
                Some(entity) => self.entity(id, entity),
                None if self.scopes.kind(scope) == EntityKind::Class => {
                    self.found.insert(Reference::Member(name));
                }
                None => {
                    self.found.insert(Reference::Any(name));
                }
            },
            Some(Qualifier::Dependent) => {
                self.found.insert(Reference::Member(name));
            }
            Some(Qualifier::Unknown) => {
                self.found.insert(Reference::Any(name));
            }
            None => self.unqualified(id, text, name),
        }
    }

    fn unqualified(&mut self, id: NodeId, text: &[u8], name: NameId) {
        // `fmt::print(fmt)`: a value does not hide the namespace.
        let is_qualifier = self.tree.kind(id) == NodeKind::NamespaceIdentifier;
        if self.parameters.contains(text) || !is_qualifier && self.locals.contains(text) {
            return;
        }
        let found = self.scopes.find(self.context, name);
        match found {
            Some(entity) => {
                self.entity(id, entity);
                // A base class may have it as well.
                if self.in_class && !self.scopes.is_in_class(entity) {
                    self.found.insert(Reference::Member(name));
                }
            }
            None => {
                self.found.insert(Reference::Any(name));
            }
        }
        let parent = self.tree.node(self.tree.node(id).parent);
        let is_called = |node: &crate::tree::SyntaxNode| node.field == Some(NodeField::Function);
        if is_called(self.tree.node(id))
            || parent.kind == NodeKind::TemplateFunction && is_called(parent)
        {
            self.found.insert(Reference::Free(name));
        }
    }

    fn entity(&mut self, id: NodeId, entity: EntityId) {
        self.references.push((id, entity));
        if self.scopes.kind(entity) != EntityKind::Parameter {
            self.found.insert(Reference::Entity(entity));
            let target = self.scopes.target(entity);
            self.found.insert(Reference::Entity(target));
        }
    }

    fn operator(&mut self, id: NodeId) {
        let text = &self.bytes[self.tree.range(id)];
        let name = [b"operator", text].concat();
        self.all_named(&[&name]);
        match text {
            b"!=" => self.all_named(&[b"operator=="]),
            b"<" | b">" | b"<=" | b">=" => self.all_named(&[b"operator<=>"]),
            _ => {}
        }
    }

    fn all_named(&mut self, names: &[&[u8]]) {
        for name in names {
            self.found.extend(self.scopes.name(name).map(Reference::Any));
        }
    }

    /// Every word of a range that is a name.
    fn words(&self, range: Range<usize>) -> Vec<(u32, Reference)> {
        let text = &self.bytes[range.clone()];
        let words = tokens(text).filter(|token| token.kind == TokenKind::Word);
        let mention = |token: Token| {
            step();
            let name = self.scopes.name(&text[token.range()])?;
            Some((range.start as u32 + token.start, Reference::Any(name)))
        };
        words.filter_map(mention).collect()
    }

    /// The class that a mention means.
    fn class(&self, mention: Reference) -> Option<EntityId> {
        match mention {
            Reference::Entity(entity) if self.scopes.kind(entity) == EntityKind::Class => {
                Some(entity)
            }
            _ => None,
        }
    }
}
