//! LLVM IR. A name with its sigil is one word.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules = LexicalRules {
    comments: &[(";", "\n")],
    strings: &[Quoting::new("\"", &["", "c"]).without_escapes()],
    in_words: "_$.@%",
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "llvm",
    endings: &[FileEnding::Always("ll")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Llvm),
    features: &[Feature::Comments, Feature::Grammar, Feature::Blocks],
};
