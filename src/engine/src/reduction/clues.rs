//! The clues about the original, which its first test finds.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clreduce_interestingness::{Cancel, Interestingness, NotRun, Occasion, Outcome, TimeLimits};
use clreduce_testcase::{Clues, TestCase};

/// The test of a reduction. When it judges the original for the first time, it looks for clues.
pub(super) struct ClueFinder {
    test: Arc<dyn Interestingness>,
    original: TestCase,
    /// Those of an earlier run, which count.
    earlier: Option<Arc<Clues>>,
    found: OnceLock<Arc<Clues>>,
}

impl ClueFinder {
    /// A test that looks for clues. Those of an earlier run, if there was one, hold.
    pub(super) fn new(
        test: Arc<dyn Interestingness>,
        original: &TestCase,
        earlier: Option<&Clues>,
    ) -> Self {
        let earlier = earlier.map(|clues| Arc::new(clues.clone()));
        Self { test, original: original.clone(), earlier, found: OnceLock::new() }
    }

    /// The clues; none before the first test of the original has ended.
    pub(super) fn clues(&self) -> Arc<Clues> {
        self.earlier.as_ref().or(self.found.get()).cloned().unwrap_or_default()
    }
}

impl Interestingness for ClueFinder {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.judge_on(variant, Occasion::Next, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let repeats = matches!(occasion, Occasion::Afresh | Occasion::Again);
        let has_clues = self.found.get().is_some() || repeats && self.earlier.is_some();
        if has_clues || *variant != self.original {
            return self.test.judge_on(variant, occasion, cancel);
        }
        let (outcome, clues) = self.test.judge_original(variant, cancel)?;
        if !cancel.is_cancelled() {
            let _ = self.found.set(Arc::new(clues));
        }
        Ok(outcome)
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
