//! The text of a part of a template once arguments stand for its parameters.

use std::collections::HashMap;
use std::ops::Range;

use clreduce_language::{NodeField, NodeId, NodeKind};

use crate::analysis::{Unit, is_name};

/// What stands for a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// One argument.
    One(Vec<u8>),
    /// What a pack expands to.
    Pack(Vec<u8>),
}

/// The arguments by the names of the parameters.
pub(crate) type Arguments<'a> = HashMap<&'a [u8], Argument>;

/// The text of `range`, which lies in `node`, with arguments in the place of parameters. `other` may give another text for names
/// that are no parameters. `None` if a pack is used in another way than `Ts...`.
pub(crate) fn substituted(
    unit: Unit<'_>,
    node: NodeId,
    range: Range<usize>,
    arguments: &Arguments<'_>,
    other: &dyn Fn(NodeId) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let tree = unit.tree;
    let mut text = Vec::with_capacity(range.len());
    let mut at = range.start;
    for id in tree.subtree(node).filter(|&id| is_name(tree.kind(id))) {
        let mut place = tree.range(id);
        if place.start < at || place.end > range.end {
            continue;
        }
        let field = tree.node(id).field;
        let is_qualified = field == Some(NodeField::Name)
            && tree.kind(tree.node(id).parent) == NodeKind::QualifiedIdentifier;
        let new = match arguments.get(unit.text(id)).filter(|_| !is_qualified) {
            Some(Argument::One(argument)) => Some(argument.clone()),
            Some(Argument::Pack(argument)) => {
                place = expansion(unit, id, argument.is_empty())?;
                Some(argument.clone())
            }
            None if is_qualified => None,
            None => other(id),
        };
        if let Some(new) = new {
            text.extend_from_slice(&unit.bytes[at..place.start]);
            text.extend_from_slice(&new);
            at = place.end;
        }
    }
    text.extend_from_slice(&unit.bytes[at..range.end]);
    Some(text)
}

/// The place of `Ts...` for a name `Ts`. Nothing can stand there only if it is not one of several elements.
fn expansion(unit: Unit<'_>, name: NodeId, is_empty: bool) -> Option<Range<usize>> {
    let tree = unit.tree;
    let is_expansion = |&at: &NodeId| tree.kind(at) == NodeKind::ParameterPackExpansion;
    let expansion = tree.ancestors(name).take(3).find(is_expansion)?;
    let pattern = unit.text(expansion).strip_suffix(b"...")?.trim_ascii_end();
    let is_alone = tree.named_children(tree.node(expansion).parent).take(2).count() == 1;
    (pattern == unit.text(name) && (is_alone || !is_empty)).then(|| tree.range(expansion))
}
