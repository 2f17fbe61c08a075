//! Removes labels together with the jumps to them.
//!
//! before:
//! ```c
//! void f(int x) { again: g(); if (x) goto again; }
//! ```
//! after:
//! ```c
//! void f(int x) { g(); if (x) ; }
//! ```

use clreduce_language::{NodeKind, Symbol, SymbolKind};
use clreduce_testcase::Edit;

use crate::edit::{for_each_symbol, remove_statement};
use crate::pass::{PARSED, Pass, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass =
    Pass::new("labels", "Remove labels together with the jumps to them", PARSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(for_each_symbol(snapshot, |file, label| removal(snapshot, file, label)));
}

fn removal(snapshot: &Snapshot, file: usize, label: &Symbol) -> Option<Vec<Edit>> {
    let tree = snapshot.tree(file);
    let [declaring] = label.declarations[..] else { return None };
    if label.kind != SymbolKind::Label || label.opaque || label.uses.is_empty() {
        return None;
    }
    let labeled = tree.parent(declaring)?;
    let colon = tree.children(labeled).find(|&child| tree.kind(child) == NodeKind::Colon)?;
    let mut edits = vec![Edit::delete(file, tree.range(labeled).start..tree.range(colon).end)];
    for &name in &label.uses {
        let jump = tree.parent(name).filter(|&jump| tree.kind(jump) == NodeKind::GotoStatement)?;
        edits.push(remove_statement(tree, file, jump));
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn jumps_go_with_their_label() {
        assert_reduces(
            &PASS,
            Language::C,
            "void f(int x) { a: g(); b: ; if (x) goto a; else goto b; goto a; }",
            &["goto b"],
            "void f(int x) { g(); b: ; if (x) ; else goto b; }",
        );
        let taken = "void f(void) { a: goto *g(&&a); }";
        assert_reduces(&PASS, Language::C, taken, &[], taken);
    }
}
