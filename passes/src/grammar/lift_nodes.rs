//! Puts a part of a program's part in its place, where the grammar lets it stand: an operand for the operation, a branch or what
//! its brackets hold for the statement.
//!
//! before:
//! ```json
//! { "a": [1, { "b": 3 }] }
//! ```
//! after:
//! ```json
//! { "b": 3 }
//! ```

use std::ops::Range;

use clreduce_testcase::{Edit, Feature, Patch, steps};

use crate::analysis::Unit;
use crate::pass::{GRAMMAR, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass =
    Pass::new("lift-nodes", "Replace parts of a program by what they hold", GRAMMAR, propose)
        .growing();

/// Parts of one part that are looked at, nearest first.
const LOOKED_AT: usize = 48;
/// Parts of one part that are proposed.
const PROPOSED: usize = 6;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    // Every operand of LLVM IR has its type beside it: none can stand for another.
    if snapshot.language().has(Feature::Blocks) {
        return;
    }
    for unit in Unit::all(snapshot) {
        for id in unit.tree.ids().filter(|&id| is_composed(unit, id)) {
            let whole = unit.tree.range(id);
            for (part, list) in held(unit, id).into_iter().zip(0..) {
                // What stands around the part goes: so other proposals can change the part as well.
                let around = [whole.start..part.start, part.end..whole.end];
                let edits = around.into_iter().filter(|range| !range.is_empty());
                let edits = edits.map(|range| Edit::delete(unit.file, range)).collect();
                let patch = Patch::new(edits).map(|patch| Proposal::new(patch).in_list(list));
                proposals.extend(patch);
            }
        }
    }
}

fn is_composed(unit: Unit<'_>, id: NodeId) -> bool {
    let node = unit.tree.node(id);
    node.named && !node.damaged && node.after.0 > id.0 + 1
}

/// The texts of the nearest parts of a part that can stand in its place.
fn held(unit: Unit<'_>, id: NodeId) -> Vec<Range<usize>> {
    let tree = unit.tree;
    let whole = tree.range(id);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut level: Vec<NodeId> = vec![id];
    let mut looked_at = 0;
    while !level.is_empty() && looked_at < LOOKED_AT && found.len() < PROPOSED {
        let next: Vec<NodeId> = level
            .iter()
            .flat_map(|&at| tree.named_children(at))
            .take(LOOKED_AT - looked_at)
            .collect();
        steps(next.len());
        looked_at += next.len().max(1);
        let parts = next.iter().flat_map(|&part| [alone(unit, part, id), inside(unit, part, id)]);
        for range in parts.flatten() {
            if range.len() < whole.len() && !range.is_empty() && !found.contains(&range) {
                found.push(range);
            }
        }
        level = next;
    }
    found.truncate(PROPOSED);
    found
}

/// The text of a part that can stand for `id`.
fn alone(unit: Unit<'_>, part: NodeId, id: NodeId) -> Option<Range<usize>> {
    unit.tree.can_replace(part, id).then(|| unit.tree.range(part))
}

/// The text between the brackets of a part, if its first piece can stand for `id`.
fn inside(unit: Unit<'_>, part: NodeId, id: NodeId) -> Option<Range<usize>> {
    let tree = unit.tree;
    let close = NodeId(tree.node(part).after.0 - 1);
    let first = tree.named_children(part).next()?;
    // A part that a parser has made up is empty, and may stand at the end of the file.
    let open = unit.bytes.get(tree.range(part).start)?;
    let is_in_brackets =
        matches!((open, unit.text(close)), (b'{', b"}") | (b'(', b")") | (b'[', b"]"));
    let fits = is_in_brackets && tree.can_replace(first, id);
    fits.then(|| tree.range(first).start..tree.range(close).start)
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
    fn what_is_held_takes_the_place_of_what_holds_it() {
        let rust = "fn f() { while a { if b { g(); h(); } } }";
        assert_eq!(left(Language::RUST, rust, &["fn f() {", "g(); h()"]), "fn f() { g(); h() }");
        let javascript = "f(x => { return [1, needle(y + 2)]; });";
        assert_eq!(left(Language::JAVASCRIPT, javascript, &["needle", "+"]), "needle(y + 2)");
    }
}
