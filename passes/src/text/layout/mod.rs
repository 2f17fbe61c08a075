//! Laying a program out for a person: one statement a line, indented by its nesting.
//!
//! Only white space changes. The layout is a function of tokens, comments and directives, never of the
//! white space that was there, except that a comment stays on the line of what it follows. So laying
//! out twice is laying out once.

mod pieces;
mod printer;
mod roles;
mod spacing;

use crate::SyntaxTree;
use crate::analysis::Tokens;

/// The bytes of a file laid out anew; `None` where that is not possible without changing more than
/// white space.
pub(super) fn lay_out(unit: Tokens<'_>, tree: &SyntaxTree) -> Option<Vec<u8>> {
    let roles = roles::roles(unit, tree);
    let pieces = pieces::pieces(unit, &roles)?;
    Some(printer::print(unit.bytes, &pieces))
}

/// A text in which blanks at the ends of lines and repeated empty lines are gone.
pub(super) fn trim_lines(bytes: &[u8]) -> Vec<u8> {
    let line_break = line_break(bytes);
    let mut out = Vec::with_capacity(bytes.len());
    let mut blank_lines = 0;
    for line in bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end) {
        if line.is_empty() {
            blank_lines += 1;
            continue;
        }
        if blank_lines > 0 && !out.is_empty() {
            out.extend_from_slice(line_break);
        }
        blank_lines = 0;
        out.extend_from_slice(line);
        out.extend_from_slice(line_break);
    }
    out
}

/// The line ending of a file: that of its first line.
fn line_break(bytes: &[u8]) -> &'static [u8] {
    let first = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    if first > 0 && bytes[first - 1] == b'\r' { b"\r\n" } else { b"\n" }
}
