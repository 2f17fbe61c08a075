//! C.

use super::detection::{NameEnding, TextLook};
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "c",
    endings: &[NameEnding::Always("c"), NameEnding::Always("h"), NameEnding::Always("i")],
    look: Some(TextLook { words: &["int main", "#include"], also: None, certainty: 1 }),
    grammar: Some(Grammar::C),
    features: &[
        Feature::Syntax,
        Feature::Symbols,
        Feature::ImplicitDeclarations,
        Feature::GlobalVariables,
    ],
};
