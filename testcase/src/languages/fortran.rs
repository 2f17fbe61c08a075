//! Fortran in free form.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules = LexicalRules {
    comments: &[("!", "\n")],
    strings: &[Quoting::new("\"", &[""]).without_escapes()],
    characters: &[Quoting::new("'", &[""]).without_escapes()],
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "fortran",
    endings: &[
        FileEnding::Always("f90"),
        FileEnding::Always("f95"),
        FileEnding::Always("f03"),
        FileEnding::Always("f08"),
        FileEnding::Always("f18"),
    ],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Fortran),
    features: &[Feature::Comments, Feature::Grammar],
};
