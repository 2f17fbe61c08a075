//! Ada. An attribute begins with the quote of characters, so that characters are several tokens.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

pub(super) static RULES: LexicalRules = LexicalRules {
    comments: &[("--", "\n")],
    strings: &[Quoting::new("\"", &[""]).without_escapes()],
    characters: &[Quoting::new("'", &[""]).without_escapes().of_one()],
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "ada",
    endings: &[FileEnding::Always("adb"), FileEnding::Always("ads"), FileEnding::Always("ada")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Ada),
    features: &[Feature::Comments, Feature::Grammar],
};
