//! Puts the smallest text that the program has for something of a kind in the place of everything of that kind; and the smallest
//! texts of other kinds, where the grammar lets them stand. What defined a name that was used there alone goes with it.
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
use std::ops::Range;

use clreduce_testcase::{Edit, Feature, Patch, steps};

use crate::analysis::Unit;
use crate::pass::{GRAMMAR, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "smallest-nodes",
    "Replace parts of a program by the smallest that can stand there",
    GRAMMAR,
    propose,
)
.growing();

/// Kinds of which the smallest texts are tried elsewhere, smallest first.
const KINDS: usize = 24;
/// Texts that are tried for one part.
const TEXTS: usize = 2;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let has_blocks = snapshot.language().has(Feature::Blocks);
    for unit in Unit::all(snapshot) {
        let weights = weights(snapshot, unit);
        let definitions = definitions(unit);
        let smallest = smallest(unit, &weights);
        let mut kinds: Vec<(Weight, NodeId)> = smallest.values().copied().collect();
        kinds.sort_unstable();
        kinds.truncate(KINDS);
        for id in unit.tree.ids().skip(1).filter(|&id| is_part(unit, id)) {
            let own = weights[id.0 as usize];
            let of_kind = unit.tree.symbol(id).and_then(|symbol| smallest.get(&symbol));
            let of_others = kinds.iter().filter(|(_, other)| unit.tree.can_replace(*other, id));
            let definition = definitions.get(&id);
            let most = definition.map_or(own.0, |_| own.0 + 2);
            let is_smaller = |&&(other, by): &&(Weight, NodeId)| {
                // What a name stood for may lose its last use. In LLVM IR, a shorter type or operand often does.
                let is_simpler = has_blocks || unit.is_name(id) && !unit.is_name(by);
                let is_better = other.0 < most || is_simpler && other < own;
                is_better && unit.text(by) != unit.text(id)
            };
            let smaller = of_kind.into_iter().chain(of_others).filter(is_smaller);
            for (&(_, other), list) in smaller.take(TEXTS).zip(0..) {
                let text = unit.text(other).to_vec();
                let edit = Edit::replace(unit.file, unit.tree.range(id), text);
                let gone = definition.map(|part| Edit::delete(unit.file, part.clone()));
                let patch = Patch::new(gone.into_iter().chain([edit]).collect());
                let proposal = patch.map(|patch| Proposal::new(patch).in_list(list));
                if proposal.is_some_and(|proposal| !proposals.push(proposal)) {
                    return;
                }
            }
        }
    }
}

/// By name that is used once, the part of the program that defines it: nothing needs it where another stands for the name.
fn definitions(unit: Unit<'_>) -> HashMap<NodeId, Range<usize>> {
    let parts = unit.removable_parts();
    let mut places: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
    let mut first_in: HashMap<(usize, usize), NodeId> = HashMap::new();
    for id in unit.tree.ids().filter(|&id| unit.is_name(id)) {
        places.entry(unit.text(id)).or_default().push(id);
        if let Some(part) = &parts[id.0 as usize] {
            first_in.entry((part.start, part.end)).or_insert(id);
        }
    }
    let mut definitions = HashMap::new();
    for ids in places.into_values() {
        let &[one, other] = &*ids else { continue };
        for (used, defined) in [(one, other), (other, one)] {
            let Some(part) = &parts[defined.0 as usize] else { continue };
            let is_first = first_in.get(&(part.start, part.end)) == Some(&defined);
            let is_more = part.len() > unit.text(defined).len();
            if is_first && is_more && !part.contains(&unit.tree.range(used).start) {
                definitions.insert(used, part.clone());
            }
        }
    }
    definitions
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
