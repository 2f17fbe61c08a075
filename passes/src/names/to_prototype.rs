//! Turns function definitions into prototypes, for bugs that show without linking.
//!
//! before:
//! ```c
//! int f(int x) { return x; } int g(void) { return f(1); }
//! ```
//! after:
//! ```c
//! int f(int x); int g(void);
//! ```

use clreduce_testcase::Edit;

use crate::analysis::functions;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass =
    Pass::new("body-to-prototype", "Turn function definitions into prototypes", PARSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let to_prototype = |function: crate::analysis::Function| {
        let range = snapshot.tree(function.file).range(function.body);
        Proposal::edit(Edit::replace(function.file, range, b";".as_slice()))
    };
    let functions = functions(snapshot, proposals);
    proposals.extend(functions.into_iter().map(to_prototype));
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn replaces_the_body() {
        let source = "static int f(int x) { return x; }\nint g(void) { return f(1); }";
        assert_eq!(
            reduce_with(&PASS, source, Language::C, |text| text.contains("f(1)")),
            "static int f(int x) ;\nint g(void) { return f(1); }"
        );
    }
}
