//! Estimates of what can only be reached through an entity: the bytes of all items that it dominates.
//!
//! A mention leads from an item to an entity or a name, and these lead to items. A member is there only if its class is, and one of
//! several overloads only if the classes of its signature are. Such an item counts for one of these or for its name, whichever is
//! reached through more others. So an estimate is not exact: [`Entities::reached`] is.

use std::ops::Range;

use clreduce_testcase::step;

use super::mentions::Reference;
use super::reach::{Follow, Reach};
use super::scopes::{EntityKind, NameId};
use super::{Entities, EntityId, ItemId};
use crate::tree::SyntaxTree;

/// What mentions are worth.
#[derive(Debug)]
pub struct Weights {
    /// By place, the node that is mentioned there: without those by which something mentions itself.
    mentions: Vec<(u32, u32)>,
    /// By node, how often it is mentioned.
    counts: Vec<u32>,
    /// By node, the bytes that it dominates.
    dominated: Vec<u64>,
    /// By entity, the places of the names that lead to it alone.
    of_entity: Vec<Vec<u32>>,
}

/// The nodes of the graph: the root, items, entities, names of members, names of others.
struct Graph<'a> {
    entities: &'a Entities,
    successors: Vec<Vec<u32>>,
    /// By node, those that must be reached before it is.
    needs: Vec<Vec<u32>>,
    /// By item, whether it is reached.
    reached: Vec<bool>,
}

const NONE: u32 = u32::MAX;

impl Entities {
    /// Weighs what is reached from some items.
    #[must_use]
    pub fn weights(&self, tree: &SyntaxTree, roots: &[ItemId]) -> Weights {
        let reached = self.reached(tree, Follow::from(roots, Reach::Narrow));
        let mut graph =
            Graph { entities: self, successors: Vec::new(), needs: Vec::new(), reached };
        let count = graph.name_node(NameId(0), true) as usize + 2 * self.scopes.name_count();
        graph.successors.resize(count, Vec::new());
        graph.needs.resize(count, Vec::new());
        let mut weights = Weights {
            mentions: Vec::new(),
            counts: vec![0; count],
            dominated: Vec::new(),
            of_entity: vec![Vec::new(); self.scopes.len()],
        };
        graph.connect(roots);
        for id in self.ids() {
            self.read_mentions(id, &mut graph, &mut weights);
        }
        weights.mentions.sort_unstable();
        let mut own = vec![0; count];
        for id in self.ids() {
            let bytes = tree.range(self.item(id).node).len() as u64;
            own[item_node(id) as usize] += bytes;
            if let Some(parent) = self.item(id).parent {
                let around = &mut own[item_node(parent) as usize];
                *around = around.saturating_sub(bytes);
            }
        }
        weights.dominated = dominated(&graph, own);
        weights
    }

    fn read_mentions(&self, id: ItemId, graph: &mut Graph<'_>, weights: &mut Weights) {
        let around = std::iter::successors(Some(id), |&id| self.item(id).parent);
        let declared = around.flat_map(|id| self.item(id).declares.iter().copied());
        let around: Vec<EntityId> = declared.filter(|&it| !self.is_namespace(it)).collect();
        for &(at, mention) in &self.item(id).mentions {
            step();
            let nodes = match mention {
                Reference::Entity(entity) if around.contains(&entity) => continue,
                Reference::Entity(entity) => {
                    weights.of_entity[entity.0 as usize].push(at);
                    [graph.entity_node(entity), NONE]
                }
                Reference::Member(name) => [graph.name_node(name, true), NONE],
                Reference::Free(name) => [graph.name_node(name, false), NONE],
                Reference::Any(name) => [graph.name_node(name, true), graph.name_node(name, false)],
            };
            let is_reached = graph.reached[id.0 as usize];
            for node in nodes.into_iter().filter(|&node| is_reached && node != NONE) {
                graph.successors[item_node(id) as usize].push(node);
                weights.mentions.push((at, node));
                weights.counts[node as usize] += 1;
            }
        }
    }
}

fn item_node(id: ItemId) -> u32 {
    id.0 + 1
}

impl Graph<'_> {
    fn entity_node(&self, entity: EntityId) -> u32 {
        self.entities.items.len() as u32 + 1 + entity.0
    }

    fn name_node(&self, name: NameId, is_member: bool) -> u32 {
        let first = self.entity_node(EntityId(self.entities.scopes.len() as u32));
        first + 2 * name.0 + u32::from(is_member)
    }

    /// Adds what leads to items, and from names to entities.
    fn connect(&mut self, roots: &[ItemId]) {
        let entities = self.entities;
        self.successors[0].extend(roots.iter().map(|&root| item_node(root)));
        for id in entities.ids().filter(|id| self.reached[id.0 as usize]).collect::<Vec<_>>() {
            let item = entities.item(id);
            // A class is there before its members are.
            let parent = item.parent.filter(|_| !item.is_member);
            let nearby = parent.into_iter().chain(item.joined.into_iter().flatten());
            self.successors[item_node(id) as usize].extend(nearby.map(item_node));
            let needs = entities.needs(item, Reach::Narrow);
            let needs: Vec<u32> = needs.into_iter().map(|need| self.entity_node(need)).collect();
            let comes_by_itself = entities.comes_by_itself(item, Reach::Narrow);
            if comes_by_itself && needs.is_empty() {
                self.successors[0].push(item_node(id));
            }
            self.needs[item_node(id) as usize] = needs;
            for &entity in item.declares.iter().filter(|&&it| !entities.is_namespace(it)) {
                let node = self.entity_node(entity);
                self.successors[item_node(id) as usize].push(node);
                if !comes_by_itself {
                    self.successors[node as usize].push(item_node(id));
                }
            }
        }
        for entity in (0..entities.scopes.len() as u32).map(EntityId) {
            if entities.scopes.kind(entity) != EntityKind::Namespace {
                let name = entities.scopes.name_id(entity);
                let name = self.name_node(name, entities.scopes.is_in_class(entity));
                let node = self.entity_node(entity);
                self.successors[name as usize].push(node);
            }
        }
    }
}

/// By node, its own weight and that of every node which is reached from node 0 through it alone.
fn dominated(graph: &Graph<'_>, own: Vec<u64>) -> Vec<u64> {
    let mut leads_to = graph.successors.clone();
    for (node, needs) in graph.needs.iter().enumerate() {
        for &need in needs {
            leads_to[need as usize].push(node as u32);
        }
    }
    let order = postorder(&leads_to);
    let mut number = vec![NONE; own.len()];
    for (index, &node) in order.iter().enumerate() {
        number[node as usize] = index as u32;
    }
    let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); own.len()];
    for &node in &order {
        for &next in &graph.successors[node as usize] {
            predecessors[next as usize].push(number[node as usize]);
        }
    }
    // Cooper, Harvey and Kennedy: by number in the postorder, the closest dominator, and how many items dominate it.
    let last = order.len() - 1;
    let items = graph.reached.len();
    let mut above = vec![NONE; order.len()];
    let mut depth = vec![0_u32; order.len()];
    above[last] = last as u32;
    // Each round costs as much as the program is large; a few suffice but for very odd ones, where the estimate is too high.
    for _ in 0..8 {
        let mut is_changed = false;
        for index in (0..last).rev() {
            let node = order[index] as usize;
            let is_known = |it: &u32| above[*it as usize] != NONE;
            let known = predecessors[node].iter().copied().filter(is_known);
            let common = known.reduce(|a, b| meet(&above, a, b));
            // A node that was found through what needs it may have a lower number than what leads to it: above that, numbers grow.
            let climb = |it: &u32| Some(above[*it as usize]).filter(|&it| it != NONE);
            let common = common.and_then(|it| {
                std::iter::successors(Some(it), climb).find(|&it| it > index as u32)
            });
            let needs = graph.needs[node].iter().map(|&need| number[need as usize]);
            let needs = needs.filter(|it| *it != NONE && *it > index as u32 && is_known(it));
            let closest = common.into_iter().chain(needs).max_by_key(|&it| depth[it as usize]);
            let closest = closest.unwrap_or(last as u32);
            depth[index] = depth[closest as usize] + u32::from(node <= items);
            is_changed |= std::mem::replace(&mut above[index], closest) != closest;
        }
        if !is_changed {
            break;
        }
    }
    let mut all = own;
    for index in 0..last {
        let weight = all[order[index] as usize];
        all[order[above[index] as usize] as usize] += weight;
    }
    all
}

/// The closest dominator of two nodes, by their numbers in the postorder.
fn meet(above: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        step();
        if a < b {
            a = above[a as usize];
        } else {
            b = above[b as usize];
        }
    }
    a
}

fn postorder(successors: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::new();
    let mut is_seen = vec![false; successors.len()];
    is_seen[0] = true;
    let mut open: Vec<(u32, usize)> = vec![(0, 0)];
    while let Some((node, at)) = open.last_mut() {
        step();
        let next = successors[*node as usize].get(*at).copied();
        *at += 1;
        match next {
            Some(next) if !std::mem::replace(&mut is_seen[next as usize], true) => {
                open.push((next, 0));
            }
            Some(_) => {}
            None => {
                order.push(*node);
                open.pop();
            }
        }
    }
    order
}

impl Weights {
    /// The bytes that some disjoint ranges dominate: their own, and those of items that are mentioned nowhere else.
    #[must_use]
    pub fn of(&self, ranges: &[Range<usize>]) -> u64 {
        self.mentioned_only_in(ranges).map(|node| self.dominated[node as usize]).sum()
    }

    /// A number for that which dominates most bytes, of all that is mentioned in some ranges and nowhere else.
    #[must_use]
    pub fn heaviest(&self, ranges: &[Range<usize>]) -> Option<u32> {
        self.mentioned_only_in(ranges).max_by_key(|&node| self.dominated[node as usize])
    }

    fn mentioned_only_in(&self, ranges: &[Range<usize>]) -> impl Iterator<Item = u32> {
        let mut found: Vec<u32> = Vec::new();
        for range in ranges {
            let first = self.mentions.partition_point(|&(at, _)| (at as usize) < range.start);
            let inside = self.mentions[first..].iter();
            let inside = inside.take_while(|&&(at, _)| (at as usize) < range.end);
            found.extend(inside.map(|&(_, node)| node).inspect(|_| step()));
        }
        found.sort_unstable();
        let nodes = found.chunk_by(|a, b| a == b);
        let all = nodes.filter(|nodes| nodes.len() as u32 == self.counts[nodes[0] as usize]);
        all.map(|nodes| nodes[0]).collect::<Vec<_>>().into_iter()
    }

    /// Returns whether a name outside of some ranges, which are in order and apart from each other, leads to an entity.
    #[must_use]
    pub fn has_outside(&self, entity: EntityId, ranges: &[Range<usize>]) -> bool {
        self.of_entity[entity.0 as usize].iter().any(|&at| {
            step();
            let next = ranges.partition_point(|range| range.end <= at as usize);
            ranges.get(next).is_none_or(|range| range.start > at as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::super::ItemKind;
    use super::*;

    #[test]
    fn a_mention_weighs_what_is_reached_through_it_alone() {
        let source = "struct A { int a; };\nstruct B { A b; };\nstruct C { A c; B d; };\nint main() { C c; A a; B b; }";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::CPP);
        let entities = Entities::new(source.as_bytes(), &tree);
        let roots: Vec<ItemId> =
            entities.ids().filter(|&id| entities.item(id).kind == ItemKind::Function).collect();
        let weights = entities.weights(&tree, &roots);
        let weight = |parts: &[&str]| {
            let range = |part: &&str| {
                let start = source.find(part).unwrap();
                start..start + part.len()
            };
            weights.of(&parts.iter().map(range).collect::<Vec<_>>())
        };
        assert_eq!(weight(&["C c; A a"]), "struct C { A c; B d; }".len() as u64);
        assert_eq!(weight(&["A a;", "B b;"]), 0, "both are mentioned elsewhere as well");
        let b = "struct B { A b; }".len() as u64;
        assert_eq!(weight(&["B d;", "B b; }"]), b);
    }

    #[test]
    fn a_member_is_there_only_if_its_class_is() {
        let source = "struct C { void f(); };\nstruct B { C f(); int b; };\nstruct A { void f(); };\n\
            int main() { A a; a.f(); B b; }";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::CPP);
        let entities = Entities::new(source.as_bytes(), &tree);
        let main = entities.named(b"main")[0];
        let weights = entities.weights(&tree, entities.declarations(main));
        let at = source.find("B b").unwrap();
        let classes = "struct C { void f(); }struct B { C f(); int b; }".len() as u64;
        assert_eq!(weights.of(std::slice::from_ref(&(at..at + 3))), classes);
    }
}
