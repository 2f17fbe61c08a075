//! LLVM IR. A name with its sigil is one word.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::{LexicalRules, Quoting};

static RULES: LexicalRules = LexicalRules {
    comments: &[(";", "\n")],
    strings: Some(Quoting { quote: b'"', prefixes: &["c"] }),
    characters: None,
    in_words: "_$.@%",
};

pub(super) static DESCRIPTION: Description = Description {
    name: "llvm",
    endings: &[FileEnding::Always("ll")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Llvm),
    features: &[Feature::Comments, Feature::Grammar, Feature::Blocks],
};
