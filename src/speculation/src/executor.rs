//! The executor: it carries out on threads what the scheduler decides.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clreduce_interestingness::{Cancel, CompileFilter, Interestingness, NotRun, Outcome, Verdict};
use clreduce_testcase::TestCase;
use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::pool::{Permit, Pool, Waiter};
use crate::running::TestId;
use crate::scheduler::{Action, Judged, Scheduler, SchedulerStep};
use crate::skip::SkipPass;
use crate::verdicts::Verdicts;
use clreduce_candidates::CandidateSource;

/// Pauses before a test that was not run is tried again, each time that it has a turn. A disk may be full for a moment,
/// or an editor may be writing the test.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2)];

/// A reason why no further verdict comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The source wants no more verdicts.
    Done,
    /// The token was triggered.
    Cancelled,
    /// The deadline has passed.
    Deadline,
    /// A test whose verdict is needed cannot be run, also not again after a while, and alone.
    NotRun(NotRun),
}

/// A source of candidates whose candidates are tested on a pool, ahead of time where there is room.
#[derive(Debug)]
pub struct Executor<S: CandidateSource> {
    scheduler: Scheduler<S>,
    tests: StartedTests,
    cancel: Cancel,
    skip: SkipPass,
    /// The passes that were skipped before the next verdict.
    skipped: Vec<&'static str>,
    deadline: Option<Instant>,
}

impl<S: CandidateSource> Executor<S> {
    /// Runs `test` and `filter` on `pool` as `scheduler` decides, until `cancel` is triggered or `deadline` has passed.
    #[must_use]
    pub fn new(
        scheduler: Scheduler<S>,
        pool: Arc<Pool>,
        test: Arc<dyn Interestingness>,
        filter: Option<Arc<dyn CompileFilter>>,
        cancel: Cancel,
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            scheduler,
            tests: StartedTests::new(pool, test, filter),
            cancel,
            skip: SkipPass::new(),
            skipped: Vec::new(),
            deadline,
        }
    }

    /// Skips passes as a person asks for it.
    #[must_use]
    pub fn skipping(self, skip: SkipPass) -> Self {
        Self { skip, ..self }
    }

    /// Waits for the next verdict and gives it to the source. A pass may be skipped before that.
    ///
    /// # Errors
    /// When no verdict comes any more.
    ///
    /// # Panics
    /// When the test did, with what it panicked with.
    pub fn next_verdict(&mut self) -> Result<Judged, Stop> {
        loop {
            if let Some(stop) = self.stopped() {
                return Err(stop);
            }
            if self.skip.take() {
                self.skipped.extend(self.scheduler.skip_pass());
            }
            match self.scheduler.step() {
                SchedulerStep::Judged(answered) => return Ok(*answered),
                SchedulerStep::Done => return Err(Stop::Done),
                SchedulerStep::Waiting => {}
            }
            self.fill();
            self.wait();
        }
    }

    /// Starts and kills until nothing is left to do. A permit that is of no use goes back.
    fn fill(&mut self) {
        loop {
            let permit = self.permit();
            let actions = self.scheduler.plan(permit.is_some());
            if actions.is_empty() {
                return;
            }
            self.tests.carry_out(actions, permit);
        }
    }

    fn permit(&self) -> Option<Permit> {
        let has_slot = self.scheduler.has_slot();
        has_slot.then(|| self.tests.waiter.take(self.scheduler.is_urgent())).flatten()
    }

    /// The passes that were skipped between the last verdict and the one before it.
    pub fn take_skipped(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.skipped)
    }

    /// Gives the source its next verdict if that is known without a test.
    pub fn known_verdict(&mut self) -> Option<Judged> {
        match self.scheduler.step() {
            SchedulerStep::Judged(answered) => Some(*answered),
            SchedulerStep::Done | SchedulerStep::Waiting => None,
        }
    }

    /// Returns true if the source wants no more verdicts.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.scheduler.is_done()
    }

    /// Runs the confirmations that wait, and nothing else.
    ///
    /// # Errors
    /// When the executor is stopped before they are done.
    ///
    /// # Panics
    /// When the test did, with what it panicked with.
    pub fn confirm(&mut self) -> Result<(), Stop> {
        loop {
            loop {
                let permit = self.permit();
                let actions = self.scheduler.plan_confirmations(permit.is_some());
                if actions.is_empty() {
                    break;
                }
                self.tests.carry_out(actions, permit);
            }
            if self.scheduler.is_confirmed() {
                return Ok(());
            }
            if let Some(stop) = self.stopped() {
                return Err(stop);
            }
            self.wait();
        }
    }

    /// Ends what runs, and begins again with another source and other known verdicts.
    ///
    /// # Panics
    /// When the test did, with what it panicked with.
    pub fn restart(&mut self, source: S, verdicts: Verdicts) {
        self.stop();
        self.scheduler.restart(source, verdicts);
    }

    /// Sets another deadline.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Kills what runs and waits for its end.
    ///
    /// # Panics
    /// When the test did, with what it panicked with.
    pub fn stop(&mut self) {
        let actions = self.scheduler.kill_all();
        self.tests.carry_out(actions, None);
        while !self.scheduler.is_idle() {
            let ended = self.tests.wait(None);
            self.note(ended);
        }
    }

    /// Tests a variant once more after [`stop`](Self::stop), whatever the reason to stop was. `None` where that takes longer
    /// than `limit`, or the test cannot be run.
    ///
    /// # Panics
    /// When the test did, with what it panicked with.
    pub fn last_test(&mut self, variant: TestCase, limit: Duration) -> Option<Outcome> {
        let cancel = Cancel::new();
        let permit = self.tests.pool.wait(&cancel)?;
        let (done, result) = unbounded();
        let (test, running) = (Arc::clone(&self.tests.test), cancel.clone());
        self.tests.pool.run(move || {
            let judged = catch_unwind(AssertUnwindSafe(|| test.judge_again(&variant, &running)));
            drop((test, permit));
            // Somebody waits for it.
            let _ = done.send(judged);
        });
        let judged = match result.recv_timeout(limit) {
            Ok(judged) => judged,
            Err(_) => {
                cancel.cancel();
                // Its processes are gone before this one may be.
                drop(result.recv());
                return None;
            }
        };
        judged.unwrap_or_else(|panic| resume_unwind(panic)).ok()
    }

    /// Ends the tests of candidates and forgets their verdicts as far as the source has not taken them. Call it where
    /// other limits come into force, since a verdict must not depend on how early its test began.
    pub fn drop_tests_ahead(&mut self) {
        let actions = self.scheduler.drop_tests_ahead();
        self.tests.carry_out(actions, None);
    }

    /// The scheduler, for its figures.
    #[must_use]
    pub fn scheduler(&self) -> &Scheduler<S> {
        &self.scheduler
    }

    /// The scheduler, to ask for a confirmation.
    pub fn scheduler_mut(&mut self) -> &mut Scheduler<S> {
        &mut self.scheduler
    }

    /// Sets the time limit of tests that run already.
    pub fn limit_running(&mut self, limit: Duration) {
        self.tests.limit = Some((Instant::now(), limit));
    }

    /// Total time that tests ran, over all threads.
    #[must_use]
    pub fn busy(&self) -> Duration {
        self.tests.busy
    }

    fn stopped(&self) -> Option<Stop> {
        if self.cancel.is_cancelled() {
            self.cancel.notice();
            return Some(Stop::Cancelled);
        }
        if let Some(not_run) = self.scheduler.not_run() {
            return Some(Stop::NotRun(not_run.clone()));
        }
        self.deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| Stop::Deadline)
    }

    /// Waits for the end of a test, the cancellation, a request to skip a pass, or the deadline.
    fn wait(&mut self) {
        let wake = self.tests.report.clone();
        let hook = self.cancel.on_cancel(move || {
            // Nobody waits once the executor is gone.
            let _ = wake.send(None);
        });
        let wake = self.tests.report.clone();
        let request = self.skip.next_request();
        let skip_hook = request.on_cancel(move || {
            let _ = wake.send(None);
        });
        let ended = self.tests.wait(self.deadline);
        drop((hook, skip_hook));
        self.note(ended);
    }

    /// Reports an end and all others that are known.
    fn note(&mut self, mut ended: Option<TestEnd>) {
        while let Some(TestEnd { id, said, was_alone }) = ended {
            if !was_alone {
                self.scheduler.disturbed(id);
            }
            match said {
                TestResult::Test(outcome) => self.scheduler.ended(id, outcome),
                TestResult::Filter(accepts) => self.scheduler.filtered(id, accepts),
            }
            ended = self.tests.poll();
        }
    }
}

/// The tests that run, and the channel by which they report back.
struct StartedTests {
    pool: Arc<Pool>,
    waiter: Waiter,
    test: Arc<dyn Interestingness>,
    filter: Option<Arc<dyn CompileFilter>>,
    running: HashMap<TestId, StartedTest>,
    /// Wall-time limit of what was started before this instant.
    limit: Option<(Instant, Duration)>,
    /// `None` only wakes the one who waits.
    report: Sender<Option<TestReport>>,
    reports: Receiver<Option<TestReport>>,
    busy: Duration,
}

/// A test, or a look by the compile filter, that was handed to a thread.
#[derive(Debug)]
struct StartedTest {
    cancel: Cancel,
    since: Instant,
    /// Ended for taking too long.
    timed_out: bool,
}

struct TestReport {
    id: TestId,
    result: Result<TestResult, Box<dyn Any + Send>>,
    wall: Duration,
    was_alone: bool,
}

/// The result of a test, or of a look by the compile filter.
enum TestResult {
    Test(Result<Outcome, NotRun>),
    Filter(Option<bool>),
}

/// The end of a test, or of a look by the compile filter.
struct TestEnd {
    id: TestId,
    said: TestResult,
    /// No other test, of this reduction or of others on the pool, ran meanwhile.
    was_alone: bool,
}

impl StartedTests {
    fn new(
        pool: Arc<Pool>,
        test: Arc<dyn Interestingness>,
        filter: Option<Arc<dyn CompileFilter>>,
    ) -> Self {
        let (report, reports) = unbounded();
        let wake = report.clone();
        // Nobody waits once the executor is gone.
        let waiter = pool.waiter(move || drop(wake.send(None)));
        let (running, busy) = (HashMap::new(), Duration::ZERO);
        Self { pool, waiter, test, filter, running, limit: None, report, reports, busy }
    }

    /// Kills, and starts no more than one test, for which there must be a permit.
    fn carry_out(&mut self, actions: Vec<Action>, mut permit: Option<Permit>) {
        for action in actions {
            match action {
                Action::Kill(id) => {
                    self.running.get(&id).into_iter().for_each(|test| test.cancel.cancel());
                }
                Action::Start(id, variant) => {
                    let test = Arc::clone(&self.test);
                    self.run(id, permit.take(), move |cancel| {
                        TestResult::Test(retried(cancel, || test.judge(&variant, cancel)))
                    });
                }
                Action::StartEarly(id, variant) => {
                    let test = Arc::clone(&self.test);
                    self.run(id, permit.take(), move |cancel| {
                        TestResult::Test(retried(cancel, || test.judge_early(&variant, cancel)))
                    });
                }
                Action::StartAfresh(id, variant) => {
                    let test = Arc::clone(&self.test);
                    self.run(id, permit.take(), move |cancel| {
                        TestResult::Test(retried(cancel, || test.judge_afresh(&variant, cancel)))
                    });
                }
                Action::StartAgain(id, variant) => {
                    let test = Arc::clone(&self.test);
                    self.run(id, permit.take(), move |cancel| {
                        TestResult::Test(retried(cancel, || test.judge_again(&variant, cancel)))
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
            // Nobody reads it once the executor is gone.
            let _ = report.send(Some(TestReport { id, result, wall, was_alone }));
        });
    }

    /// Waits for the next report, not beyond the deadline. The sender beside the receiver keeps the
    /// channel open.
    fn wait(&mut self, deadline: Option<Instant>) -> Option<TestEnd> {
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
            // A limit that no clock reaches is none.
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

    fn poll(&mut self) -> Option<TestEnd> {
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
    /// Nobody waits for them any more.
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
