//! Heads of templates: their parameters, the names and the default arguments of these.

use std::collections::{HashMap, HashSet};

use clreduce_language::{Entities, EntityId, ItemId, NodeField, NodeId, NodeKind};

use super::{DEEPEST, Unit};

pub(crate) struct TemplateHead {
    pub list: NodeId,
    pub parameters: Vec<NodeId>,
}

impl TemplateHead {
    /// Reads the head of a template; `None` for anything else.
    pub(crate) fn of(unit: Unit<'_>, node: NodeId) -> Option<Self> {
        let tree = unit.tree;
        if tree.kind(node) != NodeKind::TemplateDeclaration || tree.has_error(node) {
            return None;
        }
        let list = tree.field(node, NodeField::Parameters)?;
        Some(Self { list, parameters: tree.named_children(list).collect() })
    }
}

/// The names of all concepts that the file defines.
pub(crate) fn concepts(unit: Unit<'_>) -> HashSet<&[u8]> {
    let definitions = unit.sound().filter(|(_, kind)| *kind == NodeKind::ConceptDefinition);
    let names = definitions.filter_map(|(id, _)| unit.tree.field(id, NodeField::Name));
    names.map(|name| unit.text(name)).collect()
}

/// The last part of a name, without arguments: `C` of `n::C<int>`.
fn last_name(unit: Unit<'_>, id: NodeId) -> NodeId {
    let mut at = id;
    // A qualified name is as long as the input makes it.
    while let NodeKind::QualifiedIdentifier | NodeKind::TemplateType = unit.tree.kind(at) {
        let Some(name) = unit.tree.field(at, NodeField::Name) else { break };
        at = name;
    }
    at
}

/// The concept that stands in the place of `class` before a parameter of a template.
pub(crate) fn constraint(
    unit: Unit<'_>,
    concepts: &HashSet<&[u8]>,
    parameter: NodeId,
) -> Option<NodeId> {
    let of = unit.tree.field(parameter, NodeField::Type)?;
    concepts.contains(unit.text(last_name(unit, of))).then_some(of)
}

/// Returns whether a parameter of a template is a pack.
pub(crate) fn is_pack(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::VariadicTypeParameterDeclaration | NodeKind::VariadicParameterDeclaration
    )
}

/// Returns whether a node may name a parameter of a template.
pub(crate) fn is_name(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::TypeIdentifier | NodeKind::Identifier | NodeKind::NamespaceIdentifier)
}

/// The name that a parameter of a template declares.
pub(crate) fn template_parameter_name(unit: Unit<'_>, parameter: NodeId) -> Option<NodeId> {
    let tree = unit.tree;
    match tree.kind(parameter) {
        NodeKind::TypeParameterDeclaration | NodeKind::VariadicTypeParameterDeclaration => {
            tree.named_children(parameter).last()
        }
        NodeKind::OptionalTypeParameterDeclaration => tree.field(parameter, NodeField::Name),
        NodeKind::ParameterDeclaration
        | NodeKind::OptionalParameterDeclaration
        | NodeKind::VariadicParameterDeclaration => {
            let declarator = tree.field(parameter, NodeField::Declarator)?;
            tree.subtree(declarator).find(|&id| tree.kind(id) == NodeKind::Identifier)
        }
        _ => None,
    }
}

/// The default argument of a parameter of a template.
pub(crate) fn default_argument(unit: Unit<'_>, parameter: NodeId) -> Option<NodeId> {
    let of = |field| unit.tree.field(parameter, field);
    of(NodeField::DefaultType).or_else(|| of(NodeField::DefaultValue))
}

/// By class, the members that are defined outside of it.
pub(crate) fn outside_members(entities: &Entities) -> HashMap<EntityId, Vec<ItemId>> {
    let mut outside: HashMap<EntityId, Vec<ItemId>> = HashMap::new();
    for id in entities.ids().filter(|&id| entities.item(id).is_outside) {
        let member = entities.item(id).declares.first();
        if let Some(class) = member.and_then(|&member| entities.scope(member)) {
            outside.entry(class).or_default().push(id);
        }
    }
    outside
}

/// By entity, the lists of arguments behind its name, in order.
pub(crate) fn argument_lists(
    unit: Unit<'_>,
    entities: &Entities,
) -> HashMap<EntityId, Vec<NodeId>> {
    let tree = unit.tree;
    let mut uses: HashMap<EntityId, Vec<NodeId>> = HashMap::new();
    for &(name, entity) in entities.references() {
        let whole = tree.node(name).parent;
        if !tree.node(name).damaged && tree.node(name).field == Some(NodeField::Name) {
            let arguments = tree.field(whole, NodeField::Arguments);
            let arguments =
                arguments.filter(|&list| tree.kind(list) == NodeKind::TemplateArgumentList);
            uses.entry(entity).or_default().extend(arguments);
        }
    }
    uses
}

/// The name in a declarator: what stands before the parameters and the initialiser.
pub(crate) fn name_in(unit: Unit<'_>, declarator: NodeId) -> NodeId {
    let inner = |&at: &NodeId| unit.tree.field(at, NodeField::Declarator);
    std::iter::successors(Some(declarator), inner).take(16).last().unwrap_or(declarator)
}

/// Returns whether arguments mention no parameter of a template around them.
pub(crate) fn is_closed(unit: Unit<'_>, list: NodeId) -> bool {
    let tree = unit.tree;
    let heads =
        tree.ancestors(list).take(DEEPEST).filter_map(|around| TemplateHead::of(unit, around));
    let names: HashSet<&[u8]> = heads
        .flat_map(|head| head.parameters)
        .filter_map(|parameter| Some(unit.text(template_parameter_name(unit, parameter)?)))
        .collect();
    let mut mentioned = tree.subtree(list).filter(|&id| is_name(tree.kind(id)));
    !mentioned.any(|id| names.contains(unit.text(id)))
}
