//! Laying a program out for a person: one statement a line, indented by its nesting.
//!
//! Only white space changes. The layout is a function of tokens, comments and directives, never of the
//! white space that was there, except that a comment stays on the line of what it follows. So laying
//! out twice is laying out once.

mod lines;
mod pieces;
mod printer;
mod roles;
mod spacing;

pub(super) use lines::{indented, trim_lines};

use crate::SyntaxTree;
use crate::analysis::Tokens;

/// The bytes of a file laid out anew; `None` where that is not possible without changing more than
/// white space.
pub(super) fn lay_out(unit: Tokens<'_>, tree: &SyntaxTree) -> Option<Vec<u8>> {
    let roles = roles::roles(unit, tree);
    let pieces = pieces::pieces(unit, &roles)?;
    Some(printer::print(unit.bytes, &pieces))
}
