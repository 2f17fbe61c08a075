//! VHDL. An attribute begins with the quote of characters, so that characters are several tokens.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::{LexicalRules, Quoting};

static RULES: LexicalRules = LexicalRules {
    comments: &[("--", "\n")],
    strings: Some(Quoting { quote: b'"', prefixes: &[] }),
    characters: None,
    in_words: "_",
};

pub(super) static DESCRIPTION: Description = Description {
    name: "vhdl",
    endings: &[FileEnding::Always("vhd"), FileEnding::Always("vhdl")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Vhdl),
    features: &[Feature::Comments, Feature::Grammar],
};
