//! Puts a type in place of the name that a typedef gave it.
//!
//! before:
//! ```c
//! typedef unsigned long u64; u64 x; u64 f(u64 *p);
//! ```
//! after:
//! ```c
//! unsigned long x; unsigned long f(unsigned long *p);
//! ```

use clreduce_language::{NodeField, NodeKind, Symbol, SymbolKind};
use clreduce_testcase::Edit;

use crate::edit::for_each_symbol;
use crate::pass::{PARSED, Pass, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "inline-typedefs",
    "Put types in place of the names that typedefs gave them",
    PARSED,
    propose,
)
.growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(for_each_symbol(snapshot, |file, symbol| inline(snapshot, file, symbol)));
}

fn inline(snapshot: &Snapshot, file: usize, symbol: &Symbol) -> Option<Vec<Edit>> {
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    let [declaring] = symbol.declarations[..] else { return None };
    if symbol.kind != SymbolKind::Typedef || symbol.opaque {
        return None;
    }
    // Only `typedef T name;`: pointers and arrays would have to move into every declarator.
    let definition = tree.parent(declaring)?;
    if tree.kind(definition) != NodeKind::TypeDefinition
        || tree.fields(definition, NodeField::Declarator).count() != 1
    {
        return None;
    }
    let aliased = tree.field(definition, NodeField::Type)?;
    let has_body = tree.field(aliased, NodeField::Body).is_some();
    if has_body && symbol.uses.len() > 1 {
        return None;
    }
    let text = bytes[tree.range(aliased)].to_vec();
    let mut edits = vec![Edit::delete(file, tree.range(definition))];
    let uses = symbol.uses.iter();
    edits.extend(uses.map(|&name| Edit::replace(file, tree.range(name), text.clone())));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn types_take_the_place_of_their_names() {
        let source =
            "typedef unsigned long u64; typedef struct { int a; } S;\nu64 x; u64 f(u64); S s;";
        assert_eq!(
            reduce_with(&PASS, source, Language::C, |_| true).trim(),
            "unsigned long x; unsigned long f(unsigned long); struct { int a; } s;"
        );
    }
}
