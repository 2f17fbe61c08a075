//! Java.

use super::detection::FileEnding;
use super::javascript::RULES;
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "java",
    endings: &[FileEnding::Always("java")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Java),
    features: &[Feature::Comments, Feature::Grammar],
};
