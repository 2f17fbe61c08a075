//! Puts variables in the place of a structure: one for each member that is accessed.
//!
//! before:
//! ```c
//! struct S { int a; char *b, c; long d; }; static struct S s; int f(void) { return s.a + s.d; }
//! ```
//! after:
//! ```c
//! struct S { int a; char *b, c; long d; }; static int s_a; static long s_d; int f(void) { return s_a + s_d; }
//! ```

use std::collections::BTreeMap;

use clreduce_testcase::{Edit, Language, Patch};

use super::accesses::Accesses;
use super::aggregates::{Aggregates, Member};
use crate::pass::{PARSED, Pass, Proposal};
use crate::snapshot::Snapshot;
use crate::views::{NodeId, Symbol, SymbolKind, declared_by};

/// See the [module](self).
pub struct SplitStructs;

impl Pass for SplitStructs {
    fn name(&self) -> &'static str {
        "split-structs"
    }

    fn about(&self) -> &'static str {
        "Put one variable for each accessed member in the place of a structure"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        for file in 0..snapshot.file_count() {
            let symbols = snapshot.symbols(file);
            let aggregates = Aggregates::new(snapshot, file);
            let members = members(snapshot, file, &aggregates);
            let variables = symbols.ids().map(|id| symbols.get(id));
            let split = variables.filter_map(|symbol| split(snapshot, file, symbol, &members));
            proposals.extend(split.filter_map(Patch::new).map(Proposal::new));
        }
        proposals
    }
}

/// The member that each access reaches.
fn members<'a>(
    snapshot: &Snapshot,
    file: usize,
    aggregates: &'a Aggregates,
) -> BTreeMap<NodeId, &'a Member> {
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    let accesses = Accesses::new(snapshot, file, aggregates);
    let mut members = BTreeMap::new();
    for (index, aggregate) in aggregates.all.iter().enumerate() {
        for (place, member) in aggregate.members.iter().enumerate() {
            let reached =
                member.name.and_then(|name| accesses.of((index, place), &bytes[tree.range(name)]));
            members.extend(reached.into_iter().flatten().map(|access| (access, member)));
        }
    }
    members
}

fn split(
    snapshot: &Snapshot,
    file: usize,
    symbol: &Symbol,
    members: &BTreeMap<NodeId, &Member>,
) -> Option<Vec<Edit>> {
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let [name] = symbol.declarations[..] else { return None };
    if symbol.kind != SymbolKind::Variable || symbol.opaque || symbol.uses.is_empty() {
        return None;
    }
    // `struct S s;` and no more: what initialises it would have to be taken apart as well.
    let declaration = declared_by(tree, name)?;
    let kind = tree.field(declaration, "type")?;
    let is_alone = tree.field(declaration, "declarator") == Some(name)
        && tree.fields(declaration, "declarator").count() == 1
        && tree.field(kind, "body").is_none()
        && tree.range(kind).end <= tree.range(name).start;
    if !is_alone {
        return None;
    }
    let prefix = &bytes[tree.range(declaration).start..tree.range(kind).start];
    let mut edits = Vec::new();
    let mut parts: BTreeMap<NodeId, Vec<u8>> = BTreeMap::new();
    for &used in &symbol.uses {
        let access = tree.parent(used).filter(|access| members.contains_key(access))?;
        let is_object = tree.children(access).any(|child| tree.kind(child) == ".");
        let member = members[&access];
        let field = member.name.filter(|_| is_object && !member.shared)?;
        let part = [&bytes[tree.range(name)], b"_", &bytes[tree.range(field)]].concat();
        let whole = tree.range(member.declaration);
        let has_width = tree
            .named_children(member.declaration)
            .any(|child| tree.kind(child) == "bitfield_clause");
        let taken = || {
            let names = symbols.ids().map(|id| symbols.get(id).declarations[0]);
            names.into_iter().any(|name| bytes[tree.range(name)] == part[..])
        };
        if has_width || taken() {
            return None;
        }
        let field = tree.range(field);
        let declared =
            [prefix, &bytes[whole.start..field.start], &part, &bytes[field.end..whole.end], b" "];
        parts.insert(member.declaration, declared.concat());
        edits.push(Edit::replace(file, tree.range(access), part));
    }
    let text: Vec<u8> = parts.into_values().flatten().collect();
    edits.push(Edit::replace(file, tree.range(declaration), text));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_structures_that_are_nothing_but_their_members() {
        let check = |before: &str, after: &str| {
            assert_reduces(&SplitStructs, Language::C, before, &[], after);
        };
        check(
            "typedef struct { int a[2]; int b; } T; void f(void) { T t; t.a[0] = t.a[1]; t.a[1] = t.a[0]; }",
            "typedef struct { int a[2]; int b; } T; void f(void) { int t_a[2]; t_a[0] = t_a[1]; t_a[1] = t_a[0]; }",
        );
        for same in [
            "struct S { int a; } s; int f(void) { return s.a + s.a + s.a; }",
            "struct S { int a; }; struct S s; int f(void) { return s.a + g(&s) + s.a + s.a; }",
            "struct S { int a; }; struct S s = { 1 }; int f(void) { return s.a + s.a + s.a; }",
        ] {
            check(same, same);
        }
    }
}
