//! Text for people. Control characters in names and in the output of tools are shown escaped, so that
//! they cannot write over other text, and a closed pipe is no error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

pub(crate) use clreduce_testcase::printable;
use console::style;

/// Text of this program, whose styles stay. Whatever else controls a terminal is escaped: it came from others.
fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        let (before, sequence) = rest.split_at(at);
        let parameters = sequence[2..].trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        let after = parameters.strip_prefix('m');
        shown.push_str(&printable(before));
        // What is no style loses its meaning with its first character.
        rest = after.unwrap_or(&sequence[1..]);
        let style = &sequence[..sequence.len() - rest.len()];
        shown.push_str(&if after.is_some() { style.into() } else { printable(style) });
    }
    shown.push_str(&printable(rest));
    shown
}

/// Standard output, for text of this program.
pub(crate) fn out() -> Out {
    Out(io::stdout().lock())
}

/// See [`out`].
pub(crate) struct Out(io::StdoutLock<'static>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(shown(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    /// At once: a style is written in parts.
    fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        self.0.write_all(shown(&text.to_string()).as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes what a program has written to standard output: as it is, unless that is a terminal.
///
/// # Errors
/// When the system cannot.
pub(crate) fn data(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        return out.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes());
    }
    out.write_all(bytes)
}

/// A path on one line, with its control characters escaped.
pub(crate) fn shown_path(path: &Path) -> String {
    printable(&path.display().to_string()).replace('\n', "\\n").replace('\t', "\\t")
}

/// Prints a line that stays on standard error. Nobody may be reading it any more; that is no reason to end a reduction.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(io::stderr(), "{}", shown(text));
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
    fn styles_stay_and_nothing_else() {
        assert_eq!(shown("a\x1b[1;31mb\x1b[0m"), "a\x1b[1;31mb\x1b[0m");
        let other = "\x1b]0;t\x07\x1b[2J\x1b[31\u{9b}m\x1b";
        assert_eq!(shown(other), r"\u{1b}]0;t\u{7}\u{1b}[2J\u{1b}[31\u{9b}m\u{1b}");
        assert_eq!(shown_path(Path::new("a\nerror: b.c")), r"a\nerror: b.c");
    }
}
