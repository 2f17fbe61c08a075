//! Views of a file that several passes share.

mod mask;
mod symbols;
mod tree;

pub use symbols::{Symbol, SymbolId, SymbolKind, Symbols};
pub use tree::{Node, NodeId, SyntaxTree};
