//! Repairs of a patch of C++ that a test has refused, by what compilers said about the variant.
//!
//! An error names what is missing. So one refusal tells of many declarations at once that they have to stay, where a search in
//! halves would find one. What an error names stays, with all that it needs. Where nothing of that name was removed, what is
//! left of it is restored: bodies, bases, constructors. Where an error names nothing that is known, the declaration that it is
//! in gets back what it mentions.

mod complete;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use clreduce_language::{Entities, EntityId, Follow, ItemId, Reach};
use clreduce_testcase::{Complaint, Edit, Feature, Kept, Patch, Run, tokens};

use crate::analysis::{PresumedLines, Unit};
use crate::snapshot::Snapshot;

/// The most mentions between a class that an error names and one in which its member is looked for.
const MOST_STEPS: usize = 4;
const MOST_NEAR: usize = 64;
/// When an error has survived this number of repairs, everything comes back that its names lead to.
const OFTEN: u32 = 2;
/// The greatest distance, in bytes, at which an error behind a removed part may be about the end of that part.
const BESIDE: usize = 32;

/// What has to stay of a group of proposals that a test has refused.
pub struct Repaired {
    /// The proposals of the group that are to blame, by their place in the group.
    pub blamed: Vec<usize>,
    /// The declarations that may still go from the namespaces and classes that these remove.
    pub parts: Patch,
    /// The declarations that were missed.
    pub needed: Vec<ItemId>,
}

/// A group of proposals that a test has refused.
pub struct RefusedGroup<'a> {
    /// The proposals of the group, without what goes along.
    pub proposals: &'a [&'a Patch],
    /// The parts of others that were to blame.
    pub parts: &'a Patch,
    /// The patch of the variant: the proposals, what was accepted before, and what goes along.
    pub refused: &'a Patch,
    /// The part of it that an earlier variant had.
    pub accepted: &'a Patch,
    /// The errors that compilers reported.
    pub complaints: &'a [Complaint],
    /// By the names in errors, how many earlier variants of the group had such an error.
    pub heard: &'a BTreeMap<Vec<String>, u32>,
}

impl RefusedGroup<'_> {
    /// What the complaints miss; `None` where they say nothing of the variant.
    #[must_use]
    pub fn repaired(&self, snapshot: &Snapshot) -> Option<Repaired> {
        let is_known = snapshot.language().has(Feature::Classes) && snapshot.file_count() == 1;
        let unit = Unit::all(snapshot).next().filter(|_| is_known)?;
        let mut repair = PatchRepair::new(snapshot, unit, self.refused, self.accepted);
        let (variant, kept) = snapshot.case().apply_and_track(self.refused);
        let lines = PresumedLines::in_file(&variant, 0);
        for complaint in self.complaints {
            let at = lines.offset(&complaint.file, complaint.line, complaint.column);
            if let Some(edit) = at.and_then(|at| repair.inserted_at(&kept, at)) {
                repair.reverted.insert(edit);
                continue;
            }
            let operator = at.and_then(|at| operator_at(&variant.files()[0].bytes[at..]));
            let names = complaint.names.iter().cloned().chain(operator);
            let names: Vec<String> = names.collect();
            let offset = at.map(|at| before(&kept, at));
            if self.heard.get(&complaint.names).is_some_and(|&times| times >= OFTEN) {
                repair.hear_again(&names, offset);
            } else {
                repair.hear(&names, offset);
            }
        }
        repair.finish(self.proposals, self.parts)
    }
}

struct PatchRepair<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    refused: &'a [Edit],
    accepted: &'a Patch,
    /// By item, whether the refused patch removes it, and whether it is there after that. The rest was removed earlier.
    gone: Vec<bool>,
    present: Vec<bool>,
    /// What was missed.
    meant: BTreeSet<EntityId>,
    roots: BTreeSet<ItemId>,
    /// The edits inside declarations that are taken back, by index.
    reverted: BTreeSet<usize>,
}

impl<'a> PatchRepair<'a> {
    fn new(
        snapshot: &'a Snapshot,
        unit: Unit<'a>,
        refused: &'a Patch,
        accepted: &'a Patch,
    ) -> Self {
        let entities = snapshot.entities(0);
        let ranges = |patch: &Patch| -> Vec<Range<usize>> {
            patch.edits().iter().map(Edit::range).collect()
        };
        let (now, before) = (ranges(refused), ranges(accepted));
        let mut repair = Self {
            unit,
            entities,
            refused: refused.edits(),
            accepted,
            gone: Vec::new(),
            present: Vec::new(),
            meant: BTreeSet::new(),
            roots: BTreeSet::new(),
            reverted: BTreeSet::new(),
        };
        for id in entities.ids() {
            let range = unit.tree.range(entities.item(id).node);
            let is_left = around(&now, &range).is_none();
            repair.gone.push(!is_left && around(&before, &range).is_none());
            repair.present.push(is_left);
        }
        repair
    }

    fn is_gone(&self, id: ItemId) -> bool {
        self.gone[id.0 as usize]
    }

    /// The edit that inserted what stands at an offset of the variant, unless an earlier variant had it.
    fn inserted_at(&self, kept: &[Kept], at: usize) -> Option<usize> {
        let run = run_before(kept.first()?.runs.as_ref()?, at)?;
        let end = run.old + run.length;
        let edit = self.refused.partition_point(|edit| edit.range().start < end);
        let found = self.refused.get(edit).filter(|found| found.range().start == end)?;
        let is_inserted = run.new + run.length <= at && !found.text.is_empty();
        let is_new = || !self.accepted.covers(&Patch::single(found.clone()));
        (is_inserted && is_new()).then_some(edit)
    }

    /// Takes note of what an error misses, which names these, at an offset of the snapshot.
    fn hear(&mut self, names: &[String], offset: Option<usize>) {
        let mut is_known = false;
        let place = offset.and_then(|at| self.item_at(at));
        for name in names {
            let overloads = self.overloads(name, names);
            if !overloads.is_empty() {
                is_known = true;
                self.roots.extend(overloads);
                continue;
            }
            let missing = self.missing(name, names, place);
            is_known |= !missing.is_empty();
            self.meant.extend(missing);
        }
        if !is_known {
            for name in names {
                is_known |= self.complete(name);
            }
        }
        is_known = is_known || place.is_some_and(|id| self.complete_place(id));
        if !is_known && let Some(at) = offset {
            self.revert_beside(at);
        }
    }

    /// Takes back the edit before an offset, if it is so near that the parser may have been wrong about what was removed.
    fn revert_beside(&mut self, at: usize) {
        let next = self.refused.partition_point(|edit| edit.range().end <= at);
        if let Some(last) = next.checked_sub(1)
            && at - self.refused[last].range().end <= BESIDE
        {
            self.reverted.insert(last);
        }
    }

    /// The operators of a name that were removed whose parameters are of classes that the message names.
    fn overloads(&self, name: &str, names: &[String]) -> Vec<ItemId> {
        let last = |name: &str| name.rsplit("::").next().unwrap_or_default().replace(' ', "");
        if !last(name).starts_with("operator") {
            return Vec::new();
        }
        let classes: BTreeSet<EntityId> = names
            .iter()
            .filter(|other| *other != name)
            .flat_map(|other| self.entities.named(last(other).as_bytes()))
            .copied()
            .collect();
        let operator = last(name);
        let rewritten = match &operator["operator".len()..] {
            "!=" => Some("operator=="),
            "<" | ">" | "<=" | ">=" => Some("operator<=>"),
            _ => None,
        };
        let all = [Some(&*operator), rewritten].into_iter().flatten();
        let all = all.flat_map(|name| self.entities.named(name.as_bytes()));
        let all = all.flat_map(|&entity| self.entities.declarations(entity)).copied();
        let is_meant = |id: &ItemId| {
            let item = self.entities.item(*id);
            let scope = item.declares.first().and_then(|&entity| self.entities.scope(entity));
            // A friend has the class as a parameter that it stands in.
            let around = item.parent.map(|parent| self.entities.item(parent).declares.iter());
            let mut needs = item.needs.iter().chain(&scope).chain(around.into_iter().flatten());
            self.is_gone(*id) && needs.any(|class| classes.contains(class))
        };
        all.filter(is_meant).collect()
    }

    /// Returns whether declarations of an entity were removed.
    fn is_missing(&self, entity: EntityId) -> bool {
        let mut declarations = self.entities.declarations(entity).iter();
        !self.entities.is_namespace(entity) && declarations.any(|&id| self.is_gone(id))
    }

    /// The entities of a name of which declarations were removed: those in a scope that the message names, if there are any.
    fn missing(&self, name: &str, names: &[String], place: Option<ItemId>) -> Vec<EntityId> {
        let (qualifier, last) = name.rsplit_once("::").unwrap_or(("", name));
        let missing = |entity: &EntityId| self.is_missing(*entity);
        let all = self.entities.named(last.replace(' ', "").as_bytes()).iter().copied();
        let all: Vec<EntityId> = all.filter(missing).collect();
        let last_part = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
        let scope_is = |entity: EntityId, name: &str| {
            let (name, scope) = (last_part(name), self.entities.scope(entity));
            !name.is_empty() && scope.is_some_and(|it| self.entities.name(it) == name.as_bytes())
        };
        let others = names.iter().filter(|other| *other != name && qualifier.is_empty());
        let scopes: Vec<&str> = others.map(String::as_str).chain([qualifier]).collect();
        let is_named = |entity: &&EntityId| scopes.iter().any(|scope| scope_is(**entity, scope));
        let named: Vec<EntityId> = all.iter().filter(is_named).copied().collect();
        if !named.is_empty() {
            return named;
        }
        let is_free = |entity: &&EntityId| {
            let scope = self.entities.scope(**entity);
            scope.is_none_or(|scope| self.entities.is_namespace(scope))
        };
        let free: Vec<EntityId> = all.iter().filter(is_free).copied().collect();
        if !free.is_empty() {
            return free;
        }
        // A member of what the class leads to: a base, or what it is another name for.
        let classes =
            scopes.iter().flat_map(|scope| self.entities.named(last_part(scope).as_bytes()));
        let mut near: Vec<EntityId> =
            classes.filter(|it| !self.entities.is_namespace(**it)).copied().collect();
        let around = std::iter::successors(place, |&id| self.entities.item(id).parent);
        let around = around.flat_map(|id| &self.entities.item(id).declares).copied();
        near.extend(around.filter(|&entity| !self.entities.is_namespace(entity)));
        for _ in 0..MOST_STEPS {
            let is_near = |entity: &&EntityId| {
                self.entities.scope(**entity).is_some_and(|scope| near.contains(&scope))
            };
            let found: Vec<EntityId> = all.iter().filter(is_near).copied().collect();
            if !found.is_empty() {
                return found;
            }
            let items = near.iter().flat_map(|&entity| self.entities.declarations(entity));
            let mut next: Vec<EntityId> = items
                .flat_map(|&id| self.entities.mentioned(id))
                .chain(near.iter().copied())
                .collect();
            next.sort_unstable();
            next.dedup();
            next.truncate(MOST_NEAR);
            near = next;
        }
        if all.len() <= 2 { all } else { Vec::new() }
    }

    fn holds_items(&self, range: &Range<usize>) -> bool {
        let mut items = self.entities.ids_in(self.unit.tree, range.clone());
        items.any(|id| self.unit.tree.range(self.entities.item(id).node).end <= range.end)
    }

    /// The innermost item that is left at an offset of the snapshot.
    fn item_at(&self, at: usize) -> Option<ItemId> {
        let holds = |id: ItemId| self.unit.tree.range(self.entities.item(id).node).contains(&at);
        let ids = self.entities.ids_in(self.unit.tree, 0..at + 1);
        let innermost = ids.filter(|&id| self.present[id.0 as usize] && holds(id)).last()?;
        let mut declares = self.entities.item(innermost).declares.iter();
        (!declares.any(|&entity| self.entities.is_namespace(entity))).then_some(innermost)
    }

    /// The proposals that remove what was missed, or change what is around it.
    fn finish(self, proposals: &[&Patch], parts: &Patch) -> Option<Repaired> {
        let meant: Vec<EntityId> = self.meant.iter().copied().collect();
        let mut roots: Vec<ItemId> = self.roots.iter().copied().collect();
        let mut restored = self.restored(&roots, &meant);
        // Overloads and specialisations whose classes are not there.
        let is_missed = |entity: &&EntityId| {
            let mut gone =
                self.entities.declarations(**entity).iter().filter(|&&id| self.is_gone(id));
            gone.all(|&id| !restored[id.0 as usize])
        };
        let missed: Vec<EntityId> = meant.iter().filter(is_missed).copied().collect();
        if !missed.is_empty() {
            let all = missed.iter().flat_map(|&entity| self.entities.declarations(entity));
            roots.extend(all.filter(|&&id| self.is_gone(id)));
            restored = self.restored(&roots, &meant);
        }
        let is_back = |id: ItemId| self.is_gone(id) && restored[id.0 as usize];
        let reverted: Vec<Range<usize>> =
            self.reverted.iter().map(|&index| self.refused[index].range()).collect();
        let is_wrong = |edit: &Edit| {
            let range = edit.range();
            let next = reverted.partition_point(|other| other.end < range.start);
            let is_reverted = reverted.get(next).is_some_and(|other| other.start <= range.end);
            is_reverted
                || self.entities.ids_in(self.unit.tree, range.clone()).any(|id| {
                    is_back(id)
                        && self.unit.tree.range(self.entities.item(id).node).end <= range.end
                })
        };
        let blamed = (0..).zip(proposals).filter(|(_, patch)| patch.edits().iter().any(is_wrong));
        let blamed: Vec<usize> = blamed.map(|(index, _)| index).collect();
        let needed: Vec<ItemId> = self.entities.ids().filter(|&id| is_back(id)).collect();
        // Of a class whose inside is replaced by something else, nothing goes on its own.
        let replaces = |edit: &Edit| !edit.text.is_empty() && self.holds_items(&edit.range());
        let wrong = blamed.iter().map(|&index| proposals[index].edits());
        let wrong = wrong.filter(|edits| !edits.iter().any(replaces)).flatten();
        let wrong = wrong.filter(|edit| is_wrong(edit)).chain(parts.edits());
        let left = wrong.flat_map(|edit| match is_wrong(edit) {
            true => self.parts(edit, &is_back),
            false => vec![edit.clone()],
        });
        let parts = Patch::new(left.collect()).unwrap_or_default();
        (!blamed.is_empty() || !needed.is_empty()).then_some(Repaired { blamed, parts, needed })
    }

    /// The edits that remove from a namespace or class all but what is back.
    fn parts(&self, edit: &Edit, is_back: &impl Fn(ItemId) -> bool) -> Vec<Edit> {
        let range = edit.range();
        let (tree, entities) = (self.unit.tree, self.entities);
        let ids: Vec<ItemId> = entities.ids_in(tree, range.clone()).collect();
        let mut holds_needed: BTreeSet<ItemId> = BTreeSet::new();
        for &id in ids.iter().rev() {
            if is_back(id) || holds_needed.contains(&id) {
                holds_needed.insert(id);
                holds_needed.extend(entities.item(id).parent);
            }
        }
        let mut edits: Vec<Edit> = Vec::new();
        for &id in &ids {
            let place = entities.range(tree, id);
            let is_inside = edits.last().is_some_and(|last| place.start < last.range().end);
            if !is_inside && !holds_needed.contains(&id) && place.end <= range.end {
                edits.push(self.unit.delete(place));
            }
        }
        edits
    }

    /// By item, whether it is there with what was missed, and all that it needs as far as that is not removed from inside it.
    fn restored(&self, roots: &[ItemId], meant: &[EntityId]) -> Vec<bool> {
        let inner = (0..).zip(self.refused).filter(|(index, edit)| {
            !self.reverted.contains(index) && !self.holds_items(&edit.range())
        });
        let inner = Patch::new(inner.map(|(_, edit)| edit.clone()).collect()).unwrap_or_default();
        let without = self.accepted.union(&inner).unwrap_or(inner);
        let ranges: Vec<Range<usize>> = without.edits().iter().map(Edit::range).collect();
        let present = Some(&self.present[..]);
        let follow = Follow { roots, meant, reach: Reach::Certain, without: &ranges, present };
        self.entities.reached(self.unit.tree, follow)
    }
}

/// The offset in a file before a patch of an offset after it; the end of what stands before it, if it was inserted.
fn before(kept: &[Kept], at: usize) -> usize {
    let Some(runs) = kept.first().and_then(|kept| kept.runs.as_ref()) else { return at };
    let Some(run) = run_before(runs, at) else { return 0 };
    run.old + (at - run.new).min(run.length.saturating_sub(1))
}

/// The last part that is left of a file and does not begin behind an offset.
fn run_before(runs: &[Run], at: usize) -> Option<&Run> {
    runs[..runs.partition_point(|run| run.new <= at)].last()
}

/// The name of the operator that a text begins with: clang points at one for which there is no function, and does not name it.
fn operator_at(text: &[u8]) -> Option<String> {
    let token = tokens(text).next().filter(|token| token.start == 0)?;
    let sign = &text[token.range()];
    let is_operator = sign.iter().all(|byte| b"+-*/%^&|<>=!".contains(byte));
    is_operator.then(|| format!("operator{}", String::from_utf8_lossy(sign)))
}

/// The one of some ranges, which are in order and apart from each other, that holds another one.
fn around<'r>(ranges: &'r [Range<usize>], range: &Range<usize>) -> Option<&'r Range<usize>> {
    let next = ranges.partition_point(|other| other.end <= range.start);
    ranges.get(next).filter(|other| other.start <= range.start && range.end <= other.end)
}

#[cfg(test)]
mod tests;
