//! Heads of templates: their parameters, the names and the default arguments of these.

use std::collections::HashMap;

use clreduce_language::{Entities, EntityId, ItemId, NodeField, NodeId, NodeKind};

use super::Unit;

/// The head of a template.
pub(crate) struct Head {
    pub list: NodeId,
    pub parameters: Vec<NodeId>,
}

impl Head {
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
