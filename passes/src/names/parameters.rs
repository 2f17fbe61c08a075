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

use crate::analysis::{MOST_DECLARATIONS, all_parameters, parameter_list, parameters};
use crate::edit::{remove_parameter, without};
use crate::pass::{PARSED, Pass, PassInfo, Proposal};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub struct RemoveParameters;

impl Pass for RemoveParameters {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "remove-parameters",
            "Remove parameters with their arguments, and put 0 where they were used",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let removal = |(file, symbol, index): (usize, SymbolId, usize)| {
            let mut is_used = false;
            let edits = remove_parameter(snapshot, file, symbol, index, |name| {
                is_used = true;
                Some(without(snapshot, file, name))
            });
            // Most of those that nothing uses can go together.
            Some(Proposal::new(Patch::new(edits?)?).in_list(u32::from(is_used)))
        };
        let defined = all_parameters(snapshot)
            .map(|(function, index, _)| (function.file, function.symbol, index));
        defined.chain(declared_parameters(snapshot)).filter_map(removal).collect()
    }
}

/// The parameters of functions that are declared and not defined: the file, the function, the place.
fn declared_parameters(snapshot: &Snapshot) -> impl Iterator<Item = (usize, SymbolId, usize)> {
    (0..snapshot.file_count()).flat_map(|file| {
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        let functions = symbols.ids().filter(|&id| {
            let symbol = symbols.get(id);
            symbol.kind == SymbolKind::Function
                && symbol.declarations.len() <= MOST_DECLARATIONS
                && !symbol.is_defined(tree)
        });
        functions.flat_map(move |id| {
            let lists = symbols.get(id).declarations.iter();
            let counts =
                lists.filter_map(|&name| Some(parameters(tree, parameter_list(tree, name)?).len()));
            (0..counts.max().unwrap_or(0)).map(move |index| (file, id, index))
        })
    })
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn arguments_go_with_their_parameter() {
        let source = "int f(int, int);\nint f(int a, int b) { return a + b; }\nint g(void) { return f(1, 2); }";
        let reduced =
            reduce_with(&RemoveParameters, source, Language::C, |text| text.contains("int a"));
        assert_eq!(
            reduced,
            "int f(int);\nint f(int a) { return a + 0; }\nint g() { return f(1); }"
        );
    }
}
