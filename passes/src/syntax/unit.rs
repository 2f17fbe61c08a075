//! One file as the syntax passes see it: bytes and tree, and the edits they are made of.

use std::ops::Range;

use clreduce_language::{NodeId, NodeKind, SyntaxTree};
use clreduce_testcase::{Edit, Patch};

use crate::smaller::is_smaller;
use crate::{Proposal, Snapshot};

/// A file of a snapshot with its tree.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    pub file: usize,
    pub bytes: &'a [u8],
    pub tree: &'a SyntaxTree,
}

impl<'a> Unit<'a> {
    /// The files of a snapshot.
    pub fn all(snapshot: &'a Snapshot) -> impl Iterator<Item = Unit<'a>> {
        (0..snapshot.file_count()).map(|file| Unit {
            file,
            bytes: snapshot.bytes(file),
            tree: snapshot.tree(file),
        })
    }

    /// The bytes of a node.
    pub fn text(self, id: NodeId) -> &'a [u8] {
        &self.bytes[self.tree.range(id)]
    }

    /// The nodes that the parser understood, with their kinds, in pre-order.
    pub fn sound(self) -> impl Iterator<Item = (NodeId, NodeKind)> {
        let tree = self.tree;
        tree.ids().filter(move |id| self.is_usable(*id)).map(|id| (id, tree.kind(id)))
    }

    /// Whether the parser understood a node, and the lexer sees it end where the parser does.
    pub fn is_usable(self, id: NodeId) -> bool {
        self.tree.is_sound(id) && self.is_whole(self.tree.range(id))
    }

    /// Those of all files of a snapshot.
    pub fn all_sound(snapshot: &'a Snapshot) -> impl Iterator<Item = (Self, NodeId, NodeKind)> {
        let of_file = |unit: Self| unit.sound().map(move |(id, kind)| (unit, id, kind));
        Self::all(snapshot).flat_map(of_file)
    }

    /// Whether no word, number or `&&` reaches over either end: C++ splits `0x1fUL5` in two nodes, and where no `&&`
    /// can stand, the grammar takes it for two addresses.
    fn is_whole(self, range: Range<usize>) -> bool {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let cut = |at: usize| {
            let around = at.checked_sub(1).and_then(|before| self.bytes.get(before..=at));
            around.is_some_and(|pair| pair.iter().all(|byte| is_word(*byte)) || pair == b"&&")
        };
        !cut(range.start) && !cut(range.end)
    }

    /// Removes a range.
    pub fn delete(self, range: Range<usize>) -> Edit {
        Edit::delete(self.file, range)
    }

    /// Replaces a range.
    pub fn replace(self, range: Range<usize>, text: &'static [u8]) -> Edit {
        Edit::replace(self.file, range, text)
    }

    /// Replaces a node, if that makes the program smaller.
    pub fn shrink(self, id: NodeId, text: &'static [u8]) -> Option<Proposal> {
        is_smaller(text, self.text(id))
            .then(|| Proposal::edit(self.replace(self.tree.range(id), text)))
    }

    /// Replaces a range by a part of itself.
    pub fn keep(self, whole: Range<usize>, part: Range<usize>) -> Patch {
        Patch::new(self.keep_parts(whole, &[part])).unwrap_or_default()
    }

    /// The edits that leave of a range nothing but some parts of it, which are in order.
    ///
    /// What goes is replaced by a blank rather than deleted. Two patches that keep different parts
    /// of one range then conflict, as they should, where deletions would join and leave nothing;
    /// and edits inside a part that stays remain free to be made along with it.
    pub fn keep_parts(self, whole: Range<usize>, parts: &[Range<usize>]) -> Vec<Edit> {
        let starts = std::iter::once(whole.start).chain(parts.iter().map(|part| part.end));
        let ends = parts.iter().map(|part| part.start).chain(std::iter::once(whole.end));
        let gaps = starts.zip(ends).filter(|(start, end)| start < end);
        gaps.map(|(start, end)| self.replace(start..end, b" ")).collect()
    }
}

/// Whether evaluating a node may do more than give a value.
pub(crate) fn has_effect(tree: &SyntaxTree, node: NodeId) -> bool {
    tree.subtree(node).any(|node| {
        matches!(
            tree.kind(node),
            NodeKind::CallExpression
                | NodeKind::AssignmentExpression
                | NodeKind::UpdateExpression
                | NodeKind::GnuAsmExpression
        )
    })
}

/// The bytes of a declaration or statement, the semicolon that the grammar keeps apart included.
pub(crate) fn with_semicolon(tree: &SyntaxTree, node: NodeId) -> Range<usize> {
    let range = tree.range(node);
    let next = tree.node(node).after;
    let parent = tree.node(node).parent;
    let follows = next < tree.node(parent).after && tree.kind(next) == NodeKind::Semicolon;
    range.start..if follows { tree.range(next).end } else { range.end }
}

/// Whether nodes of this kind hold a list of statements.
pub(crate) fn is_statement_list(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::CompoundStatement | NodeKind::CaseStatement)
}

/// Whether nodes of this kind are statements (declarations included).
pub(crate) fn is_statement(kind: NodeKind) -> bool {
    kind.is_statement() || matches!(kind, NodeKind::Declaration | NodeKind::TypeDefinition)
}

/// Whether nodes of this kind are expressions.
pub(crate) fn is_expression(kind: NodeKind) -> bool {
    kind.is_expression_form()
        && !matches!(
            kind,
            NodeKind::GnuAsmExpression
                | NodeKind::GenericExpression
                | NodeKind::ExtensionExpression
        )
        || matches!(
            kind,
            NodeKind::Identifier
                | NodeKind::NumberLiteral
                | NodeKind::CharLiteral
                | NodeKind::StringLiteral
                | NodeKind::ConcatenatedString
                | NodeKind::True
                | NodeKind::False
                | NodeKind::Null
        )
}
