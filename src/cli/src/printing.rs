//! Text for people on standard error. Control characters in names and in the output of tools are shown escaped, so that
//! they cannot write over other text, and a closed pipe is no error.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::Path;

use console::style;

/// Characters that change the direction of the text after them, so that a name reads as another one.
const DIRECTIONS: [RangeInclusive<char>; 4] = [
    '\u{61c}'..='\u{61c}',
    '\u{200e}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2066}'..='\u{2069}',
];

/// Text with its control characters escaped, except line breaks and tabs.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_control = |c: char| c.is_control() || DIRECTIONS.iter().any(|range| range.contains(&c));
    let is_shown = |c: char| !is_control(c) || matches!(c, '\n' | '\t');
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_shown(c) {
            shown.push(c);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", c.escape_default());
        }
    }
    Cow::Owned(shown)
}

/// A path on one line, with its control characters escaped.
pub(crate) fn shown_path(path: &Path) -> String {
    printable(&path.display().to_string()).replace('\n', "\\n").replace('\t', "\\t")
}

/// Prints a line that stays on standard error. Nobody may be reading it any more; that is no reason to end a reduction.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints a warning. Tools write parts of it, so that it may hold control characters.
pub(crate) fn warning_line(text: &str) {
    error_line(&warning(text));
}

/// Prints a note.
pub(crate) fn note_line(text: &str) {
    error_line(&format!("{}: {}", style("note").for_stderr().bold(), printable(text)));
}

/// A warning as a line for the terminal.
pub(crate) fn warning(text: &str) -> String {
    format!("{}: {}", style("warning").for_stderr().yellow().bold(), printable(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown() {
        assert_eq!(printable("a\n\tb é"), "a\n\tb é");
        assert_eq!(printable("a\x1b[31mb\r\u{9b}"), r"a\u{1b}[31mb\r\u{9b}");
        assert_eq!(printable("\u{202e}c.gub"), r"\u{202e}c.gub");
        assert_eq!(shown_path(Path::new("a\nerror: b.c")), r"a\nerror: b.c");
    }
}
