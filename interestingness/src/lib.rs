//! Interestingness: the decision whether a variant still shows the bug.
//!
//! Of the crates that decide, a reduction knows this one alone: it hands over a variant, and gets an [`Outcome`]. What is
//! here besides the trait is the test that a person writes ([`CommandTest`]), and the interface of a
//! [`CompileFilter`], which rejects variants that do not compile before they are tested. Compilers, devices and
//! recipes are crates of their own that stand on this one.

mod command;
mod filter;
mod first_run;
mod hints;
mod looked_for;
mod not_run;
mod outcome;
mod quantity;
mod unchanged;

pub use clreduce_process::{
    Cancel, CommandError, Confinement, Hook, Limits, NoSandbox, Permissions, SetupError,
    TestCommand, units, when_free, worker_main,
};
pub use command::{CommandOptions, CommandTest, OutputPattern, Rehearsal};
pub use filter::{CompileFilter, Filtered};
pub use first_run::{FirstRun, allowed_time};
pub use hints::{Hint, hints};
pub use not_run::NotRun;
pub use outcome::{Outcome, Verdict};
pub use quantity::{InvalidQuantity, Quantity};
pub use unchanged::test_files;

use std::collections::BTreeMap;
use std::time::Duration;

use clreduce_testcase::{Clues, TestCase};

/// An interestingness test.
///
/// The verdict must depend on nothing but the variant's content: not on the variants that were judged before, nor on calls
/// that were cancelled. Each variant is judged once, and its verdict is remembered. Calls come from several threads at
/// once.
pub trait Interestingness: Send + Sync {
    /// Judges one variant. Blocks until the verdict is known, or until `cancel` is triggered, after which it returns
    /// soon, with anything: it is not read.
    ///
    /// # Errors
    /// When the test was not run. The reduction tries again a few times, and stops where that does not help.
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun>;

    /// Judges one variant on an occasion that may matter to the test. By default it does not, and this is [`judge`](Self::judge).
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let _ = occasion;
        self.judge(variant, cancel)
    }

    /// Judges the original for the first time, and looks for clues in what the test prints. By default there are none.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        Ok((self.judge(original, cancel)?, Clues::default()))
    }

    /// Sets the wall-time limit of every later test. The engine calls it before the original is judged, when its time is
    /// known, and whenever the limit changes. Tests without a notion of time ignore it.
    fn set_time_limit(&self, _limit: Duration) {}

    /// The limits of parts of the test that have limits of their own, by their names. Such a test has no limit as a whole.
    fn part_limits(&self) -> TimeLimits {
        TimeLimits::new()
    }

    /// Sets limits of parts in every later test. Names of other parts are ignored.
    fn set_part_limits(&self, _limits: &TimeLimits) {}
}

/// The occasion on which a variant is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Its verdict comes next.
    Next,
    /// Its verdict may turn out not to be needed. A test that waits for its turn among others lets those go first whose verdicts are
    /// needed.
    Early,
    /// An earlier test of it said nothing. A test that remembers the verdicts of other runs does not use them.
    Afresh,
    /// It was judged before, and everything that the test has is to say whether the verdict holds. As on [`Afresh`](Self::Afresh),
    /// nothing is remembered.
    Again,
    /// The run of this number, where many runs tell how often the test shows the bug. Each is an independent look.
    Run(u32),
}

/// Wall-time limits by the name of what they limit.
pub type TimeLimits = BTreeMap<String, Duration>;

impl<F> Interestingness for F
where
    F: Fn(&TestCase) -> bool + Send + Sync,
{
    fn judge(&self, variant: &TestCase, _cancel: &Cancel) -> Result<Outcome, NotRun> {
        let verdict = if self(variant) { Verdict::Interesting } else { Verdict::Uninteresting };
        Ok(Outcome::from(verdict))
    }
}
