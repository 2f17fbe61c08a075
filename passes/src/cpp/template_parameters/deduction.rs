//! Arguments of templates that calls leave out: those that the types of their arguments give.

use std::collections::BTreeSet;

use clreduce_language::{EntityId, ItemKind, NodeField, NodeId, NodeKind};

use crate::analysis::{
    Spelling, TemplateHead, name_in, parameter_list, parameters, pointers_in,
    template_parameter_name,
};

/// Calls of one function that are looked at, and lists of arguments that are told.
const MOST_CALLS: usize = 32;
const MOST_LISTS: usize = 4;

/// For some calls of a function template, the arguments of the template that they give, where they do. `calls` are the names of
/// the function in them.
pub(super) fn deduced(
    spelling: &Spelling<'_>,
    entity: EntityId,
    calls: &[NodeId],
) -> Vec<Vec<Option<Vec<u8>>>> {
    let (unit, entities) = (spelling.unit, spelling.entities);
    let tree = unit.tree;
    let template = entities.declarations(entity).iter().find_map(|&id| {
        let item = entities.item(id);
        let head = TemplateHead::of(unit, item.node).filter(|_| item.kind == ItemKind::Function)?;
        let name = name_in(unit, tree.field(item.inner, NodeField::Declarator)?);
        Some((head, parameters(tree, parameter_list(tree, name)?)))
    });
    let Some((head, parameters)) = template else { return Vec::new() };
    let names = head.parameters.iter().map(|&it| template_parameter_name(unit, it));
    let names: Vec<Option<&[u8]>> = names.map(|name| name.map(|name| unit.text(name))).collect();
    let mut lists = BTreeSet::new();
    for &name in calls.iter().take(MOST_CALLS) {
        let call = tree.ancestors(name).find(|&at| tree.kind(at) != NodeKind::QualifiedIdentifier);
        let is_call = |&call: &NodeId| tree.kind(call) == NodeKind::CallExpression;
        let Some(call) = call.filter(is_call) else { continue };
        let Some(list) = tree.field(call, NodeField::Arguments) else { continue };
        let mut given = vec![None; names.len()];
        for (parameter, argument) in parameters.iter().zip(tree.named_children(list)) {
            let Some(of) = tree.field(*parameter, NodeField::Type) else { continue };
            let index = names.iter().position(|&name| name == Some(unit.text(of)));
            let pointers = pointers_in(tree, *parameter);
            if let (Some(index), Some(mut of)) = (index, spelling.of(argument))
                && of.pointers >= pointers
            {
                of.pointers -= pointers;
                given[index] = Some(of.text());
            }
        }
        if given.iter().any(Option::is_some) {
            lists.insert(given);
        }
    }
    lists.into_iter().take(MOST_LISTS).collect()
}
