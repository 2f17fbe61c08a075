//! Who answers whether a variant is interesting.
//!
//! This crate knows processes, compilers, simulators and devices. It knows nothing of passes,
//! searches or reductions: a variant comes in, an outcome goes out.

mod cancel;
pub mod check;
mod command;
pub mod compile_worker;
pub mod cuda;
mod gate;
pub mod opencl;
mod outcome;
pub mod recipe;
pub mod units;

pub use cancel::{Cancel, Hook};
pub use command::{
    CommandError, CommandOptions, CommandTest, Hint, Limits, OutputPattern, Rehearsal, SetupError,
    TestCommand, guardian_main, when_free,
};
pub use gate::{CompileGate, Gate, Gated};
pub use outcome::{Outcome, Verdict};

use std::time::Duration;

use clreduce_testcase::TestCase;

/// Something that decides whether a variant is interesting.
///
/// The verdict must depend on nothing but the variant's content: the reducer asks each question once
/// and remembers the answer. Calls come from several threads at once.
pub trait Interestingness: Send + Sync {
    /// Judges one variant. Blocks until the answer is known, or until `cancel` is triggered, after
    /// which it returns soon, with any outcome: nobody reads it.
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Outcome;

    /// Sets the wall-time limit of every later test. The reducer calls it before it judges the
    /// original and once more when the limit is known. Tests without a notion of time ignore it.
    fn set_time_limit(&self, _limit: Duration) {}
}

impl<F> Interestingness for F
where
    F: Fn(&TestCase) -> bool + Send + Sync,
{
    fn judge(&self, variant: &TestCase, _cancel: &Cancel) -> Outcome {
        let verdict = if self(variant) { Verdict::Interesting } else { Verdict::Uninteresting };
        Outcome::from(verdict)
    }
}
