//! Removes statements and the declarations among them, level by level.
//!
//! before:
//! ```c
//! void f(int x) { if (x) { g(); h(); } k(); }
//! ```
//! after:
//! ```c
//! void f(int x) { if (x) { h(); } k(); }
//! ```

use std::collections::HashSet;

use clreduce_language::{NodeField, NodeKind, declared_by};
use clreduce_testcase::Edit;

use crate::analysis::{Unit, is_statement, is_statement_list, with_semicolon};
use crate::edit::is_smaller;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "statements",
    "Remove statements, declarations in bodies, cases and else branches",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let levels = levels(unit);
        // Without them, what uses them would be left undeclared.
        let needed = used_declarations(snapshot, unit);
        let sound = unit.tree.ids().skip(1).filter(|&id| !unit.tree.node(id).damaged);
        for id in sound.filter(|id| !needed.contains(id)) {
            let level = levels[id.0 as usize];
            if let Some(edit) = removal(unit, id, level) {
                proposals.push(Proposal::edit(edit).in_list(level));
            }
        }
    }
}

/// The declarations of something that is used.
fn used_declarations(snapshot: &Snapshot, unit: Unit<'_>) -> HashSet<NodeId> {
    let symbols = snapshot.symbols(unit.file);
    let used = symbols.ids().map(|id| symbols.get(id)).filter(|symbol| !symbol.uses.is_empty());
    let declaring = used.flat_map(|symbol| &symbol.declarations);
    declaring.filter_map(|&name| declared_by(unit.tree, name)).collect()
}

/// The number of bodies around each node.
fn levels(unit: Unit<'_>) -> Vec<u32> {
    let mut levels: Vec<u32> = Vec::with_capacity(unit.tree.len());
    for id in unit.tree.ids() {
        let parent = unit.tree.node(id).parent;
        let around = levels.get(parent.0 as usize).copied().unwrap_or(0);
        let opens =
            matches!(unit.tree.kind(id), NodeKind::CompoundStatement | NodeKind::CaseStatement);
        levels.push(around + u32::from(opens));
    }
    levels
}

/// The edit that removes a node, if it is something that a body can do without.
fn removal(unit: Unit<'_>, id: NodeId, level: u32) -> Option<Edit> {
    let node = unit.tree.node(id);
    let parent = node.parent;
    let emptied = || {
        let smaller = is_smaller(b";", unit.text(id));
        smaller.then(|| unit.replace(node.range(), b";"))
    };
    match unit.tree.kind(parent) {
        list if is_statement_list(list) => {
            let is_value_of_case =
                list == NodeKind::CaseStatement && node.field == Some(NodeField::Value);
            let is_kept = is_value_of_case || is_value_of_expression(unit, parent, id);
            if !node.named || node.kind == NodeKind::Comment || is_kept {
                return None;
            }
            let lone = list == NodeKind::CaseStatement && is_all_of_the_last_case(unit, parent, id);
            if lone { emptied() } else { Some(unit.delete(with_semicolon(unit.tree, id))) }
        }
        conditional if level > 0 && conditional.is_preprocessing() => {
            let is_item = node.named && node.field.is_none() && node.kind != NodeKind::Comment;
            is_item.then(|| unit.delete(with_semicolon(unit.tree, id)))
        }
        NodeKind::IfStatement if node.kind == NodeKind::ElseClause => {
            Some(unit.delete(node.range()))
        }
        // One handler must stay.
        NodeKind::TryStatement if node.kind == NodeKind::CatchClause => {
            let is_handler = |&other: &NodeId| unit.tree.kind(other) == NodeKind::CatchClause;
            let handlers = unit.tree.named_children(parent).filter(is_handler);
            (handlers.take(2).count() > 1).then(|| unit.delete(node.range()))
        }
        // A place that must hold one statement.
        NodeKind::IfStatement
        | NodeKind::ElseClause
        | NodeKind::ForStatement
        | NodeKind::WhileStatement
        | NodeKind::DoStatement
        | NodeKind::LabeledStatement
        | NodeKind::ForRangeLoop => {
            let is_body = is_statement(node.kind) && node.field != Some(NodeField::Initializer);
            if is_body { emptied() } else { None }
        }
        _ => None,
    }
}

/// Returns true if a statement is the value of a statement expression that something uses.
fn is_value_of_expression(unit: Unit<'_>, list: NodeId, statement: NodeId) -> bool {
    let tree = unit.tree;
    let parenthesis = tree.node(list).parent;
    let is_used = || tree.kind(tree.node(parenthesis).parent) != NodeKind::ExpressionStatement;
    let is_last = || tree.node(list).after.0 <= tree.node(statement).after.0 + 1;
    tree.kind(parenthesis) == NodeKind::ParenthesizedExpression && is_last() && is_used()
}

/// Returns true if a statement is the only one of the last case of its switch: a label must not be
/// followed by a brace.
fn is_all_of_the_last_case(unit: Unit<'_>, case: NodeId, statement: NodeId) -> bool {
    let tree = unit.tree;
    let mut statements =
        tree.named_children(case).filter(|&child| tree.node(child).field != Some(NodeField::Value));
    if statements.next() != Some(statement) || statements.next().is_some() {
        return false;
    }
    let next = tree.node(case).after;
    (next.0 as usize) < tree.len() && tree.kind(next) == NodeKind::RightBrace
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::C, before, keep, after);
    }

    #[test]
    fn nested_statements_and_types_go() {
        check(
            "void f(void) { struct S { int a; }; int x; while (1) { g(); x = 2; } l: h(); }",
            &["while", "g()"],
            "void f(void) { while (1) { g(); } }",
        );
    }

    #[test]
    fn what_must_hold_a_statement_keeps_an_empty_one() {
        check(
            "void f(void) { if (a) b(); else c(); for (int i = 0;;) d(); }",
            &["if (a)", "for (int i"],
            "void f(void) { if (a) ; for (int i = 0;;) ; }",
        );
    }

    #[test]
    fn one_handler_stays() {
        assert_reduces(
            &PASS,
            Language::CPP,
            "void f() { try { g(); } catch (int) { h(); } catch (...) { k(); } }",
            &["try", "catch"],
            "void f() { try { } catch (...) { } }",
        );
    }

    #[test]
    fn the_last_case_keeps_a_statement() {
        check(
            "void f(void) { switch (a) { case 1: b(); break; case 2: break; } }",
            &["case 2"],
            "void f(void) { switch (a) { case 2: ; } }",
        );
    }
}
