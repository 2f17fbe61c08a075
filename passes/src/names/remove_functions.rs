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

use clreduce_language::SymbolKind;

use crate::edit::{for_each_symbol, remove_symbol};
use crate::pass::{PARSED, Pass, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "remove-functions",
    "Remove functions, and put 0 where they were called",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(for_each_symbol(snapshot, |file, symbol| {
        remove_symbol(snapshot, file, symbol, SymbolKind::Function)
    }));
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn calls_become_zero() {
        let source =
            "int f(int);\nint f(int x) { return x; }\nint g(void) { f(1); return f(2) + 3; }";
        assert_eq!(
            reduce_with(&PASS, source, Language::C, |text| text.contains("g")).trim(),
            "int g(void) {  return 0 + 3; }"
        );
    }
}
