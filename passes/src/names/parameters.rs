//! Removes parameters together with the arguments that calls give for them.
//!
//! before:
//! ```c
//! int f(int a, int b) { return a + b; } int g(void) { return f(1, 2); }
//! ```
//! after:
//! ```c
//! int f(int a) { return a + 0; } int g(void) { return f(1); }
//! ```

use clreduce_language::{SymbolId, SymbolKind};
use clreduce_testcase::Patch;

use crate::analysis::{MOST_DECLARATIONS, functions, parameter_list, parameters, parameters_of};
use crate::edit::{ParameterTable, without};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "remove-parameters",
    "Remove parameters with their arguments, and put 0 where they were used",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let defined = functions(snapshot, proposals).into_iter().map(|function| {
        let count = parameters_of(snapshot, &function).len();
        (function.file, function.symbol, count)
    });
    for (file, symbol, count) in defined.chain(declared_only(snapshot, proposals)) {
        let Some(signature) = ParameterTable::new(snapshot, file, symbol) else { continue };
        proposals.extend((0..count).filter_map(|index| {
            let mut is_used = false;
            let edits = signature.without(snapshot, index, |name| {
                is_used = true;
                Some(without(snapshot, file, name))
            });
            // Most of those that nothing uses can go together.
            Some(Proposal::new(Patch::new(edits)?).in_list(u32::from(is_used)))
        }));
    }
}

/// The functions that are declared and not defined: the file, the function, the number of parameters.
fn declared_only(snapshot: &Snapshot, proposals: &mut Proposals) -> Vec<(usize, SymbolId, usize)> {
    let mut found = Vec::new();
    for file in 0..snapshot.file_count() {
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        for id in symbols.ids() {
            let symbol = symbols.get(id);
            if symbol.kind != SymbolKind::Function
                || !proposals.allow(&MOST_DECLARATIONS, symbol.declarations.len())
                || symbol.is_defined(tree)
            {
                continue;
            }
            let lists = symbol.declarations.iter();
            let counts =
                lists.filter_map(|&name| Some(parameters(tree, parameter_list(tree, name)?).len()));
            found.push((file, id, counts.max().unwrap_or(0)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn arguments_go_with_their_parameter() {
        let source = "int f(int, int);\nint f(int a, int b) { return a + b; }\nint g(void) { return f(1, 2); }";
        let reduced = reduce_with(&PASS, source, Language::C, |text| text.contains("int a"));
        assert_eq!(
            reduced,
            "int f(int);\nint f(int a) { return a + 0; }\nint g() { return f(1); }"
        );
    }
}
