//! The words of a line for the shell, each with its place: which belong to one command, and which are quoted.

use std::ops::Range;

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShellWord {
    /// Its place, with its quotation marks.
    pub place: Range<usize>,
    /// The word as the shell passes it on. Variables are not filled in.
    pub text: String,
    /// The number of the command that it belongs to. `|`, `;`, `&` and parentheses end a command.
    pub command: usize,
}

/// Reads a line. Redirections and comments have no words.
pub(super) fn words(line: &str) -> Vec<ShellWord> {
    let mut reader = LineReader { line, at: 0, command: 0, words: Vec::new(), is_target: false };
    while reader.at < line.len() {
        reader.read();
    }
    reader.words
}

struct LineReader<'a> {
    line: &'a str,
    at: usize,
    command: usize,
    words: Vec<ShellWord>,
    /// The next word is the file of a redirection.
    is_target: bool,
}

impl LineReader<'_> {
    fn rest(&self) -> &str {
        &self.line[self.at..]
    }

    fn read(&mut self) {
        let Some(sign) = self.rest().chars().next() else { return };
        match sign {
            '&' if self.rest().starts_with("&>") => self.redirection(),
            '<' | '>' => self.redirection(),
            ';' | '|' | '&' | '(' | ')' | '\n' => {
                self.command += 1;
                self.is_target = false;
                self.at += 1;
            }
            '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            '\\' if self.rest().starts_with("\\\n") => self.at += 2,
            sign if sign.is_whitespace() => self.at += sign.len_utf8(),
            _ => self.word(),
        }
    }

    /// `2>&1`, `> file`.
    fn redirection(&mut self) {
        let is_number = |word: &ShellWord| word.text.bytes().all(|byte| byte.is_ascii_digit());
        if self.words.last().is_some_and(|word| word.place.end == self.at && is_number(word)) {
            self.words.pop();
        }
        let signs = self.rest().find(|sign| !"<>&".contains(sign));
        self.at += signs.unwrap_or(self.rest().len());
        self.is_target = true;
    }

    fn word(&mut self) {
        let start = self.at;
        let mut text = String::new();
        let mut quote = None;
        let mut signs = self.line[start..].char_indices().peekable();
        let mut length = self.line.len() - start;
        while let Some((at, sign)) = signs.next() {
            match quote {
                Some(open) if sign == open => quote = None,
                Some('\'') => text.push(sign),
                None if sign == '\'' || sign == '"' => quote = Some(sign),
                _ if sign == '\\' => text.extend(signs.next().map(|(_, escaped)| escaped)),
                None if sign.is_whitespace() || ";|&()<>".contains(sign) => {
                    length = at;
                    break;
                }
                _ => text.push(sign),
            }
        }
        self.at = start + length;
        if !std::mem::take(&mut self.is_target) {
            self.words.push(ShellWord { place: start..self.at, text, command: self.command });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_command_and_place() {
        let line =
            "LC_ALL=C g++ -D 'A B=\"c\"' x\\ y.cc >log 2>&1; (grep -q \"a'b\" <log) | tee # -no";
        let read: Vec<(usize, String, &str)> = words(line)
            .into_iter()
            .map(|word| (word.command, word.text, &line[word.place]))
            .collect();
        let expected = [
            (0, "LC_ALL=C", "LC_ALL=C"),
            (0, "g++", "g++"),
            (0, "-D", "-D"),
            (0, "A B=\"c\"", "'A B=\"c\"'"),
            (0, "x y.cc", "x\\ y.cc"),
            (2, "grep", "grep"),
            (2, "-q", "-q"),
            (2, "a'b", "\"a'b\""),
            (4, "tee", "tee"),
        ];
        let expected: Vec<(usize, String, &str)> =
            expected.into_iter().map(|(command, text, own)| (command, text.into(), own)).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn a_line_that_ends_too_early_has_words() {
        for line in ["'", "\"a", "a\\", ">", "2>", "&>", "$(", "é'é"] {
            assert!(words(line).len() <= 1, "{line}");
        }
    }
}
