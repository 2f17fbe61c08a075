//! The smallest body of a function.

use std::borrow::Cow;

use clreduce_language::{NodeField, NodeId, NodeKind};

use crate::analysis::{Function, returns_void};
use crate::snapshot::Snapshot;

/// The smallest body that is valid for the function's type.
pub(crate) fn stub_of(snapshot: &Snapshot, function: &Function) -> Cow<'static, [u8]> {
    if returns_void(snapshot, function) {
        return Cow::Borrowed(b"{ }");
    }
    match returned_aggregate(snapshot, function) {
        // Static, so that what is returned has a value.
        Some(kind) => {
            let kind = &snapshot.bytes(function.file)[snapshot.tree(function.file).range(kind)];
            Cow::Owned([b"{ static ", kind, b" r; return r; }"].concat())
        }
        None => Cow::Borrowed(b"{ return 0; }"),
    }
}

/// The type of a function that returns a structure or union by value.
fn returned_aggregate(snapshot: &Snapshot, function: &Function) -> Option<NodeId> {
    let tree = snapshot.tree(function.file);
    let declarator = tree.field(function.definition, NodeField::Declarator)?;
    if tree.kind(declarator) != NodeKind::FunctionDeclarator {
        return None; // a pointer to something
    }
    let kind = tree.field(function.definition, NodeField::Type)?;
    let mut at = kind;
    // A chain of typedefs is as long as the program at most.
    for _ in 0..tree.len() {
        match tree.kind(at) {
            NodeKind::StructSpecifier | NodeKind::UnionSpecifier => return Some(kind),
            NodeKind::TypeIdentifier => {
                let symbols = snapshot.symbols(function.file);
                let declaring = symbols.get(symbols.of(at)?).declarations[0];
                let definition = tree.parent(declaring)?;
                if tree.kind(definition) != NodeKind::TypeDefinition {
                    return None;
                }
                at = tree.field(definition, NodeField::Type)?;
            }
            _ => return None,
        }
    }
    None
}
