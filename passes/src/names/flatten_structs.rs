//! Puts the members of a structure inside a structure in its place.
//!
//! before:
//! ```c
//! struct I { int a, *b; }; struct O { int c; struct I i; } x = { 1, { 2 } }; int f(void) { return x.i.a; }
//! ```
//! after:
//! ```c
//! struct O { int c; int i_a, *i_b; } x = { 1, 2 }; int f(void) { return x.i_a; }
//! ```

use std::collections::HashMap;

use clreduce_language::{
    Accesses, Aggregate, Aggregates, Member, NodeField, NodeId, NodeKind, Symbols, is_padding,
};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, alone};
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub(crate) struct FlattenStructs;

impl Pass for FlattenStructs {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "flatten-structs",
            "Put the members of a structure inside a structure in its place",
            PARSED,
        )
        .growing()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let aggregates = snapshot.aggregates(unit.file);
            let accesses = snapshot.accesses(unit.file);
            let nest =
                NestedStructures::new(unit, snapshot.symbols(unit.file), aggregates, accesses);
            for (index, outer) in aggregates.all.iter().enumerate() {
                for (place, member) in outer.members.iter().enumerate() {
                    let edits = nest.flatten(outer, member, (index, place));
                    proposals.extend(edits.and_then(Patch::new).map(Proposal::new));
                }
            }
        }
    }
}

/// The structures of a file, and who accesses their members.
struct NestedStructures<'a> {
    unit: Unit<'a>,
    symbols: &'a Symbols,
    aggregates: &'a Aggregates,
    accesses: &'a Accesses,
    /// The structure that each access looks into.
    of_access: HashMap<NodeId, usize>,
}

impl<'a> NestedStructures<'a> {
    fn new(
        unit: Unit<'a>,
        symbols: &'a Symbols,
        aggregates: &'a Aggregates,
        accesses: &'a Accesses,
    ) -> Self {
        let mut nest = Self { unit, symbols, aggregates, accesses, of_access: HashMap::new() };
        for (index, aggregate) in aggregates.all.iter().enumerate() {
            for (place, member) in aggregate.members.iter().enumerate() {
                let found = nest.accesses_to(member, (index, place)).unwrap_or_default();
                nest.of_access.extend(found.into_iter().map(|access| (access, index)));
            }
        }
        nest
    }

    fn accesses_to(&self, member: &Member, place: (usize, usize)) -> Option<Vec<NodeId>> {
        self.accesses.of(place, self.unit.text(member.name?))
    }

    /// The edits that put the members of `member` in its place.
    fn flatten(
        &self,
        outer: &Aggregate,
        member: &Member,
        place: (usize, usize),
    ) -> Option<Vec<Edit>> {
        let (tree, file) = (self.unit.tree, self.unit.file);
        let name = member.name.filter(|_| member.declarator == member.name && !outer.unclear)?;
        let is_plain = tree.named_children(member.declaration).count() == 2;
        let prefix = [self.unit.text(name), b"_"].concat();
        let accesses = self.accesses_to(member, place).filter(|_| is_plain)?;
        let mut edits = Vec::new();
        let mut inside = None;
        for access in accesses {
            let whole = tree.parent(access)?;
            let is_object = tree.children(whole).any(|child| tree.kind(child) == NodeKind::Dot);
            let looked_into = *self.of_access.get(&whole).filter(|_| is_object)?;
            if *inside.get_or_insert(looked_into) != looked_into {
                return None;
            }
            let (field, part) =
                (tree.field(access, NodeField::Field)?, tree.field(whole, NodeField::Field)?);
            let text = [&prefix, self.unit.text(part)].concat();
            edits.push(Edit::replace(file, tree.range(field).start..tree.range(whole).end, text));
        }
        let inner = self.aggregates.all.get(inside?)?;
        let is_structure =
            |one: &Aggregate| tree.kind(one.specifier) == NodeKind::StructSpecifier && !one.unclear;
        if !is_structure(outer) || !is_structure(inner) || inner.specifier == outer.specifier {
            return None;
        }
        for &element in &member.initialisers {
            edits.extend(self.without_braces(inner, element, &prefix)?);
        }
        edits.push(Edit::replace(
            file,
            tree.range(member.declaration),
            self.members(inner, outer, &prefix)?,
        ));
        edits.extend(self.definition(inner, member)?);
        Some(edits)
    }

    /// The members of a structure, declared with other names that are free in another one.
    fn members(&self, inner: &Aggregate, outer: &Aggregate, prefix: &[u8]) -> Option<Vec<u8>> {
        let (tree, bytes) = (self.unit.tree, self.unit.bytes);
        let body = tree.range(tree.field(inner.specifier, NodeField::Body)?);
        let (mut at, mut text) = (body.start + 1, Vec::new());
        for member in inner.members.iter().filter(|member| !is_padding(tree, member)) {
            let name = tree.range(member.name?);
            text.extend_from_slice(&bytes[at..name.start]);
            let renamed = [prefix, &bytes[name.clone()]].concat();
            if outer.member(&renamed).is_some() {
                return None;
            }
            text.extend_from_slice(&renamed);
            at = name.end;
        }
        text.extend_from_slice(&bytes[at..body.end - 1]);
        Some(text)
    }

    /// The list that initialises the members loses its braces, if no value then stands for another member.
    fn without_braces(
        &self,
        inner: &Aggregate,
        element: NodeId,
        prefix: &[u8],
    ) -> Option<[Edit; 2]> {
        let (tree, file) = (self.unit.tree, self.unit.file);
        let list = tree.field(element, NodeField::Value).unwrap_or(element);
        let values: Vec<NodeId> = tree.named_children(list).collect();
        let (first, last) = (values.first()?, values.last()?);
        let is_list = tree.kind(list) == NodeKind::InitializerList
            && values.iter().all(|&value| tree.kind(value) != NodeKind::InitializerPair);
        let mut members = inner.members.iter().filter(|member| !is_padding(tree, member));
        let named = members.clone().count();
        let is_last = tree.next_named(element).is_none();
        if !is_list || values.len() > named || (values.len() < named && !is_last) {
            return None;
        }
        let designator = match element == list {
            true => Vec::new(),
            false => [b".", prefix, self.unit.text(members.next()?.name?), b" = "].concat(),
        };
        let (whole, from, to) = (tree.range(element), tree.range(*first), tree.range(*last));
        Some([
            Edit::replace(file, whole.start..from.start, designator),
            Edit::delete(file, to.end..whole.end),
        ])
    }

    /// Removes the definition of the structure inside where the member is all that uses it; `None` where it
    /// would be missed.
    fn definition(&self, inner: &Aggregate, member: &Member) -> Option<Option<Edit>> {
        let (tree, file) = (self.unit.tree, self.unit.file);
        let tag = tree.field(inner.specifier, NodeField::Name).and_then(|tag| self.symbols.of(tag));
        let uses = tag.map_or(0, |tag| self.symbols.get(tag).uses.len());
        let is_defined_here = tree.subtree(member.declaration).any(|node| node == inner.specifier);
        match (is_defined_here, uses) {
            (true, 0) => Some(None),
            (true, _) => None,
            (false, 1) => Some(alone(tree, inner.specifier).map(|range| Edit::delete(file, range))),
            (false, _) => Some(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        assert_reduces(&FlattenStructs, Language::C, before, &[], after);
    }

    #[test]
    fn initialisers_are_flattened_too() {
        check(
            "struct O { struct { int a; int b[2]; } i; int c; } x[] = { { { 1, { 2 } }, 3 }, { .i = { 4 } } };\n\
             int f(struct O *o) { return o->i.b[1]; }",
            "struct O { int i_a; int i_b[2]; int c; } x[] = { { 1, { 2 }, 3 }, { .i_a = 4 } };\n\
             int f(struct O *o) { return o->i_b[1]; }",
        );
    }

    #[test]
    fn a_definition_goes_with_its_only_use() {
        check(
            "struct I { int f0, *f1; int : 3; }; struct O { int f0; struct I f1; } x = { 1, { 2, 0 } };\n\
             int f(void) { return x.f1.f0; }",
            "struct O { int f0; int f1_f0, *f1_f1; int : 3; } x = { 1, 2, 0 };\n\
             int f(void) { return x.f1_f0; }",
        );
    }

    #[test]
    fn only_what_nobody_takes_whole() {
        let inner = "struct O { struct { int a; int b; } i; int c; } x";
        for rest in [
            "; int f(void) { return g(x.i) + x.i.a; }",
            "; int f(void) { return x.c; }",
            " = { { 1 }, 2 }; int f(void) { return x.i.a; }",
            " = { 1, 2, 3 }; int f(void) { return x.i.a; }",
        ] {
            let kept = format!("{inner}{rest}");
            check(&kept, &kept);
        }
    }
}
