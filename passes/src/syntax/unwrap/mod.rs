//! Replaces a statement by a part of itself: a loop by its body, or by an `if`; an `if` by a branch or its
//! condition, a block by what it holds; in C++ also `try` by its block, a condition with a declaration by the declaration, and a loop
//! over a range by its body twice.
//!
//! before:
//! ```c
//! void f(int x) { for (int i = 0; i < x; i++) { if (i) break; g(i); } }
//! ```
//! after:
//! ```c
//! void f(int x) { int i = 0; if (i) ; g(i); }
//! ```

mod bare;
mod loops;

use std::ops::Range;

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Patch, steps};

use crate::analysis::{Unit, is_expression, is_statement, is_statement_list};
use crate::budget::Budget;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};
use bare::{NamesByNode, bare, in_list};
use loops::{body_of_for, body_of_range, body_once, body_twice, once_if, without_jumps};

pub(crate) const PASS: Pass = Pass::new(
    "unwrap",
    "Replace loops, branches, switches, labels and blocks by what they hold",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let names = NamesByNode::new(snapshot, unit);
        for (id, kind) in unit.sound() {
            let parts = match kind {
                NodeKind::IfStatement => branches(unit, &names, id),
                NodeKind::WhileStatement => {
                    vec![body_once(unit, &names, id), condition(unit, id), once_if(unit, id)]
                }
                NodeKind::DoStatement => {
                    vec![body_once(unit, &names, id), condition(unit, id)]
                }
                NodeKind::ForRangeLoop => {
                    let twice = body_twice(unit, id);
                    vec![body_once(unit, &names, id), body_of_range(unit, &names, id), twice]
                }
                NodeKind::TryStatement => vec![tried(unit, &names, id)],
                NodeKind::ForStatement => {
                    vec![body_of_for(unit, &names, id), once_if(unit, id)]
                }
                NodeKind::SwitchStatement => switch(unit, id, proposals),
                NodeKind::LabeledStatement => vec![last_part(unit, id)],
                NodeKind::CompoundStatement => vec![block(unit, &names, id)],
                _ => continue,
            };
            // Alternatives for one statement stand in different lists.
            let patches =
                parts.into_iter().zip(0..).filter_map(|(patch, list)| Some((patch?, list)));
            proposals.extend(patches.map(|(patch, list)| Proposal::new(patch).in_list(list)));
        }
    }
}

/// `try { a; } catch (...) { b; }` becomes `a;`.
fn tried(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Option<Patch> {
    let body = unit.tree.field(id, NodeField::Body)?;
    Some(unit.keep(unit.tree.range(id), bare(unit, names, id, body)))
}

/// `if (T x = a; b) then` and `if (T x = a) then` become `T x = a; then`.
fn with_declaration(
    unit: Unit<'_>,
    names: &NamesByNode<'_>,
    id: NodeId,
    then: NodeId,
) -> Option<Patch> {
    let tree = unit.tree;
    let clause = tree.field(id, NodeField::Condition)?;
    let init = tree.field(clause, NodeField::Initializer);
    let declaration = init.or_else(|| {
        let value = tree.field(clause, NodeField::Value)?;
        (tree.kind(value) == NodeKind::Declaration).then_some(value)
    })?;
    if !in_list(unit, id) || names.clash(tree, id) {
        return None;
    }
    let (whole, part) = (tree.range(id), tree.range(declaration));
    let bare = bare(unit, names, id, then);
    let semicolon: &[u8] = if init.is_some() { b" " } else { b"; " };
    Patch::new(vec![
        unit.replace(whole.start..part.start, b" "),
        unit.replace(part.end..bare.start, semicolon),
        unit.replace(bare.end..whole.end, b" "),
    ])
}

/// `{ s; t; }` in a list, or around a single statement elsewhere, loses its braces.
fn block(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let range = tree.range(id);
    let mut inside = tree.named_children(id);
    let only = inside.next()?;
    let parent = tree.kind(tree.node(id).parent);
    let alone = inside.next().is_none()
        && is_statement(tree.kind(only))
        && !matches!(
            tree.kind(only),
            NodeKind::Declaration | NodeKind::TypeDefinition | NodeKind::CaseStatement
        )
        && (is_statement(parent) || parent == NodeKind::ElseClause)
        && parent != NodeKind::SwitchStatement;
    let in_list = is_statement_list(parent) || parent == NodeKind::TranslationUnit;
    let free = in_list && !names.clash(tree, id) || alone;
    free.then(|| unit.keep(range.clone(), range.start + 1..range.end - 1))
}

/// Either branch alone, the condition alone, and `if (c) a else b` as `if (c) b`.
fn branches(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Vec<Option<Patch>> {
    let tree = unit.tree;
    let whole = tree.range(id);
    let then = tree.field(id, NodeField::Consequence);
    let otherwise = tree.field(id, NodeField::Alternative).and_then(|clause| {
        tree.named_children(clause).find(|&child| is_statement(tree.kind(child)))
    });
    let keep = |part: NodeId| unit.keep(whole.clone(), bare(unit, names, id, part));
    let swapped = then.zip(otherwise).map(|(then, otherwise)| {
        let range = tree.range(then).start..tree.range(otherwise).start;
        Patch::single(unit.replace(range, b" "))
    });
    let declared = then.and_then(|then| with_declaration(unit, names, id, then));
    vec![then.map(keep), otherwise.map(keep), condition(unit, id), swapped, declared]
}

/// `if (c) s` becomes `c;`.
fn condition(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let whole = tree.range(id);
    let clause = tree.field(id, NodeField::Condition)?;
    let value =
        tree.named_children(clause).next().filter(|&node| is_expression(tree.kind(node)))?;
    let range = tree.range(value);
    let before = unit.replace(whole.start..range.start, b" ");
    Patch::new(vec![before, unit.replace(range.end..whole.end, b";")])
}

/// The number of cases of a switch that are tried alone.
const MOST_CASES: Budget = Budget::new("cases of one switch", 64);

/// All cases in a row, then each case alone, then the value.
fn switch(unit: Unit<'_>, id: NodeId, proposals: &mut Proposals) -> Vec<Option<Patch>> {
    let tree = unit.tree;
    let whole = tree.range(id);
    let Some(body) = tree.field(id, NodeField::Body) else { return Vec::new() };
    let statements: Vec<Range<usize>> = tree
        .named_children(body)
        .filter(|&case| tree.kind(case) == NodeKind::CaseStatement)
        .filter_map(|case| {
            let inside = |&child: &NodeId| tree.node(child).field != Some(NodeField::Value);
            let first = tree.named_children(case).find(inside)?;
            Some(tree.range(first).start..tree.range(case).end)
        })
        .collect();
    let braces = !in_list(unit, id);
    let jumps = without_jumps(unit, body, false);
    let keep = |parts: &[Range<usize>]| {
        let mut edits = unit.keep_parts(whole.clone(), parts);
        if braces {
            edits.first_mut()?.text = b"{".as_slice().into();
            edits.last_mut().filter(|edit| edit.end as usize == whole.end)?.text =
                b"}".as_slice().into();
        }
        // Parts and jumps are in order.
        for part in parts {
            let before = |at: usize| jumps.partition_point(|jump| (jump.start as usize) < at);
            let kept = &jumps[before(part.start)..before(part.end)];
            steps(1 + kept.len());
            edits.extend_from_slice(kept);
        }
        Patch::new(edits)
    };
    let mut patches = vec![(!statements.is_empty()).then(|| keep(&statements)).flatten()];
    if statements.len() > 1 {
        let each = proposals.limited(&MOST_CASES, &statements);
        patches.extend(each.into_iter().map(|case| keep(std::slice::from_ref(case))));
    }
    patches.push(condition(unit, id));
    patches
}

/// `label: s` becomes `s`.
fn last_part(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let statement = tree.named_children(id).last().filter(|&node| is_statement(tree.kind(node)))?;
    Some(unit.keep(tree.range(id), tree.range(statement)))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::{assert_reduces, reduce_with, spelled};

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::C, before, keep, after);
    }

    #[test]
    fn everything_around_a_statement_goes() {
        let before = "void f(void) {
            l: while (a) { if (b) { do { for (;;) g(); } while (c); } else h(); }
        }";
        check(before, &["g()"], "void f(void) { g(); }");
        check(before, &["h()"], "void f(void) { h(); }");
    }

    #[test]
    fn an_initializer_stays_with_the_body() {
        check(
            "void f(void) { if (a) for (int i = 0; i < 9; i++) { g(i); } }",
            &["if (a)", "i = 0"],
            "void f(void) { if (a) { int i = 0; g(i); } }",
        );
    }

    #[test]
    fn a_loop_becomes_an_if() {
        check(
            "void f(void) { while (a) { if (b) break; g(); } for (; c; d++) g(); }",
            &["(a) {", "(b)", "c", ") g()"],
            "void f(void) { if (a) { if (b) ; g(); } if (c) g(); }",
        );
    }

    #[test]
    fn braces_that_keep_names_apart_stay() {
        check(
            "void f(int p) { int i; while (p) { int i = 1; } { int p; } for (int i = 0; ;) g(i); }",
            &["int i = 1", "int p;", "int i = 0"],
            "void f(int p) { int i; { int i = 1; } { int p; } for (int i = 0; ;) g(i); }",
        );
    }

    #[test]
    fn statements_of_cpp_lose_what_is_around_them() {
        let check = |before: &str, keep: &[&str], after: &str| {
            let wrap = |text: &str| format!("void f() {{ {text} }}");
            assert_reduces(&PASS, Language::CPP, &wrap(before), keep, &wrap(after));
        };
        check("try { g(); } catch (...) { h(); }", &["g()"], "g();");
        check(
            "for (T x : a) { if (x) continue; g(x); }",
            &["T x", "if (x)"],
            "T x; if (x) ; g(x);",
        );
        check("for (auto &x : a) g(x);", &["&x", "g(x)"], "auto &x = a; g(x);");
        let left = reduce_with(&PASS, "void f() { for (T x : a) { g(); } }", Language::CPP, |it| {
            it.contains("for") || it.matches("g()").count() == 2
        });
        assert_eq!(spelled(&left), spelled("void f() { g(); g(); }"));
        check(
            "if (int x = h(); x > 1) { g(x); } else k();",
            &["h()", "g(x)"],
            "int x = h(); g(x);",
        );
        check("if (T x = h()) g(x);", &["h()", "g(x)"], "T x = h(); g(x);");
    }

    #[test]
    fn jumps_without_a_loop_are_emptied() {
        check(
            "void f(void) { while (a) { switch (b) { case 1: continue; case 2: break; } break; } }",
            &["switch (b)"],
            "void f(void) { switch (b) { case 1: ; case 2: break; } ; }",
        );
    }

    #[test]
    fn a_switch_becomes_its_cases() {
        let before = "void f(void) { switch (a) { case 1: g(); break; default: { h(); break; } } }";
        check(before, &["g()", "h()"], "void f(void) { g(); ; h(); ; }");
        check(before, &["h()"], "void f(void) { h(); ; }");
    }

    #[test]
    fn the_condition_may_be_what_counts() {
        check("void f(void) { if (g()) h(); }", &["g()"], "void f(void) { g(); }");
    }
}
