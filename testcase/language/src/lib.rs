//! The semantic model of a file in the C family: syntax tree, symbols, uses, types, flow of values.
//!
//! Each view is a pure function of a file's bytes and of the views below it: [`SyntaxTree`], then
//! [`Symbols`], then [`Types`], then [`Flow`]; for C++, [`Entities`]. None of them ever fails. Where a view cannot see what the
//! program means (macros, text that did not parse), it says so, and its users leave that part alone.
//!
//! This crate knows no passes and no tests. It reads no files and starts no processes.

mod accesses;
mod aggregates;
mod ambiguous;
mod builtins;
mod constants;
mod cuda;
mod entities;
mod entry;
mod flow;
mod gnu;
mod grammars;
mod hidden_text;
mod images;
mod kernel;
mod kind;
mod layouts;
mod loaded;
mod macros;
mod mask;
mod node;
mod numbers;
mod place;
mod places;
mod ptx;
mod shadow;
mod signatures;
mod spellings;
mod symbols;
mod template_heads;
mod tree;
mod type_names;
mod types;
mod uses;

pub use accesses::Accesses;
pub use aggregates::{Aggregate, Aggregates, Member, is_padding};
pub use builtins::Shape;
pub use entities::{Body, Entities, EntityId, Follow, Item, ItemId, ItemKind, Reach, Weights};
pub use entry::{is_entry, is_kernel};
pub use flow::{Classes, Flow};
pub use images::ImageKind;
pub use kernel::{KernelParameter, KernelSignature};
pub use kind::{NodeField, NodeKind};
pub use layouts::{Layout, LayoutNumber};
pub use loaded::{GrammarError, add_grammar};
pub use mask::is_access_label;
pub use numbers::{Number, Scalar, component_name, components};
pub use ptx::{
    PtxFunction, PtxInstruction, PtxOperand, PtxStatement, PtxStatementKind, PtxVariable,
    ptx_number, ptx_statements, ptx_type_bytes,
};
pub use signatures::kernel_signatures;
pub use symbols::{
    Scope, ScopeId, ScopeKind, Symbol, SymbolId, SymbolKind, Symbols, declared_by, declared_name,
};
pub use tree::{NodeId, SyntaxNode, SyntaxTree};
pub use types::{Base, Field, Type, Types, converts, is_vector, vector_literal};
pub use uses::{AccessKind, AccessReach, Use, Uses, access_path};
