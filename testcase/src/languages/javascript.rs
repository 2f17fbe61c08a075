//! JavaScript.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

pub(super) static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    strings: &[Quoting::new("\"", &[""]), Quoting::new("`", &[""]).over_lines()],
    characters: &[Quoting::new("'", &[""])],
    in_words: "_$",
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "javascript",
    endings: &[
        FileEnding::Always("js"),
        FileEnding::Always("mjs"),
        FileEnding::Always("cjs"),
        FileEnding::Always("jsx"),
    ],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::JavaScript),
    features: &[Feature::Comments, Feature::Grammar],
};
