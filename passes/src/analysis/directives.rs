//! Comments and directives of a file, and its launch comment, which no text pass edits.

use std::ops::Range;

use clreduce_testcase::Launch;

use super::tokens::{Tokens, end_of_logical_line};

/// A comment, without the line break that ends it.
pub(crate) struct Comment {
    pub range: Range<usize>,
}

/// The comments of a file: what is neither token nor white space.
pub(crate) fn comments(unit: Tokens<'_>) -> Vec<Comment> {
    let bytes = unit.bytes;
    let starts = std::iter::once(0).chain(unit.tokens.iter().map(|token| token.end as usize));
    let ends = unit.tokens.iter().map(|token| token.start as usize);
    let gaps = starts.zip(ends.chain(std::iter::once(bytes.len())));
    let mut comments = Vec::new();
    for (mut at, end) in gaps {
        while at < end {
            let start = at;
            let Some(length) = unit.rules.comment(&bytes[at..end]) else {
                at += 1;
                continue;
            };
            at += length;
            let text = bytes[start..at].strip_suffix(b"\r").unwrap_or(&bytes[start..at]);
            comments.push(Comment { range: start..start + text.len() });
        }
    }
    comments
}

/// The launch comment, which is part of what the test case means.
pub(crate) fn launch_comment(bytes: &[u8]) -> Range<usize> {
    Launch::find(bytes).map_or(0..0, |launch| launch.comment)
}

/// A line that begins with `#`, with the lines that continue it and its line break.
pub(crate) struct Directive<'a> {
    /// Its name; empty for a line marker.
    pub name: &'a [u8],
    /// Its bytes, with the line break at the end.
    pub line: Range<usize>,
    /// Its tokens, by index.
    pub tokens: Range<usize>,
}

/// The directives of a file.
pub(crate) fn directives(unit: Tokens<'_>) -> Vec<Directive<'_>> {
    let mut directives: Vec<Directive<'_>> = Vec::new();
    for (index, name) in unit.directives().enumerate() {
        let Some(name) = name else { continue };
        let start = unit.tokens[index].start as usize;
        match directives.last_mut() {
            Some(last) if start < last.line.end => last.tokens.end = index + 1,
            _ => {
                let end = end_of_logical_line(unit.bytes, start);
                let end = (end + 1).min(unit.bytes.len());
                directives.push(Directive { name, line: start..end, tokens: index..index + 1 });
            }
        }
    }
    // A comment or string that begins on the line may end on another: such a line is no directive.
    let comments = comments(unit);
    let whole = |directive: &Directive<'_>| {
        let end = directive.line.end;
        let last = unit.tokens[directive.tokens.end - 1];
        let next = comments.partition_point(|comment| comment.range.end <= end);
        let is_cut = comments.get(next).is_some_and(|comment| comment.range.start < end);
        last.end as usize <= end && !is_cut
    };
    directives.retain(whole);
    directives
}
