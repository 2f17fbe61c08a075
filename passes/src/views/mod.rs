//! Views of a file that several passes share.

mod builtins;
mod entry;
mod flow;
mod mask;
mod numbers;
mod symbols;
mod tree;
mod types;

pub(crate) use builtins::Shape;
pub(crate) use entry::{is_entry, is_kernel};
pub(crate) use flow::Flow;
pub(crate) use numbers::{Number, components};
pub(crate) use symbols::declared_by;
pub use symbols::{Symbol, SymbolId, SymbolKind, Symbols};
pub use tree::{Node, NodeId, SyntaxTree};
pub(crate) use types::{Base, Type, Types, converts, is_vector, vector_literal};
