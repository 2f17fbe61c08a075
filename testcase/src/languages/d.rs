//! D.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::{LexicalRules, Quoting};

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/"), ("/+", "+/")],
    strings: Some(Quoting { quote: b'"', prefixes: &["r"] }),
    characters: Some(Quoting { quote: b'\'', prefixes: &[] }),
    in_words: "_",
};

pub(super) static DESCRIPTION: Description = Description {
    name: "d",
    endings: &[FileEnding::Always("d"), FileEnding::Always("di")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::D),
    features: &[Feature::Comments, Feature::Grammar],
};
