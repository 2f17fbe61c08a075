//! Tokens of the languages, on any bytes: total, linear, and never failing.

use std::ops::Range;

use crate::steps::text_steps;

/// The kind of a token, as far as a lexer can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A preprocessing number.
    Number,
    /// A string literal with its prefix.
    String,
    /// A character constant with its prefix.
    Char,
    /// An operator, a separator, or a byte that is nothing else.
    Punctuation,
}

/// A token and the bytes it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

impl Token {
    /// The bytes of the token.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// What a lexer must know of a language: how it writes comments, literals and words. Numbers and operators are read as in C; an
/// operator that C does not have is several tokens.
#[derive(Debug)]
pub struct LexicalRules {
    /// Comments: how one begins and ends. One that ends with the line does not contain the line break.
    pub comments: &'static [(&'static str, &'static str)],
    /// Literals for texts.
    pub strings: Option<Quoting>,
    /// Literals for single characters.
    pub characters: Option<Quoting>,
    /// ASCII characters of words besides letters and digits.
    pub in_words: &'static str,
}

/// A kind of literals that ends on its line with the quote that it begins with.
#[derive(Debug)]
pub struct Quoting {
    /// The quote.
    pub quote: u8,
    /// Words that may stand directly before it.
    pub prefixes: &'static [&'static str],
}

/// The rules of the C family.
pub(crate) static C_FAMILY: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    strings: Some(Quoting { quote: b'"', prefixes: &["L", "u8", "u", "U"] }),
    characters: Some(Quoting { quote: b'\'', prefixes: &["L", "u", "U"] }),
    in_words: "_$",
};

/// The number of tokens of a file in a language of the C family; comments and white space do not count.
#[must_use]
pub fn count_tokens(bytes: &[u8]) -> usize {
    tokens(bytes).count()
}

/// The tokens of a file in a language of the C family, without comments and white space.
pub fn tokens(bytes: &[u8]) -> impl Iterator<Item = Token> {
    C_FAMILY.tokens(bytes)
}

impl LexicalRules {
    /// The tokens of a file, without comments and white space.
    pub fn tokens<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = Token> + 'a {
        Lexer::new(self, bytes)
    }

    /// The length of the comment that bytes begin with, without its line break; `None` where they begin with none, or with one
    /// that never ends.
    #[must_use]
    pub fn comment(&self, bytes: &[u8]) -> Option<usize> {
        self.comment_at(bytes, 0, &mut Endless::default()).flatten()
    }

    /// Returns true if a token depends on nothing far beyond its end: not a quote without its partner, and not the beginning of a
    /// comment without its end.
    pub(crate) fn is_closed(&self, bytes: &[u8], token: &Token) -> bool {
        let is_lone_quote = token.kind == TokenKind::Punctuation
            && [&self.strings, &self.characters]
                .into_iter()
                .flatten()
                .any(|quoting| quoting.quote == bytes[token.start as usize]);
        !is_lone_quote && self.opening(&bytes[token.start as usize..]).is_none()
    }

    /// Bytes that a token may depend on beyond its end, when it [is closed](Self::is_closed): those of the longest operator, or of
    /// the beginning of a comment.
    pub(crate) fn look_ahead(&self) -> usize {
        self.comments.iter().map(|(open, _)| open.len()).fold(2, usize::max)
    }

    /// The first of the kinds of comments that one at the beginning of `bytes` may be of.
    fn opening(&self, bytes: &[u8]) -> Option<usize> {
        let first = bytes.first()?;
        self.comments.iter().position(|(open, _)| {
            open.as_bytes().first() == Some(first) && bytes.starts_with(open.as_bytes())
        })
    }

    /// The length of a comment at a place, `Some(None)` for one that never ends.
    fn comment_at(&self, bytes: &[u8], at: usize, endless: &mut Endless) -> Option<Option<usize>> {
        let kind = self.opening(&bytes[at..])?;
        let (open, close) = self.comments[kind];
        let inside = &bytes[at + open.len()..];
        if close == "\n" {
            let length = inside.iter().position(|&byte| byte == b'\n').unwrap_or(inside.len());
            return Some(Some(open.len() + length));
        }
        if endless.comments & (1 << kind) != 0 {
            return Some(None);
        }
        let length = inside.windows(close.len()).position(|part| part == close.as_bytes());
        endless.comments |= u32::from(length.is_none()) << kind;
        Some(length.map(|length| open.len() + length + close.len()))
    }

    fn is_word_start(&self, byte: u8) -> bool {
        byte.is_ascii_alphabetic() || self.in_words.as_bytes().contains(&byte)
    }

    /// The kind and length of the word that bytes begin with, or of the literal whose prefix it is.
    fn word(&self, bytes: &[u8]) -> (TokenKind, usize) {
        let is_in_word = |&byte: &u8| self.is_word_start(byte) || byte.is_ascii_digit();
        let length = bytes.iter().position(|byte| !is_in_word(byte)).unwrap_or(bytes.len());
        let kinds = [(&self.strings, TokenKind::String), (&self.characters, TokenKind::Char)];
        for (quoting, kind) in kinds {
            if let Some(quoting) = quoting
                && bytes.get(length) == Some(&quoting.quote)
                && quoting.prefixes.iter().any(|prefix| prefix.as_bytes() == &bytes[..length])
                && let Some(end) = literal(bytes, length).0
            {
                return (kind, end);
            }
        }
        (TokenKind::Word, length)
    }
}

/// An iterator over tokens that can be told to go on elsewhere.
pub(crate) struct Lexer<'a> {
    rules: &'a LexicalRules,
    bytes: &'a [u8],
    at: usize,
    endless: Endless,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(rules: &'a LexicalRules, bytes: &'a [u8]) -> Self {
        Self { rules, bytes, at: 0, endless: Endless::default() }
    }

    /// Skips to a byte at which a token ends or begins.
    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The start of the next token, or the end of the bytes.
    pub(crate) fn next_start(&mut self) -> usize {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(_) => match self.rules.comment_at(self.bytes, self.at, &mut self.endless) {
                    Some(Some(length)) => self.at += length,
                    _ => return self.at,
                },
                None => return self.at,
            }
        }
    }

    /// The literal at a place, if a quote stands there; the quote alone where it never ends on its line.
    fn literal(&mut self, start: usize) -> Option<(TokenKind, usize)> {
        let bytes = self.bytes;
        let is_here = |quoting: &Option<Quoting>| {
            quoting.as_ref().is_some_and(|quoting| quoting.quote == bytes[start])
        };
        let (until, kind) = if is_here(&self.rules.strings) {
            (&mut self.endless.strings, TokenKind::String)
        } else if is_here(&self.rules.characters) {
            (&mut self.endless.characters, TokenKind::Char)
        } else {
            return None;
        };
        let found = if start < *until { (None, 0) } else { literal(&bytes[start..], 0) };
        if let (None, seen) = found {
            *until = (*until).max(start + seen);
        }
        Some(found.0.map_or((TokenKind::Punctuation, 1), |length| (kind, length)))
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let before = self.at;
        let start = self.next_start();
        let bytes = self.bytes;
        let first = *bytes.get(start)?;
        let (kind, length) = match first {
            b'0'..=b'9' => (TokenKind::Number, number(&bytes[start..])),
            b'.' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => {
                (TokenKind::Number, 1 + number(&bytes[start + 1..]))
            }
            _ if self.rules.is_word_start(first) => self.rules.word(&bytes[start..]),
            _ => self
                .literal(start)
                .unwrap_or_else(|| (TokenKind::Punctuation, punctuation(&bytes[start..]))),
        };
        self.at = start + length;
        text_steps(self.at - before);
        Some(Token { kind, start: start as u32, end: self.at as u32 })
    }
}

/// The openings that never end, so that their end is not looked for again: a file of nothing but `/*` or
/// `\"` would else be read once for each.
#[derive(Default)]
struct Endless {
    /// The kinds of comments, a bit each, that begin and never end.
    comments: u32,
    /// Up to where no string ends.
    strings: usize,
    /// Up to where no character ends.
    characters: usize,
}

/// The end of the literal whose quote stands at `quote`, `None` where it never ends on its line; and how far was looked.
fn literal(bytes: &[u8], quote: usize) -> (Option<usize>, usize) {
    let mut at = quote + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if at + 1 < bytes.len() => at += 2,
            b'\n' => break,
            _ if byte == bytes[quote] => return (Some(at + 1), at + 1),
            _ => at += 1,
        }
    }
    (None, at)
}

fn number(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'e' | b'E' | b'p' | b'P' if matches!(bytes.get(at + 1), Some(b'+' | b'-')) => at += 2,
            b'.' | b'_' => at += 1,
            // C23 and C++14 group digits.
            b'\'' if bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric) => at += 2,
            _ if byte.is_ascii_alphanumeric() => at += 1,
            _ => break,
        }
    }
    at
}

/// Longest match of the operators of C, CUDA and the preprocessor.
fn punctuation(bytes: &[u8]) -> usize {
    const THREE: [&[u8; 3]; 5] = [b"<<<", b">>>", b"<<=", b">>=", b"..."];
    const TWO: [&[u8; 2]; 21] = [
        b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"&&", b"||", b"-=", b"+=",
        b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"##", b"::",
    ];
    if bytes.len() >= 3 && THREE.iter().any(|operator| operator[..] == bytes[..3]) {
        3
    } else if bytes.len() >= 2 && TWO.iter().any(|operator| operator[..] == bytes[..2]) {
        2
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source.as_bytes()).map(|token| &source[token.range()]).collect()
    }

    #[test]
    fn splits_as_the_language_does() {
        assert_eq!(
            texts("k<<<1,2>>>(x->y, .5e-3f, L\"a\\\"b\", 'c'); // z\n/* \" */ a<<=0x1FUL;"),
            [
                "k",
                "<<<",
                "1",
                ",",
                "2",
                ">>>",
                "(",
                "x",
                "->",
                "y",
                ",",
                ".5e-3f",
                ",",
                "L\"a\\\"b\"",
                ",",
                "'c'",
                ")",
                ";",
                "a",
                "<<=",
                "0x1FUL",
                ";"
            ]
        );
    }

    #[test]
    fn digits_may_be_grouped() {
        assert_eq!(texts("1'000'u - 0x'1f, 'a'"), ["1'000'u", "-", "0x'1f", ",", "'a'"]);
    }

    #[test]
    fn survives_what_never_ends() {
        assert_eq!(texts("\"abc\n/* x"), ["\"", "abc", "/", "*", "x"]);
    }

    #[test]
    fn what_never_ends_is_looked_for_once() {
        // Quadratic time would be minutes here.
        for pattern in ["/* ", "\\\"", "\\'\\\"", "L\\\" L\"\n"] {
            assert!(tokens(pattern.repeat(1 << 20).as_bytes()).count() >= 1 << 20);
        }
    }

    proptest! {
        #[test]
        fn total_and_in_order(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut at = 0;
            for token in tokens(&bytes) {
                prop_assert!(token.start >= at && token.end > token.start);
                at = token.end;
            }
            prop_assert!(at as usize <= bytes.len());
        }
    }
}
