//! Puts an argument in the place of its parameter, where every call gives the same: a literal, or a
//! variable that stands outside all functions.
//!
//! before:
//! ```c
//! int x; int f(int a, int b) { return a + b; } int g(void) { return f(x, 1) + f(x, 2); }
//! ```
//! after:
//! ```c
//! int x; int f(int b) { return x + b; } int g(void) { return f(1) + f(2); }
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolKind, Use, declared_by};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Function, functions, parameter_name, parameters_of};
use crate::edit::Signature;
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub(crate) struct PropagateArguments;

impl Pass for PropagateArguments {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "propagate-arguments",
            "Replace parameters by the one argument that every call gives",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for function in functions(snapshot, proposals) {
            let Some(signature) = Signature::new(snapshot, function.file, function.symbol) else {
                continue;
            };
            let parameters = parameters_of(snapshot, &function).into_iter().enumerate();
            let propagated = parameters.filter_map(|(index, parameter)| {
                propagate(snapshot, &function, &signature, index, parameter)
            });
            proposals.extend(propagated.filter_map(Patch::new).map(Proposal::new));
        }
    }
}

fn propagate(
    snapshot: &Snapshot,
    function: &Function,
    signature: &Signature,
    index: usize,
    parameter: NodeId,
) -> Option<Vec<Edit>> {
    let file = function.file;
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let name = parameter_name(symbols, tree, parameter)?;
    let mut uses = snapshot.uses(file).of(symbols.of(name)?);
    if uses.len() == 0 || uses.any(Use::may_change) {
        return None;
    }
    let (&first, rest) = signature.given(index)?.split_first()?;
    let text = &bytes[tree.range(first)];
    if rest.iter().any(|&other| &bytes[tree.range(other)] != text) {
        return None;
    }
    let moved = match tree.kind(first) {
        NodeKind::NumberLiteral | NodeKind::CharLiteral => Vec::new(),
        NodeKind::Identifier => declared_before(snapshot, function, first)?,
        _ => return None,
    };
    let mut edits = signature.without(snapshot, index, |name| {
        Some(Edit::replace(file, tree.range(name), text.to_vec()))
    });
    edits.extend(moved);
    Some(edits)
}

/// The edits that make sure that a variable of file scope is declared before a function; `None` where
/// the name is none, or nothing that can be moved.
fn declared_before(snapshot: &Snapshot, function: &Function, name: NodeId) -> Option<Vec<Edit>> {
    let file = function.file;
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let symbol = symbols.get(symbols.of(name)?);
    if symbol.kind != SymbolKind::Variable || symbol.scope != NodeId(0) || symbol.opaque {
        return None;
    }
    if symbol.declarations[0] < function.definition {
        return Some(Vec::new());
    }
    let declaration = declared_by(tree, symbol.declarations[0])?;
    let is_simple = matches!(
        tree.kind(tree.field(declaration, NodeField::Type)?),
        NodeKind::PrimitiveType | NodeKind::SizedTypeSpecifier
    ) && tree.field(declaration, NodeField::Declarator)
        == Some(symbol.declarations[0])
        && tree.fields(declaration, NodeField::Declarator).count() == 1
        && tree.node(declaration).parent == NodeId(0);
    let (from, to) = (tree.range(declaration), tree.range(function.definition).start);
    is_simple.then(|| {
        vec![
            Edit::replace(file, to..to, [&bytes[from.clone()], b" "].concat()),
            Edit::delete(file, from),
        ]
    })
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_what_every_call_gives() {
        let check = |before: &str, after: &str| {
            assert_reduces(&PropagateArguments, Language::C, before, &[], after);
        };
        check(
            "int f(int a, int b, int c) { return a + b + c; } short x; int g(int y) { return f(x, y, 3); }",
            "short x; int f(int b) { return x + b + 3; } int g(int y) { return f(y); }",
        );
        let different = "int f(int a) { return a; } int g(void) { return f(1) + f(2); }";
        check(different, different);
        let changed = "int f(int a) { return a++; } int g(void) { return f(1); }";
        check(changed, changed);
    }
}
