//! The parts of the main file that can go on their own.

use std::ops::Range;

use clreduce_language::{NodeField, NodeId, NodeKind};

use super::main_file::is_part;
use crate::analysis::{Unit, is_in, with_semicolon};

/// A declaration, member or statement of the main file, or an operand in one.
pub(super) struct MainFilePart {
    pub(super) node: NodeId,
    /// With its semicolon, or the operator beside it.
    pub(super) range: Range<usize>,
    /// The part around it.
    pub(super) around: Option<usize>,
    /// True if it is an operand: the other one is enough.
    pub(super) is_operand: bool,
}

/// The parts of the main file, in the order of their places.
pub(super) fn parts(unit: Unit<'_>, main: &[Range<usize>]) -> Vec<MainFilePart> {
    let tree = unit.tree;
    let (mut parts, mut open): (Vec<MainFilePart>, Vec<usize>) = (Vec::new(), Vec::new());
    for node in tree.ids().skip(1).filter(|&node| is_in(main, tree.range(node).start)) {
        let operand = operand(unit, node);
        if operand.is_none() && !is_part(unit, node) {
            continue;
        }
        let is_operand = operand.is_some();
        let range = operand.unwrap_or_else(|| with_semicolon(tree, node));
        while open.last().is_some_and(|&part| parts[part].range.end <= tree.range(node).start) {
            open.pop();
        }
        let around = open.last().copied();
        open.push(parts.len());
        parts.push(MainFilePart { node, range, around, is_operand });
    }
    parts
}

/// The range that goes with a node, if it is an operand that the other one can stand for: with the sign between them.
fn operand(unit: Unit<'_>, node: NodeId) -> Option<Range<usize>> {
    let tree = unit.tree;
    let parent = tree.node(node).parent;
    if tree.kind(parent) != NodeKind::BinaryExpression || tree.node(parent).damaged {
        return None;
    }
    let left = tree.field(parent, NodeField::Left)?;
    let right = tree.field(parent, NodeField::Right)?;
    let (left_range, right_range) = (tree.range(left), tree.range(right));
    let is_stream = match unit.bytes[left_range.end..right_range.start].trim_ascii() {
        b"<<" | b">>" => true,
        b"+" | b"-" | b"*" | b"/" | b"%" | b"|" | b"&" | b"^" | b"||" | b"&&" => false,
        _ => return None,
    };
    match node == left {
        true if is_stream => None,
        true => Some(left_range.start..right_range.start),
        false => (node == right).then_some(left_range.end..right_range.end),
    }
}
