//! What survives a crash: the state folder of a reduction, with the original and the journal.
//!
//! The journal holds every consumed answer in order. To resume is to hold the same conversation again,
//! with the answers of the journal known; there is no other state to save.

mod file;
mod folder;
mod line;

pub use file::Facts;
pub(crate) use file::{Header, Journal};
pub use folder::{StateError, StateFolder};
pub(crate) use line::Answer;
