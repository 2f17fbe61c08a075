//! How an object of a class is made of nothing.

use clreduce_language::{EntityId, ItemKind, NodeField, NodeKind};

use super::{DEEPEST, Spelling, name_in, parameter_list, parameters};

/// The class of a new object, and what its constructor needs.
pub(crate) struct NewObject {
    /// The name of the class with all scopes around it.
    class: Vec<u8>,
    /// The number of arguments that the constructor needs that needs fewest; none if none is declared.
    arguments: usize,
}

impl NewObject {
    /// `None` for a class without a name.
    pub(crate) fn of(spelling: &Spelling<'_>, class: EntityId) -> Option<Self> {
        let entities = spelling.entities;
        let around = std::iter::successors(Some(class), |&at| entities.scope(at));
        let names = around.take(DEEPEST).map(|at| entities.name(at));
        let mut names: Vec<&[u8]> = names.filter(|name| !name.is_empty()).collect();
        names.reverse();
        let is_named = !entities.name(class).is_empty();
        let arguments = needed_arguments(spelling, class);
        is_named.then(|| Self { class: names.join(&b"::"[..]), arguments })
    }

    /// The expression that makes one: `A()`, or `A({}, {})`.
    pub(crate) fn text(&self) -> Vec<u8> {
        let given = vec![&b"{}"[..]; self.arguments].join(&b", "[..]);
        [&self.class[..], b"(", &given, b")"].concat()
    }
}

fn needed_arguments(spelling: &Spelling<'_>, class: EntityId) -> usize {
    let Spelling { unit, entities, .. } = spelling;
    let tree = unit.tree;
    let classes = entities.declarations(class).iter().map(|&id| tree.range(entities.item(id).node));
    let members = classes.flat_map(|range| entities.ids_in(tree, range));
    let needed = members.filter_map(|id| {
        let item = entities.item(id);
        let is_member = item.kind == ItemKind::Function && item.comes_with_class;
        let name = name_in(*unit, tree.field(item.inner, NodeField::Declarator)?);
        let is_constructor = is_member && unit.text(name) == entities.name(class);
        let list = parameter_list(tree, name).filter(|_| is_constructor)?;
        let needed = parameters(tree, list).into_iter();
        Some(needed.filter(|&id| tree.kind(id) == NodeKind::ParameterDeclaration).count())
    });
    needed.min().unwrap_or(0)
}
