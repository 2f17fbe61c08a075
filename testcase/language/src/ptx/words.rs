//! The tokens of a module.

use clreduce_testcase::Language;

/// The tokens of a module, and a place in them.
pub(super) struct PtxTokens<'a> {
    words: Vec<(&'a str, u32)>,
    at: usize,
}

impl<'a> PtxTokens<'a> {
    pub(super) fn of(source: &'a [u8]) -> Self {
        let (mut words, mut line, mut from) = (Vec::new(), 1, 0);
        for token in Language::PTX.lexer().tokens(source) {
            let range = token.range();
            line += source[from..range.start].iter().filter(|&&byte| byte == b'\n').count();
            from = range.start;
            let word = str::from_utf8(&source[range]).unwrap_or("?");
            words.push((word, u32::try_from(line).unwrap_or(u32::MAX)));
        }
        Self { words, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).map(|(word, _)| *word)
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        let word = self.peek();
        self.skip();
        word
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    pub(super) fn back(&mut self) {
        self.at -= 1;
    }

    /// The number of tokens before the next one.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Goes to the token behind this many others.
    pub(super) fn go_to(&mut self, position: usize) {
        self.at = position;
    }

    /// The number of all tokens.
    pub(super) fn count(&self) -> usize {
        self.words.len()
    }

    pub(super) fn line(&self) -> Option<u32> {
        self.words.get(self.at).map(|(_, line)| *line)
    }

    /// Takes the next word if it is this one.
    pub(super) fn takes(&mut self, word: &str) -> bool {
        let is_next = self.peek() == Some(word);
        self.at += usize::from(is_next);
        is_next
    }

    /// Goes to the next line.
    pub(super) fn end_line(&mut self) {
        let line = self.line();
        while self.line().is_some() && self.line() == line {
            self.skip();
        }
    }

    /// Goes past the next semicolon, but not past a brace.
    pub(super) fn end_statement(&mut self) {
        while let Some(word) = self.peek() {
            if matches!(word, "{" | "}") {
                return;
            }
            self.skip();
            if word == ";" {
                return;
            }
        }
    }
}
