//! The interface of a compile filter, which says in milliseconds, and without a test, that a variant does not
//! compile.

use clreduce_process::Cancel;
use clreduce_testcase::TestCase;

/// Tells at once whether a variant compiles. It may be wrong about what a test accepts; its caller has to find that
/// out.
pub trait CompileFilter: Send + Sync {
    /// Returns whether the variant compiles; `None` where that cannot be said.
    fn accepts(&self, variant: &TestCase, cancel: &Cancel) -> Option<bool>;
}

/// The part that the compile filter had in a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filtered {
    /// None: it let the variant pass, or was not asked.
    #[default]
    Passed,
    /// It rejected the variant, which was tested all the same.
    Doubted,
    /// It gave the verdict: there was no test.
    Rejected,
}
