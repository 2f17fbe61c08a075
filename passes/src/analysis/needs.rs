//! Declarations of C++ that something else needs for certain. A name that stays leads to them and to nothing else, a
//! specialisation or a definition of a member belongs to them, or the program begins there.

use std::collections::BTreeMap;
use std::ops::Range;

use clreduce_language::{Entities, EntityId, ItemId, NodeField, NodeKind};

use super::nodes::DEEPEST;
use super::unit::Unit;

/// The needs of one file that are certain.
pub(crate) struct Needs<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    /// By entity, the places that need it.
    places: BTreeMap<EntityId, Vec<usize>>,
    /// By item, whether something outside of it needs what it declares.
    is_needed: Vec<bool>,
    /// By item, whether something outside of it needs what is declared inside it.
    holds_needed: Vec<bool>,
}

impl<'a> Needs<'a> {
    pub(crate) fn new(unit: Unit<'a>, entities: &'a Entities) -> Self {
        let count = entities.ids().count();
        let (is_needed, holds_needed) = (vec![false; count], vec![false; count]);
        let places = BTreeMap::new();
        let mut needs = Self { unit, entities, places, is_needed, holds_needed };
        let mut are_in_templates: Vec<bool> = Vec::new();
        for id in entities.ids() {
            let item = entities.item(id);
            let is_around = |parent: ItemId| are_in_templates[parent.0 as usize];
            let in_template = item.is_template || item.parent.is_some_and(is_around);
            are_in_templates.push(in_template);
            for (at, entity) in entities.certain_mentions(id, in_template) {
                needs.places.entry(entity).or_default().push(at);
            }
            let (start, needs_another) = (needs.range(id).start, needs.needs_another(id));
            for &entity in &entities.item(id).declares {
                // Whatever else goes, the program begins with its main function.
                let place = needs.is_main(entity).then_some(usize::MAX);
                let place = place.or(needs_another.then_some(start));
                needs.places.entry(entity).or_default().extend(place);
            }
        }
        let places = std::mem::take(&mut needs.places);
        for (&entity, places) in
            places.iter().filter(|(entity, _)| !entities.is_namespace(**entity))
        {
            needs.spread(entity, places);
        }
        Self { places, ..needs }
    }

    /// Notes which items hold every declaration of an entity but not all places that need it.
    fn spread(&mut self, entity: EntityId, places: &[usize]) {
        let all = self.entities.declarations(entity);
        let is_first = |id: &ItemId| !self.needs_another(*id);
        let first: Vec<ItemId> = all.iter().copied().filter(is_first).collect();
        let own = if first.is_empty() { all } else { &first };
        let (Some(&one), Some(from), Some(to)) =
            (own.first(), places.iter().min(), places.iter().max())
        else {
            return;
        };
        let holds = |id: ItemId, at: usize| self.range(id).contains(&at);
        let holds_own = |id: ItemId| own.iter().all(|&other| holds(id, self.range(other).start));
        let around = std::iter::successors(Some(one), |&id| self.entities.item(id).parent);
        let around = around.take(DEEPEST).skip_while(|&id| !holds_own(id));
        let needed = around.take_while(|&id| !holds(id, *from) || !holds(id, *to));
        for id in needed.collect::<Vec<_>>() {
            let list = if id == one { &mut self.is_needed } else { &mut self.holds_needed };
            list[id.0 as usize] = true;
        }
    }

    /// Returns whether something that stays needs an item for certain.
    pub(crate) fn is_needed(&self, id: ItemId) -> bool {
        self.is_needed[id.0 as usize] || self.holds_needed[id.0 as usize]
    }

    /// Returns whether something that stays needs what declares one entity for certain, if all of it goes.
    pub(crate) fn are_needed(&self, together: &[ItemId]) -> bool {
        let ranges: Vec<Range<usize>> = together.iter().map(|&id| self.range(id)).collect();
        let is_left = |at: usize| {
            let next = ranges.partition_point(|range| range.end <= at);
            ranges.get(next).is_none_or(|range| at < range.start)
        };
        let entity = together.first().and_then(|&id| self.entities.item(id).declares.first());
        let places = entity.and_then(|entity| self.places.get(entity));
        places.is_some_and(|places| places.iter().any(|&at| is_left(at)))
            || together.iter().any(|id| self.holds_needed[id.0 as usize])
    }

    fn range(&self, id: ItemId) -> Range<usize> {
        self.unit.tree.range(self.entities.item(id).node)
    }

    /// Returns whether a declaration is one only beside another of the same entity: a member outside of its class, a
    /// specialisation.
    fn needs_another(&self, id: ItemId) -> bool {
        let (tree, item) = (self.unit.tree, self.entities.item(id));
        let name = tree.field(item.inner, NodeField::Name);
        item.is_outside || name.is_some_and(|name| tree.kind(name) == NodeKind::TemplateType)
    }

    /// Returns whether an entity is the function that a program begins with.
    fn is_main(&self, entity: EntityId) -> bool {
        let scope = self.entities.scope(entity);
        self.entities.name(entity) == b"main" && scope == Some(EntityId(0))
    }
}
