//! Puts the type of a structure's only field in place of the structure.
//!
//! `x.f` becomes `x`, `p->f` becomes `(*p)`.
//!
//! before:
//! ```c
//! struct S { short f; }; struct S x, *p = &x; int g(void) { return x.f + p->f; }
//! ```
//! after:
//! ```c
//! short x, *p = &x; int g(void) { return x + (*p); }
//! ```

use std::collections::{BTreeSet, HashSet};

use clreduce_language::{
    Accesses, Aggregate, Aggregates, NodeField, NodeId, NodeKind, Symbol, SymbolId, SyntaxTree,
};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::with_semicolon;
use crate::pass::{C_LIKE, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub(crate) struct StructToField;

impl Pass for StructToField {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "struct-to-field",
            "Put the type of a structure's only field in place of the structure",
            C_LIKE,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for file in 0..snapshot.file_count() {
            let aggregates = snapshot.aggregates(file);
            let accesses = snapshot.accesses(file);
            let inner = Inner::new(snapshot, file, aggregates);
            for (index, aggregate) in aggregates.all.iter().enumerate() {
                // From the inside out: what is inside cannot change while it is copied.
                if inner.stand_in(snapshot.tree(file), aggregate) {
                    continue;
                }
                let edits = replace(snapshot, file, aggregate, index, accesses);
                proposals.extend(edits.and_then(Patch::new).map(Proposal::new));
            }
        }
    }
}

/// The number of mentions of structures with one member before each node.
struct Inner {
    mentions_before: Vec<u32>,
}

impl Inner {
    fn new(snapshot: &Snapshot, file: usize, aggregates: &Aggregates) -> Self {
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        let (specifiers, names) = single(snapshot, file, aggregates);
        let is_mention = |node: NodeId| {
            specifiers.contains(&node)
                || symbols.of(node).is_some_and(|symbol| names.contains(&symbol))
        };
        let mut count = 0;
        let mut mentions_before = vec![0];
        mentions_before.extend(tree.ids().map(|node| {
            count += u32::from(is_mention(node));
            count
        }));
        Self { mentions_before }
    }

    /// Returns true if a structure has another structure of one member in it.
    fn stand_in(&self, tree: &SyntaxTree, aggregate: &Aggregate) -> bool {
        let before = |node: NodeId| self.mentions_before[node.0 as usize];
        let body = tree.field(aggregate.specifier, NodeField::Body);
        body.is_some_and(|body| before(tree.node(body).after) > before(body))
    }
}

/// The structures with one member: where each begins, and the symbols that stand for it.
fn single(
    snapshot: &Snapshot,
    file: usize,
    aggregates: &Aggregates,
) -> (BTreeSet<NodeId>, HashSet<SymbolId>) {
    let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
    let of_one = aggregates.all.iter().filter(|aggregate| aggregate.members.len() == 1);
    let specifiers: BTreeSet<NodeId> = of_one.map(|aggregate| aggregate.specifier).collect();
    let names = specifiers.iter().flat_map(|&specifier| {
        let above = tree.node(specifier).parent;
        let defined = (tree.kind(above) == NodeKind::TypeDefinition).then_some(above).into_iter();
        let defined = defined.flat_map(|above| tree.fields(above, NodeField::Declarator));
        tree.field(specifier, NodeField::Name).into_iter().chain(defined)
    });
    let names = names.filter_map(|name| symbols.of(name)).collect();
    (specifiers, names)
}

fn replace(
    snapshot: &Snapshot,
    file: usize,
    aggregate: &Aggregate,
    index: usize,
    accesses: &Accesses,
) -> Option<Vec<Edit>> {
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let specifier = aggregate.specifier;
    let [member] = &aggregate.members[..] else { return None };
    let name = member.name.filter(|_| !aggregate.unclear)?;
    // A plain field: pointers and arrays would have to move into every declarator.
    if member.declarator != Some(name) {
        return None;
    }
    let kind = bytes[tree.range(tree.field(member.declaration, NodeField::Type)?)].to_vec();
    let mut edits = Vec::new();
    for access in accesses.of((index, 0), &bytes[tree.range(name)])? {
        edits.push(without_field(tree, file, access, bytes)?);
    }
    for &element in &member.initialisers {
        edits.extend(without_braces(tree, file, element, bytes));
    }
    match tree.field(specifier, NodeField::Name).and_then(|tag| symbols.of(tag)) {
        Some(tag) => edits.extend(replace_tag(tree, file, symbols.get(tag), &kind)?),
        None => edits.push(Edit::replace(file, tree.range(specifier), kind)),
    }
    Some(edits)
}

/// The list around the value of the only member becomes the value.
fn without_braces(tree: &SyntaxTree, file: usize, element: NodeId, bytes: &[u8]) -> Option<Edit> {
    let list = tree.parent(element)?;
    let value = tree.field(element, NodeField::Value).unwrap_or(element);
    Some(Edit::replace(file, tree.range(list), bytes[tree.range(value)].to_vec()))
}

/// Every mention of the tag becomes the field's type; a declaration of nothing else goes.
fn replace_tag(tree: &SyntaxTree, file: usize, tag: &Symbol, kind: &[u8]) -> Option<Vec<Edit>> {
    if tag.opaque {
        return None;
    }
    let mentions = tag.declarations.iter().chain(&tag.uses);
    mentions
        .map(|&name| {
            let specifier = tree.parent(name)?;
            let above = tree.parent(specifier)?;
            let alone = tree.kind(above) == NodeKind::TranslationUnit
                || (tree.kind(above) == NodeKind::Declaration
                    && tree.field(above, NodeField::Declarator).is_none());
            Some(if alone {
                Edit::delete(file, with_semicolon(tree, specifier))
            } else {
                Edit::replace(file, tree.range(specifier), kind.to_vec())
            })
        })
        .collect()
}

fn without_field(tree: &SyntaxTree, file: usize, access: NodeId, bytes: &[u8]) -> Option<Edit> {
    let argument = tree.field(access, NodeField::Argument)?;
    let arrow = tree.children(access).any(|child| tree.kind(child) == NodeKind::Arrow);
    if arrow {
        let text = [b"(*", &bytes[tree.range(argument)], b")"].concat();
        Some(Edit::replace(file, tree.range(access), text))
    } else {
        Some(Edit::delete(file, tree.range(argument).end..tree.range(access).end))
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn accesses_lose_their_field() {
        let source =
            "struct S { short f; };\nstruct S x, *p = &x; int g(void) { return x.f + p->f; }";
        assert_eq!(
            reduce_with(&StructToField, source, Language::C, |_| true).trim(),
            "short x, *p = &x; int g(void) { return x + (*p); }"
        );
    }

    #[test]
    fn structures_in_structures_go_from_the_inside_out() {
        let source = "struct S { int f; }; typedef struct { struct S s; } T; T x = { { 1 } }; int g(void) { return x.s.f; }";
        let case = clreduce_testcase::TestCase::single("a.c", source.as_bytes()).unwrap();
        assert_eq!(Proposals::of(&StructToField, &Snapshot::new(case, Language::C)).list.len(), 1);
        assert_eq!(
            reduce_with(&StructToField, source, Language::C, |_| true).trim(),
            "typedef int T; T x = 1; int g(void) { return x; }"
        );
    }

    #[test]
    fn ambiguous_fields_stay() {
        let source = "struct S { short f; }; struct T { int f; } t; int g(void) { return h().f; }";
        assert_eq!(reduce_with(&StructToField, source, Language::C, |_| true), source);
    }

    #[test]
    fn initialisers_lose_their_braces() {
        let source = "struct S { short f; };\nstruct S x = { 1 }, y[2] = { { 2 }, { .f = 3 } };";
        assert_eq!(
            reduce_with(&StructToField, source, Language::C, |_| true).trim(),
            "short x = 1, y[2] = { 2, 3 };"
        );
    }
}
