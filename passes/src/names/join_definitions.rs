//! Moves the definition of a structure, union or enumeration to the one place that uses it.
//!
//! before:
//! ```c
//! struct s { int a : 3; }; int x; struct s y = { 1 };
//! ```
//! after:
//! ```c
//! int x; struct { int a : 3; } y = { 1 };
//! ```

use clreduce_language::{NodeField, Symbol, SymbolKind};
use clreduce_testcase::Edit;

use crate::analysis::alone;
use crate::edit::for_each_symbol;
use crate::pass::{PARSED, Pass, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "join-definitions",
    "Move a structure's definition to the one place that uses it",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(for_each_symbol(snapshot, |file, symbol| join(snapshot, file, symbol)));
}

/// The edits that do so for one tag, where it is defined in a declaration of nothing else.
fn join(snapshot: &Snapshot, file: usize, symbol: &Symbol) -> Option<Vec<Edit>> {
    let tree = snapshot.tree(file);
    let ([tag], [used]) = (&symbol.declarations[..], &symbol.uses[..]) else { return None };
    if symbol.kind != SymbolKind::Tag || symbol.opaque {
        return None;
    }
    let definition = tree.parent(*tag)?;
    let (body, declaration) = (tree.field(definition, NodeField::Body)?, alone(tree, definition)?);
    let place = tree.parent(*used)?;
    // A use in the definition itself is one of its own type.
    let inside = declaration.contains(&tree.range(place).start);
    let is_specifier =
        tree.kind(place) == tree.kind(definition) && tree.field(place, NodeField::Body).is_none();
    if inside || !is_specifier || !tree.is_sound(definition) {
        return None;
    }
    let mut text = vec![b' '];
    text.extend_from_slice(snapshot.bytes(file).get(tree.range(body))?);
    let mut edits =
        vec![Edit::delete(file, declaration), Edit::replace(file, tree.range(*used), text)];
    edits.sort_by_key(|edit| edit.start);
    Some(edits)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        assert_reduces(&PASS, Language::C, before, &[], after);
    }

    #[test]
    fn only_where_one_place_uses_it() {
        check(
            "struct s { int a; }; int f(void) { struct s x; }",
            "int f(void) { struct { int a; } x; }",
        );
        for kept in [
            "struct s { int a; } y; struct s x;",
            "struct s { int a; }; struct s x; struct s y;",
            "struct s { struct s *a; }; int x;",
            "struct s; struct s x;",
        ] {
            check(kept, kept);
        }
    }
}
