//! C.

use super::detection::{FileEnding, TextLook};
use super::{Description, Feature, Grammar};
use crate::lexer::C_FAMILY;

pub(super) static DESCRIPTION: Description = Description {
    name: "c",
    endings: &[FileEnding::Always("c"), FileEnding::Always("h"), FileEnding::Always("i")],
    look: Some(TextLook { words: &["int main", "#include"], also: None, certainty: 1 }),
    lexer: &C_FAMILY,
    grammar: Some(Grammar::C),
    features: &[
        Feature::Comments,
        Feature::Preprocessor,
        Feature::Syntax,
        Feature::Symbols,
        Feature::ImplicitDeclarations,
        Feature::GlobalVariables,
    ],
};
