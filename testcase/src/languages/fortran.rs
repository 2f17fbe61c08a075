//! Fortran in free form.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::{LexicalRules, Quoting};

static RULES: LexicalRules = LexicalRules {
    comments: &[("!", "\n")],
    strings: Some(Quoting { quote: b'"', prefixes: &[] }),
    characters: Some(Quoting { quote: b'\'', prefixes: &[] }),
    in_words: "_",
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
