//! A test whose interesting variants somebody ranks: a command gives each of them a number, the lower the better.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use clreduce_interestingness::{
    Cancel, Interestingness, NotRun, Occasion, Outcome, Quantity, TimeLimits, Verdict,
};
use clreduce_testcase::{Clues, TestCase};

/// The fact that identifies the command that ranks variants.
pub const PREFER_FACT: &str = "--prefer";

/// Ranks a test case, or returns the reason for a person why it failed.
pub type RankCommand = dyn Fn(&TestCase, &Cancel) -> Result<Quantity, String> + Send + Sync;

/// The ranks that a command gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranks {
    /// That of the original.
    pub original: Quantity,
    /// That of the result; the largest quantity if the command failed on it.
    pub result: Quantity,
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let original = self.original.rounded();
        match self.result {
            Quantity::MAX => write!(f, "the command of --prefer fails on the result"),
            result => write!(
                f,
                "preferred: {} of the result, {original} of the original",
                result.rounded()
            ),
        }
    }
}

/// The test. Its outcomes on interesting variants have a rank; the original was ranked before.
pub(crate) struct RankedTest {
    pub(crate) original: TestCase,
    pub(crate) test: Arc<dyn Interestingness>,
    pub(crate) command: Arc<RankCommand>,
}

impl Interestingness for RankedTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.judge_on(variant, Occasion::Next, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let outcome = self.test.judge_on(variant, occasion, cancel)?;
        let is_ranked = occasion == Occasion::Again || *variant == self.original;
        if outcome.verdict != Verdict::Interesting || is_ranked {
            return Ok(outcome);
        }
        let ranked = (self.command)(variant, cancel);
        if cancel.is_cancelled() {
            // It was ended, too.
            return Ok(Outcome::from(Verdict::Unresolved));
        }
        Ok(match ranked {
            Ok(rank) => Outcome { rank: Some(rank), ..outcome },
            Err(reason) => {
                let reason = format!("the command of --prefer failed: {reason}");
                Outcome { rank: Some(Quantity::MAX), reason, ..outcome }
            }
        })
    }

    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        self.test.judge_original(original, cancel)
    }

    fn set_time_limit(&self, limit: Duration) {
        self.test.set_time_limit(limit);
    }

    fn part_limits(&self) -> TimeLimits {
        self.test.part_limits()
    }

    fn set_part_limits(&self, limits: &TimeLimits) {
        self.test.set_part_limits(limits);
    }
}
