//! Further runs of a test that rejects the original: they find out whether it accepts it now and then.

use std::time::{Duration, Instant};

use clreduce_engine::MeasuredRate;
use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Outcome, TestCommand, Verdict, allowed_time,
};
use clreduce_testcase::TestCase;

/// The number of runs, the first one included.
const RUNS: u32 = 20;

/// No more runs begin after this time.
const AT_MOST: Duration = Duration::from_secs(10);

/// A test that rejects the original.
pub(crate) struct Unsteady<'a> {
    pub command: &'a TestCommand,
    pub options: CommandOptions,
    pub original: &'a TestCase,
    pub outcome: &'a Outcome,
    pub cancel: &'a Cancel,
}

impl Unsteady<'_> {
    /// The runs so far, if some of them accept the original.
    pub(crate) fn find(&self) -> Option<MeasuredRate> {
        if self.outcome.verdict != Verdict::Uninteresting {
            return None;
        }
        let test = CommandTest::new(self.command, self.options.clone()).ok()?;
        let (begun, limit) = (Instant::now(), allowed_time(self.outcome.wall));
        let mut measured = MeasuredRate { shown: 0, runs: 1 };
        while measured.runs < RUNS && begun.elapsed() < AT_MOST {
            let outcome = test.judge_within(self.original, limit, self.cancel).ok()?;
            measured.shown += u32::from(outcome.verdict == Verdict::Interesting);
            measured.runs += 1;
            if self.cancel.is_cancelled() {
                return None;
            }
        }
        (measured.shown > 0).then_some(measured)
    }
}
