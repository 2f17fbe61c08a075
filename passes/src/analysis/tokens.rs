//! One file as a list of tokens, for passes that need no parser.

use std::ops::Range;

use clreduce_testcase::{Feature, LexicalRules, Token, TokenKind, step, text_steps};

use crate::{NodeId, Snapshot};

/// Up to this many bytes, passes over tokens look at all of a program in C++ that is not fully parsed.
const SMALL: usize = 16 << 10;

/// A file of a snapshot with its tokens.
#[derive(Clone, Copy)]
pub(crate) struct Tokens<'a> {
    pub file: usize,
    pub rules: &'static LexicalRules,
    pub bytes: &'a [u8],
    pub tokens: &'a [Token],
}

impl<'a> Tokens<'a> {
    /// The files of a snapshot.
    pub(crate) fn all(snapshot: &'a Snapshot) -> impl Iterator<Item = Tokens<'a>> {
        (0..snapshot.file_count()).map(|file| Self::of(snapshot, file))
    }

    /// One file of a snapshot.
    pub(crate) fn of(snapshot: &'a Snapshot, file: usize) -> Self {
        Self {
            file,
            rules: snapshot.language().lexer(),
            bytes: snapshot.bytes(file),
            tokens: snapshot.tokens(file),
        }
    }

    /// The files that the syntax passes cannot fully read. A large program in C++ always has some places that the grammar
    /// does not know; passes over tokens would ask for thousands of them what the syntax passes tell at once.
    pub(crate) fn unparsed(snapshot: &'a Snapshot) -> impl Iterator<Item = Tokens<'a>> {
        Self::all(snapshot).filter(|unit| {
            let tree = snapshot.tree(unit.file);
            let is_mostly_parsed = snapshot.language().has(Feature::Classes)
                && unit.bytes.len() > SMALL
                && tree.error_bytes() < unit.bytes.len() / 20;
            let has_error = tree.is_empty() || tree.has_error(NodeId(0));
            let is_parsed = [Feature::Syntax, Feature::Grammar];
            let is_parsed = is_parsed.into_iter().any(|way| snapshot.language().has(way));
            !is_parsed || has_error && !is_mostly_parsed
        })
    }

    /// The bytes of a token; empty beyond the last.
    pub(crate) fn text(self, index: usize) -> &'a [u8] {
        step();
        self.tokens.get(index).map_or(b"", |token| &self.bytes[token.range()])
    }

    /// Returns the kind of a token; `Punctuation` beyond the last.
    pub(crate) fn kind(self, index: usize) -> TokenKind {
        step();
        self.tokens.get(index).map_or(TokenKind::Punctuation, |token| token.kind)
    }

    /// From the first byte of one token to the last of another.
    pub(crate) fn span(self, first: usize, last: usize) -> Range<usize> {
        self.tokens[first].start as usize..self.tokens[last].end as usize
    }

    /// For each delimiter the index of its partner, for all else its own. Of delimiters that cross
    /// or have no partner, the inner pairs that match are found.
    pub(crate) fn partners(self) -> Vec<usize> {
        let mut partners: Vec<usize> = (0..self.tokens.len()).collect();
        let mut open: Vec<(usize, u8)> = Vec::new();
        for index in 0..self.tokens.len() {
            match self.text(index) {
                b"(" => open.push((index, b')')),
                b"[" => open.push((index, b']')),
                b"{" => open.push((index, b'}')),
                [close @ (b')' | b']' | b'}')] => match open.pop() {
                    Some((partner, expected)) if expected == *close => {
                        partners[partner] = index;
                        partners[index] = partner;
                    }
                    // Nothing that is open now can be trusted any more.
                    _ => open.clear(),
                },
                _ => {}
            }
        }
        partners
    }

    /// For each token the name of the directive whose line it stands on: `include`, `define`, empty
    /// for a line marker; `None` for plain code.
    pub(crate) fn directives(self) -> impl Iterator<Item = Option<&'a [u8]>> {
        let mut current: Option<(&[u8], usize)> = None;
        self.tokens.iter().enumerate().map(move |(index, token)| {
            let start = token.start as usize;
            if current.is_some_and(|(_, end)| start >= end) {
                current = None;
            }
            if current.is_none() && self.text(index) == b"#" && begins_line(self.bytes, start) {
                let end = end_of_logical_line(self.bytes, start);
                let named = self
                    .tokens
                    .get(index + 1)
                    .is_some_and(|next| next.kind == TokenKind::Word && (next.end as usize) <= end);
                let name = if named { self.text(index + 1) } else { b"" };
                current = Some((name, end));
            }
            current.map(|(name, _)| name)
        })
    }
}

fn begins_line(bytes: &[u8], at: usize) -> bool {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
    let blanks = bytes[..at].iter().rev().take_while(is_blank).count();
    text_steps(blanks);
    matches!(bytes[..at - blanks].last(), None | Some(b'\n'))
}

/// The end of the line, without its newline, that a backslash may continue.
pub(crate) fn end_of_logical_line(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(length) = bytes[at..].iter().position(|&byte| byte == b'\n') {
        at += length;
        text_steps(length);
        let line = bytes[from..at].strip_suffix(b"\r").unwrap_or(&bytes[from..at]);
        if !line.ends_with(b"\\") {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::TestCase;

    use clreduce_testcase::Language;

    use super::*;

    #[test]
    fn directives_reach_over_continued_lines() {
        let source = b"a\n # define X \\\r\n b\nc # d\n# 1 \"x\"\n".as_slice();
        let case = TestCase::single("a.c", source).unwrap();
        let snapshot = Snapshot::new(case, Language::C);
        let unit = Tokens::all(&snapshot).next().unwrap();
        let lines: Vec<_> = unit.directives().collect();
        let define = Some(b"define".as_slice());
        let marker = Some(b"".as_slice());
        // The backslash is a token of its own.
        let expected = [
            None, define, define, define, define, define, None, None, None, marker, marker, marker,
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn pairs_are_found_inside_what_does_not_match() {
        let case = TestCase::single("a.c", b"( [ ( ) } { }".as_slice()).unwrap();
        let snapshot = Snapshot::new(case, Language::C);
        let unit = Tokens::all(&snapshot).next().unwrap();
        assert_eq!(unit.partners(), [0, 1, 3, 2, 4, 6, 5]);
    }
}
