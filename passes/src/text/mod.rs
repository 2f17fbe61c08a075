//! Passes over lines, comments, directives and files, and the layout of the final result.

mod layout;
mod view;

pub(crate) mod comments;
pub(crate) mod conditionals;
pub(crate) mod directives;
pub(crate) mod files;
pub(crate) mod format;
pub(crate) mod line_markers;
pub(crate) mod lines;
pub(crate) mod macros;
pub(crate) mod own_headers;
