//! The templates of a file: their uses, calls, explicit instantiations and constraints.

use std::collections::{HashMap, HashSet};

use clreduce_language::{Entities, EntityId, ItemId, NodeField, NodeId, NodeKind};

use crate::analysis::{DEEPEST, Unit, argument_lists, concepts, name_in, outside_members};

pub(super) struct TemplateFile<'a> {
    pub(super) unit: Unit<'a>,
    pub(super) entities: &'a Entities,
    /// The lists of arguments behind the name of a template.
    pub(super) uses: HashMap<EntityId, Vec<NodeId>>,
    /// By class, the members that are defined outside of it.
    pub(super) outside: HashMap<EntityId, Vec<ItemId>>,
    pub(super) concepts: HashSet<&'a [u8]>,
    /// The explicit instantiations of a template.
    pub(super) instantiations: HashMap<EntityId, Vec<NodeId>>,
    /// The names of a function that stand where it is called without arguments for a template.
    pub(super) calls: HashMap<EntityId, Vec<NodeId>>,
}

impl<'a> TemplateFile<'a> {
    pub(super) fn new(unit: Unit<'a>, entities: &'a Entities) -> Self {
        Self {
            unit,
            entities,
            uses: argument_lists(unit, entities),
            outside: outside_members(entities),
            concepts: concepts(unit),
            instantiations: instantiations(unit, entities),
            calls: called_names(unit, entities),
        }
    }
}

/// By entity, its names that stand where a function is called without arguments for a template.
fn called_names(unit: Unit<'_>, entities: &Entities) -> HashMap<EntityId, Vec<NodeId>> {
    let tree = unit.tree;
    let mut names: HashMap<EntityId, Vec<NodeId>> = HashMap::new();
    for &(name, entity) in entities.references() {
        let is_callee = |id: NodeId| tree.node(id).field == Some(NodeField::Function);
        let parent = tree.node(name).parent;
        let is_last = tree.kind(parent) == NodeKind::QualifiedIdentifier
            && tree.node(name).field == Some(NodeField::Name);
        if is_callee(name) || is_last && is_callee(parent) {
            names.entry(entity).or_default().push(name);
        }
    }
    names
}

/// By entity, the explicit instantiations of a template.
fn instantiations(unit: Unit<'_>, entities: &Entities) -> HashMap<EntityId, Vec<NodeId>> {
    let tree = unit.tree;
    let mut named: HashMap<NodeId, NodeId> = HashMap::new();
    for id in tree.ids().filter(|&id| tree.kind(id) == NodeKind::TemplateInstantiation) {
        let declarator =
            tree.field(id, NodeField::Declarator).filter(|it| !tree.range(*it).is_empty());
        let declarator = declarator.map(|it| name_in(unit, it));
        let class = || tree.named_children(id).find_map(|it| tree.field(it, NodeField::Name));
        let mut name = declarator.or_else(class);
        // `n::A<int>::f<char>`: the last name counts.
        for _ in 0..DEEPEST {
            name = name.and_then(|at| tree.field(at, NodeField::Name)).or(name);
        }
        named.extend(name.map(|name| (name, id)));
    }
    let mut found: HashMap<EntityId, Vec<NodeId>> = HashMap::new();
    for &(name, entity) in entities.references() {
        found.entry(entity).or_default().extend(named.get(&name));
    }
    found
}
