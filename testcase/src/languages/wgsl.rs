//! WGSL.

use super::detection::FileEnding;
use super::glsl::RULES;
use super::{Description, Feature, Grammar};

pub(super) static DESCRIPTION: Description = Description {
    name: "wgsl",
    endings: &[FileEnding::Always("wgsl")],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Wgsl),
    features: &[Feature::Comments, Feature::Grammar],
};
