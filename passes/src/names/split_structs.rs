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

use clreduce_language::{
    Aggregate, Aggregates, Member, NodeField, NodeId, NodeKind, Symbol, SymbolKind, declared_by,
};
use clreduce_testcase::{Edit, Patch};

use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub(crate) struct SplitStructs;

impl Pass for SplitStructs {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "split-structs",
            "Replace a structure by one variable for each accessed member",
            PARSED,
        )
        .growing()
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for file in 0..snapshot.file_count() {
            let symbols = snapshot.symbols(file);
            let aggregates = snapshot.aggregates(file);
            let members = members(snapshot, file, aggregates);
            let variables = symbols.ids().map(|id| symbols.get(id));
            let split = variables.filter_map(|symbol| split(snapshot, file, symbol, &members));
            proposals.extend(split.filter_map(Patch::new).map(Proposal::new));
        }
    }
}

/// The member that each access reaches, and its structure.
fn members<'a>(
    snapshot: &Snapshot,
    file: usize,
    aggregates: &'a Aggregates,
) -> BTreeMap<NodeId, (&'a Aggregate, &'a Member)> {
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    let accesses = snapshot.accesses(file);
    let mut members = BTreeMap::new();
    for (index, aggregate) in aggregates.all.iter().enumerate() {
        for (place, member) in aggregate.members.iter().enumerate() {
            let reached =
                member.name.and_then(|name| accesses.of((index, place), &bytes[tree.range(name)]));
            members
                .extend(reached.into_iter().flatten().map(|access| (access, (aggregate, member))));
        }
    }
    members
}

fn split(
    snapshot: &Snapshot,
    file: usize,
    symbol: &Symbol,
    members: &BTreeMap<NodeId, (&Aggregate, &Member)>,
) -> Option<Vec<Edit>> {
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    let [name] = symbol.declarations[..] else { return None };
    if symbol.kind != SymbolKind::Variable || symbol.opaque || symbol.uses.is_empty() {
        return None;
    }
    let object = Object::read(snapshot, file, name)?;
    let mut edits = Vec::new();
    let mut parts: BTreeMap<NodeId, Vec<u8>> = BTreeMap::new();
    for &used in &symbol.uses {
        let access = tree.parent(used)?;
        let &(aggregate, member) = members.get(&access)?;
        let is_object = tree.children(access).any(|child| tree.kind(child) == NodeKind::Dot);
        let field = member.name.filter(|_| is_object && !member.shared)?;
        let part = [&bytes[tree.range(name)], b"_", &bytes[tree.range(field)]].concat();
        parts.insert(member.declaration, object.part(aggregate, member, field, &part)?);
        edits.push(Edit::replace(file, tree.range(access), part));
    }
    let text: Vec<u8> = parts.into_values().flatten().collect();
    edits.push(Edit::replace(file, tree.range(object.declaration), text));
    Some(edits)
}

/// A variable that is a structure, alone in its declaration.
struct Object<'a> {
    snapshot: &'a Snapshot,
    file: usize,
    declaration: NodeId,
    /// The structure's name or definition.
    kind: NodeId,
    /// Its initialiser.
    values: Option<NodeId>,
}

impl<'a> Object<'a> {
    fn read(snapshot: &'a Snapshot, file: usize, name: NodeId) -> Option<Self> {
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        let declaration = declared_by(tree, name)?;
        let kind = tree.field(declaration, NodeField::Type)?;
        let declarator = tree.field(declaration, NodeField::Declarator)?;
        let is_name = |declarator: NodeId| declarator == name;
        let values = tree.field(declarator, NodeField::Value);
        let is_object = is_name(declarator)
            || tree.field(declarator, NodeField::Declarator).is_some_and(is_name);
        // A definition goes with the variable, if nobody else needs it or what is defined in it.
        let bodies =
            tree.subtree(kind).filter(|&node| tree.node(node).field == Some(NodeField::Body));
        let tag = tree.field(kind, NodeField::Name).and_then(|tag| symbols.of(tag));
        let is_free = match bodies.count() {
            0 => true,
            count => count == 1 && tag.is_none_or(|tag| symbols.get(tag).uses.is_empty()),
        };
        let is_alone = tree.fields(declaration, NodeField::Declarator).nth(1).is_none()
            && tree.kind(tree.parent(declaration)?) != NodeKind::ForStatement
            && values.is_none_or(|list| tree.kind(list) == NodeKind::InitializerList)
            && tree.range(kind).end <= tree.range(name).start;
        (is_object && is_free && is_alone).then_some(Self {
            snapshot,
            file,
            declaration,
            kind,
            values,
        })
    }

    /// The declaration of a variable for a member, with its value.
    fn part(
        &self,
        aggregate: &Aggregate,
        member: &Member,
        field: NodeId,
        part: &[u8],
    ) -> Option<Vec<u8>> {
        let (tree, bytes) = (self.snapshot.tree(self.file), self.snapshot.bytes(self.file));
        let symbols = self.snapshot.symbols(self.file);
        let mut inside = tree.named_children(member.declaration);
        let has_width = inside.any(|child| tree.kind(child) == NodeKind::BitfieldClause);
        let mut names = symbols.ids().map(|id| symbols.get(id).declarations[0]);
        if has_width || names.any(|name| bytes[tree.range(name)] == *part) {
            return None;
        }
        let value = match self.values {
            None => Vec::new(),
            // Of a union, the first member's value is that of all.
            Some(_)
                if aggregate.unclear
                    || tree.kind(aggregate.specifier) != NodeKind::StructSpecifier =>
            {
                return None;
            }
            Some(list) => {
                let mut elements = member.initialisers.iter();
                let element = elements.find(|&&element| tree.parent(element) == Some(list));
                let value = element.map(|&node| tree.field(node, NodeField::Value).unwrap_or(node));
                let value = value.map_or(&b"{0}"[..], |value| &bytes[tree.range(value)]);
                [b" = ", value].concat()
            }
        };
        let (start, kind) = (tree.range(self.declaration).start, tree.range(self.kind).start);
        let (whole, field) = (tree.range(member.declaration), tree.range(field));
        let semicolon = tree.children(member.declaration).last()?;
        let rest = field.end..tree.range(semicolon).start.max(field.end);
        let declared = [&bytes[start..kind], &bytes[whole.start..field.start], part, &bytes[rest]];
        Some([&declared.concat(), &value[..], b"; "].concat())
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

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
            "struct S { int a; } s; int f(void) { struct S t; return s.a + s.a + s.a; }",
            "struct S { int a; }; struct S s; int f(void) { return s.a + g(&s) + s.a + s.a; }",
            "struct S { int a; }; struct S s = g(); int f(void) { return s.a + s.a + s.a; }",
            "union S { int a; char b; } s = { 1 }; int f(void) { return s.b + s.b + s.b; }",
        ] {
            check(same, same);
        }
    }

    #[test]
    fn values_and_definitions_go_along() {
        assert_reduces(
            &SplitStructs,
            Language::C,
            "struct S { int a, b; int c[2]; int d; } s = { .c = { 1, 2 }, 3 }; int f(void) { return s.c[0] + s.d; }",
            &[],
            "int s_c[2] = { 1, 2 }; int s_d = 3; int f(void) { return s_c[0] + s_d; }",
        );
        assert_reduces(
            &SplitStructs,
            Language::C,
            "void f(void) { struct { int a; int b; } s = { 1 }; s.b++; s.b++; }",
            &[],
            "void f(void) { int s_b = {0}; s_b++; s_b++; }",
        );
    }
}
