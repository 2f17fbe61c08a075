//! Rust. A lifetime begins with the quote of characters, so that characters are several tokens.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::{LexicalRules, Quoting};

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    strings: Some(Quoting { quote: b'"', prefixes: &["b", "c"] }),
    characters: None,
    in_words: "_",
};

pub(super) static DESCRIPTION: Description = Description {
    name: "rust",
    endings: &[FileEnding::Always("rs")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Rust),
    features: &[Feature::Comments, Feature::Grammar],
};
