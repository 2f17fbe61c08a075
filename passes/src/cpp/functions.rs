//! Removes functions of headers in C++, members as well, as long as line markers tell headers from the file that was compiled.
//!
//! Once bodies are gone, most functions of a library are only declared, and nothing calls them. What a name means is not known
//! without types, so that all overloads and operators of a name stay where one is used. Compilers know, and say what they miss.
//!
//! before:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "h.h" 1
//! struct A { A(); int f(); int g(); }; bool operator==(A, A); bool operator==(A, int);
//! # 2 "a.cc" 2
//! int h(A a) { return a.f() == 1; }
//! ```
//! after:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "h.h" 1
//! struct A { int f(); };
//! # 2 "a.cc" 2
//! int h(A a) { return a.f() == 1; }
//! ```

use clreduce_language::ItemKind;

use crate::analysis::{Unit, is_in, main_file};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-functions",
    "Remove functions that line markers say are from headers, members as well",
    CPP,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let entities = snapshot.entities(unit.file);
        let main = main_file(unit.bytes);
        for id in entities.ids().filter(|_| !main.is_empty()) {
            let item = entities.item(id);
            let range = entities.range(unit.tree, id);
            if item.kind == ItemKind::Function && !range.is_empty() && !is_in(&main, range.start) {
                // Constructors and what else comes with a class are needed more often.
                let list = u32::from(item.comes_with_class);
                proposals.push(Proposal::edit(unit.delete(range)).in_list(list));
            }
        }
    }
}
