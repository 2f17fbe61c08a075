//! Removes parts of a program that its grammar can do without, with the separators beside them, level by level.
//!
//! before:
//! ```json
//! { "a": [1, 2], "c": 4 }
//! ```
//! after:
//! ```json
//! { "a": [2] }
//! ```

use clreduce_testcase::{Edit, Feature};

use crate::analysis::{Unit, line_ranges};
use crate::llvm::module::is_half_of_an_operand;
use crate::pass::{GRAMMAR, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass =
    Pass::new("delete-nodes", "Remove what the grammar can do without", GRAMMAR, propose).growing();

/// Levels of parts with a list of their own.
const LEVELS: u32 = 12;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let has_blocks = snapshot.language().has(Feature::Blocks);
    for unit in Unit::all(snapshot) {
        // A line may hold a table with a million parts: none of them looks for its beginning.
        let lines: Vec<_> = line_ranges(unit.bytes).collect();
        // By node, the parts around it that can go, the node itself included, and whether it can go.
        let mut known: Vec<(u32, bool)> = Vec::with_capacity(unit.tree.len());
        known.push((0, false));
        for id in unit.tree.ids().skip(1) {
            let parent = unit.tree.node(id).parent;
            let (level, parent_can_go) = known[parent.0 as usize];
            let is_all_of = |other: NodeId| unit.tree.range(other) == unit.tree.range(id);
            let range = unit.removable(id);
            // What goes with its parent already is one proposal.
            if parent_can_go && is_all_of(parent) {
                known.push((level, range.is_some()));
                continue;
            }
            known.push((level + u32::from(range.is_some()), range.is_some()));
            let Some(range) = range else { continue };
            if has_blocks && is_half_of_an_operand(unit.bytes, &lines, &range) {
                continue;
            }
            let edit = Edit::delete(unit.file, range);
            proposals.push(Proposal::edit(edit).in_list(level.min(LEVELS)));
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    fn left(language: Language, source: &str, keep: &[&str]) -> String {
        let keeps = |text: &str| keep.iter().all(|kept| text.contains(kept));
        let left = reduce_with(&PASS, source, language, keeps);
        left.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_grammar_can_do_without_goes() {
        let python = "import os\n@d\nclass A(B):\n    def f(self, x: int) -> int:\n        if x:\n            g(x, 1)\n        else:\n            h()\n        return 1\n";
        let expected = "class A: def f() : if x: g(x)";
        assert_eq!(
            left(Language::PYTHON, python, &["class", "def", ":\n        if x:", "g(x"]),
            expected
        );
        let rust = "pub fn f<T>(a: &T, b: u8) -> u8 { let c = b; if c > 1 { g(c) } else { 2 } }";
        assert_eq!(left(Language::RUST, rust, &["fn", "if c > 1"]), "fn f() { if c > 1 { } }");
    }
}
