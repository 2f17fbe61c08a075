//! TypeScript.

use super::detection::FileEnding;
use super::javascript::RULES;
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "typescript",
    endings: &[FileEnding::Always("ts"), FileEnding::Always("mts"), FileEnding::Always("cts")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::TypeScript),
    features: &[Feature::Comments, Feature::Grammar],
};
