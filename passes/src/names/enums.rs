//! Puts the values of enumerators in their place, and `int` in that of the enumeration.
//!
//! before:
//! ```c
//! enum E { A, B = 4, C }; enum E x = B; int f(void) { return A + C; }
//! ```
//! after:
//! ```c
//! int x = 4; int f(void) { return 0 + 5; }
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::with_semicolon;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "enums",
    "Put values in place of enumerators, and int in place of the enumeration",
    PARSED,
    propose,
)
.growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let tree = snapshot.tree(file);
        let enums = tree.ids().filter(|&id| tree.kind(id) == NodeKind::EnumSpecifier);
        let replaced = enums.filter_map(|specifier| replace(snapshot, file, specifier));
        proposals.extend(replaced.filter_map(Patch::new).map(Proposal::new));
    }
}

fn replace(snapshot: &Snapshot, file: usize, specifier: NodeId) -> Option<Vec<Edit>> {
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let list = tree.field(specifier, NodeField::Body).filter(|_| tree.is_sound(specifier))?;
    let mut edits = vec![as_int(tree, file, specifier)];
    if let Some(tag) = tree.field(specifier, NodeField::Name) {
        let tag = symbols.get(symbols.of(tag)?);
        if tag.opaque {
            return None;
        }
        for &name in tag.uses.iter().chain(&tag.declarations) {
            edits.push(as_int(tree, file, tree.parent(name)?));
        }
    }
    let mut next: i64 = 0;
    for enumerator in tree.named_children(list) {
        if let Some(value) = tree.field(enumerator, NodeField::Value) {
            next = std::str::from_utf8(&bytes[tree.range(value)]).ok()?.parse().ok()?;
        }
        let symbol = symbols.get(symbols.of(tree.field(enumerator, NodeField::Name)?)?);
        if symbol.opaque {
            return None;
        }
        let text = if next < 0 { format!("({next})") } else { next.to_string() };
        let uses = symbol.uses.iter();
        edits.extend(
            uses.map(|&name| Edit::replace(file, tree.range(name), text.clone().into_bytes())),
        );
        next = next.checked_add(1)?;
    }
    Some(edits)
}

/// A specifier becomes `int`; a declaration of nothing else goes.
fn as_int(tree: &SyntaxTree, file: usize, specifier: NodeId) -> Edit {
    let above = tree.node(specifier).parent;
    let declares_nothing =
        matches!(tree.kind(above), NodeKind::Declaration | NodeKind::FieldDeclaration)
            && tree.field(above, NodeField::Declarator).is_none();
    match tree.kind(above) {
        NodeKind::TranslationUnit | NodeKind::CompoundStatement => {
            Edit::delete(file, with_semicolon(tree, specifier))
        }
        _ if declares_nothing => Edit::delete(file, tree.range(above)),
        _ => Edit::replace(file, tree.range(specifier), b"int".as_slice()),
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn values_follow_each_other() {
        let check = |before: &str, after: &str| {
            assert_reduces(&PASS, Language::C, before, &[], after);
        };
        check(
            "typedef enum { A = -1, B, C } T; enum E; enum E { D }; T x[C] = { A, D };",
            "typedef int T; T x[1] = { (-1), 0 };",
        );
        // A value that is an expression is nothing that can be counted on.
        check("enum { A = 1 << 2, B }; int x = B;", "enum { A = 1 << 2, B }; int x = B;");
    }
}
