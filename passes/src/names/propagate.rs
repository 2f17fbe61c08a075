//! Puts what a variable was set to in place of its uses.
//!
//! Only for variables that are set exactly once, by their initialiser or by one assignment, and whose address is not taken.
//! An assignment inside an expression leaves its value there. What a pointer to a variable points to is that variable.
//! Where the plain value will not do, it is cast to the type of the variable.
//!
//! before:
//! ```c
//! int f(int a) { int x = a + 1; int y; y = 2; return x * y; }
//! ```
//! after:
//! ```c
//! int f(int a) { return (a + 1) * 2; }
//! ```

use clreduce_language::{
    AccessKind, AccessReach, NodeField, NodeId, NodeKind, Symbol, SymbolKind, SyntaxTree, Use,
    declared_by,
};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::has_effect;
use crate::edit::{as_operand, is_whole_statement, remove_declaration, remove_expression};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "propagate",
    "Replace variables by the one value that they are set to",
    PARSED,
    propose,
)
.growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let symbols = snapshot.symbols(file);
        for id in symbols.ids() {
            for (list, convert) in [false, true].into_iter().enumerate() {
                let edits = propagate(snapshot, file, symbols.get(id), convert);
                if let Some(patch) = edits.and_then(Patch::new) {
                    proposals.push(Proposal::new(patch).in_list(list as u32));
                }
            }
        }
    }
}

/// The edits that put the value in place of the variable, converted to its type or as it is.
fn propagate(
    snapshot: &Snapshot,
    file: usize,
    symbol: &Symbol,
    convert: bool,
) -> Option<Vec<Edit>> {
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    let [declaring] = symbol.declarations[..] else { return None };
    if symbol.kind != SymbolKind::Variable || symbol.opaque || symbol.uses.is_empty() {
        return None;
    }
    let mut sets: Vec<(NodeId, Option<NodeId>)> = Vec::new();
    let mut reads = Vec::new();
    let is_pointer =
        tree.parent(declaring).is_some_and(|above| tree.kind(above) == NodeKind::PointerDeclarator);
    for found in snapshot.uses(file).of(snapshot.symbols(file).of(declaring)?) {
        match assignment_to(tree, found, is_pointer)? {
            Some(assignment) => {
                sets.push((tree.field(assignment, NodeField::Right)?, Some(assignment)));
            }
            None => reads.push(found.name),
        }
    }
    if let Some(value) = initialiser(tree, declaring) {
        sets.push((value, None));
    }
    let [(value, assignment)] = sets[..] else { return None };
    if tree.kind(value) == NodeKind::InitializerList || reads.is_empty() {
        return None;
    }
    let mut edits = vec![remove_declaration(tree, file, declaring)?];
    if let Some(assignment) = assignment {
        edits.push(without_assignment(tree, file, assignment, value, &reads)?);
    }
    let text = as_operand(tree, value, &bytes[tree.range(value)]);
    if convert {
        let kind = plain_type(tree, declaring)?;
        let text = [b"((", &bytes[tree.range(kind)], b")", &text[..], b")"].concat();
        edits.extend(reads.iter().map(|&name| Edit::replace(file, tree.range(name), text.clone())));
        return Some(edits);
    }
    let pointed_to = address_of(tree, value).map(|inside| &bytes[tree.range(inside)]);
    edits.extend(reads.iter().map(|&name| {
        let through = pointed_to.and_then(|target| reached_through(tree, name, target));
        let (range, text) = through.unwrap_or_else(|| (tree.range(name), text.clone()));
        Edit::replace(file, range, text)
    }));
    Some(edits)
}

/// A statement goes; of an assignment inside an expression the value stays, so that it must be one that may be
/// computed twice.
fn without_assignment(
    tree: &SyntaxTree,
    file: usize,
    assignment: NodeId,
    value: NodeId,
    reads: &[NodeId],
) -> Option<Edit> {
    if is_whole_statement(tree, assignment) {
        return Some(remove_expression(tree, file, assignment));
    }
    let is_inside = |name: &NodeId| tree.subtree(value).any(|node| node == *name);
    let may_stay = !has_effect(tree, value) && !reads.iter().any(is_inside);
    let target = tree.range(assignment).start..tree.range(value).start;
    may_stay.then(|| Edit::delete(file, target))
}

/// The type of a variable that is no pointer or array.
fn plain_type(tree: &SyntaxTree, declaring: NodeId) -> Option<NodeId> {
    let declaration = declared_by(tree, declaring)?;
    let declarator = tree.parent(declaring)?;
    let is_plain = declarator == declaration || tree.kind(declarator) == NodeKind::InitDeclarator;
    let kind = tree.field(declaration, NodeField::Type)?;
    (is_plain && tree.field(kind, NodeField::Body).is_none()).then_some(kind)
}

/// The operand of `&`, if an expression is an address.
fn address_of(tree: &SyntaxTree, value: NodeId) -> Option<NodeId> {
    let operator = tree.field(value, NodeField::Operator)?;
    (tree.kind(value) == NodeKind::PointerExpression && tree.kind(operator) == NodeKind::Ampersand)
        .then(|| tree.field(value, NodeField::Argument))
        .flatten()
        .filter(|&inside| {
            let postfix =
                [NodeKind::Identifier, NodeKind::FieldExpression, NodeKind::SubscriptExpression];
            postfix.contains(&tree.kind(inside))
        })
}

/// `*p`, `p[0]` and `p->` where `p` points to `target`: what to replace, and by what.
fn reached_through(
    tree: &SyntaxTree,
    name: NodeId,
    target: &[u8],
) -> Option<(std::ops::Range<usize>, Vec<u8>)> {
    let above = tree.parent(name)?;
    let range = tree.range(above);
    match tree.kind(above) {
        NodeKind::PointerExpression => {
            let is_star = tree
                .field(above, NodeField::Operator)
                .is_some_and(|op| tree.kind(op) == NodeKind::Star);
            is_star.then(|| (range, target.to_vec()))
        }
        NodeKind::FieldExpression => {
            let arrow = tree.children(above).find(|&child| tree.kind(child) == NodeKind::Arrow)?;
            Some((range.start..tree.range(arrow).end, [target, b"."].concat()))
        }
        NodeKind::SubscriptExpression if tree.node(name).field == Some(NodeField::Argument) => {
            Some((range, target.to_vec()))
        }
        _ => None,
    }
}

/// The value a declarator gives to the variable.
fn initialiser(tree: &SyntaxTree, declaring: NodeId) -> Option<NodeId> {
    let whole =
        tree.ancestors(declaring).find(|&node| tree.kind(node) != NodeKind::PointerDeclarator)?;
    (tree.kind(whole) == NodeKind::InitDeclarator)
        .then(|| tree.field(whole, NodeField::Value))
        .flatten()
}

/// `Some(Some(_))`: the use is the target of this plain assignment.
/// `Some(None)`: the use only reads. `None`: it is changed in another way, or its address escapes.
#[expect(clippy::option_option, reason = "three cases, told apart by one caller")]
fn assignment_to(tree: &SyntaxTree, found: Use, is_pointer: bool) -> Option<Option<NodeId>> {
    let is_whole = found.path == found.name;
    // Through a pointer the variable itself is only read.
    let is_elsewhere =
        found.reach == AccessReach::Pointer || is_pointer && found.reach == AccessReach::Element;
    match found.whole {
        AccessKind::Assigned if is_whole => Some(Some(tree.parent(found.path)?)),
        AccessKind::Assigned | AccessKind::Modified => is_elsewhere.then_some(None),
        AccessKind::Counted if is_whole => None,
        _ => (!found.takes_address()).then_some(None),
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn pointers_are_followed_and_types_kept() {
        let reduce = |source: &str, keep: &str| {
            reduce_with(&PASS, source, Language::C, |text| text.contains(keep))
        };
        assert_eq!(
            reduce("int f(void) { int *p = &x.a; struct S *q = &s; *p = q->b; return p[0]; }", ""),
            "int f(void) {   x.a = s. b; return x.a; }"
        );
        assert_eq!(
            reduce("int f(void) { int *p = g(); p[0] = 1; }", ""),
            "int f(void) {  g()[0] = 1; }"
        );
        assert_eq!(
            reduce("int f(int a) { short x = a; return x; }", "short"),
            "int f(int a) {  return ((short)a); }"
        );
    }

    #[test]
    fn an_assignment_in_an_expression_leaves_its_value() {
        let reduce = |source: &str| reduce_with(&PASS, source, Language::C, |_| true);
        assert_eq!(
            reduce("int f(int a) { int y; g(y = a, (y = a) + 1); return a; }"),
            "int f(int a) { int y; g(y = a, (y = a) + 1); return a; }"
        );
        assert_eq!(
            reduce("int f(int a) { int y; if (3 < (y = a)) h(y); return y; }"),
            "int f(int a) {  if (3 < (a)) h(a); return a; }"
        );
        let effect = "int f(int a) { int y; if ((y = a++)) h(y); }";
        assert_eq!(reduce(effect), effect);
    }

    #[test]
    fn values_take_the_place_of_variables() {
        let source = "int f(int a) { int x = a + 1; int y; y = 2; int z = 1; z++; int *p = &z; return x * y; }";
        assert_eq!(
            reduce_with(&PASS, source, Language::C, |_| true),
            "int f(int a) {    int z = 1; z++; int *p = &z; return (a + 1) * 2; }"
        );
    }
}
