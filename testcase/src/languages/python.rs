//! Python.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::{LexicalRules, Quoting};

static RULES: LexicalRules = LexicalRules {
    comments: &[("#", "\n")],
    strings: Some(Quoting {
        quote: b'"',
        prefixes: &["r", "b", "f", "u", "rb", "br", "R", "B", "F"],
    }),
    characters: Some(Quoting {
        quote: b'\'',
        prefixes: &["r", "b", "f", "u", "rb", "br", "R", "B", "F"],
    }),
    in_words: "_",
};

pub(super) static DESCRIPTION: Description = Description {
    name: "python",
    endings: &[FileEnding::Always("py"), FileEnding::Always("pyi")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Python),
    features: &[Feature::Comments, Feature::Grammar, Feature::Indentation],
};
