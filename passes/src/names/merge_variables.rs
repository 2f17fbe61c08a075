//! Puts one variable in the place of another (identifier replacement, after Vulcan: Xu et al., OOPSLA 2023).
//!
//! before:
//! ```c
//! short a; void f(int n) { int b; for (b = 0; b < n; b++) a = b; }
//! ```
//! after:
//! ```c
//! short a; void f(int n) { for (a = 0; a < n; a++) a = a; }
//! ```

use clreduce_language::{
    NodeField, NodeId, NodeKind, Symbol, SymbolId, SymbolKind, SyntaxTree, converts, declared_by,
};
use clreduce_testcase::{Edit, Patch};

use crate::budget::Budget;
use crate::edit::remove_declaration;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass =
    Pass::new("merge-variables", "Replace a variable by another one", PARSED, propose).renaming();

/// Variables of one file: this pass is for what is left when all else has stopped, and has a proposal for each
/// pair.
const MOST: Budget = Budget::new("variables of one file", 12);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        of_file(snapshot, file, proposals);
    }
}

fn of_file(snapshot: &Snapshot, file: usize, proposals: &mut Proposals) {
    let (symbols, types) = (snapshot.symbols(file), snapshot.types(file));
    let is_variable = |&id: &SymbolId| {
        let symbol = symbols.get(id);
        let kind = matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Parameter);
        kind && !symbol.opaque && !symbol.uses.is_empty()
    };
    let variables: Vec<SymbolId> = symbols.ids().filter(is_variable).take(MOST.most + 1).collect();
    if !proposals.allow(&MOST, variables.len()) {
        return;
    }
    let pairs = variables.iter().flat_map(|&gone| variables.iter().map(move |&kept| (gone, kept)));
    let edits = pairs
        .filter(|&(gone, kept)| {
            gone != kept
                && converts(types.of_symbol(gone), types.of_symbol(kept)) == Some(true)
                && is_visible(snapshot, file, kept, symbols.get(gone))
        })
        .filter_map(|(gone, kept)| merge(snapshot, file, symbols.get(gone), symbols.get(kept)));
    proposals.extend(edits.filter_map(Patch::new).map(Proposal::new));
}

/// Returns true if the name of `kept` means it wherever `gone` is used.
fn is_visible(snapshot: &Snapshot, file: usize, kept: SymbolId, gone: &Symbol) -> bool {
    let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
    let name = |symbol: &Symbol| &snapshot.bytes(file)[tree.range(symbol.declarations[0])];
    let symbol = symbols.get(kept);
    let scope = symbol.declarations[0]..tree.node(symbol.scope).after;
    let is_only = || symbols.ids().all(|id| id == kept || name(symbols.get(id)) != name(symbol));
    gone.uses.iter().all(|used| scope.contains(used)) && is_only()
}

fn merge(snapshot: &Snapshot, file: usize, gone: &Symbol, kept: &Symbol) -> Option<Vec<Edit>> {
    if gone.kind != SymbolKind::Variable {
        return None;
    }
    let tree = snapshot.tree(file);
    let name = &snapshot.bytes(file)[tree.range(kept.declarations[0])];
    let declarations = gone.declarations.iter();
    let mut edits = declarations
        .map(|&declaring| {
            let kept_first = kept.declarations[0] < declaring;
            let specifiers = initialised(tree, declaring).filter(|_| kept_first);
            match specifiers {
                Some(start) => {
                    let head = start..tree.range(declaring).end;
                    Some(Edit::replace(file, head, name.to_vec()))
                }
                None => remove_declaration(tree, file, declaring),
            }
        })
        .collect::<Option<Vec<Edit>>>()?;
    let uses = gone.uses.iter();
    edits.extend(uses.map(|&used| Edit::replace(file, tree.range(used), name.to_vec())));
    Some(edits)
}

/// The start of the declaration `int x = e;` of a block, which can become the assignment `y = e;`.
fn initialised(tree: &SyntaxTree, declaring: NodeId) -> Option<usize> {
    let declaration = declared_by(tree, declaring)?;
    let initialised = tree.parent(declaring)?;
    let value = tree.field(initialised, NodeField::Value)?;
    let is_assignable = tree.kind(value) != NodeKind::InitializerList
        && tree.parent(initialised) == Some(declaration)
        && tree.fields(declaration, NodeField::Declarator).count() == 1
        && tree
            .parent(declaration)
            .is_some_and(|block| tree.kind(block) != NodeKind::TranslationUnit);
    is_assignable.then(|| tree.range(declaration).start)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn an_initialiser_becomes_an_assignment() {
        assert_reduces(
            &PASS,
            Language::C,
            "int f(int a) { int b = a + 1; int c[2] = {1}; return b + c[0]; }",
            &["+ 1"],
            "int f(int a) { a = a + 1; int c[2] = {1}; return a + c[0]; }",
        );
    }

    #[test]
    fn a_name_that_means_two_things_is_left_alone() {
        let source = "int a, b; void f(void) { int a = b; g(a, &b); }";
        assert_reduces(&PASS, Language::C, source, &["int a = b", "int a, b"], source);
    }
}
