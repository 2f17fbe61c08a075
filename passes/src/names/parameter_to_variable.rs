//! Makes parameters variables: of the function, or in C of the file.
//!
//! before:
//! ```c
//! int f(int a, int b) { a = b; return a; } int g(void) { return f(x + 1, 2) + f(3, y * 4); }
//! ```
//! after:
//! ```c
//! int f(int b) { int a = 0; a = b; return a; } int g(void) { return f(2) + f(y * 4); }
//! ```

use std::collections::HashSet;

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::analysis::{Function, functions, parameter_name, parameters_of};
use crate::edit::ParameterTable;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "parameter-to-variable",
    "Make parameters variables of the function, or in C of the file",
    PARSED,
    propose,
)
.growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let taken: Vec<HashSet<&[u8]>> =
        (0..snapshot.file_count()).map(|file| names_of_file(snapshot, file)).collect();
    for function in functions(snapshot, proposals) {
        let Some(signature) = ParameterTable::new(snapshot, function.file, function.symbol) else {
            continue;
        };
        let taken = &taken[function.file];
        let parameters = parameters_of(snapshot, &function).into_iter().enumerate();
        for (index, parameter) in parameters {
            let edits = || signature.without(snapshot, index, |_| None);
            let ways = ways(snapshot, &function, parameter, edits, taken).into_iter().zip(0..);
            let ways = ways.filter_map(|(patch, list)| Some((patch?, list)));
            proposals.extend(ways.map(|(patch, list)| Proposal::new(patch).in_list(list)));
        }
    }
}

/// The names that are declared outside all functions.
fn names_of_file(snapshot: &Snapshot, file: usize) -> HashSet<&[u8]> {
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let outside = symbols.ids().map(|id| symbols.get(id)).filter(|of| of.scope == NodeId(0));
    outside.map(|symbol| &bytes[tree.range(symbol.declarations[0])]).collect()
}

/// As a variable of the file, then as one of the function.
fn ways(
    snapshot: &Snapshot,
    function: &Function,
    parameter: NodeId,
    without: impl Fn() -> Vec<Edit>,
    taken: &HashSet<&[u8]>,
) -> [Option<Patch>; 2] {
    let file = function.file;
    let (tree, symbols, bytes) =
        (snapshot.tree(file), snapshot.symbols(file), snapshot.bytes(file));
    let is_used = || {
        let name = parameter_name(symbols, tree, parameter)?;
        (!symbols.get(symbols.of(name)?).uses.is_empty()).then_some(name)
    };
    let (Some(name), Some(kind)) = (is_used(), tree.field(parameter, NodeField::Type)) else {
        return [None, None];
    };
    // Arrays are pointers only as parameters.
    let is_plain = tree
        .ancestors(name)
        .take_while(|&node| node > parameter)
        .all(|node| tree.kind(node) == NodeKind::PointerDeclarator);
    if !is_plain {
        return [None, None];
    }
    let edits = without();
    let declared = &bytes[tree.range(parameter)];
    let with = |at: usize, text: Vec<u8>| {
        let mut edits = edits.clone();
        edits.push(Edit::replace(file, at..at, text));
        Patch::new(edits)
    };
    let is_scalar = tree.node(name).parent != parameter
        || matches!(tree.kind(kind), NodeKind::PrimitiveType | NodeKind::SizedTypeSpecifier);
    let value: &[u8] = if is_scalar { b" = 0;" } else { b" = {0};" };
    let inside = with(tree.range(function.body).start + 1, [b" ", declared, value].concat());
    // A qualifier that ties a variable to its function has no place outside, and a variable of the file
    // would have a name that may be taken.
    let is_allowed = snapshot.language().has(Feature::GlobalVariables)
        && !taken.contains(&bytes[tree.range(name)]);
    let start = tree.range(function.definition).start;
    let outside = is_allowed.then(|| with(start, [declared, b"; "].concat())).flatten();
    [outside, inside]
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn outside_or_inside() {
        let before = "int f(int a) { return a++; } int g(void) { return f(x + 1) + f(x - 1); }";
        let check = |language, after: &str| {
            assert_reduces(&PASS, language, before, &["a++"], after);
        };
        check(Language::C, "int a; int f() { return a++; } int g(void) { return f() + f(); }");
        check(
            Language::OPENCL,
            "int f() { int a = 0; return a++; } int g(void) { return f() + f(); }",
        );
    }

    #[test]
    fn arrays_and_what_nobody_uses_stay() {
        let same =
            "int f(int a[2], int b) { return a[1]; } int g(void) { return f(x + 1, y + 1); }";
        assert_reduces(&PASS, Language::C, same, &[], same);
    }
}
