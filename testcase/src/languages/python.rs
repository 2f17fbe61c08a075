//! Python.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

/// The words before a literal, in all spellings.
const PREFIXES: &[&str] = &[
    "", "r", "R", "b", "B", "f", "F", "u", "U", "t", "T", "rb", "rB", "Rb", "RB", "br", "bR", "Br",
    "BR", "rf", "rF", "Rf", "RF", "fr", "fR", "Fr", "FR", "rt", "rT", "Rt", "RT", "tr", "tR", "Tr",
    "TR",
];

static RULES: LexicalRules = LexicalRules {
    comments: &[("#", "\n")],
    strings: &[Quoting::new("\"\"\"", PREFIXES).over_lines(), Quoting::new("\"", PREFIXES)],
    characters: &[Quoting::new("'''", PREFIXES).over_lines(), Quoting::new("'", PREFIXES)],
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "python",
    endings: &[FileEnding::Always("py"), FileEnding::Always("pyi")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Python),
    features: &[Feature::Comments, Feature::Grammar, Feature::Indentation],
};
