//! SPIR-V assembly: lines with names, without a grammar.

use super::detection::FileEnding;
use super::{Description, Feature};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules = LexicalRules {
    comments: &[(";", "\n")],
    strings: &[Quoting::new("\"", &[""])],
    in_words: "_%",
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "spirv",
    endings: &[FileEnding::Always("spvasm")],
    look: None,
    lexer: &RULES,
    grammar: None,
    features: &[Feature::Comments],
};
