//! Any other text: only passes over lines and tokens apply.

use super::{Description, Feature, Grammar};
use crate::lexer::C_FAMILY;

pub(super) static DESCRIPTION: Description = Description {
    name: "text",
    endings: &[],
    look: None,
    lexer: &C_FAMILY,
    grammar: None,
    features: &[],
};

/// A text of which a grammar from a file says what can be left out. Its name lives as long as the process.
pub(super) fn with_grammar(name: &str) -> Description {
    Description {
        name: String::leak(name.to_owned()),
        grammar: Some(Grammar::Loaded),
        features: &[Feature::Grammar],
        endings: DESCRIPTION.endings,
        look: None,
        lexer: DESCRIPTION.lexer,
    }
}
