//! MLIR. A name with its sigil is one word.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n")],
    strings: &[Quoting::new("\"", &[""])],
    in_words: "_$.@%^",
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "mlir",
    endings: &[FileEnding::Always("mlir")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Mlir),
    features: &[Feature::Comments, Feature::Grammar],
};
