//! Empties the bodies of functions of the file that was compiled, as long as line markers tell it from its headers.
//!
//! These few bodies decide how much of the headers is needed. So they come before those of the headers, although the bug is in one
//! of them more often.
//!
//! before:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "h.h" 1
//! int f(int x) { return x + 1; }
//! # 2 "a.cc" 2
//! struct A { int g() const { return f(1) + f(2); } };
//! int main() { return A().g(); }
//! ```
//! after:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "h.h" 1
//! int f(int x) { return x + 1; }
//! # 2 "a.cc" 2
//! struct A { int g() const { return 0; } };
//! int main() { return A().g(); }
//! ```

use clreduce_language::{NodeField, NodeKind};

use super::bodies::emptied;
use crate::analysis::{Unit, is_in, main_file};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-main-bodies",
    "Empty bodies of functions that line markers say are from the main file",
    CPP,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let main = main_file(unit.bytes);
        if main.is_empty() {
            continue;
        }
        let entities = snapshot.entities(unit.file);
        for id in entities.ids() {
            let item = entities.item(id);
            let is_main = is_in(&main, unit.tree.range(item.node).start);
            // `main` is what runs the others.
            let name = item.declares.first().map(|&entity| entities.name(entity));
            if !is_main || name == Some(b"main") {
                continue;
            }
            // A body that gives its function the type cannot be emptied.
            let of = unit.tree.field(item.inner, NodeField::Type);
            let is_deduced =
                of.is_some_and(|of| unit.tree.kind(of) == NodeKind::PlaceholderTypeSpecifier);
            let body = entities.body(unit.bytes, unit.tree, id).filter(|_| !is_deduced);
            let edit = body.and_then(|body| emptied(unit, item, &body));
            proposals.extend(edit.map(Proposal::edit));
        }
    }
}
