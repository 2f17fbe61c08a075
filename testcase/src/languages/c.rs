//! C.

use super::detection::{Ending, Look};
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "c",
    endings: &[Ending::Always("c"), Ending::Always("h"), Ending::Always("i")],
    look: Some(Look { words: &["int main", "#include"], also: None, certainty: 1 }),
    grammar: Some(Grammar::C),
    features: &[
        Feature::Syntax,
        Feature::Symbols,
        Feature::ImplicitDeclarations,
        Feature::GlobalVariables,
    ],
};
