//! Empties lambda expressions: bodies, captures, parameters and specifiers; one that is called on the spot becomes what it
//! does or returns.
//!
//! A statement that passes one on becomes the body, with variables for the parameters. What it is passed to may hold what the
//! parameters would be: then the statement that does so goes as well, as in [`objects`](super::objects).
//!
//! before:
//! ```cpp
//! int f(int x) { auto l = [&x](int a) mutable { return a; }; return [x] { return x + 1; }(); }
//! ```
//! after:
//! ```cpp
//! int f(int x) { auto l = [&x](int a) mutable { return a; }; return x + 1; }
//! ```

use clreduce_language::{EntityId, ItemKind, NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use super::holders::Holders;
use crate::analysis::{NewObject, Spelling, Unit, is_expression, is_statement, parameters};
use crate::edit::is_smaller;
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppLambdas;

/// Nodes around a lambda expression that are looked at.
const DEEPEST: usize = 8;

impl Pass for CppLambdas {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-lambdas",
            "Empty lambda expressions, and replace those called on the spot by what they do",
            CPP,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            let (entities, symbols) = (snapshot.entities(unit.file), snapshot.symbols(unit.file));
            let spelling = Spelling { unit, entities, symbols };
            let mut holders = Holders::new(spelling);
            let lambdas = unit.sound().filter(|(_, kind)| *kind == NodeKind::LambdaExpression);
            for (id, _) in lambdas {
                propose_parts(unit, id, proposals);
                if let Some((function, edits)) = passed(&spelling, id) {
                    holders.add(function, &edits);
                    let patch = Patch::new(edits).map(|patch| Proposal::new(patch).in_list(5));
                    proposals.extend(patch);
                }
            }
            let patches = holders.patches(snapshot).into_iter();
            proposals.extend(patches.map(|patch| Proposal::new(patch).in_list(6)));
        }
    }
}

/// Proposes to replace one by what it does if it is called on the spot, and to empty it.
fn propose_parts(unit: Unit<'_>, id: NodeId, proposals: &mut Proposals) {
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

/// The edits that make the body of a statement that passes one on, with what it is passed to.
fn passed(spelling: &Spelling<'_>, id: NodeId) -> Option<(NodeId, Vec<Edit>)> {
    let unit = spelling.unit;
    let tree = unit.tree;
    let mut around = tree.ancestors(id).take(DEEPEST);
    let call = around.next().filter(|&list| tree.kind(list) == NodeKind::ArgumentList)?;
    let call = tree.parent(call).filter(|&at| tree.kind(at) == NodeKind::CallExpression)?;
    let statement = tree.ancestors(id).take(DEEPEST).find(|&at| is_statement(tree.kind(at)))?;
    let (whole, body) = (tree.range(statement), tree.field(id, NodeField::Body)?);
    if tree.kind(statement) != NodeKind::ExpressionStatement {
        return None;
    }
    let lists = tree.field(id, NodeField::Declarator).into_iter();
    let list =
        lists.flat_map(|it| tree.children(it)).find(|&it| tree.kind(it) == NodeKind::ParameterList);
    let mut start = b"{".to_vec();
    for parameter in list.into_iter().flat_map(|list| parameters(tree, list)) {
        let declarator = tree.field(parameter, NodeField::Declarator).into_iter();
        let mut inside = declarator.flat_map(|it| tree.subtree(it));
        if let Some(name) = inside.find(|&it| tree.kind(it) == NodeKind::Identifier) {
            start.push(b' ');
            start.extend(variable(spelling, parameter, name)?);
        }
    }
    let body = tree.range(body);
    let is_shorter = is_smaller(&start, &unit.bytes[whole.start..body.start + 1]);
    let edits = vec![
        Edit::replace(unit.file, whole.start..body.start + 1, start),
        unit.delete(body.end..whole.end),
    ];
    Some((tree.field(call, NodeField::Function)?, edits)).filter(|_| is_shorter)
}

/// The variable that stands for a parameter: of its type without references, or `int` where the type is deduced.
fn variable(spelling: &Spelling<'_>, parameter: NodeId, name: NodeId) -> Option<Vec<u8>> {
    let (unit, entities) = (spelling.unit, spelling.entities);
    let text = unit.text(name);
    let of = unit.tree.field(parameter, NodeField::Type)?;
    if unit.tree.kind(of) == NodeKind::PlaceholderTypeSpecifier {
        return Some([b"int ", text, b"{};"].concat());
    }
    let of = spelling.of_variable(name)?;
    let is_class = |&&entity: &&EntityId| {
        let first = entities.declarations(entity).first();
        first.is_some_and(|&id| entities.item(id).kind == ItemKind::Type)
    };
    let class = entities.named(of.base).iter().find(is_class).filter(|_| of.pointers == 0);
    match class {
        Some(&class) => Some(NewObject::of(spelling, class)?.variable(text)),
        None => Some([&of.text()[..], b" ", text, b"{};"].concat()),
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::{assert_reduces, reduce_with, spelled};

    #[test]
    fn what_a_statement_passes_on_is_done_there() {
        let classes = "struct P { P(int); int n; }; struct V { void add(int); template <class F> void each(F); };";
        let before = format!(
            "{classes} struct T {{ template <class F> void all(F f) {{ v.each(f); }} V v; }};
             int f() {{ T t; t.v.add(1); int n = 0; t.all([&](P &p, auto i) {{ n += p.n + i; }}); return n; }}"
        );
        let after = format!(
            "{classes} struct T {{ template <class F> void all(F f) {{ v.each(f); }} V v; }};
             int f() {{ int n = 0; {{ P p({{}}); int i{{}}; n += p.n + i; }} return n; }}"
        );
        // As long as an object is put in, it has to be read.
        let is_whole = |text: &str| {
            text.contains("n += p.n + i") && text.contains("add(1)") == text.contains(".all(")
        };
        let left = reduce_with(&CppLambdas, &before, Language::CPP, is_whole);
        assert_eq!(spelled(&left), spelled(&after));
    }

    #[test]
    fn what_is_needed_stays() {
        let check = |before: &str, keep: &[&str], after: &str| {
            assert_reduces(&CppLambdas, Language::CPP, before, keep, after);
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
