//! VHDL. An attribute begins with the quote of characters, so that characters are several tokens.

use super::ada::RULES;
use super::detection::FileEnding;
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "vhdl",
    endings: &[FileEnding::Always("vhd"), FileEnding::Always("vhdl")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Vhdl),
    features: &[Feature::Comments, Feature::Grammar],
};
