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

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Patch, steps};

use crate::analysis::{Unit, is_expression, is_statement, is_statement_list};
use crate::budget::Budget;
use crate::edit::is_smaller;
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot, SymbolKind, SyntaxTree};

/// The pass.
pub(crate) struct Unwrap;

impl Pass for Unwrap {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "unwrap",
            "Replace loops, branches, switches, labels and blocks by what they hold",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
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
}

/// The names that are declared in each scope.
struct NamesByNode<'a>(HashMap<NodeId, HashSet<&'a [u8]>>);

impl<'a> NamesByNode<'a> {
    fn new(snapshot: &'a Snapshot, unit: Unit<'a>) -> Self {
        let symbols = snapshot.symbols(unit.file);
        let mut names: HashMap<NodeId, HashSet<&[u8]>> = HashMap::new();
        for symbol in symbols.ids().map(|id| symbols.get(id)) {
            if !matches!(symbol.kind, SymbolKind::Label | SymbolKind::Function) {
                names.entry(symbol.scope).or_default().insert(unit.text(symbol.declarations[0]));
            }
        }
        Self(names)
    }

    /// Returns true if something that a scope declares would meet another of its name in the block
    /// around.
    fn clash(&self, tree: &SyntaxTree, scope: NodeId) -> bool {
        let Some(inner) = self.0.get(&scope) else { return false };
        let is_block = |&node: &NodeId| tree.kind(node) == NodeKind::CompoundStatement;
        let block = tree.ancestors(scope).find(is_block);
        // A block that is all of a function shares its names with the parameters.
        let function = block.and_then(|block| tree.parent(block));
        let function = function.filter(|&node| tree.kind(node) == NodeKind::FunctionDefinition);
        let mut around = block.into_iter().chain(function).filter_map(|outer| self.0.get(&outer));
        around.any(|outer| !inner.is_disjoint(outer))
    }
}

fn in_list(unit: Unit<'_>, id: NodeId) -> bool {
    is_statement_list(unit.tree.kind(unit.tree.node(id).parent))
}

/// The range of a statement that is to stand in the place of `whole`: without its braces where a list
/// of statements can stand and its names are free.
fn bare(unit: Unit<'_>, names: &NamesByNode<'_>, whole: NodeId, part: NodeId) -> Range<usize> {
    let range = unit.tree.range(part);
    let is_block = unit.tree.kind(part) == NodeKind::CompoundStatement;
    if is_block && in_list(unit, whole) && !names.clash(unit.tree, part) {
        range.start + 1..range.end - 1
    } else {
        range
    }
}

fn body_once(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Option<Patch> {
    let body = unit.tree.field(id, NodeField::Body)?;
    let mut edits = unit.keep_parts(unit.tree.range(id), &[bare(unit, names, id, body)]);
    edits.extend(without_jumps(unit, body, true));
    Patch::new(edits)
}

/// `for (init; ...) body` becomes `init; body`.
fn body_of_for(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let (whole, body) = (tree.range(id), tree.field(id, NodeField::Body)?);
    let Some(init) = tree.field(id, NodeField::Initializer) else {
        return body_once(unit, names, id);
    };
    let semicolon = tree.children(id).find(|&child| child >= init && unit.text(child) == b";");
    let init_end = match tree.kind(init) {
        NodeKind::Declaration => tree.range(init).end,
        _ => tree.range(semicolon?).end,
    };
    let mut edits;
    if in_list(unit, id) && !names.clash(tree, id) {
        let init = tree.range(init).start..init_end;
        edits = unit.keep_parts(whole, &[init, bare(unit, names, id, body)]);
    } else if tree.kind(body) == NodeKind::CompoundStatement {
        let inside = tree.range(body).start + 1..whole.end;
        edits = vec![
            unit.replace(whole.start..tree.range(init).start, b"{"),
            unit.replace(init_end..inside.start, b" "),
            // Says that this brace is taken, so that no other patch removes it.
            unit.replace(whole.end - 1..whole.end, b"}"),
        ];
    } else {
        return None;
    }
    edits.extend(without_jumps(unit, body, true));
    Patch::new(edits)
}

/// `while (c) body` and `for (; c; ...) body` become `if (c) body`.
fn once_if(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    if tree.field(id, NodeField::Initializer).is_some() {
        return None;
    }
    let (condition, body) =
        (tree.field(id, NodeField::Condition)?, tree.field(id, NodeField::Body)?);
    let (whole, range) = (tree.range(id), tree.range(condition));
    let mut edits = if tree.kind(id) == NodeKind::WhileStatement {
        vec![unit.replace(whole.start..range.start, b"if ")]
    } else {
        let to_body = range.end..tree.range(body).start;
        vec![unit.replace(whole.start..range.start, b"if ("), unit.replace(to_body, b") ")]
    };
    edits.extend(without_jumps(unit, body, true));
    Patch::new(edits)
}

/// A loop is longer than its body twice only if the body is short.
const LARGEST_TWICE: usize = 256;

/// `for (T x : a) body` becomes `body body`, where the body does not mention `x`.
fn body_twice(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    if tree.range(id).len() > LARGEST_TWICE {
        return None;
    }
    let (body, declarator) =
        (tree.field(id, NodeField::Body)?, tree.field(id, NodeField::Declarator)?);
    let is_name = |&it: &NodeId| tree.kind(it) == NodeKind::Identifier;
    let name = tree.subtree(declarator).find(is_name)?;
    let mut inside = tree.subtree(body);
    let is_tied = inside.any(|it| match tree.kind(it) {
        NodeKind::BreakStatement | NodeKind::ContinueStatement => true,
        _ => is_name(&it) && unit.text(it) == unit.text(name),
    });
    let twice = [unit.text(body), b" ", unit.text(body)].concat();
    let is_smaller = is_smaller(&twice, unit.text(id));
    (in_list(unit, id) && !is_tied && is_smaller)
        .then(|| Patch::single(Edit::replace(unit.file, tree.range(id), twice)))
}

/// `for (T x : a) body` becomes `T x; body`, and where the type is deduced, `auto x = a; body`.
fn body_of_range(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let body = tree.field(id, NodeField::Body)?;
    let (kind, name) = (tree.field(id, NodeField::Type)?, tree.field(id, NodeField::Declarator)?);
    let range = tree.field(id, NodeField::Right)?;
    let colon = tree.children(id).find(|&child| tree.kind(child) == NodeKind::Colon)?;
    let open = tree.children(id).find(|&child| tree.kind(child) == NodeKind::LeftParenthesis)?;
    if !in_list(unit, id) || names.clash(tree, id) {
        return None;
    }
    let (whole, bare) = (tree.range(id), bare(unit, names, id, body));
    let mut edits = vec![unit.replace(whole.start..tree.range(open).end, b" ")];
    if tree.kind(kind) == NodeKind::PlaceholderTypeSpecifier {
        edits.push(unit.replace(tree.range(colon), b"="));
        edits.push(unit.replace(tree.range(range).end..bare.start, b"; "));
    } else {
        edits.push(unit.replace(tree.range(name).end..bare.start, b"; "));
    }
    edits.push(unit.replace(bare.end..whole.end, b" "));
    edits.extend(without_jumps(unit, body, true));
    Patch::new(edits)
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

/// Empties the jumps in a body that would have no loop (or switch) to belong to any more.
fn without_jumps(unit: Unit<'_>, body: NodeId, of_loop: bool) -> Vec<Edit> {
    let tree = unit.tree;
    let mut edits = Vec::new();
    let mut at = body;
    let mut switch_ends = body;
    while at < tree.node(body).after {
        let next = tree.node(at).after;
        at = match tree.kind(at) {
            NodeKind::WhileStatement
            | NodeKind::DoStatement
            | NodeKind::ForStatement
            | NodeKind::ForRangeLoop => next,
            NodeKind::SwitchStatement if !of_loop => next,
            NodeKind::SwitchStatement => {
                switch_ends = switch_ends.max(next);
                NodeId(at.0 + 1)
            }
            NodeKind::BreakStatement | NodeKind::ContinueStatement => {
                let is_break = tree.kind(at) == NodeKind::BreakStatement;
                if (is_break && at >= switch_ends) || (!is_break && of_loop) {
                    edits.push(unit.replace(tree.range(at), b";"));
                }
                next
            }
            _ => NodeId(at.0 + 1),
        };
    }
    edits
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
        assert_reduces(&Unwrap, Language::C, before, keep, after);
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
            assert_reduces(&Unwrap, Language::CPP, &wrap(before), keep, &wrap(after));
        };
        check("try { g(); } catch (...) { h(); }", &["g()"], "g();");
        check(
            "for (T x : a) { if (x) continue; g(x); }",
            &["T x", "if (x)"],
            "T x; if (x) ; g(x);",
        );
        check("for (auto &x : a) g(x);", &["&x", "g(x)"], "auto &x = a; g(x);");
        let left =
            reduce_with(&Unwrap, "void f() { for (T x : a) { g(); } }", Language::CPP, |it| {
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
