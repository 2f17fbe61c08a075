//! Views of a file that several passes share.

mod mask;
mod tree;

pub use tree::{Node, NodeId, SyntaxTree};
