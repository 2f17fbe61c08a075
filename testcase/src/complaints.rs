//! Complaints: the errors that compilers report in a variant.
//!
//! They say which of the removed declarations were needed. A test need not print any, and a complaint may be about
//! something else: then the next variants are those that would have come without it.

use serde::{Deserialize, Serialize};

/// The least size of a program, in bytes, for which compilers are asked for complaints: a smaller one is tested at little cost,
/// and the test tells as much.
pub const LEAST_COMPLAINING: usize = 4 << 10;

/// An error of a compiler: where it is, and the names in its message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Complaint {
    /// The path of the file, as it is in the output.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1; 0 if the output has none.
    pub column: u32,
    /// The names in the message, with their qualifiers and without arguments: `std::vector`, `operator==`.
    pub names: Vec<String>,
}
