//! Java.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::{LexicalRules, Quoting};

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    strings: Some(Quoting { quote: b'"', prefixes: &[] }),
    characters: Some(Quoting { quote: b'\'', prefixes: &[] }),
    in_words: "_$",
};

pub(super) static DESCRIPTION: Description = Description {
    name: "java",
    endings: &[FileEnding::Always("java")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Java),
    features: &[Feature::Comments, Feature::Grammar],
};
