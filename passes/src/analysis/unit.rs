//! One file of a snapshot with its syntax tree.

use std::ops::Range;

use clreduce_language::{NodeId, NodeKind, SyntaxTree};
use clreduce_testcase::step;

use crate::Snapshot;

/// A file of a snapshot with its tree.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    pub file: usize,
    pub bytes: &'a [u8],
    pub tree: &'a SyntaxTree,
}

impl<'a> Unit<'a> {
    /// The files of a snapshot.
    pub(crate) fn all(snapshot: &'a Snapshot) -> impl Iterator<Item = Unit<'a>> {
        (0..snapshot.file_count()).map(|file| Unit {
            file,
            bytes: snapshot.bytes(file),
            tree: snapshot.tree(file),
        })
    }

    /// The bytes of a node.
    pub(crate) fn text(self, id: NodeId) -> &'a [u8] {
        step();
        &self.bytes[self.tree.range(id)]
    }

    /// The nodes that the parser understood, with their kinds, in pre-order.
    pub(crate) fn sound(self) -> impl Iterator<Item = (NodeId, NodeKind)> {
        let tree = self.tree;
        tree.ids().filter(move |id| self.is_usable(*id)).map(|id| (id, tree.kind(id)))
    }

    /// Returns whether the parser understood a node, and the lexer sees it end where the parser does.
    pub(crate) fn is_usable(self, id: NodeId) -> bool {
        self.tree.is_sound(id) && self.is_whole(self.tree.range(id))
    }

    /// The bytes of a node that the grammar can do without, a separator beside it, and the blanks that would be left behind.
    pub(crate) fn removable(self, id: NodeId) -> Option<Range<usize>> {
        let range = self.tree.removable(id)?;
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let before = self.bytes[..range.start].last().copied().unwrap_or(b'\n');
        let after = &self.bytes[range.end..];
        let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let next = after.get(blanks).copied().unwrap_or(b'\n');
        let can_meet = before.is_ascii_whitespace() || !is_word(before) && is_word(next);
        Some(range.start..range.end + if can_meet { blanks } else { 0 })
    }

    /// By node, the smallest part around it that the grammar can do without, the node itself included.
    pub(crate) fn removable_parts(self) -> Vec<Option<Range<usize>>> {
        let mut parts: Vec<Option<Range<usize>>> = Vec::with_capacity(self.tree.len());
        for id in self.tree.ids() {
            let own = if id.0 == 0 { None } else { self.removable(id) };
            let parent = self.tree.node(id).parent;
            parts.push(own.or_else(|| parts.get(parent.0 as usize).cloned().flatten()));
        }
        parts
    }

    /// Returns true for a node without parts that begins as a name does.
    pub(crate) fn is_name(self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        let first = self.text(id).first();
        let begins = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'%' | b'@');
        node.named && node.after.0 == id.0 + 1 && first.is_some_and(begins)
    }

    /// Returns the sound nodes of all files of a snapshot.
    pub(crate) fn all_sound(
        snapshot: &'a Snapshot,
    ) -> impl Iterator<Item = (Self, NodeId, NodeKind)> {
        let of_file = |unit: Self| unit.sound().map(move |(id, kind)| (unit, id, kind));
        Self::all(snapshot).flat_map(of_file)
    }

    /// Returns whether no word, number or `&&` reaches over either end: C++ splits `0x1fUL5` in two nodes, and where no `&&`
    /// can stand, the grammar takes it for two addresses.
    fn is_whole(self, range: Range<usize>) -> bool {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let cut = |at: usize| {
            let around = at.checked_sub(1).and_then(|before| self.bytes.get(before..=at));
            around.is_some_and(|pair| pair.iter().all(|byte| is_word(*byte)) || pair == b"&&")
        };
        !cut(range.start) && !cut(range.end)
    }
}
