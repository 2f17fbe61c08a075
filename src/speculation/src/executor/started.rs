//! The tests that run on threads, and the channel by which they report back.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clreduce_interestingness::{Cancel, CompileFilter, Interestingness, NotRun, Outcome, Verdict};
use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::pool::{Permit, Pool, Waiter};
use crate::running::TestId;
use crate::scheduler::Action;

/// Pauses before a test that was not run is tried again, each time that it is started. A disk may be full for a moment,
/// or an editor may be writing the test.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2)];

/// The tests that run, and the channel by which they report back.
pub(super) struct StartedTests {
    pub(super) pool: Arc<Pool>,
    pub(super) waiter: Waiter,
    pub(super) test: Arc<dyn Interestingness>,
    filter: Option<Arc<dyn CompileFilter>>,
    running: HashMap<TestId, StartedTest>,
    /// Wall-time limit of what was started before this instant.
    pub(super) limit: Option<(Instant, Duration)>,
    /// `None` only wakes the one who waits.
    pub(super) report: Sender<Option<TestReport>>,
    reports: Receiver<Option<TestReport>>,
    pub(super) busy: Duration,
}

/// A test, or a look by the compile filter, that was handed to a thread.
#[derive(Debug)]
struct StartedTest {
    cancel: Cancel,
    since: Instant,
    /// Ended for taking too long.
    timed_out: bool,
}

pub(super) struct TestReport {
    id: TestId,
    result: Result<TestResult, Box<dyn Any + Send>>,
    wall: Duration,
    was_alone: bool,
}

/// The result of a test, or of a look by the compile filter.
pub(super) enum TestResult {
    Test(Result<Outcome, NotRun>),
    Filter(Option<bool>),
}

/// The end of a test, or of a look by the compile filter.
pub(super) struct TestEnd {
    pub(super) id: TestId,
    pub(super) said: TestResult,
    /// No other test, of this reduction or of others on the pool, ran meanwhile.
    pub(super) was_alone: bool,
}

impl StartedTests {
    pub(super) fn new(
        pool: Arc<Pool>,
        test: Arc<dyn Interestingness>,
        filter: Option<Arc<dyn CompileFilter>>,
    ) -> Self {
        let (report, reports) = unbounded();
        let wake = report.clone();
        // The executor may have gone.
        let waiter = pool.waiter(move || drop(wake.send(None)));
        let (running, busy) = (HashMap::new(), Duration::ZERO);
        Self { pool, waiter, test, filter, running, limit: None, report, reports, busy }
    }

    /// Kills, and starts no more than one test, for which there must be a permit.
    pub(super) fn carry_out(&mut self, actions: Vec<Action>, mut permit: Option<Permit>) {
        for action in actions {
            match action {
                Action::Kill(id) => {
                    self.running.get(&id).into_iter().for_each(|test| test.cancel.cancel());
                }
                Action::Start(id, occasion, variant) => {
                    let test = Arc::clone(&self.test);
                    self.run(id, permit.take(), move |cancel| {
                        let judge = || test.judge_on(&variant, occasion, cancel);
                        TestResult::Test(retried(cancel, judge))
                    });
                }
                Action::Filter(id, variant) => {
                    let filter = self.filter.clone();
                    self.run(id, permit.take(), move |cancel| {
                        TestResult::Filter(
                            filter.and_then(|filter| filter.accepts(&variant, cancel)),
                        )
                    });
                }
            }
        }
    }

    fn run(
        &mut self,
        id: TestId,
        permit: Option<Permit>,
        job: impl FnOnce(&Cancel) -> TestResult + Send + 'static,
    ) {
        let cancel = Cancel::new();
        let running =
            StartedTest { cancel: cancel.clone(), since: Instant::now(), timed_out: false };
        self.running.insert(id, running);
        let report = self.report.clone();
        let permit = permit.expect("a test was planned with a permit");
        self.pool.run(move || {
            let started = Instant::now();
            // The job is gone before the report: whoever reads it may be the last to hold the test.
            let result = catch_unwind(AssertUnwindSafe(|| job(&cancel)));
            let (was_alone, wall) = (permit.is_alone(), started.elapsed());
            // Before the report too: its reader may want to start the next.
            drop(permit);
            // The executor may have gone.
            let _ = report.send(Some(TestReport { id, result, wall, was_alone }));
        });
    }

    /// Waits for the next report, not beyond the deadline. The sender beside the receiver keeps the
    /// channel open.
    pub(super) fn wait(&mut self, deadline: Option<Instant>) -> Option<TestEnd> {
        let report = match [deadline, self.end_late()].into_iter().flatten().min() {
            Some(until) => self.reports.recv_deadline(until).ok(),
            None => self.reports.recv().ok(),
        };
        report.flatten().map(|report| self.accept(report))
    }

    /// Ends what was started before its limit was known and has taken longer; says when the next one has.
    #[expect(clippy::disallowed_methods, reason = "each for itself, in whatever order")]
    fn end_late(&mut self) -> Option<Instant> {
        let (known, limit) = self.limit?;
        let now = Instant::now();
        let early = |test: &&mut StartedTest| test.since < known && !test.timed_out;
        let mut next = None;
        for test in self.running.values_mut().filter(early) {
            // A limit that is beyond the range of the clock is no limit.
            let Some(end) = test.since.checked_add(limit) else { continue };
            if end <= now {
                test.timed_out = true;
                test.cancel.cancel();
            } else {
                next = Some(next.map_or(end, |next: Instant| next.min(end)));
            }
        }
        next
    }

    pub(super) fn poll(&mut self) -> Option<TestEnd> {
        let report = self.reports.try_recv().ok().flatten()?;
        Some(self.accept(report))
    }

    fn accept(&mut self, report: TestReport) -> TestEnd {
        let timed_out = self.running.remove(&report.id).is_some_and(|test| test.timed_out);
        self.busy += report.wall;
        // A test that panics does so where the reduction was started.
        let said = match report.result.unwrap_or_else(|panic| resume_unwind(panic)) {
            TestResult::Test(_) if timed_out => {
                TestResult::Test(Ok(Outcome::from(Verdict::TimedOut)))
            }
            said => said,
        };
        TestEnd { id: report.id, said, was_alone: report.was_alone }
    }
}

/// Runs a test; one that was not run is tried again after a pause.
fn retried(cancel: &Cancel, test: impl Fn() -> Result<Outcome, NotRun>) -> Result<Outcome, NotRun> {
    for pause in PAUSES {
        match test() {
            Err(_) if !cancel.is_cancelled() => cancel.wait(pause),
            result => return result,
        };
    }
    test()
}

impl Drop for StartedTests {
    /// They are no longer needed.
    #[expect(clippy::disallowed_methods, reason = "all are killed, in whatever order")]
    fn drop(&mut self) {
        self.running.values().for_each(|test| test.cancel.cancel());
    }
}

impl std::fmt::Debug for StartedTests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartedTests").field("running", &self.running).finish_non_exhaustive()
    }
}
