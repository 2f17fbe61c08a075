//! Any other text: only passes over lines and tokens apply.

use super::Description;

pub(super) static DESCRIPTION: Description =
    Description { name: "text", endings: &[], look: None, grammar: None, features: &[] };
