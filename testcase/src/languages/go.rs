//! Go.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    strings: &[Quoting::new("\"", &[""]), Quoting::new("`", &[""]).without_escapes().over_lines()],
    characters: &[Quoting::new("'", &[""])],
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "go",
    endings: &[FileEnding::Always("go")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Go),
    features: &[Feature::Comments, Feature::Grammar],
};
