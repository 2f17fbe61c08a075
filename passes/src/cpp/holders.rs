//! Removes what objects are read from, once others take their place: a variable, or a data member of a class.

use std::collections::{BTreeMap, BTreeSet};

use clreduce_language::{EntityId, ItemKind, NodeField, NodeId, NodeKind, SymbolId, SymbolKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Spelling, is_member};
use crate::edit::{disjoint, remove_declaration, without};
use crate::snapshot::Snapshot;

/// Objects with more nodes of the tree are not looked at, because they may stand inside each other.
const LARGEST: u32 = 256;

/// A variable or data member that holds objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ObjectHolder {
    Variable(SymbolId),
    Member(EntityId),
}

/// The edits that put other objects in the place of those that variables and data members hold.
pub(super) struct Holders<'a> {
    spelling: Spelling<'a>,
    replaced: BTreeMap<ObjectHolder, Vec<Edit>>,
}

impl<'a> Holders<'a> {
    pub(super) fn new(spelling: Spelling<'a>) -> Self {
        Self { spelling, replaced: BTreeMap::new() }
    }

    /// Adds the edits that put another object in the place of one.
    pub(super) fn add(&mut self, object: NodeId, edits: &[Edit]) {
        let tree = self.spelling.unit.tree;
        if tree.node(object).after.0 - object.0 > LARGEST {
            return;
        }
        let holders: BTreeSet<ObjectHolder> =
            tree.subtree(object).filter_map(|name| self.named(name)).collect();
        for holder in holders {
            self.replaced.entry(holder).or_default().extend_from_slice(edits);
        }
    }

    fn named(&self, name: NodeId) -> Option<ObjectHolder> {
        let Spelling { unit, entities, symbols } = self.spelling;
        let tree = unit.tree;
        let entity = match tree.kind(name) {
            NodeKind::FieldIdentifier => self.spelling.member(name)?,
            NodeKind::Identifier => match symbols.of(name) {
                Some(symbol) => return Some(ObjectHolder::Variable(symbol)),
                None => entities.meant(name)?,
            },
            _ => return None,
        };
        let mut declarations = entities.declarations(entity).iter().map(|&id| entities.item(id));
        let is_data = declarations
            .all(|item| item.kind == ItemKind::Variable && item.declares.as_slice() == [entity]);
        (is_data && is_member(entities, entity)).then_some(ObjectHolder::Member(entity))
    }

    /// The patches that replace all objects of a holder, and remove it with all else that mentions it.
    pub(super) fn patches(self, snapshot: &Snapshot) -> Vec<Patch> {
        let tree = self.spelling.unit.tree;
        let is_member = |holder: &&ObjectHolder| matches!(holder, ObjectHolder::Member(_));
        let mut mentions: BTreeMap<ObjectHolder, Vec<NodeId>> =
            self.replaced.keys().filter(is_member).map(|&holder| (holder, Vec::new())).collect();
        if !mentions.is_empty() {
            for name in tree.ids() {
                if let Some(of) = self.named(name).and_then(|holder| mentions.get_mut(&holder)) {
                    of.push(name);
                }
            }
        }
        let none: &[NodeId] = &[];
        let patch = |(&holder, edits): (&ObjectHolder, &Vec<Edit>)| {
            let mentions = mentions.get(&holder).map_or(none, Vec::as_slice);
            self.patch(snapshot, holder, mentions, edits.clone())
        };
        self.replaced.iter().filter_map(patch).collect()
    }

    fn patch(
        &self,
        snapshot: &Snapshot,
        holder: ObjectHolder,
        mentions: &[NodeId],
        mut edits: Vec<Edit>,
    ) -> Option<Patch> {
        let Spelling { unit, entities, symbols } = self.spelling;
        let tree = unit.tree;
        let mentions = match holder {
            ObjectHolder::Variable(symbol) => {
                let symbol = symbols.get(symbol);
                if symbol.opaque || symbol.kind != SymbolKind::Variable {
                    return None;
                }
                for &name in &symbol.declarations {
                    edits.push(remove_declaration(tree, unit.file, name)?);
                }
                &symbol.uses
            }
            ObjectHolder::Member(entity) => {
                let items = entities.declarations(entity).iter();
                edits.extend(items.map(|&id| unit.delete(entities.range(tree, id))));
                mentions
            }
        };
        let gone = disjoint(edits.clone());
        let is_gone = |name: &NodeId| {
            let at = tree.range(*name).start;
            let next = gone.partition_point(|edit| edit.range().end <= at);
            gone.get(next).is_some_and(|edit| edit.range().start <= at)
        };
        for &name in mentions.iter().filter(|name| !is_gone(name)) {
            let parent = tree.parent(name)?;
            let access = match tree.kind(parent) {
                NodeKind::FieldInitializer => return None,
                NodeKind::FieldExpression if tree.node(name).field == Some(NodeField::Field) => {
                    parent
                }
                _ => name,
            };
            edits.push(without(snapshot, unit.file, access));
        }
        Patch::new(edits)
    }
}
