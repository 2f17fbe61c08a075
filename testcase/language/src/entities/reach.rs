//! What is reached from some items by what they mention.

use std::ops::Range;

use super::mentions::Reference;
use super::scopes::{EntityKind, NameId};
use super::{Entities, EntityId, Item, ItemId, ItemKind};
use crate::tree::SyntaxTree;

/// How far mentions lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// As `Narrow`, but only by names that lead to one entity.
    Certain,
    /// To one of several overloads or specialisations only where the classes in its parameters or arguments are reached as well,
    /// and to nothing that only asserts or instantiates. What converts to a class is missed by that.
    Narrow,
    /// To everything that may be meant.
    Wide,
}

/// How mentions are followed.
#[derive(Clone, Copy, Debug)]
pub struct Follow<'a> {
    /// Where to begin.
    pub roots: &'a [ItemId],
    /// What is mentioned from somewhere else.
    pub meant: &'a [EntityId],
    /// How far mentions lead.
    pub reach: Reach,
    /// The bytes that are gone, in order and apart from each other: what is mentioned there is not followed, and an item that lies
    /// in one of them is not reached.
    pub without: &'a [Range<usize>],
    /// By item, whether it is there in any case, so that what it mentions need not be followed. It counts as reached.
    pub present: Option<&'a [bool]>,
}

impl<'a> Follow<'a> {
    /// Follows what some items mention, and what that mentions in turn.
    #[must_use]
    pub fn from(roots: &'a [ItemId], reach: Reach) -> Self {
        Self { roots, meant: &[], reach, without: &[], present: None }
    }
}

struct Closure<'a> {
    entities: &'a Entities,
    follow: Follow<'a>,
    reached: Vec<bool>,
    /// The items in the bytes that are gone.
    gone: Vec<bool>,
    /// Items that are reached once everything that they need is reached.
    triggered: Vec<bool>,
    unmet: Vec<u32>,
    /// By entity, the items that need it.
    needed_by: Vec<Vec<ItemId>>,
    /// By entity, whether it is there, and whether its declarations were looked at.
    is_met: Vec<bool>,
    is_followed: Vec<bool>,
    /// By name, how much of it was followed: members, what is no member.
    followed: Vec<[bool; 2]>,
    work: Vec<ItemId>,
}

impl Entities {
    /// By item, whether it is reached.
    #[must_use]
    pub fn reached(&self, tree: &SyntaxTree, follow: Follow<'_>) -> Vec<bool> {
        let count = self.items.len();
        let is_gone = |item: &Item| is_inside(follow.without, &tree.range(item.node));
        let mut closure = Closure {
            entities: self,
            follow,
            reached: vec![false; count],
            gone: self.items.iter().map(is_gone).collect(),
            triggered: vec![false; count],
            unmet: vec![0; count],
            needed_by: vec![Vec::new(); self.scopes.len()],
            is_met: vec![false; self.scopes.len()],
            is_followed: vec![false; self.scopes.len()],
            followed: vec![[false; 2]; self.scopes.name_count()],
            work: Vec::new(),
        };
        closure.begin();
        while let Some(id) = closure.work.pop() {
            closure.follow_item(id);
        }
        closure.reached
    }

    /// The entities that an item mentions by names that mean one thing.
    #[must_use]
    pub fn mentioned(&self, id: ItemId) -> Vec<EntityId> {
        self.mentioned_in(id, 0..usize::MAX)
    }

    /// The entities that an item mentions in a range by names that mean one thing.
    #[must_use]
    pub fn mentioned_in(&self, id: ItemId, range: Range<usize>) -> Vec<EntityId> {
        let entity = |&(_, mention): &(u32, Reference)| match mention {
            Reference::Entity(entity) => Some(entity),
            Reference::Member(name) | Reference::Free(name) | Reference::Any(name) => {
                match self.scopes.named(name) {
                    &[entity] => Some(entity),
                    _ => None,
                }
            }
        };
        let mut found: Vec<EntityId> = self
            .item(id)
            .mentions
            .iter()
            .filter(|(at, _)| range.contains(&(*at as usize)))
            .filter_map(entity)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The entities without which an item cannot be compiled, each with the place where it is mentioned: a name leads to nothing
    /// else in the program. In templates, a function that is called may be found when they are instantiated.
    pub fn certain_mentions(
        &self,
        id: ItemId,
        in_template: bool,
    ) -> impl Iterator<Item = (usize, EntityId)> + '_ {
        let mentions = &self.item(id).mentions;
        let is_open =
            move |mention: &Reference| in_template && matches!(mention, Reference::Free(_));
        let places = mentions.chunk_by(|one, other| one.0 == other.0);
        let certain = places.filter(move |it| !it.iter().any(|(_, mention)| is_open(mention)));
        certain.flatten().filter_map(move |&(at, mention)| {
            let entity = match mention {
                Reference::Entity(entity) => entity,
                _ if in_template => return None,
                Reference::Member(name) | Reference::Free(name) | Reference::Any(name) => {
                    match self.scopes.named(name) {
                        &[entity] if !self.name(entity).starts_with(b"operator") => entity,
                        _ => return None,
                    }
                }
            };
            Some((at as usize, entity))
        })
    }

    /// By item, whether it mentions what some items declare, or the class that they are members of.
    #[must_use]
    pub fn mentioning(&self, items: &[ItemId]) -> Vec<bool> {
        let mut is_meant = vec![false; self.scopes.len()];
        let mut is_name_meant = vec![false; self.scopes.name_count()];
        for &id in items {
            let around = std::iter::successors(Some(id), |&id| self.item(id).parent);
            for &entity in around.flat_map(|id| &self.item(id).declares) {
                if self.scopes.kind(entity) != EntityKind::Namespace {
                    is_meant[entity.0 as usize] = true;
                    is_name_meant[self.scopes.name_id(entity).0 as usize] = true;
                }
            }
        }
        let leads_there = |&(_, mention): &(u32, Reference)| match mention {
            Reference::Entity(entity) => is_meant[entity.0 as usize],
            Reference::Member(name) | Reference::Free(name) | Reference::Any(name) => {
                is_name_meant[name.0 as usize]
            }
        };
        self.ids().map(|id| self.item(id).mentions.iter().any(leads_there)).collect()
    }
}

impl Entities {
    /// The entities that must be reached before an item is.
    pub(super) fn needs(&self, item: &Item, reach: Reach) -> Vec<EntityId> {
        let mut needs = Vec::new();
        let is_one_of_several = || {
            let declares = item.declares.first();
            declares.is_some_and(|&entity| {
                self.declarations(entity).len() > 1 || self.name(entity).starts_with(b"operator")
            })
        };
        // A friend is there for its class: what converts to its other parameters may have another type.
        let is_friend = || {
            let declares = item.declares.first();
            item.is_member && declares.is_some_and(|&it| !self.scopes.is_in_class(it))
        };
        let by_signature = matches!(item.kind, ItemKind::Function | ItemKind::Type)
            && reach != Reach::Wide
            && is_one_of_several()
            && !is_friend();
        if by_signature {
            needs.extend(item.needs.iter().copied());
        }
        if item.is_outside {
            let class = item.declares.first().and_then(|&member| self.scopes.parent(member));
            needs.extend(class);
        }
        if item.is_member {
            let class = item.parent.and_then(|parent| self.item(parent).declares.first());
            needs.extend(class.copied());
        }
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    /// Returns whether an item is reached with what it needs, whether or not anything mentions it.
    pub(super) fn comes_by_itself(&self, item: &Item, reach: Reach) -> bool {
        match item.kind {
            ItemKind::Assertion | ItemKind::Opaque => reach == Reach::Wide || item.is_member,
            ItemKind::Instantiation { is_extern } => reach == Reach::Wide && !is_extern,
            ItemKind::Directive => true,
            ItemKind::Linkage => false,
            ItemKind::UsingNamespace => true,
            ItemKind::Friend => true,
            // They are there as soon as their class is, whatever mentions them.
            _ => item.comes_with_class || item.is_virtual,
        }
    }
}

impl Closure<'_> {
    fn begin(&mut self) {
        for id in self.entities.ids() {
            let needs = self.entities.needs(self.entities.item(id), self.follow.reach);
            self.unmet[id.0 as usize] = needs.len() as u32;
            for need in needs {
                self.needed_by[need.0 as usize].push(id);
            }
        }
        for id in self.entities.ids() {
            if !self.is_present(id) {
                continue;
            }
            self.reached[id.0 as usize] = true;
            for &entity in &self.entities.item(id).declares {
                self.met(entity);
            }
        }
        for id in self.entities.ids() {
            let item = self.entities.item(id);
            // What came with something that is there has been taken away from it.
            let is_taken = || item.parent.is_none_or(|parent| self.is_present(parent));
            let comes = self.entities.comes_by_itself(item, self.follow.reach);
            if comes && !(self.follow.present.is_some() && is_taken()) {
                self.trigger(id);
            }
        }
        for &root in self.follow.roots {
            self.reach(root);
        }
        for &entity in self.follow.meant {
            self.trigger_all(entity);
        }
    }

    fn is_present(&self, id: ItemId) -> bool {
        self.follow.present.is_some_and(|present| present[id.0 as usize])
    }

    fn trigger(&mut self, id: ItemId) {
        let at = id.0 as usize;
        if !std::mem::replace(&mut self.triggered[at], true) && self.unmet[at] == 0 {
            self.reach(id);
        }
    }

    fn reach(&mut self, id: ItemId) {
        let at = id.0 as usize;
        if !self.gone[at] && !std::mem::replace(&mut self.reached[at], true) {
            self.work.push(id);
        }
    }

    fn follow_item(&mut self, id: ItemId) {
        let entities = self.entities;
        let item = entities.item(id);
        for other in item.parent.iter().chain(item.joined.iter().flatten()) {
            self.reach(*other);
        }
        for &entity in &item.declares {
            // A namespace is there with any part of it; whoever mentions it needs no other.
            if item.kind == ItemKind::Namespace {
                self.met(entity);
            } else {
                self.mean(entity);
            }
        }
        let without = self.follow.without;
        let is_left = |at: u32| !is_inside(without, &(at as usize..at as usize + 1));
        for &(_, mention) in item.mentions.iter().filter(|(at, _)| is_left(*at)) {
            match mention {
                Reference::Entity(entity) => self.mean(entity),
                _ if self.follow.reach == Reach::Certain => {}
                Reference::Member(name) => self.mean_all(name, true),
                Reference::Free(name) => self.mean_all(name, false),
                Reference::Any(name) => {
                    self.mean_all(name, true);
                    self.mean_all(name, false);
                }
            }
        }
    }

    fn mean_all(&mut self, name: NameId, members: bool) {
        if std::mem::replace(&mut self.followed[name.0 as usize][usize::from(members)], true) {
            return;
        }
        let scopes = &self.entities.scopes;
        for &entity in scopes.named(name) {
            if scopes.is_in_class(entity) == members && scopes.kind(entity) != EntityKind::Namespace
            {
                self.mean(entity);
            }
        }
    }

    /// An entity is mentioned.
    fn mean(&mut self, entity: EntityId) {
        let entities = self.entities;
        if entities.scopes.kind(entity) == EntityKind::Namespace {
            if let Some(&first) = entities.declarations(entity).first() {
                self.reach(first);
            }
        } else if !std::mem::replace(&mut self.is_followed[entity.0 as usize], true) {
            // What is left of it is enough.
            if !entities.declarations(entity).iter().any(|&id| self.is_present(id)) {
                self.trigger_all(entity);
            }
        }
    }

    fn trigger_all(&mut self, entity: EntityId) {
        self.met(entity);
        for &id in self.entities.declarations(entity) {
            self.trigger(id);
        }
    }

    /// Notes that an entity is there.
    fn met(&mut self, entity: EntityId) {
        if std::mem::replace(&mut self.is_met[entity.0 as usize], true) {
            return;
        }
        for id in std::mem::take(&mut self.needed_by[entity.0 as usize]) {
            let unmet = &mut self.unmet[id.0 as usize];
            *unmet -= 1;
            if *unmet == 0 && self.triggered[id.0 as usize] {
                self.reach(id);
            }
        }
    }
}

/// Returns whether one of some ranges, which are in order and apart from each other, holds another one.
fn is_inside(ranges: &[Range<usize>], range: &Range<usize>) -> bool {
    let next = ranges.partition_point(|other| other.end <= range.start);
    ranges.get(next).is_some_and(|other| other.start <= range.start && range.end <= other.end)
}
