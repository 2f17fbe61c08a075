//! WGSL.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    strings: None,
    characters: None,
    in_words: "_",
};

pub(super) static DESCRIPTION: Description = Description {
    name: "wgsl",
    endings: &[FileEnding::Always("wgsl")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Wgsl),
    features: &[Feature::Comments, Feature::Grammar],
};
