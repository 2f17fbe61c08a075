//! The words of a program after preprocessing, as far as that is possible without a compiler: macros without parameters are
//! expanded, and simple conditionals are followed.

use std::collections::HashMap;

use clreduce_testcase::tokens;

/// Returns the tokens of a source text, without those of preprocessor directives; macros without parameters are expanded.
pub(crate) fn words(source: &[u8]) -> Vec<&str> {
    let (mut words, mut directive_end) = (Vec::new(), 0);
    let mut macros = MacroTable::default();
    for token in tokens(source) {
        let range = token.range();
        if range.start < directive_end {
            continue;
        }
        let text = std::str::from_utf8(&source[range.clone()]).unwrap_or("?");
        if text == "#" {
            directive_end = end_of_directive(source, range.end);
            macros.read(&source[range.end..directive_end]);
        } else {
            macros.expand(text, &mut words);
        }
    }
    words
}

/// The macros that are defined at a place of a program. A name that the program does not define is not defined.
#[derive(Default)]
struct MacroTable<'a> {
    known: HashMap<&'a str, Vec<&'a str>>,
    /// For each conditional around the place, whether the branch is read, `None` where that is not known, and whether it or an
    /// earlier one is for certain.
    conditions: Vec<(Option<bool>, bool)>,
}

impl<'a> MacroTable<'a> {
    fn read(&mut self, directive: &'a [u8]) {
        let mut ends = tokens(directive).map(|token| {
            let range = token.range();
            (std::str::from_utf8(&directive[range.clone()]).unwrap_or("?"), range)
        });
        let (Some((kind, _)), name) = (ends.next(), ends.next()) else { return };
        let (name, end) = name.map_or(("", 0), |(name, range)| (name, range.end));
        let is_read = self.conditions.iter().all(|(is_read, _)| *is_read != Some(false));
        let condition = match kind {
            "ifdef" => Some(self.known.contains_key(name)),
            "ifndef" => Some(!self.known.contains_key(name)),
            "if" if matches!(name, "0" | "1") => Some(name == "1"),
            _ => None,
        };
        match (kind, self.conditions.last_mut()) {
            ("if" | "ifdef" | "ifndef", _) => {
                self.conditions.push((condition, condition == Some(true)));
                return;
            }
            ("else" | "elif" | "elifdef" | "elifndef", Some((branch, is_decided))) => {
                *branch = match *is_decided {
                    true => Some(false),
                    false if kind == "else" => branch.map(|_| true),
                    false => None,
                };
                *is_decided |= *branch == Some(true);
                return;
            }
            _ => {}
        }
        match kind {
            "endif" => drop(self.conditions.pop()),
            "undef" if is_read => drop(self.known.remove(name)),
            // A parenthesis right behind the name begins parameters.
            "define" if is_read && directive.get(end) != Some(&b'(') => {
                let is_certain = self.conditions.iter().all(|(is_read, _)| is_read.is_some());
                let body = ends.map(|(word, _)| word).filter(|word| *word != "\\").collect();
                if is_certain || !self.known.contains_key(name) {
                    self.known.insert(name, body);
                }
            }
            _ => {}
        }
    }

    fn expand(&self, word: &'a str, words: &mut Vec<&'a str>) {
        // A macro may stand for another one; none goes on for ever.
        const MOST_DEPTH: usize = 8;
        if self.known.is_empty() || !self.known.contains_key(word) {
            words.push(word);
            return;
        }
        let mut open = vec![(word, 0)];
        while let Some((word, depth)) = open.pop() {
            match self.known.get(word) {
                Some(body) if depth < MOST_DEPTH => {
                    open.extend(body.iter().rev().map(|&word| (word, depth + 1)));
                }
                _ => words.push(word),
            }
        }
    }
}

/// Returns the end of a directive: of its line, or of the last line that continues it.
fn end_of_directive(source: &[u8], mut at: usize) -> usize {
    while let Some(length) = source[at..].iter().position(|&byte| byte == b'\n') {
        let line = &source[at..at + length];
        at += length + 1;
        if !line.trim_ascii_end().ends_with(b"\\") {
            return at;
        }
    }
    source.len()
}
