//! Removes the bodies of functions in C++: those of members, templates and constructors as well.
//!
//! A declaration is enough for what is not run, and for a template that is not instantiated. Outside of its class, a member
//! cannot be declared again, so that its definition goes as a whole. What remains of these functions gets a body that is as
//! short as their type allows. Bodies that give a function its type, or may be needed while the program is compiled, are a list
//! of their own: hardly any other can go if one of them cannot.
//!
//! before:
//! ```cpp
//! struct A { A() : x(1) { } int f() { return x; } int g(); int x; };
//! int A::g() { return f() + 1; }
//! template <class T> constexpr T h(T x) { return x + 1; }
//! ```
//! after:
//! ```cpp
//! struct A { A(); int f(); int g(); int x; };
//! template <class T> constexpr T h(T x);
//! ```

use std::ops::Range;

use clreduce_language::{Body, Item, NodeField, NodeKind};
use clreduce_testcase::{Edit, tokens};

use crate::analysis::{Unit, is_in, main_file};
use crate::edit::is_smaller;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass =
    Pass::new("cpp-bodies", "Remove or empty bodies of functions and members in C++", CPP, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let entities = snapshot.entities(unit.file);
        let main = main_file(unit.bytes);
        for id in entities.ids() {
            let item = entities.item(id);
            let Some(body) = entities.body(unit.bytes, unit.tree, id) else { continue };
            let whole = entities.range(unit.tree, id);
            let removal = match only_definition(unit, whole.clone(), item) {
                Some(range) => unit.delete(range),
                None if item.is_outside => unit.delete(whole),
                None => unit.replace(body.range.clone(), b";"),
            };
            // The bug is in a body of the main file more often than in one of its headers.
            let first = if is_in(&main, body.range.start) { 3 } else { 0 };
            let list = first + u32::from(body.is_needed_early);
            if is_smaller(b";", &unit.bytes[body.range.clone()]) {
                proposals.push(Proposal::edit(removal).in_list(list));
            }
            if let Some(edit) = emptied(unit, item, &body) {
                proposals.push(Proposal::edit(edit).in_list(first + 2));
            }
        }
    }
}

/// The bytes of a function that is a friend and cannot be declared without being defined: it has an attribute or a constraint, or a
/// parameter of its template has a default.
fn only_definition(unit: Unit<'_>, range: Range<usize>, item: &Item) -> Option<Range<usize>> {
    let tree = unit.tree;
    let body = tree.field(item.inner, NodeField::Body)?;
    let head = &unit.bytes[range.start..tree.range(body).start];
    let words: Vec<&[u8]> = tokens(head).map(|token| &head[token.range()]).collect();
    let friend = words.iter().position(|word| *word == b"friend")?;
    // The parser may leave an attribute in front of it.
    let before = unit.bytes[..range.start].trim_ascii_end();
    let attribute = before.ends_with(b"]]").then(|| before.windows(2).rposition(|it| it == b"[["));
    let start = attribute.flatten().unwrap_or(range.start);
    let has_attribute = start < range.start || words.windows(2).any(|pair| pair == [b"[", b"["]);
    let has_default = item.is_template && words[..friend].contains(&&b"="[..]);
    (has_attribute || has_default || words.contains(&&b"requires"[..])).then_some(start..range.end)
}

/// The edit that leaves a function the shortest body that its type allows.
pub(super) fn emptied(unit: Unit<'_>, item: &Item, body: &Body) -> Option<Edit> {
    let tree = unit.tree;
    // A constructor keeps its initialisers: a base class may need them.
    let node = tree.field(item.inner, NodeField::Body)?;
    let range = tree.range(node).start..body.range.end;
    let declarator = tree.field(item.inner, NodeField::Declarator)?;
    let stub: &'static [u8] = match tree.field(item.inner, NodeField::Type) {
        // Constructors and destructors have no type, and a conversion has it in its name.
        None if tree.kind(declarator) == NodeKind::OperatorCast => b"{ return {}; }",
        None => b"{ }",
        Some(kind) => match tree.kind(declarator) {
            NodeKind::FunctionDeclarator if unit.text(kind) == b"void" => b"{ }",
            NodeKind::FunctionDeclarator
                if tree.kind(kind) == NodeKind::PlaceholderTypeSpecifier =>
            {
                b"{ __builtin_unreachable(); }"
            }
            NodeKind::FunctionDeclarator if tree.kind(kind) != NodeKind::PrimitiveType => {
                b"{ return {}; }"
            }
            // A constant function must return something.
            NodeKind::ReferenceDeclarator if body.is_needed_early => return None,
            NodeKind::ReferenceDeclarator => b"{ __builtin_unreachable(); }",
            _ => b"{ return 0; }",
        },
    };
    is_smaller(stub, &unit.bytes[range.clone()]).then(|| unit.replace(range, stub))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn friends_that_cannot_be_declared_go_as_a_whole() {
        let before = "template <class T> struct A {\n  [[nodiscard]] friend bool f(A) { return g(); }\n\
                      friend bool h(A) requires C<T> { return g(); }\n  friend bool i(A) { return g(); }\n\
                      [[nodiscard]] friend constexpr long_name_of_a_type j(A) { return g(); }\n\
                      template <class U, class V = U> friend bool k(A, U) { return g(); }\n\
                      template <class U> friend bool l(A, U) { return g(); }\n};\n";
        let after = "template <class T> struct A {\n  \n\n  friend bool i(A) ;\n\n\ntemplate <class U> friend bool l(A, U) ;\n};\n";
        assert_reduces(
            &PASS,
            Language::CPP,
            before,
            &["friend bool i(A)", "friend bool l("],
            after,
        );
    }

    #[test]
    fn where_a_body_must_stay_it_is_as_short_as_its_type_allows() {
        let before = "struct S { S() : a(f()) { g(); } int a; };\nvoid f() { g(1); }\nint h() { g(1); return 2; }\n\
                      int *p() { g(); return q; }\nS s() { S s; return s; }\nS &r() { g(); return x; }\n";
        let after = "struct S { S() : a(f()) { } int a; };\nvoid f() { }\nint h() { return 0; }\n\
                     int *p() { return 0; }\nS s() { return {}; }\nS &r() { __builtin_unreachable(); }\n";
        let keep = ["a(f()) {", "f() {", "h() {", "p() {", "s() {", "r() {"];
        assert_reduces(&PASS, Language::CPP, before, &keep, after);
    }
}
