//! The state of a reduction that survives a crash: a folder with the original and a journal.
//!
//! The journal holds every verdict that the reducer took, in order. A reduction is deterministic, so resuming it
//! means running it again from the original: each verdict in the journal is given without a test until the
//! journal ends. There is no other state to save.

mod error;
mod file;
mod folder;
mod header;
mod line;
mod record;
mod stored;
mod sync;

pub use error::StateError;
pub use file::{Journal, Proposed};
pub use folder::StateFolder;
pub use header::{Facts, JournalHeader};
pub use line::{Between, JournalEntry};
pub use record::Record;
