//! Tokens of the C family, on any bytes: total, linear, and never failing.

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

/// The number of tokens of a file; comments and white space do not count.
#[must_use]
pub fn count_tokens(bytes: &[u8]) -> usize {
    tokens(bytes).count()
}

/// The tokens of a file, without comments and white space.
pub fn tokens(bytes: &[u8]) -> impl Iterator<Item = Token> {
    Lexer::new(bytes)
}

/// Bytes that a token may depend on beyond its end, when it is [closed](is_closed).
pub(crate) const LOOK_AHEAD: usize = 2;

/// Returns true if a token depends on nothing far beyond its end: not a quote without its partner,
/// and not the beginning of a comment without its end.
pub(crate) fn is_closed(bytes: &[u8], token: &Token) -> bool {
    match bytes[token.start as usize] {
        b'"' | b'\'' => token.kind != TokenKind::Punctuation,
        b'/' => bytes.get(token.end as usize) != Some(&b'*'),
        _ => true,
    }
}

/// An iterator over tokens that can be told to go on elsewhere.
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    endless: Endless,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, endless: Endless::default() }
    }

    /// Skips to a byte at which a token ends or begins.
    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The start of the next token, or the end of the bytes.
    pub(crate) fn next_start(&mut self) -> usize {
        self.at = skip_blank(self.bytes, self.at, &mut self.endless);
        self.at
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
            b'"' | b'\'' => self.endless.literal(bytes, start),
            b'0'..=b'9' => (TokenKind::Number, number(&bytes[start..])),
            b'.' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => {
                (TokenKind::Number, 1 + number(&bytes[start + 1..]))
            }
            _ if is_word_start(first) => word(&bytes[start..]),
            _ => (TokenKind::Punctuation, punctuation(&bytes[start..])),
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
    /// No `*/` follows.
    comment: bool,
    /// Up to where no closing `"` and no closing `'` follows.
    quotes: [usize; 2],
}

impl Endless {
    fn literal(&mut self, bytes: &[u8], start: usize) -> (TokenKind, usize) {
        let until = &mut self.quotes[usize::from(bytes[start] == b'\'')];
        if start < *until {
            return (TokenKind::Punctuation, 1);
        }
        let (kind, length, seen) = literal(&bytes[start..], 0);
        if kind == TokenKind::Punctuation {
            *until = start + seen;
        }
        (kind, length)
    }
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$'
}

fn is_word(byte: u8) -> bool {
    is_word_start(byte) || byte.is_ascii_digit()
}

fn skip_blank(bytes: &[u8], mut at: usize, endless: &mut Endless) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) => at += 1,
            Some(b'/') if bytes.get(at + 1) == Some(&b'/') => {
                at +=
                    bytes[at..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len() - at);
            }
            Some(b'/') if bytes.get(at + 1) == Some(&b'*') && !endless.comment => {
                match bytes[at + 2..].windows(2).position(|pair| pair == b"*/") {
                    Some(length) => at += length + 4,
                    None => {
                        endless.comment = true;
                        return at;
                    }
                }
            }
            _ => return at,
        }
    }
}

/// A string or character literal whose quote stands at `quote`; a lone quote where it never ends on
/// its line. Also how far was looked.
fn literal(bytes: &[u8], quote: usize) -> (TokenKind, usize, usize) {
    let delimiter = bytes[quote];
    let kind = if delimiter == b'"' { TokenKind::String } else { TokenKind::Char };
    let mut at = quote + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if at + 1 < bytes.len() => at += 2,
            b'\n' => break,
            _ if byte == delimiter => return (kind, at + 1, at + 1),
            _ => at += 1,
        }
    }
    (TokenKind::Punctuation, 1, at)
}

fn word(bytes: &[u8]) -> (TokenKind, usize) {
    let length = bytes.iter().position(|&byte| !is_word(byte)).unwrap_or(bytes.len());
    let prefixes: &[&[u8]] = match bytes.get(length) {
        Some(b'"') => &[b"L", b"u8", b"u", b"U"],
        Some(b'\'') => &[b"L", b"u", b"U"],
        _ => &[],
    };
    if prefixes.contains(&&bytes[..length]) {
        let (kind, end, _) = literal(bytes, length);
        if kind != TokenKind::Punctuation {
            return (kind, end);
        }
    }
    (TokenKind::Word, length)
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
