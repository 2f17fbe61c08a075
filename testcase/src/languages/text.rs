//! Any other text: only passes over lines and tokens apply.

use super::Description;
use crate::lexer::C_FAMILY;

pub(super) static DESCRIPTION: Description = Description {
    name: "text",
    endings: &[],
    look: None,
    lexer: &C_FAMILY,
    grammar: None,
    features: &[],
};
