//! A file cut into what is printed: tokens, comments, directives.

use std::ops::Range;

use clreduce_testcase::TokenKind;

use super::roles::TokenRole;
use crate::analysis::{Tokens, comments, directives};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Token(TokenKind, TokenRole),
    /// A comment up to the end of its line.
    LineComment,
    BlockComment,
    /// A whole line beginning with `#`, printed as it is.
    Directive,
}

/// Something that is printed.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub kind: PieceKind,
    pub range: Range<usize>,
    /// True if white space or a line break stood before it.
    pub spaced: bool,
    pub on_new_line: bool,
}

/// The pieces of a file in order; `None` where a directive and a comment or literal share lines in a
/// way that leaves no place for a line break.
pub(super) fn pieces(unit: Tokens<'_>, roles: &[TokenRole]) -> Option<Vec<Piece>> {
    let bytes = unit.bytes;
    let mut parts: Vec<(PieceKind, Range<usize>)> = Vec::with_capacity(unit.tokens.len());
    let directives = directives(unit);
    let on_directives: usize = directives.iter().map(|directive| directive.tokens.len()).sum();
    if on_directives != unit.directives().flatten().count() {
        return None;
    }
    let inside = |at: usize| {
        let next = directives.partition_point(|directive| directive.line.end <= at);
        directives.get(next).filter(|directive| directive.line.start <= at)
    };
    for (token, &role) in unit.tokens.iter().zip(roles) {
        if inside(token.start as usize).is_none() {
            parts.push((PieceKind::Token(token.kind, role), token.range()));
        }
    }
    for comment in comments(unit) {
        match inside(comment.range.start) {
            Some(directive) if comment.range.end > directive.line.end => return None,
            Some(_) => {}
            None => {
                let block = bytes[comment.range.start + 1] == b'*';
                let kind = if block { PieceKind::BlockComment } else { PieceKind::LineComment };
                parts.push((kind, comment.range));
            }
        }
    }
    for directive in &directives {
        let length = bytes[directive.line.clone()].trim_ascii_end().len();
        parts.push((PieceKind::Directive, directive.line.start..directive.line.start + length));
    }
    parts.sort_by_key(|(_, range)| range.start);
    let mut end = 0;
    let pieces = parts.into_iter().map(|(kind, range)| {
        let gap = &bytes[end..range.start];
        end = range.end;
        Piece { kind, range, spaced: !gap.is_empty(), on_new_line: gap.contains(&b'\n') }
    });
    Some(pieces.collect())
}
