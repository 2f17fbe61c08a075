//! Which part of a program defines a name, and where the name is used.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use clreduce_testcase::steps;

use crate::NodeId;
use crate::analysis::Unit;

/// A name with more uses is hardly one that can go.
const MOST_USES: usize = 32;

/// A name that a part of the program defines, as far as that can be told without knowing the language: the part has the name
/// before all others, and can be left out.
pub(super) struct NameDefinition {
    pub name: NodeId,
    pub part: Range<usize>,
    /// The uses outside of the part.
    pub uses: Vec<NodeId>,
    /// The names before and behind it that are defined alike.
    pub alike: Vec<NodeId>,
}

impl NameDefinition {
    /// The use of the name, if there is no other.
    pub(super) fn only_use(&self) -> Option<NodeId> {
        let [used] = &*self.uses else { return None };
        Some(*used)
    }
}

/// The definitions of names, by their only uses and then those with several uses. A name may have two.
pub(super) fn definitions(unit: Unit<'_>, only_pairs: bool) -> Vec<NameDefinition> {
    let parts = unit.removable_parts();
    let mut places: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
    let mut first_in: HashMap<(usize, usize), NodeId> = HashMap::new();
    for id in unit.tree.ids().filter(|&id| unit.is_name(id)) {
        places.entry(unit.text(id)).or_default().push(id);
        if let Some(part) = &parts[id.0 as usize] {
            first_in.entry((part.start, part.end)).or_insert(id);
        }
    }
    let most = if only_pairs { 2 } else { MOST_USES };
    let mut found: Vec<NameDefinition> = Vec::new();
    for ids in places.into_values().filter(|ids| (2..=most).contains(&ids.len())) {
        let is_definition = |&&name: &&NodeId| {
            let Some(part) = &parts[name.0 as usize] else { return false };
            let is_first = first_in.get(&(part.start, part.end)) == Some(&name);
            is_first && part.len() > unit.text(name).len()
        };
        for &name in ids.iter().filter(is_definition).take(2) {
            steps(ids.len());
            let Some(part) = parts[name.0 as usize].clone() else { continue };
            let is_outside = |id: &NodeId| !part.contains(&unit.tree.range(*id).start);
            let uses: Vec<NodeId> = ids.iter().copied().filter(is_outside).collect();
            if !uses.is_empty() {
                found.push(NameDefinition { name, part, uses, alike: Vec::new() });
            }
        }
    }
    if !only_pairs {
        find_alike(unit, &mut found);
    }
    found.sort_by_key(|definition| (definition.uses.len(), definition.uses[0]));
    found
}

/// Names are defined alike if the nodes around them are of one kind.
fn find_alike(unit: Unit<'_>, found: &mut [NameDefinition]) {
    found.sort_by_key(|definition| definition.name);
    let mut last: HashMap<Option<u16>, usize> = HashMap::new();
    for at in 0..found.len() {
        let name = found[at].name;
        let kind = unit.tree.symbol(unit.tree.node(name).parent);
        if let Some(before) = last.insert(kind, at) {
            let other = found[before].name;
            found[at].alike.push(other);
            found[before].alike.push(name);
        }
    }
}
