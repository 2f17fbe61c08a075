//! Collects the items of a C++ file, and declares what they declare.

use super::declared::{
    Declared, declared, is_class, is_type_specifier, is_virtual, parameter_names, unwrapped,
};
use super::scopes::{EntityKind, EntityScopes};
use super::{Entities, EntityId, Item, ItemId, ItemKind};
use crate::kind::{NodeField, NodeKind};
use crate::tree::{NodeId, SyntaxTree};

/// A list of declarations that is still to be looked at.
#[derive(Clone, Copy)]
struct ItemList {
    node: NodeId,
    parent: Option<ItemId>,
    scope: EntityId,
    is_class: bool,
}

struct Collector<'a> {
    bytes: &'a [u8],
    tree: &'a SyntaxTree,
    out: Entities,
    lists: Vec<ItemList>,
    /// What is declared with a qualifier, which is looked up when all else is declared.
    qualified: Vec<(ItemId, EntityId, Declared)>,
}

/// Collects the items, in the order of their nodes.
pub(super) fn collect(bytes: &[u8], tree: &SyntaxTree) -> Entities {
    let out = Entities { scopes: EntityScopes::new(), ..Entities::default() };
    let file = ItemList { node: NodeId(0), parent: None, scope: EntityId(0), is_class: false };
    let mut collector = Collector { bytes, tree, out, lists: vec![file], qualified: Vec::new() };
    // The lists around a declaration, each with what is left of it, and the last item of it.
    let mut open: Vec<(ItemList, std::vec::IntoIter<NodeId>, Option<ItemId>)> = Vec::new();
    loop {
        // What an item holds comes before what follows it.
        while let Some(list) = collector.lists.pop() {
            let children = tree.children(list.node).filter(|&id| collector.is_item(id));
            open.push((list, children.collect::<Vec<_>>().into_iter(), None));
        }
        let Some((list, children, last)) = open.last_mut() else { break };
        let Some(child) = children.next() else {
            open.pop();
            continue;
        };
        let id = ItemId(collector.out.items.len() as u32);
        let before = last.replace(id);
        let list = *list;
        collector.add(child, list);
        if let Some(before) = before {
            collector.join(before, id);
        }
    }
    collector.finish()
}

impl Collector<'_> {
    fn is_item(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        let kind = node.kind;
        node.named
            && node.start < node.end
            && node.field.is_none()
            && !matches!(
                kind,
                NodeKind::Comment | NodeKind::AccessSpecifier | NodeKind::ExpressionStatement
            )
            || kind == NodeKind::Error
    }

    /// Joins two items side by side, where one of them was not understood.
    fn join(&mut self, before: ItemId, behind: ItemId) {
        let is_whole = |id: ItemId| {
            let item = &self.out.items[id.0 as usize];
            // What a namespace or class holds has items of its own.
            let is_container = matches!(
                item.kind,
                ItemKind::Namespace | ItemKind::Linkage | ItemKind::Type | ItemKind::Directive
            );
            is_container || !self.tree.has_error(item.node) && !self.tree.node(item.node).damaged
        };
        if !is_whole(before) || !is_whole(behind) {
            self.out.items[before.0 as usize].joined[1] = Some(behind);
            self.out.items[behind.0 as usize].joined[0] = Some(before);
        }
    }

    fn add(&mut self, node: NodeId, list: ItemList) {
        let tree = self.tree;
        let (inner, is_template, is_friend) = unwrapped(tree, node);
        let id = ItemId(self.out.items.len() as u32);
        self.out.items.push(Item {
            kind: ItemKind::Opaque,
            node,
            inner,
            parent: list.parent,
            declares: Vec::new(),
            is_member: list.is_class,
            is_template,
            is_outside: false,
            joined: [None; 2],
            comes_with_class: false,
            is_virtual: false,
            context: list.scope,
            needs: Vec::new(),
            mentions: Vec::new(),
        });
        if tree.node(node).damaged || tree.node(inner).error {
            return;
        }
        let kind = self.understand(id, inner, list, is_friend);
        let item = &mut self.out.items[id.0 as usize];
        item.kind = kind;
        // It may declare something else than what the parser understood.
        item.comes_with_class |= list.is_class && tree.has_error(node);
        if is_template {
            self.template_parameters(id);
        }
    }

    /// Declares what an item declares, opens the lists that it holds, and tells its kind.
    fn understand(
        &mut self,
        id: ItemId,
        inner: NodeId,
        list: ItemList,
        is_friend: bool,
    ) -> ItemKind {
        let (tree, scope) = (self.tree, list.scope);
        match tree.kind(inner) {
            NodeKind::NamespaceDefinition => self.namespace(id, inner, list),
            NodeKind::LinkageSpecification => {
                let body = tree.field(inner, NodeField::Body);
                let inside = |node| ItemList { node, parent: Some(id), ..list };
                self.lists.extend(body.map(inside));
                ItemKind::Linkage
            }
            // A friend is a member of what is around the class.
            _ if is_friend => self.friend(id, inner, list),
            kind if is_type_specifier(kind) => {
                self.type_specifier(id, inner, list, None);
                ItemKind::Type
            }
            NodeKind::FunctionDefinition
            | NodeKind::Declaration
            | NodeKind::FieldDeclaration
            | NodeKind::TypeDefinition => self.declaration(id, inner, list),
            NodeKind::AliasDeclaration | NodeKind::ConceptDefinition => {
                let name = tree.field(inner, NodeField::Name);
                self.name(id, scope, name, EntityKind::Other);
                ItemKind::Alias
            }
            NodeKind::UsingDeclaration => self.using(id, inner, scope),
            NodeKind::NamespaceAliasDefinition => {
                let name = tree.field(inner, NodeField::Name);
                self.name(id, scope, name, EntityKind::Other);
                let alias = self.out.items[id.0 as usize].declares.first().copied();
                if let Some((alias, namespace)) = alias.zip(self.last_namespace(inner, scope)) {
                    self.out.scopes.set_alias(alias, namespace);
                }
                ItemKind::Using
            }
            NodeKind::StaticAssertDeclaration => ItemKind::Assertion,
            NodeKind::TemplateInstantiation => ItemKind::Instantiation { is_extern: false },
            kind if kind.is_preprocessing() => ItemKind::Directive,
            _ => ItemKind::Opaque,
        }
    }

    /// Declares a name that may be qualified.
    fn name(&mut self, id: ItemId, scope: EntityId, name: Option<NodeId>, kind: EntityKind) {
        let Some(found) = name.and_then(|name| declared(self.bytes, self.tree, name)) else {
            return;
        };
        self.declare(id, scope, found, kind);
    }

    fn declare(&mut self, id: ItemId, scope: EntityId, found: Declared, kind: EntityKind) {
        self.out.items[id.0 as usize].is_template |= found.is_specialised;
        if found.qualifiers.is_empty() {
            let entity = self.out.scopes.declare(scope, &found.name, kind);
            self.out.items[id.0 as usize].declares.push(entity);
        } else if let Some(holder) = self.find_path(scope, &found.qualifiers) {
            self.declare_in(id, holder, &found, kind);
        } else {
            self.qualified.push((id, scope, found));
        }
    }

    /// Declares what is declared elsewhere: a member outside of its class.
    fn declare_in(&mut self, id: ItemId, holder: EntityId, found: &Declared, kind: EntityKind) {
        let scopes = &mut self.out.scopes;
        let is_constructor = scopes.name_of(holder) == found.name;
        let is_in_class = scopes.kind(holder) == EntityKind::Class;
        let entity = scopes.declare(holder, &found.name, kind);
        let item = &mut self.out.items[id.0 as usize];
        item.declares.push(entity);
        item.is_outside |= is_in_class;
        if kind != EntityKind::Class {
            item.context = holder;
            item.comes_with_class |= is_in_class && (is_constructor || found.is_special());
        }
    }

    /// The entity that the parts of a qualified name lead to.
    fn find_path(&self, from: EntityId, parts: &[NodeId]) -> Option<EntityId> {
        let scopes = &self.out.scopes;
        let mut at = None;
        for &part in parts {
            let found = declared(self.bytes, self.tree, part)?;
            let name = scopes.name(&found.name)?;
            let entity = match at {
                None => scopes.find(from, name)?,
                Some(scope) => scopes.find_in(scope, name)?,
            };
            at = Some(scopes.target(entity));
        }
        at
    }

    /// The namespace that the last part of a declaration names.
    fn last_namespace(&self, inner: NodeId, scope: EntityId) -> Option<EntityId> {
        let name = self.tree.named_children(inner).last()?;
        self.find_path(scope, &self.namespace_path(name))
    }

    fn namespace(&mut self, id: ItemId, inner: NodeId, list: ItemList) -> ItemKind {
        let tree = self.tree;
        let name = tree.field(inner, NodeField::Name);
        let parts = name.map(|name| self.namespace_path(name)).unwrap_or_default();
        let is_inline =
            tree.children(inner).any(|child| tree.kind(child) == NodeKind::InlineKeyword);
        let mut scope = list.scope;
        let names: Vec<&[u8]> = match parts.len() {
            0 => vec![b"(unnamed)"],
            _ => parts.iter().map(|&part| &self.bytes[tree.range(part)]).collect(),
        };
        for name in names {
            let around = scope;
            scope = self.out.scopes.declare(around, name, EntityKind::Namespace);
            if is_inline || parts.is_empty() {
                self.out.scopes.open(around, scope);
            }
            self.out.items[id.0 as usize].declares.push(scope);
        }
        let body = tree.field(inner, NodeField::Body);
        self.lists.extend(body.map(|node| ItemList {
            node,
            parent: Some(id),
            scope,
            is_class: false,
        }));
        ItemKind::Namespace
    }

    /// The parts of the name of a namespace: `a` and `b` of `a::b`.
    fn namespace_path(&self, name: NodeId) -> Vec<NodeId> {
        let is_part = |&id: &NodeId| {
            matches!(self.tree.kind(id), NodeKind::NamespaceIdentifier | NodeKind::Identifier)
        };
        self.tree.subtree(name).filter(is_part).collect()
    }

    fn using(&mut self, id: ItemId, inner: NodeId, scope: EntityId) -> ItemKind {
        let tree = self.tree;
        if self.bytes[tree.range(inner)].starts_with(b"extern") {
            return ItemKind::Instantiation { is_extern: true };
        }
        let target = tree.named_children(inner).last();
        if tree.children(inner).any(|child| tree.kind(child) == NodeKind::NamespaceKeyword) {
            if let Some(namespace) = self.last_namespace(inner, scope) {
                self.out.scopes.open(scope, namespace);
            }
            return ItemKind::UsingNamespace;
        }
        if let Some(found) = target.and_then(|target| declared(self.bytes, tree, target)) {
            let entity = self.out.scopes.declare(scope, &found.name, EntityKind::Other);
            let last = found.qualifiers.last().and_then(|&node| declared(self.bytes, tree, node));
            let item = &mut self.out.items[id.0 as usize];
            item.declares.push(entity);
            // The constructors of a base class.
            item.comes_with_class = item.is_member && last.is_some_and(|it| it.name == found.name);
        }
        ItemKind::Using
    }

    fn friend(&mut self, id: ItemId, inner: NodeId, list: ItemList) -> ItemKind {
        let tree = self.tree;
        let declarator = tree.field(inner, NodeField::Declarator);
        let found = declarator.and_then(|node| declared(self.bytes, tree, node));
        match found.filter(|found| found.is_function) {
            Some(found) => {
                let scopes = &self.out.scopes;
                let around = std::iter::successors(Some(list.scope), |&at| scopes.parent(at));
                let outside = around.take(64).find(|&at| scopes.kind(at) == EntityKind::Namespace);
                self.declare(id, outside.unwrap_or(EntityId(0)), found, EntityKind::Other);
                ItemKind::Function
            }
            None => {
                self.out.items[id.0 as usize].comes_with_class = true;
                ItemKind::Friend
            }
        }
    }

    /// A class or enumeration. One without a name has that of `named`.
    fn type_specifier(
        &mut self,
        id: ItemId,
        specifier: NodeId,
        list: ItemList,
        named: Option<NodeId>,
    ) {
        let tree = self.tree;
        let name = tree.field(specifier, NodeField::Name).or(named);
        let before = self.out.items[id.0 as usize].declares.len();
        let kind =
            if is_class(tree.kind(specifier)) { EntityKind::Class } else { EntityKind::Other };
        self.name(id, list.scope, name, kind);
        let entity = self.out.items[id.0 as usize].declares.get(before).copied();
        let Some(body) = tree.field(specifier, NodeField::Body) else { return };
        if kind == EntityKind::Class {
            let scope = entity.unwrap_or(list.scope);
            // Of a class that is defined with a qualified name, members are looked up where it is defined.
            self.lists.push(ItemList { node: body, parent: Some(id), scope, is_class: true });
            return;
        }
        for enumerator in tree.named_children(body) {
            let name = tree.field(enumerator, NodeField::Name);
            self.name(id, list.scope, name, EntityKind::Other);
        }
    }

    fn declaration(&mut self, id: ItemId, inner: NodeId, list: ItemList) -> ItemKind {
        let tree = self.tree;
        let declarators: Vec<NodeId> = tree.fields(inner, NodeField::Declarator).collect();
        let defined = tree.field(inner, NodeField::Type).filter(|&kind| {
            is_type_specifier(tree.kind(kind))
                && (tree.field(kind, NodeField::Body).is_some() || declarators.is_empty())
        });
        let is_type_definition = tree.kind(inner) == NodeKind::TypeDefinition;
        if let Some(specifier) = defined {
            let named = declarators.first().copied().filter(|_| is_type_definition);
            self.type_specifier(id, specifier, list, named);
        }
        let mut is_function = tree.kind(inner) == NodeKind::FunctionDefinition;
        let class_name = self.out.scopes.name_of(list.scope).to_vec();
        let mut comes_with_class = !is_type_definition && !is_function && list.is_class;
        for declarator in declarators {
            let Some(found) = declared(self.bytes, tree, declarator) else { continue };
            is_function |= found.is_function;
            comes_with_class &= !found.is_function;
            comes_with_class |= list.is_class && (found.is_special() || found.name == class_name);
            self.declare(id, list.scope, found, EntityKind::Other);
        }
        let item = &mut self.out.items[id.0 as usize];
        item.comes_with_class = comes_with_class && defined.is_none()
            || list.is_class && defined.is_some_and(|it| tree.field(it, NodeField::Name).is_none());
        item.is_virtual = list.is_class && is_virtual(tree, inner);
        match () {
            () if defined.is_some() => ItemKind::Type,
            () if is_type_definition => ItemKind::Alias,
            () if is_function => ItemKind::Function,
            () => ItemKind::Variable,
        }
    }

    /// Declares the parameters of a class template in the class: its members are items of their own, and use them.
    fn template_parameters(&mut self, id: ItemId) {
        let tree = self.tree;
        let item = &self.out.items[id.0 as usize];
        let (node, inner) = (item.node, item.inner);
        let Some(&class) = item.declares.first() else { return };
        if self.out.scopes.kind(class) != EntityKind::Class {
            return;
        }
        let heads = tree.ancestors(inner).take_while(|&at| at >= node);
        let heads = heads.filter_map(|at| tree.field(at, NodeField::Parameters));
        let names: Vec<NodeId> = heads.flat_map(|head| parameter_names(tree, head)).collect();
        for name in names {
            let text = &self.bytes[tree.range(name)];
            self.out.scopes.declare(class, text, EntityKind::Parameter);
        }
    }

    fn finish(mut self) -> Entities {
        for (id, scope, found) in std::mem::take(&mut self.qualified) {
            if let Some(holder) = self.find_path(scope, &found.qualifiers) {
                self.declare_in(id, holder, &found, EntityKind::Other);
            }
        }
        self.out
    }
}
