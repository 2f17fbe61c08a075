//! Clues: facts about the original that are not in its text.
//!
//! They are found once, on the original, and positions are those of the original. They decide which removals are
//! tried first, and nothing else: a clue may be wrong, and then the first tests are rejected.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The clues about an original.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clues {
    /// The parts of the program that the output of the test mentions. Each element is one statement of the output, with
    /// all places that it is made about: the bug may be at any of them.
    pub mentions: Vec<Vec<Mention>>,
    /// By file, the ranges of bytes that were not executed when the program ran, in order and apart from each other.
    pub unexecuted: BTreeMap<String, Vec<Range<usize>>>,
}

/// A part of the program as an output names it. It may name nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mention {
    /// A place in a file.
    Place {
        /// The path of the file, as it is in the output.
        file: String,
        /// The line, from 1.
        line: u32,
        /// The column in bytes, from 1; 0 if the output has none.
        column: u32,
    },
    /// Something that is declared, by its unqualified name.
    Name(String),
}

impl Clues {
    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.mentions.is_empty() && self.unexecuted.is_empty()
    }
}
