//! D.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/"), ("/+", "+/")],
    nesting: Some("/+"),
    strings: &[
        Quoting::new("\"", &[""]).over_lines(),
        Quoting::new("\"", &["r"]).without_escapes().over_lines(),
        Quoting::new("`", &[""]).without_escapes().over_lines(),
    ],
    characters: &[Quoting::new("'", &[""])],
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "d",
    endings: &[FileEnding::Always("d"), FileEnding::Always("di")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::D),
    features: &[Feature::Comments, Feature::Grammar],
};
