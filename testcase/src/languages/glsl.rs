//! GLSL.

use super::detection::FileEnding;
use super::{Description, Feature, Grammar};
use crate::lexer::LexicalRules;

pub(super) static RULES: LexicalRules =
    LexicalRules { comments: &[("//", "\n"), ("/*", "*/")], ..LexicalRules::PLAIN };

pub(super) static DESCRIPTION: Description = Description {
    name: "glsl",
    endings: &[
        FileEnding::Always("glsl"),
        FileEnding::Always("vert"),
        FileEnding::Always("frag"),
        FileEnding::Always("comp"),
        FileEnding::Always("geom"),
        FileEnding::Always("tesc"),
        FileEnding::Always("tese"),
        FileEnding::Always("rgen"),
        FileEnding::Always("rchit"),
        FileEnding::Always("rmiss"),
        FileEnding::Always("mesh"),
    ],
    look: None,
    lexer: &RULES,
    grammar: Some(Grammar::Glsl),
    features: &[Feature::Comments, Feature::Grammar],
};
