//! The executor: it carries out on threads what the scheduler decides.

mod started;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clreduce_interestingness::{Cancel, CompileFilter, Interestingness, NotRun, Occasion, Outcome};
use clreduce_testcase::TestCase;
use crossbeam_channel::unbounded;

use crate::pool::{Permit, Pool};
use crate::requests::UserRequests;
use crate::scheduler::{Judged, Scheduler, SchedulerStep};
use crate::verdicts::Verdicts;
use clreduce_candidates::CandidateSource;
use started::{StartedTests, TestEnd, TestResult};

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
    requests: UserRequests,
    /// The passes that were skipped before the next verdict.
    skipped: Vec<&'static str>,
    /// The test cases that a person edited before the next verdict.
    edited: Vec<TestCase>,
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
            requests: UserRequests::new(),
            skipped: Vec::new(),
            edited: Vec::new(),
            deadline,
        }
    }

    /// Does what a person asks for.
    #[must_use]
    pub fn heeding(self, requests: UserRequests) -> Self {
        Self { requests, ..self }
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
            let (skips_pass, edits) = self.requests.take();
            if skips_pass {
                self.skipped.extend(self.scheduler.skip_pass());
            }
            for case in edits {
                self.scheduler.take_edit(&case);
                self.edited.push(case);
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

    /// The test cases that a person edited since the last call. The next verdicts are on them.
    pub fn take_edited(&mut self) -> Vec<TestCase> {
        std::mem::take(&mut self.edited)
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
            let judged = catch_unwind(AssertUnwindSafe(|| {
                test.judge_on(&variant, Occasion::Again, &running)
            }));
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

    /// Waits for the end of a test, the cancellation, a request, or the deadline.
    fn wait(&mut self) {
        let wake = self.tests.report.clone();
        let hook = self.cancel.on_cancel(move || {
            // The executor may have gone.
            let _ = wake.send(None);
        });
        let wake = self.tests.report.clone();
        let request = self.requests.next_request();
        let request_hook = request.on_cancel(move || {
            let _ = wake.send(None);
        });
        let ended = self.tests.wait(self.deadline);
        drop((hook, request_hook));
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
