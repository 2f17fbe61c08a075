//! The tokens of a text, with the one that is read next.

use clreduce_testcase::{TokenKind, tokens};

use super::{Outside, Read, Refusal};

pub(super) struct TokenReader<'a> {
    /// The text of each token, its kind and its line.
    all: Vec<(&'a str, TokenKind, u32)>,
    at: usize,
}

impl<'a> TokenReader<'a> {
    pub(super) fn new(source: &'a [u8]) -> Read<Self> {
        // Tokens of other texts are single bytes, and lines can go on after a backslash, also those of comments.
        let is_plain = |text: &&str| text.is_ascii() && !text.contains('\\');
        let Some(text) = std::str::from_utf8(source).ok().filter(is_plain) else {
            let construct = "a backslash, or bytes that are not ASCII".to_owned();
            return Err(Refusal::Outside(Outside { line: 1, construct }));
        };
        let (mut line, mut from) = (1, 0);
        let mut all = Vec::new();
        for token in tokens(source) {
            let range = token.range();
            line += source[from..range.start].iter().filter(|byte| **byte == b'\n').count() as u32;
            from = range.start;
            all.push((&text[range], token.kind, line));
        }
        Ok(Self { all, at: 0 })
    }

    /// The text of the next token; empty at the end.
    pub(super) fn peek(&self) -> &'a str {
        self.ahead(0)
    }

    /// The text of a token after the next one.
    pub(super) fn ahead(&self, count: usize) -> &'a str {
        self.all.get(self.at + count).map_or("", |token| token.0)
    }

    /// The line of the next token, or of the last.
    pub(super) fn line(&self) -> u32 {
        self.all.get(self.at).or(self.all.last()).map_or(1, |token| token.2)
    }

    pub(super) fn next(&mut self) -> &'a str {
        let text = self.peek();
        self.at += 1;
        text
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.all.len()
    }

    pub(super) fn accept(&mut self, text: &str) -> bool {
        let is_next = self.peek() == text;
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn expect(&mut self, text: &str) -> Read<()> {
        if self.accept(text) { Ok(()) } else { Err(self.outside_here()) }
    }

    /// A name that the program declares or uses.
    pub(super) fn word(&mut self) -> Read<&'a str> {
        match self.all.get(self.at) {
            Some((text, TokenKind::Word, _)) if !is_keyword(text) && !may_be_macro(text) => {
                self.at += 1;
                Ok(text)
            }
            _ => Err(self.outside_here()),
        }
    }

    pub(super) fn is_number(&self) -> bool {
        self.all.get(self.at).is_some_and(|token| token.1 == TokenKind::Number)
    }

    /// Reads `#pragma unroll`, which is on a line of its own.
    pub(super) fn accept_unroll(&mut self) -> Read<bool> {
        if self.peek() != "#" {
            return Ok(false);
        }
        let line = self.line();
        let is_alone = self.at == 0 || self.all[self.at - 1].2 < line;
        let count = self.all[self.at..].iter().take_while(|token| token.2 == line).count();
        let is_count = |text: &str| text.parse::<u16>().is_ok_and(|count| count > 0);
        let words: Vec<&str> = self.all[self.at..][..count].iter().map(|token| token.0).collect();
        let is_unroll = match words[..] {
            ["#", "pragma", "unroll"] => true,
            ["#", "pragma", "unroll", number] => is_count(number),
            _ => false,
        };
        if !is_alone || !is_unroll {
            return Err(self.outside_here());
        }
        self.at += count;
        if matches!(self.peek(), "for" | "while" | "do") {
            Ok(true)
        } else {
            Err(self.outside_here())
        }
    }

    /// The names that the operator `&` with one operand stands in front of.
    pub(super) fn addressed(&self) -> Vec<&'a str> {
        let ends_operand = |at: usize| {
            at.checked_sub(1).and_then(|before| self.all.get(before)).is_some_and(|token| {
                let is_return = token.0 == "return";
                let is_atom = matches!(token.1, TokenKind::Word | TokenKind::Number) && !is_return;
                is_atom || matches!(token.0, ")" | "]")
            })
        };
        let mut found = Vec::new();
        for at in 0..self.all.len() {
            if self.all[at].0 != "&" {
                continue;
            }
            // After a parenthesis, `&` may follow a cast. The reader knows no cast of an address, such as `(uint)&x`.
            let mut next = at + 1;
            while self.all.get(next).is_some_and(|token| token.0 == "(") {
                next += 1;
            }
            if let Some((text, TokenKind::Word, _)) = self.all.get(next)
                && !ends_operand(at)
            {
                found.push(*text);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(super) fn outside_here(&self) -> Refusal {
        let text = self.peek();
        let construct = if text.is_empty() { "the end" } else { text };
        self.outside(&format!("`{construct}`"))
    }

    pub(super) fn outside(&self, construct: &str) -> Refusal {
        Refusal::Outside(self.here(construct))
    }

    /// The text is wrong, whatever follows.
    pub(super) fn flaw(&self, what: &str) -> Refusal {
        Refusal::Flaw(self.here(what))
    }

    fn here(&self, construct: &str) -> Outside {
        Outside { line: self.line(), construct: construct.to_owned() }
    }
}

/// True for keywords, and for those with a number: `float4` is a type.
fn is_keyword(word: &str) -> bool {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    KEYWORDS.split(' ').any(|keyword| keyword == stem)
}

/// True if headers may define a name, such as `INT_MAX` or `event_t`.
fn may_be_macro(name: &str) -> bool {
    let is_loud = name.len() > 2 && !name.contains(|c: char| c.is_ascii_lowercase());
    let is_long = name.contains('_') || name.len() > 3;
    (is_loud && is_long) || name.starts_with("__") || name.ends_with("_t")
}

/// Words that are no names. Words of types are not among them: a name that is a type is refused where it is declared.
const KEYWORDS: &str = "\
    true false auto break case const continue default do else enum extern for goto if inline register \
    restrict return signed sizeof static struct switch typedef union unsigned void volatile while kernel \
    __kernel global __global local __local constant __constant private __private generic __generic pipe \
    bool float double half asm __asm __asm__ typeof __typeof __typeof__ __attribute__ __extension__ \
    vec_step read_only write_only";
