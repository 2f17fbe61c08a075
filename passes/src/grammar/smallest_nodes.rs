//! Puts the smallest text that the program has for something of a kind in the place of everything of that kind; and the smallest
//! texts of other kinds, and names that stand near, where the grammar lets them stand. What defines a name goes where another text
//! or a name that is defined alike takes the place of all its uses.
//!
//! before:
//! ```json
//! [{ "a": [1, 2] }, { }, [3, "text"]]
//! ```
//! after:
//! ```json
//! [{ }, { }, [3, "text"]]
//! ```

use std::collections::BTreeMap;

use clreduce_testcase::{Edit, Feature, Patch, steps};

use super::definitions::{NameDefinition, definitions};
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
/// Names that are tried for a part with this many tokens or more, and how many others are looked at for them.
const NAMES: usize = 4;
const COMPOSED: usize = 3;
const LOOKED_AT: usize = 16;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let has_blocks = snapshot.language().has(Feature::Blocks);
    for unit in Unit::all(snapshot) {
        let weights = weights(snapshot, unit);
        let definitions = definitions(unit, has_blocks);
        let used_once: Vec<NodeId> = definitions.iter().filter_map(|it| it.only_use()).collect();
        let smallest = smallest(unit, &weights);
        let mut kinds: Vec<(Weight, NodeId)> = smallest.values().copied().collect();
        kinds.sort_unstable();
        kinds.truncate(KINDS);
        let names: Vec<NodeId> = unit.tree.ids().filter(|&id| unit.is_name(id)).collect();
        for id in unit.tree.ids().skip(1).filter(|&id| is_part(unit, id)) {
            if used_once.binary_search(&id).is_ok() {
                continue;
            }
            let own = weights[id.0 as usize];
            let of_kind = unit.tree.symbol(id).and_then(|symbol| smallest.get(&symbol));
            let of_others = kinds.iter().filter(|(_, other)| unit.tree.can_replace(*other, id));
            let is_smaller = |&&(other, by): &&(Weight, NodeId)| {
                // What a name stood for may lose its last use. In LLVM IR, a shorter type or operand often does.
                let is_simpler = has_blocks || unit.is_name(id) && !unit.is_name(by);
                let is_better = other.0 < own.0 || is_simpler && other < own;
                is_better && unit.text(by) != unit.text(id)
            };
            let smaller = of_kind.into_iter().chain(of_others).filter(is_smaller);
            let mut texts: Vec<&[u8]> =
                smaller.take(TEXTS).map(|&(_, other)| unit.text(other)).collect();
            if own.0 >= COMPOSED && !has_blocks {
                add_names(unit, &names, id, &mut texts);
            }
            for (text, list) in texts.into_iter().zip(0..) {
                let edit = Edit::replace(unit.file, unit.tree.range(id), text.to_vec());
                if !proposals.push(Proposal::edit(edit).in_list(list)) {
                    return;
                }
            }
        }
        for definition in &definitions {
            proposals.extend(without(unit, definition, &smallest, &kinds));
        }
    }
}

/// Adds names near a part that can stand for it.
fn add_names<'a>(unit: Unit<'a>, names: &[NodeId], id: NodeId, texts: &mut Vec<&'a [u8]>) {
    let own = names.partition_point(|name| *name < id);
    let most = texts.len() + NAMES;
    let before = names[..own].iter().rev().take(LOOKED_AT);
    let after = names[own..].iter().take(LOOKED_AT);
    // Those inside of the part come first.
    for &name in after.chain(before) {
        steps(1);
        let text = unit.text(name);
        if texts.len() < most && !texts.contains(&text) && unit.tree.can_replace(name, id) {
            texts.push(text);
        }
    }
}

/// The patches that remove a definition and put another text in the place of all its uses.
fn without(
    unit: Unit<'_>,
    definition: &NameDefinition,
    smallest: &BTreeMap<u16, (Weight, NodeId)>,
    kinds: &[(Weight, NodeId)],
) -> Vec<Proposal> {
    let name = unit.text(definition.name);
    let fits = |by: &NodeId| {
        let is_other = unit.text(*by) != name;
        is_other && definition.uses.iter().all(|&id| unit.tree.can_replace(*by, id))
    };
    let of_kind = unit.tree.symbol(definition.uses[0]).and_then(|symbol| smallest.get(&symbol));
    let of_kinds = of_kind.into_iter().chain(kinds).map(|&(_, by)| by).filter(fits).take(TEXTS);
    let mut texts: Vec<&[u8]> = Vec::new();
    for by in of_kinds.chain(definition.alike.iter().copied()) {
        let text = unit.text(by);
        if text != name && !texts.contains(&text) {
            texts.push(text);
        }
    }
    let patch = |text: &[u8]| {
        let replace = |&id: &NodeId| Edit::replace(unit.file, unit.tree.range(id), text.to_vec());
        let gone = Edit::delete(unit.file, definition.part.clone());
        Patch::new(definition.uses.iter().map(replace).chain([gone]).collect())
    };
    let lists = texts.into_iter().zip(0..);
    lists.filter_map(|(text, list)| Some(Proposal::new(patch(text)?).in_list(list))).collect()
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
