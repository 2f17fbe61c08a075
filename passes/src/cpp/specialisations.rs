//! Keeps one specialisation of a template as a plain class, function or variable, in the place of the template.
//!
//! The arguments go from every use. What a partial specialisation leaves open gets the arguments of a use that fits it.
//!
//! before:
//! ```cpp
//! template <class T, bool B> struct A; template <class T> struct A<T, true> { T x; };
//! template <> struct A<int, false> { }; A<long, true> a;
//! ```
//! after:
//! ```cpp
//! struct A { long x; }; A a;
//! ```

use std::collections::{HashMap, HashSet};

use clreduce_language::{Entities, EntityId, ItemId, ItemKind, NodeField, NodeId};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{TemplateHead, Unit, argument_lists, is_closed, name_in, outside_members};
use crate::budget::Budget;
use crate::edit::{disjoint, fitted, substitutions};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-specialisations",
    "Keep one specialisation of a template as a plain class or function",
    CPP,
    propose,
)
.growing();

/// Each is a proposal with all uses of the template.
const MOST: Budget = Budget::new("specialisations of one template", 8);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let entities = snapshot.entities(unit.file);
        let uses = argument_lists(unit, entities);
        let outside = outside_members(entities);
        let mut seen: HashSet<EntityId> = HashSet::new();
        for id in entities.ids().filter(|&id| entities.item(id).is_template) {
            let Some(&entity) = entities.item(id).declares.first() else { continue };
            if !seen.insert(entity) {
                continue;
            }
            let declarations = entities.declarations(entity).iter();
            let special = declarations.filter_map(|&id| Special::read(unit, entities, id, &uses));
            let special: Vec<Special> = proposals.limited(&MOST, special);
            for kept in &special {
                let outside = outside.get(&entity).map_or(&[][..], Vec::as_slice);
                let uses = uses.get(&entity).map_or(&[][..], Vec::as_slice);
                let patch = kept.alone(unit, entities, entity, uses, outside);
                proposals.extend(patch.map(Proposal::new));
            }
        }
    }
}

/// Uses of one template of which one that fits is looked for.
const MOST_USES: usize = 32;

struct Special {
    item: ItemId,
    head: TemplateHead,
    /// The arguments behind its name.
    list: NodeId,
}

impl Special {
    fn read(
        unit: Unit<'_>,
        entities: &Entities,
        id: ItemId,
        uses: &HashMap<EntityId, Vec<NodeId>>,
    ) -> Option<Self> {
        let tree = unit.tree;
        let item = entities.item(id);
        let head = TemplateHead::of(unit, item.node)?;
        let name = match item.kind {
            ItemKind::Type => tree.field(item.inner, NodeField::Name)?,
            ItemKind::Function | ItemKind::Variable => {
                name_in(unit, tree.field(item.inner, NodeField::Declarator)?)
            }
            _ => return None,
        };
        let lists = uses.get(item.declares.first()?)?;
        let first = lists.partition_point(|&list| list < name);
        let list = lists.get(first).copied().filter(|&list| list < tree.node(name).after)?;
        Some(Self { item: id, head, list })
    }

    /// The patch that leaves nothing of a template but this.
    fn alone(
        &self,
        unit: Unit<'_>,
        entities: &Entities,
        entity: EntityId,
        uses: &[NodeId],
        outside: &[ItemId],
    ) -> Option<Patch> {
        let tree = unit.tree;
        let item = entities.item(self.item);
        let others = entities.declarations(entity).iter().chain(outside);
        let others = others.filter(|&&id| id != self.item);
        let mut edits: Vec<Edit> =
            others.map(|&id| unit.delete(entities.range(tree, id))).collect();
        edits.extend(uses.iter().map(|&list| unit.delete(tree.range(list))));
        let whole = tree.range(item.node);
        let start = tree.range(tree.next_named(self.head.list)?).start;
        edits.push(unit.delete(whole.start..start));
        if !self.head.parameters.is_empty() {
            let mut closed =
                uses.iter().copied().filter(|&list| is_closed(unit, list)).take(MOST_USES);
            let (_, arguments) = closed.find_map(|list| {
                let given: Vec<NodeId> = tree.named_children(list).collect();
                let arguments = fitted(unit, &self.head, self.list, &given);
                arguments.filter(|(_, found)| found.len() == self.head.parameters.len())
            })?;
            let kept = start..whole.end;
            let texts = substitutions(unit, item.node, kept, &arguments, &|_| None)?;
            let edits_of = texts.into_iter();
            edits.extend(edits_of.map(|(range, text)| Edit::replace(unit.file, range, text)));
        }
        Patch::new(disjoint(edits))
    }
}
