//! JSON.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules =
    LexicalRules { strings: &[Quoting::new("\"", &[""])], in_words: "", ..LexicalRules::PLAIN };

pub(super) static DESCRIPTION: Description = Description {
    name: "json",
    endings: &[FileEnding::Always("json")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Json),
    features: &[Feature::Grammar],
};
