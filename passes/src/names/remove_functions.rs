//! Removes functions together with everything that calls them.
//!
//! before:
//! ```c
//! int f(int); int f(int x) { return x; } int g(void) { f(1); return f(2) + 3; }
//! ```
//! after:
//! ```c
//! int g(void) { return 0 + 3; }
//! ```

use clreduce_testcase::{Language, Patch};

use super::uses::remove_symbol;
use crate::pass::{PARSED, Pass, Proposal};
use crate::snapshot::Snapshot;
use crate::views::{NodeId, SymbolKind};

/// See the [module](self).
pub struct RemoveFunctions;

impl Pass for RemoveFunctions {
    fn name(&self) -> &'static str {
        "remove-functions"
    }

    fn about(&self) -> &'static str {
        "Remove functions, and put 0 where they were called"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        removals(snapshot, |kind, _| kind == SymbolKind::Function)
    }
}

/// One proposal for each symbol of the wanted kind and scope, with all its uses.
pub(super) fn removals(
    snapshot: &Snapshot,
    wanted: impl Fn(SymbolKind, NodeId) -> bool,
) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    for file in 0..snapshot.file_count() {
        let symbols = snapshot.symbols(file);
        for id in symbols.ids() {
            let symbol = symbols.get(id);
            if wanted(symbol.kind, symbol.scope)
                && let Some(edits) = remove_symbol(snapshot, file, id)
                && let Some(patch) = Patch::new(edits)
            {
                proposals.push(Proposal::new(patch));
            }
        }
    }
    proposals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn calls_become_zero() {
        let source =
            "int f(int);\nint f(int x) { return x; }\nint g(void) { f(1); return f(2) + 3; }";
        assert_eq!(
            reduce_with(&RemoveFunctions, source, Language::C, |text| text.contains("g")).trim(),
            "int g(void) {  return 0 + 3; }"
        );
    }
}
