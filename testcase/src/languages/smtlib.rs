//! SMT-LIB: nothing but brackets, without a grammar.

use super::detection::FileEnding;
use super::{Description, Feature};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules = LexicalRules {
    comments: &[(";", "\n")],
    strings: &[Quoting::new("\"", &[""]).without_escapes().over_lines()],
    in_words: "_-.!?@$%&*+/<=>~^",
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "smtlib",
    endings: &[FileEnding::Always("smt2")],
    look: None,
    lexer: &RULES,
    grammar: None,
    features: &[Feature::Comments],
};
