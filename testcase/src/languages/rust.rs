//! Rust. A lifetime begins with the quote of characters, so that characters are several tokens.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

/// The words before a literal in which a backslash is a character like others.
const RAW: &[&str] = &["r", "br", "cr"];

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    nesting: Some("/*"),
    strings: &[
        Quoting::new("\"", &["", "b", "c"]).over_lines(),
        Quoting::new("\"", RAW).without_escapes().over_lines(),
        Quoting::new("#\"", RAW).until("\"#").without_escapes().over_lines(),
    ],
    characters: &[Quoting::new("'", &["", "b"]).of_one()],
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "rust",
    endings: &[FileEnding::Always("rs")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Rust),
    features: &[Feature::Comments, Feature::Grammar],
};
