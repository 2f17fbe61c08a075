//! JSON.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::{LexicalRules, Quoting};

static RULES: LexicalRules = LexicalRules {
    comments: &[],
    strings: Some(Quoting { quote: b'"', prefixes: &[] }),
    characters: None,
    in_words: "",
};

pub(super) static DESCRIPTION: Description = Description {
    name: "json",
    endings: &[FileEnding::Always("json")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Json),
    features: &[Feature::Grammar],
};
