//! Reductions whose tests run on other machines.
//!
//! A campaign runs its kernels on the devices of this machine. The tests of the text of a bug, which are most of a reduction, can
//! run elsewhere. This crate knows no service: it is given what makes a test of a recipe.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use clreduce_interestingness::Interestingness;
use clreduce_journal::Facts;
use clreduce_recipe::Recipe;
use clreduce_testcase::TestCase;

/// Makes the test of a reduction from its recipe, the path of the recipe, and the original.
pub type MakeTest =
    Box<dyn Fn(&Recipe, &Path, &TestCase) -> Result<ReductionTest, NoTest> + Send + Sync>;

/// Other machines, for the tests of reductions.
pub struct Elsewhere {
    /// Makes the test of a reduction.
    pub make: MakeTest,
    /// Tests at the same time, over all reductions.
    pub jobs: NonZeroUsize,
}

/// The test of one reduction.
pub struct ReductionTest {
    /// The test, calibrated on the original.
    pub test: Arc<dyn Interestingness>,
    /// Facts that its verdicts depend on besides the recipe.
    pub facts: Facts,
}

/// The reason that there is no test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTest {
    /// The campaign is cancelled.
    Cancelled,
    /// The original does not show the bug on the other machines.
    NotShown(String),
    /// A check calls the original invalid.
    Invalid(String),
    /// The other machines cannot be used.
    Unusable(String),
}
