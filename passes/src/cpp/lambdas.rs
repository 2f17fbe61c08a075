//! Empties lambda expressions: bodies, captures, parameters and specifiers; one that is called on the spot becomes what it
//! does or returns.
//!
//! before:
//! ```cpp
//! int f(int x) { auto l = [&x](int a) mutable { return a; }; return [x] { return x + 1; }(); }
//! ```
//! after:
//! ```cpp
//! int f(int x) { auto l = [&x](int a) mutable { return a; }; return x + 1; }
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, is_expression};
use crate::edit::is_smaller;
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppLambdas;

impl Pass for CppLambdas {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-lambdas",
            "Empty lambda expressions, and replace those called on the spot by what they do",
            CPP,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let lambdas = Unit::all_sound(snapshot);
        for (unit, id, _) in lambdas.filter(|(.., kind)| *kind == NodeKind::LambdaExpression) {
            let tree = unit.tree;
            let mut push = |patch: Option<Patch>, list| {
                proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
            };
            push(called(unit, id), 0);
            if let Some(body) = tree.field(id, NodeField::Body) {
                for (stub, list) in [(b"{}".as_slice(), 1), (b"{ return {}; }", 2)] {
                    let is_smaller = is_smaller(stub, unit.text(body));
                    let edit = is_smaller.then(|| unit.replace(tree.range(body), stub));
                    push(edit.map(Patch::single), list);
                }
            }
            if let Some(declarator) = tree.field(id, NodeField::Declarator) {
                push(Some(Patch::single(unit.delete(tree.range(declarator)))), 1);
            }
            if let Some(captures) = tree.field(id, NodeField::Captures) {
                for (stub, list) in [(b"[]".as_slice(), 1), (b"[&]", 3)] {
                    let is_smaller = is_smaller(stub, unit.text(captures));
                    let edit = is_smaller.then(|| unit.replace(tree.range(captures), stub));
                    push(edit.map(Patch::single), list);
                }
                for edit in elements(unit, captures) {
                    push(Some(Patch::single(edit)), 4);
                }
            }
        }
    }
}

/// The edits that remove single captures.
fn elements(unit: Unit<'_>, captures: NodeId) -> Vec<Edit> {
    let tree = unit.tree;
    let mut elements: Vec<Edit> = Vec::new();
    let mut start = None;
    for child in tree.children(captures) {
        match tree.kind(child) {
            NodeKind::LeftBracket => {}
            NodeKind::Comma | NodeKind::RightBracket => {
                let end = tree.range(child).start;
                let range = start.take().map(|start: usize| start..end);
                elements.extend(range.map(|range| Edit::delete_element(unit.file, range)));
            }
            _ => start = start.or(Some(tree.range(child).start)),
        }
    }
    if elements.len() > 1 { elements } else { Vec::new() }
}

/// `[]{ a; }();` becomes `{ a; }`, and elsewhere `[]{ return a; }()` becomes `a`.
fn called(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let call = tree.parent(id).filter(|&call| tree.kind(call) == NodeKind::CallExpression)?;
    if tree.node(id).field != Some(NodeField::Function) {
        return None;
    }
    let body = tree.field(id, NodeField::Body)?;
    let statement = tree.parent(call)?;
    if tree.kind(statement) == NodeKind::ExpressionStatement {
        return Some(unit.keep(tree.range(statement), tree.range(body)));
    }
    let mut statements = tree.named_children(body);
    let returned = statements.next().filter(|_| statements.next().is_none())?;
    let value = tree.named_children(returned).next()?;
    let is_value =
        tree.kind(returned) == NodeKind::ReturnStatement && is_expression(tree.kind(value));
    is_value.then(|| unit.keep(tree.range(call), tree.range(value)))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn what_is_needed_stays() {
        let check = |before: &str, keep: &[&str], after: &str| {
            assert_reduces(&CppLambdas, Language::Cpp, before, keep, after);
        };
        let before = "auto l = [x, &y = z, this](int a) -> T { g(); return a; };";
        check(before, &["&y = z", "return"], "auto l = [&y = z] { return {}; };");
        check(before, &["[&", "(int a)"], "auto l = [&](int a) -> T {};");
        check(
            "void f() { [=](int a) { g(a); }(1); h([] { return 1; }()); }",
            &["g(a)"],
            "void f() { { g(a); } h(1); }",
        );
    }
}
