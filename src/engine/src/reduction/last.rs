//! The last tests of a reduction that ends before nothing is left to try: the result is tested again, as often as there is time
//! for, and laid out.

use std::time::{Duration, Instant};

use clreduce_candidates::CandidateSource;
use clreduce_interestingness::Verdict;
use clreduce_speculation::Executor;
use clreduce_testcase::TestCase;

use super::calibration::OriginalFirst;
use super::result::ReductionError;
use super::run::ReductionRun;
use crate::events::{Ending, Event};

/// The most time that a test takes which took some time before: half as long again, and what a busy machine adds.
fn at_most(time: Duration) -> Duration {
    time * 3 / 2 + Duration::from_millis(500)
}

impl<S: CandidateSource> ReductionRun<'_, S> {
    /// Tells that no more variants are tried, and how long the last tests may take. After a time limit, the result is
    /// tested again only as long as one test takes.
    pub(super) fn begin_last_tests(
        &mut self,
        ending: Ending,
        executor: &mut Executor<OriginalFirst<S>>,
    ) {
        if ending == Ending::Minimal || self.commits.last() == 0 {
            return;
        }
        if ending == Ending::Interrupted && self.layout(executor).is_none() {
            return;
        }
        let one = at_most(self.limits.time_of_test());
        let limit = match ending {
            Ending::TimeLimit => {
                executor.set_deadline(Instant::now().checked_add(one));
                Some(one * 2)
            }
            Ending::Interrupted => Some(one),
            Ending::StepLimit | Ending::Minimal => None,
        };
        self.tell(&Event::LastTests { ending, limit });
    }

    /// The result as people read it. Where the test is flaky, one test does not tell whether it is interesting.
    fn layout(&self, executor: &Executor<OriginalFirst<S>>) -> Option<TestCase> {
        let is_flaky =
            self.rates.is_some() || executor.scheduler().verdicts().wrong_successes().is_some();
        if is_flaky { None } else { executor.scheduler().laid_out() }
    }

    /// Puts the result on disk as people read it, if it is interesting that way.
    pub(super) fn lay_out(
        &mut self,
        ending: Ending,
        executor: &mut Executor<OriginalFirst<S>>,
    ) -> Result<(), ReductionError> {
        if ending == Ending::Minimal || self.commits.last() == 0 {
            return Ok(());
        }
        let Some(case) = self.layout(executor) else { return Ok(()) };
        let limit = at_most(self.limits.time_of_test());
        let outcome = executor.last_test(case.clone(), limit);
        if outcome.is_some_and(|outcome| outcome.verdict == Verdict::Interesting) {
            if let Some(journal) = &mut self.journal {
                journal.record_laid_out(case.hash())?;
            }
            self.keep(&case)?;
            self.best.0 = case;
        }
        Ok(())
    }
}
