//! Removes constraints of templates: `requires` clauses, concepts in the place of `class` and before `auto`, requirements
//! and return types behind a function.
//!
//! before:
//! ```cpp
//! template <class T> concept C = requires(T t) { { t.f() } -> D; t + 1; };
//! template <C T> requires C<T> auto f(T t, C auto u) -> int;
//! ```
//! after:
//! ```cpp
//! template <class T> concept C = true;
//! template <C T> requires C<T> auto f(T t, C auto u) -> int;
//! ```

use std::collections::HashSet;

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, concepts, constraint, with_semicolon};
use crate::edit::is_smaller;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-constraints",
    "Remove requires clauses, type constraints, requirements and trailing return types",
    CPP,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let concepts = concepts(unit);
        for (id, kind) in unit.sound() {
            proposals.extend(without(unit, &concepts, id, kind).map(Proposal::edit));
            let simpler = simpler(unit, id, kind).into_iter().zip(1..);
            proposals.extend(simpler.map(|(patch, list)| Proposal::new(patch).in_list(list)));
        }
    }
}

/// The edit that removes a constraint, or everything that a concept requires.
fn without(unit: Unit<'_>, concepts: &HashSet<&[u8]>, id: NodeId, kind: NodeKind) -> Option<Edit> {
    let tree = unit.tree;
    let parent = tree.kind(tree.node(id).parent);
    let to_true = |value: NodeId| {
        is_smaller(b"true", unit.text(value)).then(|| unit.replace(tree.range(value), b"true"))
    };
    match kind {
        // In a list of requirements, `requires C;` goes as a whole.
        NodeKind::RequiresClause if parent != NodeKind::SimpleRequirement => {
            Some(unit.delete(tree.range(id)))
        }
        NodeKind::PlaceholderTypeSpecifier => {
            let constraint = tree.field(id, NodeField::Constraint)?;
            Some(unit.delete(tree.range(constraint)))
        }
        NodeKind::ParameterDeclaration
        | NodeKind::VariadicParameterDeclaration
        | NodeKind::OptionalParameterDeclaration
            if parent == NodeKind::TemplateParameterList =>
        {
            let constraint = constraint(unit, concepts, id)?;
            let is_longer = is_smaller(b"class", unit.text(constraint));
            is_longer.then(|| unit.replace(tree.range(constraint), b"class"))
        }
        NodeKind::ConceptDefinition => to_true(concept_value(unit, id)?),
        NodeKind::RequiresExpression if parent != NodeKind::ConceptDefinition => to_true(id),
        NodeKind::TrailingReturnType => Some(unit.delete(tree.range(id))),
        NodeKind::SimpleRequirement | NodeKind::CompoundRequirement | NodeKind::TypeRequirement => {
            let range = requirement(unit, id)?;
            Some(unit.delete(range))
        }
        _ => None,
    }
}

fn concept_value(unit: Unit<'_>, id: NodeId) -> Option<NodeId> {
    let tree = unit.tree;
    tree.named_children(id).last().filter(|&value| tree.node(value).field.is_none())
}

/// A requirement with its semicolon; the grammar reads the one behind a type as a requirement of its own.
fn requirement(unit: Unit<'_>, id: NodeId) -> Option<std::ops::Range<usize>> {
    let tree = unit.tree;
    let range = with_semicolon(tree, id);
    let is_empty = |node: NodeId| unit.text(node) == b";";
    match tree.kind(id) {
        NodeKind::SimpleRequirement => (!is_empty(id)).then_some(range),
        NodeKind::TypeRequirement => {
            let next = tree.next_named(id).filter(|&next| is_empty(next));
            Some(range.start..next.map_or(range.end, |next| tree.range(next).end))
        }
        _ => Some(range),
    }
}

/// The patches that leave a part of a constraint, or write it shorter.
fn simpler(unit: Unit<'_>, id: NodeId, kind: NodeKind) -> Vec<Patch> {
    let tree = unit.tree;
    let whole = tree.range(id);
    match kind {
        // `{ e } -> C;` becomes `e;`.
        NodeKind::CompoundRequirement => {
            let close = tree.children(id).find(|&child| tree.kind(child) == NodeKind::RightBrace);
            let inside = tree.named_children(id).next().zip(close).map(|(inside, close)| {
                let (inside, close) = (tree.range(inside), tree.range(close));
                let end = tree.children(id).last().map_or(whole.clone(), |last| tree.range(last));
                let end = if &unit.bytes[end.clone()] == b";" { end.start } else { end.end };
                vec![
                    unit.replace(whole.start..inside.start, b" "),
                    unit.replace(inside.end..end.max(close.end), b" "),
                ]
            });
            inside.and_then(Patch::new).into_iter().collect()
        }
        NodeKind::ConstraintConjunction | NodeKind::ConstraintDisjunction => {
            let fields = [NodeField::Left, NodeField::Right];
            let sides = fields.map(|field| side(unit, id, field));
            sides.into_iter().flatten().map(|side| unit.keep(whole.clone(), side)).collect()
        }
        NodeKind::BinaryExpression if is_constraint(unit, id) => {
            let fields = [NodeField::Left, NodeField::Right];
            let sides = fields.map(|field| side(unit, id, field));
            sides.into_iter().flatten().map(|side| unit.keep(whole.clone(), side)).collect()
        }
        NodeKind::TrailingReturnType => moved_to_front(unit, id).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// All children that a field of a constraint has: a parenthesis is three of them.
fn side(unit: Unit<'_>, id: NodeId, field: NodeField) -> Option<std::ops::Range<usize>> {
    let tree = unit.tree;
    let start = tree.range(tree.field(id, field)?).start;
    let end = tree.fields(id, field).last().map(|last| tree.range(last).end)?;
    (start < end).then_some(start..end)
}

/// Returns whether an expression is all of a concept.
fn is_constraint(unit: Unit<'_>, id: NodeId) -> bool {
    let parent = unit.tree.node(id).parent;
    unit.tree.kind(parent) == NodeKind::ConceptDefinition
}

/// `auto f() -> T` becomes `T f()`.
fn moved_to_front(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let declarator = tree.parent(id)?;
    if tree.kind(declarator) != NodeKind::FunctionDeclarator {
        return None;
    }
    let kind = tree.field(tree.parent(declarator)?, NodeField::Type)?;
    let written = tree.named_children(id).next()?;
    let text = unit.text(written).to_vec();
    let edits = vec![Edit::replace(unit.file, tree.range(kind), text), unit.delete(tree.range(id))];
    Patch::new(edits).filter(|_| unit.text(kind) == b"auto")
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::CPP, before, keep, after);
    }

    #[test]
    fn requirements_go_one_by_one() {
        check(
            "template <class T> concept C = requires(T t) { typename T::a; { t.f() } noexcept -> D<int>; requires E<T>; t + 1; };",
            &["requires(T t) {", "t.f()"],
            "template <class T> concept C = requires(T t) { t.f(); };",
        );
    }

    #[test]
    fn one_side_of_a_constraint_stays() {
        check(
            "template <class T> concept C = A<T> && B<T> || D<T>; template <class T> requires (A<T>) && B<T> void f();",
            &["D<T>;", "> requires (A<T>)"],
            "template <class T> concept C = D<T>; template <class T> requires (A<T>) void f();",
        );
    }

    #[test]
    fn a_return_type_moves_to_the_front() {
        check("auto f() -> int;", &["int"], "int f();");
        let enums = "enum E { X }; template <E e> void f();";
        check(enums, &[], enums);
    }
}
