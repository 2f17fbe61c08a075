//! Views of a file that several passes share.

mod mask;
mod symbols;
mod tree;

pub(crate) use symbols::declared_by;
pub use symbols::{Symbol, SymbolId, SymbolKind, Symbols};
pub use tree::{Node, NodeId, SyntaxTree};
