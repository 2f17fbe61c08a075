//! Tokens of the languages, on any bytes: total, linear, and never failing.

use std::ops::Range;

use crate::quoting::Quoting;
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
    /// The beginning of those comments that contain others of their kind.
    pub nesting: Option<&'static str>,
    /// Literals for texts. Of two that begin alike, the longer quote comes first.
    pub strings: &'static [Quoting],
    /// Literals for single characters, and for texts where a language has several kinds of quotes.
    pub characters: &'static [Quoting],
    /// ASCII characters of words besides letters and digits.
    pub in_words: &'static str,
}

/// The most kinds of literals of a language.
const MOST_QUOTINGS: usize = 8;

/// The rules of the C family.
pub(crate) static C_FAMILY: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    strings: &[Quoting::new("\"", &["", "L", "u8", "u", "U"])],
    characters: &[Quoting::new("'", &["", "L", "u", "U"])],
    in_words: "_$",
    ..LexicalRules::PLAIN
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
    /// The rules of a language without comments and literals.
    pub(crate) const PLAIN: Self =
        Self { comments: &[], nesting: None, strings: &[], characters: &[], in_words: "_" };

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

    /// Returns true if a token depends on nothing far beyond its end: not a quote without its partner or the prefix of one, and not
    /// the beginning of a comment without its end.
    pub(crate) fn is_closed(&self, bytes: &[u8], token: &Token) -> bool {
        let (here, rest) = (&bytes[token.start as usize..], &bytes[token.end as usize..]);
        let is_open = match token.kind {
            TokenKind::Punctuation => {
                self.quotings().any(|(quoting, _)| here.starts_with(quoting.open.as_bytes()))
            }
            TokenKind::Word => {
                self.quotings().any(|(quoting, _)| quoting.begins(rest, &bytes[token.range()]))
            }
            _ => false,
        };
        !is_open && self.opening(here).is_none()
    }

    /// Bytes that a token may depend on beyond its end, when it [is closed](Self::is_closed): those of the longest operator, of
    /// the beginning of a comment, or of a quote.
    pub(crate) fn look_ahead(&self) -> usize {
        let comments = self.comments.iter().map(|(open, _)| open.len());
        let quotes = self.quotings().map(|(quoting, _)| quoting.open.len());
        comments.chain(quotes).fold(2, usize::max)
    }

    /// All kinds of literals.
    fn quotings(&self) -> impl Iterator<Item = (&'static Quoting, TokenKind)> + use<> {
        let strings = self.strings.iter().map(|quoting| (quoting, TokenKind::String));
        strings.chain(self.characters.iter().map(|quoting| (quoting, TokenKind::Char)))
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
        let length = match self.nesting == Some(open) {
            true => end_of_nest(inside, (open.as_bytes(), close.as_bytes())),
            false => inside.windows(close.len()).position(|part| part == close.as_bytes()),
        };
        endless.comments |= u32::from(length.is_none()) << kind;
        Some(length.map(|length| open.len() + length + close.len()))
    }

    fn is_word_start(&self, byte: u8) -> bool {
        byte.is_ascii_alphabetic() || self.in_words.as_bytes().contains(&byte)
    }

    /// The length of the word that bytes begin with.
    fn word(&self, bytes: &[u8]) -> usize {
        let is_in_word = |&byte: &u8| self.is_word_start(byte) || byte.is_ascii_digit();
        bytes.iter().position(|byte| !is_in_word(byte)).unwrap_or(bytes.len())
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

    /// The word at a place, or the literal whose prefix it is.
    fn word(&mut self, start: usize) -> (TokenKind, usize) {
        let length = self.rules.word(&self.bytes[start..]);
        match self.literal(start, length) {
            Some(Some(literal)) => literal,
            _ => (TokenKind::Word, length),
        }
    }

    /// The literal with a prefix of this length at a place. The inner `None` stands for a quote that never ends, the outer one for
    /// none.
    fn literal(&mut self, start: usize, prefix: usize) -> Option<Option<(TokenKind, usize)>> {
        let (quote, before) = (start + prefix, &self.bytes[start..start + prefix]);
        let mut found = None;
        for (index, (quoting, kind)) in self.rules.quotings().enumerate() {
            if !quoting.begins(&self.bytes[quote..], before) {
                continue;
            }
            found = Some(None);
            let until = &mut self.endless.quotes[index];
            if quote < *until {
                continue;
            }
            match quoting.end(self.bytes, quote) {
                (Some(end), _) => return Some(Some((kind, end - start))),
                (None, seen) => *until = (*until).max(seen),
            }
        }
        found
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
            _ if self.rules.is_word_start(first) => self.word(start),
            _ => match self.literal(start, 0) {
                Some(literal) => literal.unwrap_or((TokenKind::Punctuation, 1)),
                None => (TokenKind::Punctuation, punctuation(&bytes[start..])),
            },
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
    /// Up to where no literal of each kind ends.
    quotes: [usize; MOST_QUOTINGS],
}

/// Where a comment that may contain others of its kind ends, before its own end; `None` where it never does.
fn end_of_nest(inside: &[u8], (open, close): (&[u8], &[u8])) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while at < inside.len() {
        if inside[at..].starts_with(close) {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
            at += close.len();
        } else if inside[at..].starts_with(open) {
            depth += 1;
            at += open.len();
        } else {
            at += 1;
        }
    }
    None
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
    fn literals_and_comments_are_those_of_the_language() {
        let texts = |language: &str, source: &'static str| -> Vec<&'static str> {
            let language: crate::Language = language.parse().unwrap();
            let tokens = language.lexer().tokens(source.as_bytes());
            tokens.map(|token| &source[token.range()]).collect()
        };
        assert_eq!(texts("fortran", r"a = '\' // 'b'"), ["a", "=", r"'\'", "/", "/", "'b'"]);
        assert_eq!(
            texts("ada", r#"'"' & "\" & X'Size"#),
            ["'\"'", "&", "\"\\\"", "&", "X", "'", "Size"]
        );
        assert_eq!(
            texts("javascript", "f(`a // ${b}\n`, 'c')"),
            ["f", "(", "`a // ${b}\n`", ",", "'c'", ")"]
        );
        assert_eq!(texts("go", r#"x(`\`, "a")"#), ["x", "(", r"`\`", ",", "\"a\"", ")"]);
        assert_eq!(texts("python", "Rb'''a\n'b''' + '' # c"), ["Rb'''a\n'b'''", "+", "''"]);
        assert_eq!(
            texts("rust", r##"<'a>(b'"', '\u{1F600}', r#"a"b"#) /* /* c */ */ 'é'"##),
            ["<", "'", "a", ">", "(", "b'\"'", ",", r"'\u{1F600}'", ",", "r#\"a\"b\"#", ")", "'é'"]
        );
        assert_eq!(texts("d", "/+ /+ a +/ b +/ r\"\\\" c"), ["r\"\\\"", "c"]);
        assert_eq!(texts("llvm", "c\"\\\" a"), ["c\"\\\"", "a"]);
    }

    #[test]
    fn no_language_has_more_kinds_of_literals_than_are_remembered() {
        for language in crate::Language::ALL {
            assert!(language.lexer().quotings().count() <= MOST_QUOTINGS, "{language:?}");
        }
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
