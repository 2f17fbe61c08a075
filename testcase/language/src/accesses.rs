//! Accesses to members of structures and unions: for each member, the expressions that reach it.
//!
//! The type of the object decides, as [`Types`] knows it. Where that is not known, the name of the member is
//! [unclear](Accesses::of), and passes leave all members of that name alone.

use std::collections::{HashMap, HashSet};

use crate::aggregates::Aggregates;
use clreduce_testcase::step;

use crate::kind::{NodeField, NodeKind};
use crate::symbols::declared_by;
use crate::tree::{NodeId, SyntaxTree};
use crate::types::{Base, Types};

/// The accesses to members in a file.
#[derive(Debug, Default)]
pub struct Accesses {
    /// By structure and member, the expressions that access it.
    reached: HashMap<(usize, usize), Vec<NodeId>>,
    /// Names of members that are accessed in a way that cannot be followed.
    unclear: HashMap<Vec<u8>, Vec<NodeId>>,
    /// For each name, the number of members that have it.
    declared: HashMap<Vec<u8>, usize>,
    /// Names of members that appear in text which is not analysed.
    opaque: HashSet<Vec<u8>>,
}

impl Accesses {
    /// Reads the accesses off a tree and its types.
    #[must_use]
    pub fn new(bytes: &[u8], tree: &SyntaxTree, types: &Types, aggregates: &Aggregates) -> Self {
        let mut accesses = Self::default();
        for node in tree.ids().filter(|&node| tree.kind(node) == NodeKind::FieldIdentifier) {
            let name = || bytes[tree.range(node)].to_vec();
            let parent = tree.node(node).parent;
            match tree.kind(parent) {
                NodeKind::FieldExpression => match member(bytes, tree, types, aggregates, parent) {
                    Some(member) => accesses.reached.entry(member).or_default().push(parent),
                    None => accesses.unclear.entry(name()).or_default().push(parent),
                },
                // What a designator means is known with the list that it stands in.
                NodeKind::FieldDesignator => {}
                _ if declared_by(tree, node).is_some() => {
                    *accesses.declared.entry(name()).or_default() += 1;
                }
                _ => {
                    accesses.opaque.insert(name());
                }
            }
        }
        accesses
    }

    /// The expressions that access a member; `None` where some may, and it cannot be seen which.
    #[must_use]
    pub fn of(&self, index: (usize, usize), name: &[u8]) -> Option<Vec<NodeId>> {
        step();
        if self.opaque.contains(name) {
            return None;
        }
        let mut found = self.reached.get(&index).cloned().unwrap_or_default();
        if let Some(unclear) = self.unclear.get(name) {
            // Of the only member with that name they must be.
            if self.declared.get(name) != Some(&1) {
                return None;
            }
            found.extend(unclear);
            found.sort_unstable();
        }
        Some(found)
    }
}

/// The structure and the member in it that an access reaches.
fn member(
    bytes: &[u8],
    tree: &SyntaxTree,
    types: &Types,
    aggregates: &Aggregates,
    access: NodeId,
) -> Option<(usize, usize)> {
    let arrow = tree.children(access).any(|child| tree.kind(child) == NodeKind::Arrow);
    let object = types.of(tree.field(access, NodeField::Argument)?);
    let Base::Aggregate(base) = object.base else { return None };
    if object.levels != u8::from(arrow) {
        return None;
    }
    let index = aggregates.index_of(base)?;
    let name = &bytes[tree.range(tree.field(access, NodeField::Field)?)];
    // Members of an anonymous structure are found nowhere, and so are unclear.
    Some((index, aggregates.all[index].member(name)?))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::symbols::Symbols;

    /// For each structure and member, the accesses to it as they are written.
    fn accesses(source: &str) -> Vec<Option<Vec<String>>> {
        let bytes = source.as_bytes();
        let tree = SyntaxTree::parse(bytes, Language::C);
        let symbols = Symbols::new(bytes, &tree);
        let types = Types::new(bytes, &tree, &symbols);
        let aggregates = Aggregates::new(bytes, &tree, &symbols);
        let accesses = Accesses::new(bytes, &tree, &types, &aggregates);
        let mut all = Vec::new();
        for (index, aggregate) in aggregates.all.iter().enumerate() {
            for (member, entry) in aggregate.members.iter().enumerate() {
                let name = &source.as_bytes()[tree.range(entry.name.unwrap())];
                let found = accesses.of((index, member), name);
                let text = |node: &NodeId| source[tree.range(*node)].to_owned();
                all.push(found.map(|nodes| nodes.iter().map(text).collect()));
            }
        }
        all
    }

    fn some(texts: &[&str]) -> Option<Vec<String>> {
        Some(texts.iter().map(|&text| text.to_owned()).collect())
    }

    #[test]
    fn equal_names_in_two_structures_are_told_apart() {
        assert_eq!(
            accesses(
                "struct S { int f; }; typedef struct { struct S *f, g; } T; T x[2], *h(void);\n\
                 int k(struct S s) { return s.f + x[1].g.f + (*h()).f->f + (&s)[1].f; }"
            ),
            [
                some(&["s.f", "x[1].g.f", "(*h()).f->f", "(&s)[1].f"]),
                some(&["(*h()).f"]),
                some(&["x[1].g"]),
            ]
        );
    }

    #[test]
    fn what_cannot_be_followed_makes_the_name_unclear() {
        assert_eq!(
            accesses(
                "struct S { int f, g; }; struct T { int f; }; int k(void) { return q().f + r->g; }"
            ),
            [None, some(&["r->g"]), None]
        );
    }
}
