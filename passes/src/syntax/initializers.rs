//! Removes the initialisers of variables and the values of enumerators, or makes them trivial; in C++ also those of members,
//! default arguments, and the arguments of `new`.
//!
//! before:
//! ```c
//! enum E { A = 4 }; struct S s = { 1, { 2 } }; int x = 1;
//! ```
//! after:
//! ```c
//! enum E { A }; struct S s = { 1, { 2 } }; int x = 1;
//! ```

use clreduce_language::{Base, NodeField, NodeKind};
use clreduce_testcase::Feature;

use crate::analysis::Unit;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "initializers",
    "Remove initialisers and enumerators' values, or replace them by 0",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let found = Unit::all_sound(snapshot).flat_map(|(unit, id, kind)| match kind {
        NodeKind::InitDeclarator => {
            let declaration = unit.tree.node(id).parent;
            let may_go = !snapshot.language().has(Feature::Classes)
                || !needs_value(unit, declaration, unit.tree.field(id, NodeField::Declarator));
            let removal = removal(unit, id, NodeField::Declarator).filter(|_| may_go);
            removal.into_iter().collect()
        }
        NodeKind::FieldDeclaration
            if needs_value(unit, id, unit.tree.field(id, NodeField::Declarator)) =>
        {
            Vec::new()
        }
        NodeKind::Enumerator => removal(unit, id, NodeField::Name).into_iter().collect(),
        NodeKind::InitializerList => trivial(snapshot, unit, id),
        NodeKind::FieldDeclaration | NodeKind::OptionalParameterDeclaration => defaults(unit, id),
        NodeKind::NewExpression => {
            let arguments = unit.tree.field(id, NodeField::Arguments);
            let removal = arguments.map(|node| unit.delete(unit.tree.range(node)));
            removal.into_iter().map(Proposal::edit).collect()
        }
        _ => Vec::new(),
    });
    proposals.extend(found);
}

/// Removes what follows the name, unless the size of an array is told by it.
fn removal(unit: Unit<'_>, id: NodeId, name: NodeField) -> Option<Proposal> {
    let tree = unit.tree;
    let declarator = tree.field(id, name)?;
    let value = tree.field(id, NodeField::Value)?;
    let sized_by_value = tree.kind(declarator) == NodeKind::ArrayDeclarator
        && tree.field(declarator, NodeField::Size).is_none();
    let range = tree.range(declarator).end..tree.range(value).end;
    (!sized_by_value).then(|| Proposal::edit(unit.delete(range)))
}

/// Returns true if C++ has no such declaration without a value: one of a reference, a constant, or something whose type is that of
/// the value. What is `void` is a function that was not understood.
fn needs_value(unit: Unit<'_>, declaration: NodeId, declarator: Option<NodeId>) -> bool {
    let tree = unit.tree;
    let declared = declarator.map(|declarator| tree.kind(declarator));
    let is_plain = !matches!(declared, Some(NodeKind::PointerDeclarator));
    let of_type = tree.field(declaration, NodeField::Type).is_some_and(|of| {
        tree.kind(of) == NodeKind::PlaceholderTypeSpecifier || is_plain && unit.text(of) == b"void"
    });
    let is_qualified = tree.children(declaration).any(|child| {
        tree.kind(child) == NodeKind::TypeQualifier
            && (is_plain && unit.text(child) == b"const" || unit.text(child) == b"constexpr")
    });
    of_type || is_qualified || declared == Some(NodeKind::ReferenceDeclarator)
}

/// Removes what follows the names of members, or a default argument. That a function is purely virtual is no value.
fn defaults(unit: Unit<'_>, id: NodeId) -> Vec<Proposal> {
    let tree = unit.tree;
    let is_function =
        tree.children(id).any(|child| tree.kind(child) == NodeKind::FunctionDeclarator);
    let mut equals = None;
    let mut found = Vec::new();
    for child in tree.children(id).filter(|_| !is_function) {
        if tree.node(child).field == Some(NodeField::DefaultValue) {
            let range = tree.range(equals.take().unwrap_or(child)).start..tree.range(child).end;
            found.push(Proposal::edit(unit.delete(range)));
        }
        equals = (tree.kind(child) == NodeKind::Equal).then_some(child);
    }
    found
}

/// `{ a, { b } }` becomes `{0}`, in C++ `{}`, and inside another list or where a scalar will do `0`.
fn trivial(snapshot: &Snapshot, unit: Unit<'_>, id: NodeId) -> Vec<Proposal> {
    let empty = unit.tree.named_children(id).next().is_none();
    let parent = unit.tree.node(id).parent;
    // Only where the parent is small: a list may have very many children to look through.
    let is_aggregate = |declarator: NodeId| {
        let of = snapshot.types(unit.file).of(declarator);
        unit.tree.kind(declarator) == NodeKind::ArrayDeclarator
            || of.levels == 0 && matches!(of.base, Base::Aggregate(_))
    };
    let needs_braces = match unit.tree.kind(parent) {
        NodeKind::InitDeclarator
            if unit.tree.field(parent, NodeField::Declarator).is_some_and(is_aggregate) =>
        {
            true
        }
        // They may be those of a vector, and what is without them OpenCL C does not say.
        NodeKind::InitializerList => snapshot.language().has(Feature::OpenClWords),
        // In `A{1}` and `b{1}` of C++, `0` cannot take the place of the braces.
        _ if snapshot.language().has(Feature::Classes) => {
            let before = unit.bytes[..unit.tree.range(id).start].trim_ascii_end();
            let is_value = matches!(before.last(), Some(b'=' | b',' | b'(' | b'{'));
            !is_value && !before.ends_with(b"return")
        }
        _ => false,
    };
    let zero: &[u8] = if snapshot.language().has(Feature::Classes) { b"{}" } else { b"{0}" };
    let braced = (!empty).then(|| unit.shrink(id, zero)).flatten();
    let bare = (!needs_braces).then(|| unit.shrink(id, b"0")).flatten();
    let lists =
        [braced.map(|proposal| proposal.in_list(1)), bare.map(|proposal| proposal.in_list(2))];
    lists.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &str, after: &str) {
        assert_reduces(&PASS, Language::C, before, &[keep], after);
    }

    #[test]
    fn initialisers_go() {
        check("enum E { A = 4 }; int x = 1, y[2] = { 1, 2 };", "", "enum E { A }; int x, y[2];");
        check("int y[] = \"abc\"; int z[] = { 1, 2 };", "", "int y[] = \"abc\"; int z[] = {0};");
    }

    #[test]
    fn members_and_parameters_have_values_in_cpp() {
        assert_reduces(
            &PASS,
            Language::CPP,
            "struct S { int a = 1, b{2}; virtual void f(int x = 3) = 0; }; S *s = new S(4), t = { 1, 2 };",
            &["*s = new S", "t = {"],
            "struct S { int a, b; virtual void f(int x) = 0; }; S *s = new S, t = {};",
        );
    }

    #[test]
    fn what_needs_a_value_in_cpp_keeps_one() {
        let same = "int &a = b; const int c = 1; constexpr int d = 2; auto e = f(); struct A { static constexpr int a = 1; };\n\
                    A g() { return A{1}; }\n";
        let check = |before: &str, keep: &[&str], after: &str| {
            assert_reduces(&PASS, Language::CPP, before, keep, after);
        };
        check(same, &["A{1}"], same);
        check("const int *p = q; B b{1}; B c = {1};", &["b {"], "const int *p; B b{}; B c;");
        check(
            "void f(B b) { b = {1}; g({1}, B{1}); }",
            &["B {"],
            "void f(B b) { b = 0; g(0, B{}); }",
        );
    }

    #[test]
    fn or_become_zero() {
        check("struct S s = { 1, { 2, 3 } };", "{ 1,", "struct S s = { 1, 0 };");
        assert_reduces(
            &PASS,
            Language::OPENCL,
            "struct { int3 b; int c; } d = { { 1, 2, 3 }, 4 };",
            &["4"],
            "struct { int3 b; int c; } d = { {0}, 4 };",
        );
        check(
            "struct S { int a, b; }; struct S s = { 1, 2 };",
            "s =",
            "struct S { int a, b; }; struct S s = {0};",
        );
    }
}
