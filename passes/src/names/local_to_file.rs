//! Declares variables of functions together with those that the file has of their type, and where old C implies
//! `int` without it.
//!
//! before:
//! ```c
//! short a; void f(void) { short b, *c = 0; int d; b = d; }
//! ```
//! after:
//! ```c
//! short a, b, *c = 0; d; void f(void) { b = d; }
//! ```

use std::collections::HashMap;

use clreduce_language::{NodeField, NodeId, NodeKind, Symbols, declared_name};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::analysis::{Unit, words};
use crate::pass::{Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "local-to-file",
    "Declare variables of functions with those of the file",
    &[Feature::Symbols, Feature::GlobalVariables],
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let symbols = snapshot.symbols(unit.file);
        let count = declarations(unit, symbols);
        // By their words, the first declarations of the file.
        let mut first: HashMap<Vec<&[u8]>, NodeId> = HashMap::new();
        for (id, kind) in unit.sound() {
            let is_outside = unit.tree.node(id).parent == NodeId(0);
            if kind == NodeKind::Declaration && is_outside {
                if let Some(words) = words(unit, id) {
                    first.entry(words).or_insert(id);
                }
            } else if kind == NodeKind::Declaration && may_move(unit, id, symbols, &count) {
                proposals.extend(to_file(unit, id, &first).map(Proposal::new));
            }
        }
    }
}

/// The number of times that each name is declared, or used without being.
fn declarations<'a>(unit: Unit<'a>, symbols: &Symbols) -> HashMap<&'a [u8], usize> {
    let declared = symbols.ids().map(|id| symbols.get(id).declarations[0]);
    let mut count: HashMap<&[u8], usize> = HashMap::new();
    for name in declared.chain(symbols.unresolved().iter().copied()) {
        *count.entry(unit.text(name)).or_default() += 1;
    }
    count
}

/// Returns true if a declaration could stand outside its function: the names are free there, and what they are set to
/// is known before the program runs.
fn may_move(unit: Unit<'_>, id: NodeId, symbols: &Symbols, count: &HashMap<&[u8], usize>) -> bool {
    let tree = unit.tree;
    let may_move = |declarator: NodeId| {
        let Some(name) = declared_name(tree, declarator) else { return false };
        let Some(symbol) = symbols.of(name).map(|symbol| symbols.get(symbol)) else { return false };
        let is_constant = tree.subtree(declarator).filter(|&node| node != name).all(|node| {
            let kind = tree.kind(node);
            !tree.node(node).named
                || kind.is_declarator()
                || matches!(
                    kind,
                    NodeKind::NumberLiteral | NodeKind::UnaryExpression | NodeKind::InitializerList
                )
        });
        is_constant && !symbol.opaque && count.get(unit.text(name)) == Some(&1)
    };
    let is_plain = words(unit, id).is_some_and(|words| {
        !words.iter().any(|word| matches!(*word, b"static" | b"extern" | b"register" | b"auto"))
    });
    is_plain
        && tree.kind(tree.node(id).parent) == NodeKind::CompoundStatement
        && tree.fields(id, NodeField::Declarator).all(may_move)
}

/// Moves what a declaration declares behind what the file declares with the same words, or, where `int` is all of
/// them, before the function.
fn to_file(unit: Unit<'_>, id: NodeId, first: &HashMap<Vec<&[u8]>, NodeId>) -> Option<Patch> {
    let tree = unit.tree;
    let own = words(unit, id)?;
    let semicolon = |id: NodeId| {
        tree.children(id).last().filter(|&last| tree.kind(last) == NodeKind::Semicolon)
    };
    let start = tree.range(tree.field(id, NodeField::Declarator)?).start;
    let declared = &unit.bytes[start..tree.range(semicolon(id)?).start];
    let (at, text) = match first.get(&own) {
        Some(&other) => (tree.range(semicolon(other)?).start, [b", ", declared].concat()),
        None if own == [b"int"] => {
            let function = tree.ancestors(id).find(|&node| tree.node(node).parent == NodeId(0))?;
            (tree.range(function).start, [declared, b"; "].concat())
        }
        None => return None,
    };
    Patch::new(vec![Edit::replace(unit.file, at..at, text), unit.delete(tree.range(id))])
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        assert_reduces(&PASS, Language::C, before, &[], after);
    }

    #[test]
    fn with_what_the_file_has_of_the_type() {
        check(
            "short *a; int g(void); void f(void) { short b, c[2] = {1}; { int d = -1; } }",
            "short *a, b, c[2] = {1}; int g(void), d = -1; void f(void) { { } }",
        );
        check("int f(int b) { int a; int c; }", "a; c; int f(int b) { }");
    }

    #[test]
    fn what_would_mean_something_else_stays() {
        for kept in [
            "int a; void f(void) { int a; }",
            "int a; void f(void) { int b = g(); int c = a; static int d; }",
            "int a; void f(void) { int b; } void g(void) { int b; }",
            "void f(void) { short a; for (int i = 0; ;) ; } int h(void) { return printf; int printf; }",
        ] {
            check(kept, kept);
        }
    }
}
