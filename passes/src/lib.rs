//! What to try: passes look at a snapshot of a program and propose patches.
//!
//! This crate is pure. A pass reads no files, starts no processes or threads, looks at no clock,
//! draws no random numbers, and does not recurse to a depth that its input decides. Which proposals
//! are asked, in which order and how many at once, is not a pass's business.

mod gpu;
mod names;
mod pass;
mod smaller;
mod snapshot;
mod syntax;
mod table;
mod text;
mod tokens;

pub mod harness;

pub use clreduce_language::{Node, NodeId, Symbol, SymbolId, SymbolKind, Symbols, SyntaxTree};
pub use names::orphans::Orphans;
pub use pass::{Pass, Proposal};
pub use snapshot::Snapshot;
pub use table::{Explore, Phase, Row, TABLE, find};
