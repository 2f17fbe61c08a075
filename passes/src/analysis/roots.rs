//! The items of C++ that are needed whether or not anything mentions them.

use clreduce_language::{Entities, ItemId, ItemKind, NodeField};
use clreduce_testcase::tokens;

use super::main_file::main_file;
use super::unit::Unit;

/// The items of the file that was compiled, as long as line markers tell it from the headers that it includes; then those that
/// the compiler makes code for by itself.
pub(crate) fn roots(unit: Unit<'_>, entities: &Entities) -> Vec<ItemId> {
    let main = main_file(unit.bytes);
    let is_root = |&id: &ItemId| {
        let item = entities.item(id);
        let start = unit.tree.range(item.node).start;
        let next = main.partition_point(|range| range.end <= start);
        match item.kind {
            ItemKind::Namespace | ItemKind::Linkage => false,
            _ if main.is_empty() => is_made_into_code(unit, entities, id),
            _ => main.get(next).is_some_and(|range| range.start <= start),
        }
    };
    entities.ids().filter(is_root).collect()
}

/// Returns whether the compiler makes code for an item, whether or not anything uses it.
fn is_made_into_code(unit: Unit<'_>, entities: &Entities, id: ItemId) -> bool {
    let tree = unit.tree;
    let item = entities.item(id);
    let head = || {
        let declarator = tree.field(item.inner, NodeField::Declarator);
        let end = declarator.map_or(tree.range(item.inner).end, |node| tree.range(node).start);
        let head = &unit.bytes[tree.range(item.node).start..end];
        tokens(head).map(move |token| &head[token.range()])
    };
    let has_none_of = |words: &[&[u8]]| !head().any(|word| words.contains(&word));
    match item.kind {
        ItemKind::Instantiation { is_extern } => !is_extern,
        _ if item.is_member || item.is_template => false,
        ItemKind::Function => {
            entities.body(unit.bytes, tree, id).is_some()
                && has_none_of(&[b"inline", b"__inline", b"constexpr", b"consteval", b"static"])
        }
        ItemKind::Variable => {
            has_none_of(&[b"extern", b"inline", b"constexpr", b"const", b"static"])
        }
        _ => false,
    }
}
