//! PTX: lines with names, without a grammar.

use super::detection::FileEnding;
use super::{Description, Feature};
use crate::lexer::LexicalRules;
use crate::quoting::Quoting;

static RULES: LexicalRules = LexicalRules {
    comments: &[("//", "\n"), ("/*", "*/")],
    strings: &[Quoting::new("\"", &[""])],
    in_words: "_$%@.",
    ..LexicalRules::PLAIN
};

pub(super) static DESCRIPTION: Description = Description {
    name: "ptx",
    endings: &[FileEnding::Always("ptx")],
    look: None,
    lexer: &RULES,
    grammar: None,
    features: &[Feature::Comments, Feature::CheckedKernels, Feature::VirtualInstructions],
};
