//! Text for people. Control characters in names and in the output of tools are shown escaped, so that
//! they cannot write over other text, and a closed pipe is no error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::error::Error as ArgumentError;
pub(crate) use clreduce_testcase::printable;
use clreduce_testcase::printable_json;
use console::style;
use serde::Serialize;

/// The styles of this program, as numbers of the terminal: none, bold, dim, underlined, reversed, red, green and yellow. No other
/// can hide text.
const STYLES: [&str; 8] = ["0", "1", "2", "4", "7", "31", "32", "33"];

/// Text of this program, whose styles stay where it has some. Whatever else controls a terminal is escaped: it came from
/// others.
fn shown(text: &str, has_styles: bool) -> String {
    if !has_styles {
        return printable(text).into_owned();
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        let (before, sequence) = rest.split_at(at);
        let style = sequence[2..].split_once('m');
        let after = style.filter(|(number, _)| STYLES.contains(number)).map(|(_, after)| after);
        shown.push_str(&printable(before));
        // A sequence that is no style loses its meaning with its first character.
        rest = after.unwrap_or(&sequence[1..]);
        let style = &sequence[..sequence.len() - rest.len()];
        shown.push_str(&if after.is_some() { style.into() } else { printable(style) });
    }
    shown.push_str(&printable(rest));
    shown
}

fn shown_on_out(text: &str) -> String {
    shown(text, console::colors_enabled())
}

fn shown_on_error(text: &str) -> String {
    shown(text, console::colors_enabled_stderr())
}

/// Standard output, for text of this program.
pub(crate) fn out() -> Out {
    Out(io::stdout().lock())
}

/// Writes a text of this program to standard output.
///
/// # Errors
/// When standard output does not take it.
pub(crate) fn print(text: &str) -> io::Result<()> {
    out().write_all(printable(text).as_bytes())
}

/// See [`out`].
pub(crate) struct Out(io::StdoutLock<'static>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(shown_on_out(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    /// At once: a style is written in parts.
    fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        self.0.write_all(shown_on_out(&text.to_string()).as_bytes())
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

/// Standard output, for data: see [`data`].
pub(crate) struct Data;

impl Write for Data {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        data(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Writes JSON on one line.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn json_line(out: &mut (impl Write + ?Sized), value: &impl Serialize) -> io::Result<()> {
    let json = serde_json::to_string(value)?;
    out.write_all(format!("{}\n", printable_json(&json)).as_bytes())
}

/// Prints what is wrong with the arguments, in which there may be names of files, or the help that they ask for.
pub(crate) fn argument_error(error: &ArgumentError) {
    let text = error.render();
    let styled = |has_styles| if has_styles { text.ansi().to_string() } else { text.to_string() };
    // The reader may have gone.
    let _ = if error.use_stderr() {
        let text = shown_on_error(&styled(console::colors_enabled_stderr()));
        io::stderr().write_all(text.as_bytes())
    } else {
        io::stdout().write_all(shown_on_out(&styled(console::colors_enabled())).as_bytes())
    };
}

/// A path on one line, with its control characters escaped.
pub(crate) fn shown_path(path: &Path) -> String {
    printable(&path.display().to_string()).replace('\n', "\\n").replace('\t', "\\t")
}

/// Prints a line that stays on standard error. The reader may have gone; that is no reason to end a reduction.
pub(crate) fn error_line(text: &str) {
    let _ = writeln!(io::stderr(), "{}", shown_on_error(text));
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
        let styled = "a\x1b[1m\x1b[31mb\x1b[0m";
        assert_eq!(shown(styled, true), styled);
        assert_eq!(shown(styled, false), r"a\u{1b}[1m\u{1b}[31mb\u{1b}[0m");
        let other = "\x1b]0;t\x07\x1b[2J\x1b[31\u{9b}m\x1b[8m\x1b";
        assert_eq!(shown(other, true), r"\u{1b}]0;t\u{7}\u{1b}[2J\u{1b}[31\u{9b}m\u{1b}[8m\u{1b}");
        assert_eq!(shown_path(Path::new("a\nerror: b.c")), r"a\nerror: b.c");
    }
}
