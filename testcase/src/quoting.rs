//! How a language quotes literals: where one ends.

/// A kind of literals.
#[derive(Debug)]
pub struct Quoting {
    /// The quote at its beginning.
    pub(crate) open: &'static str,
    /// The quote at its end.
    close: &'static str,
    /// Words that stand directly before it; an empty one where it needs none.
    prefixes: &'static [&'static str],
    /// True if a quote behind a backslash is not the end.
    has_escapes: bool,
    extent: QuotedExtent,
}

/// What a literal may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuotedExtent {
    /// Anything but line breaks.
    Line,
    /// Anything.
    Lines,
    /// One character or one escape sequence: the quote has other meanings as well.
    Character,
}

/// The most bytes of an escape sequence, as in `\u{10FFFF}`.
const LONGEST_ESCAPE: usize = 12;

impl Quoting {
    /// Literals that end on their line with the quote that they begin with; a backslash is an escape.
    #[must_use]
    pub const fn new(quote: &'static str, prefixes: &'static [&'static str]) -> Self {
        let (open, close, extent) = (quote, quote, QuotedExtent::Line);
        Self { open, close, prefixes, has_escapes: true, extent }
    }

    /// The same with another quote at the end.
    #[must_use]
    pub const fn until(self, close: &'static str) -> Self {
        Self { close, ..self }
    }

    /// The same where a backslash is a character like others.
    #[must_use]
    pub const fn without_escapes(self) -> Self {
        Self { has_escapes: false, ..self }
    }

    /// The same with line breaks.
    #[must_use]
    pub const fn over_lines(self) -> Self {
        Self { extent: QuotedExtent::Lines, ..self }
    }

    /// The same with a single character.
    #[must_use]
    pub const fn of_one(self) -> Self {
        Self { extent: QuotedExtent::Character, ..self }
    }

    pub(crate) fn begins(&self, bytes: &[u8], prefix: &[u8]) -> bool {
        bytes.starts_with(self.open.as_bytes())
            && self.prefixes.iter().any(|one| one.as_bytes() == prefix)
    }

    /// The end of the literal whose quote stands at `quote`, `None` where it never ends; and how far was looked.
    pub(crate) fn end(&self, bytes: &[u8], quote: usize) -> (Option<usize>, usize) {
        let (close, mut at) = (self.close.as_bytes(), quote + self.open.len());
        if self.extent == QuotedExtent::Character {
            let length = self.character(&bytes[at..]);
            return (length.map(|length| at + length + close.len()), quote);
        }
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\\' if self.has_escapes && at + 1 < bytes.len() => at += 2,
                b'\n' if self.extent == QuotedExtent::Line => break,
                _ if bytes[at..].starts_with(close) => {
                    return (Some(at + close.len()), at + close.len());
                }
                _ => at += 1,
            }
        }
        (None, at)
    }

    /// The length of one character or escape sequence before the quote at its end.
    fn character(&self, bytes: &[u8]) -> Option<usize> {
        let lengths = match *bytes.first()? {
            b'\n' => return None,
            b'\\' if self.has_escapes => 2..=LONGEST_ESCAPE,
            // The bytes of a character in UTF-8 that follow the first one begin with 10.
            _ => {
                let follows = |byte: &&u8| **byte & 0xc0 == 0x80;
                let length = 1 + bytes[1..].iter().take(3).take_while(follows).count();
                length..=length
            }
        };
        let is_end = |rest: &[u8]| rest.starts_with(self.close.as_bytes());
        lengths.into_iter().find(|&length| bytes.get(length..).is_some_and(is_end))
    }
}
