//! Repairs beyond the names in an error: the rest of a declaration, its neighbours, and everything that it leads to.

use std::ops::Range;

use clreduce_language::{EntityId, Follow, ItemId, ItemKind, Reach};
use clreduce_testcase::{Edit, Patch};

use super::{MOST_NEAR, MOST_STEPS, PatchRepair};

impl PatchRepair<'_> {
    /// Takes note of an error that stayed when what it named was restored, and what is near that: what is missing is further away.
    pub(super) fn hear_again(&mut self, names: &[String], offset: Option<usize>) {
        let entities = self.entities;
        let last = |name: &String| name.rsplit("::").next().unwrap_or_default().replace(' ', "");
        let named = names.iter().flat_map(|name| entities.named(last(name).as_bytes()));
        let meant: Vec<EntityId> =
            named.filter(|&&it| !entities.is_namespace(it)).copied().collect();
        let place = offset.and_then(|at| self.item_at(at));
        let roots: Vec<ItemId> = place.filter(|_| meant.is_empty()).into_iter().collect();
        let without: Vec<Range<usize>> = self.accepted.edits().iter().map(Edit::range).collect();
        let reach = Reach::Narrow;
        let follow =
            Follow { roots: &roots, meant: &meant, reach, without: &without, present: None };
        let reached = entities.reached(self.unit.tree, follow);
        for id in entities.ids().filter(|id| reached[id.0 as usize]) {
            if self.is_gone(id) {
                self.roots.insert(id);
            } else {
                self.complete_item(id);
            }
        }
    }

    /// Restores what was removed in an item and what it mentions, or else in the classes that it leads to. Returns whether there was
    /// anything.
    pub(super) fn complete_place(&mut self, id: ItemId) -> bool {
        let mut mentioned = self.entities.mentioned(id);
        mentioned.retain(|&entity| self.is_missing(entity));
        let is_changed = self.complete_item(id) || !mentioned.is_empty();
        self.meant.extend(mentioned);
        is_changed || self.complete_near(id)
    }

    /// Restores what was removed from inside the declarations of a name, or else of the scope that it is in. Returns whether there
    /// was anything.
    pub(super) fn complete(&mut self, name: &str) -> bool {
        let parts: Vec<&str> = name.split("::").collect();
        parts.iter().rev().any(|part| self.complete_named(part))
    }

    fn complete_named(&mut self, name: &str) -> bool {
        let entities = self.entities;
        let named = entities.named(name.replace(' ', "").as_bytes()).iter();
        let named = named.filter(|&&entity| !entities.is_namespace(entity));
        let items = named.flat_map(|&entity| entities.declarations(entity));
        let mut is_changed = false;
        for &id in items {
            is_changed |= self.present[id.0 as usize] && self.complete_item(id);
        }
        is_changed
    }

    /// Restores what was removed from inside the classes that are the fewest mentions away from an item. Returns whether there was
    /// anything.
    fn complete_near(&mut self, id: ItemId) -> bool {
        let mut near = self.entities.mentioned(id);
        for _ in 0..MOST_STEPS {
            near.retain(|&entity| !self.entities.is_namespace(entity));
            near.truncate(MOST_NEAR);
            let items = near.iter().flat_map(|&entity| self.entities.declarations(entity));
            let items: Vec<ItemId> =
                items.copied().filter(|id| self.present[id.0 as usize]).collect();
            let mut is_changed = false;
            for &id in &items {
                is_changed |= self.complete_item(id);
            }
            if is_changed {
                return true;
            }
            near = items.iter().flat_map(|&id| self.mentioned_inside(id)).collect();
            near.sort_unstable();
            near.dedup();
        }
        false
    }

    /// The entities that an item mentions, and those that its data members mention.
    fn mentioned_inside(&self, id: ItemId) -> Vec<EntityId> {
        let range = self.unit.tree.range(self.entities.item(id).node);
        let members = self.entities.ids_in(self.unit.tree, range).filter(|&member| {
            let item = self.entities.item(member);
            member == id || item.parent == Some(id) && item.kind == ItemKind::Variable
        });
        members.flat_map(|member| self.entities.mentioned(member)).collect()
    }

    /// Restores the edits in an item, and what comes with it if it is a class. Returns whether there was anything.
    fn complete_item(&mut self, id: ItemId) -> bool {
        let range = self.unit.tree.range(self.entities.item(id).node);
        let members = self.entities.ids_in(self.unit.tree, range.clone());
        let members = members.filter(|&member| {
            let item = self.entities.item(member);
            item.parent == Some(id) && item.comes_with_class && self.is_gone(member)
        });
        let members: Vec<ItemId> = members.collect();
        let first = self.refused.partition_point(|edit| edit.range().end <= range.start);
        let inside = (first..).zip(&self.refused[first..]);
        let inside = inside.take_while(|(_, edit)| edit.range().start < range.end);
        let edits: Vec<usize> = inside
            .filter(|(_, edit)| {
                range.start < edit.range().start
                    && edit.range().end <= range.end
                    && !self.holds_items(&edit.range())
                    && !self.accepted.covers(&Patch::single((*edit).clone()))
            })
            .map(|(index, _)| index)
            .collect();
        let is_changed = !members.is_empty() || !edits.is_empty();
        for &edit in &edits {
            let mentioned = self.entities.mentioned_in(id, self.refused[edit].range());
            let missing: Vec<EntityId> =
                mentioned.into_iter().filter(|&it| self.is_missing(it)).collect();
            self.meant.extend(missing);
        }
        self.roots.extend(members);
        self.reverted.extend(edits);
        is_changed
    }
}
