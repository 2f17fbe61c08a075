//! Puts the smallest text that the program has for something of a kind in the place of everything of that kind; and the smallest
//! texts of other kinds, where the grammar lets them stand.
//!
//! before:
//! ```json
//! [{ "a": [1, 2] }, { }, [3, "text"]]
//! ```
//! after:
//! ```json
//! [{ }, { }, [3, "text"]]
//! ```

use std::collections::{BTreeMap, HashMap};

use clreduce_testcase::{Edit, Feature, steps};

use crate::analysis::{Unit, name_texts};
use crate::pass::{GRAMMAR, Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) struct SmallestNodes;

/// Kinds of which the smallest texts are tried elsewhere, smallest first.
const KINDS: usize = 24;
/// Texts that are tried for one part.
const TEXTS: usize = 2;

impl Pass for SmallestNodes {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "smallest-nodes",
            "Replace parts of a program by the smallest that can stand there",
            GRAMMAR,
        )
        .growing()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let has_blocks = snapshot.language().has(Feature::Blocks);
        for unit in Unit::all(snapshot) {
            let weights = weights(snapshot, unit);
            let occurrences = occurrences(unit.bytes);
            // Where such a name becomes another, nothing uses what it stood for any more.
            let is_used_once = |id: NodeId| occurrences.get(unit.text(id)) == Some(&2);
            let smallest = smallest(unit, &weights);
            let mut kinds: Vec<(Weight, NodeId)> = smallest.values().copied().collect();
            kinds.sort_unstable();
            kinds.truncate(KINDS);
            for id in unit.tree.ids().skip(1).filter(|&id| is_part(unit, id)) {
                let own = weights[id.0 as usize];
                let of_kind = unit.tree.symbol(id).and_then(|symbol| smallest.get(&symbol));
                let of_others = kinds.iter().filter(|(_, other)| unit.tree.can_replace(*other, id));
                // Every operand of LLVM IR has its type beside it: only a global can stand for another.
                let can_differ = !has_blocks || unit.text(id).starts_with(b"@");
                let is_smaller = |other: &Weight| {
                    can_differ && (other.0 < own.0 || is_used_once(id) && *other < own)
                };
                let smaller =
                    of_kind.into_iter().chain(of_others).filter(|(other, _)| is_smaller(other));
                for (&(_, other), list) in smaller.take(TEXTS).zip(0..) {
                    let text = unit.text(other).to_vec();
                    let edit = Edit::replace(unit.file, unit.tree.range(id), text);
                    if !proposals.push(Proposal::edit(edit).in_list(list)) {
                        return;
                    }
                }
            }
        }
    }
}

/// How often each name stands in a file.
fn occurrences(bytes: &[u8]) -> HashMap<&[u8], usize> {
    let mut occurrences = HashMap::new();
    for name in name_texts(bytes) {
        *occurrences.entry(name).or_default() += 1;
    }
    occurrences
}

/// Tokens, then bytes that are not white space.
type Weight = (usize, usize);

/// The weight of each node of a file.
fn weights(snapshot: &Snapshot, unit: Unit<'_>) -> Vec<Weight> {
    let tokens = snapshot.tokens(unit.file);
    let before = |at: usize| tokens.partition_point(|token| token.range().start < at);
    let is_dense = |byte: &&u8| !byte.is_ascii_whitespace();
    let mut dense_before = vec![0];
    dense_before.extend(unit.bytes.iter().scan(0, |count, byte| {
        *count += usize::from(is_dense(&byte));
        Some(*count)
    }));
    let weight = |id: NodeId| {
        let range = unit.tree.range(id);
        let dense = dense_before[range.end] - dense_before[range.start];
        (before(range.end) - before(range.start), dense)
    };
    unit.tree.ids().map(weight).collect()
}

fn is_part(unit: Unit<'_>, id: NodeId) -> bool {
    let node = unit.tree.node(id);
    node.named && !node.damaged && node.start < node.end
}

/// By kind, the smallest part of the program of that kind; the first of several.
fn smallest(unit: Unit<'_>, weights: &[Weight]) -> BTreeMap<u16, (Weight, NodeId)> {
    let mut smallest: BTreeMap<u16, (Weight, NodeId)> = BTreeMap::new();
    steps(unit.tree.len());
    for id in unit.tree.ids().skip(1).filter(|&id| is_part(unit, id)) {
        let Some(symbol) = unit.tree.symbol(id) else { continue };
        let found = (weights[id.0 as usize], id);
        let known = smallest.entry(symbol).or_insert(found);
        *known = found.min(*known);
    }
    smallest
}
