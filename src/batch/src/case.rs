//! One case of a batch, from its begin or where an earlier run left it to its record.

use std::any::Any;
use std::error::Error;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clreduce_interestingness::{Cancel, Occasion, Verdict};
use clreduce_testcase::TestCase;
use thiserror::Error;

use crate::history::{CommitRecord, History};
use crate::record::{CaseOutcome, CaseRecord, Measure, PassRecord};
use crate::{Batch, Case, OpenError, files};
use clreduce_engine::events::{Ending, Event};
use clreduce_engine::{Reduced, Reduction, ReductionError, Resume};
use clreduce_journal::{Facts, StateError, StateFolder};
use clreduce_speculation::Pool;

/// Folder with the result, in a case's folder.
const RESULT: &str = "reduced";
/// Folder with the journal while it is under way.
const STATE: &str = "state";

/// A reason why a case failed that may be gone by the next run.
#[derive(Debug, Error)]
enum CaseError {
    /// The case or its test cannot be used.
    #[error("{0}")]
    Open(OpenError),
    /// The folder of the case cannot be written.
    #[error("cannot write to {}: {source}", folder.display())]
    Write { folder: PathBuf, source: io::Error },
    /// The state of an earlier run cannot be used.
    #[error("{source}; or remove {} to start this case again", folder.display())]
    State { folder: PathBuf, source: StateError },
    /// The reduction failed.
    #[error(transparent)]
    Reduction(#[from] ReductionError),
}

/// The settings with which one case is reduced.
pub(crate) struct Attempt<'a> {
    pub folder: &'a Path,
    pub batch: &'a Batch,
    pub pool: &'a Arc<Pool>,
    /// Takes the number of tests so far.
    pub tell: &'a (dyn Fn(u64) + Sync),
}

impl Attempt<'_> {
    /// Reduces the case. What cannot be different the next time is written down; the rest (a full
    /// disk, an interruption) is tried again by the next run.
    pub(crate) fn record(&self, case: Case) -> CaseRecord {
        let name = case.name.clone();
        if self.batch.cancel.is_cancelled() {
            return CaseRecord::without_result(&name, CaseOutcome::Interrupted, String::new());
        }
        // A pass that panics on one program does not take the others with it.
        let attempt = catch_unwind(AssertUnwindSafe(|| self.reduce(case)));
        let (record, is_final) = match attempt {
            Ok(Ok(record)) => {
                let is_final = record.outcome != CaseOutcome::Interrupted;
                (record, is_final)
            }
            Ok(Err(error)) => {
                (CaseRecord::without_result(&name, CaseOutcome::Failed, with_causes(&error)), false)
            }
            Err(panic) => {
                let reason = format!("internal error of clreduce: {}", message(&*panic));
                (CaseRecord::without_result(&name, CaseOutcome::Failed, reason), true)
            }
        };
        if is_final && let Err(error) = self.finish(&record) {
            return CaseRecord { reason: format!("cannot be recorded: {error}"), ..record };
        }
        record
    }

    /// From now on the case is not touched again.
    fn finish(&self, record: &CaseRecord) -> io::Result<()> {
        record.write(self.folder)?;
        clreduce_files::remove_tree(&self.folder.join(STATE))
    }

    fn reduce(&self, case: Case) -> Result<CaseRecord, CaseError> {
        let (name, facts) = (case.name, case.facts);
        let reduction = (case.open)().map_err(CaseError::Open)?;
        let original = reduction.case().clone();
        let test = reduction.shared();
        let told = |source| CaseError::Write { folder: self.folder.to_owned(), source };
        fs::create_dir_all(self.folder).map_err(told)?;
        let state = StateFolder::open(self.folder.join(STATE)).map_err(ReductionError::State)?;
        let is_resumed = matches!(state.unfinished(), Ok(Some(_)));
        let mut history = History::open(self.folder, original.clone(), is_resumed).map_err(told)?;
        let (seconds_before, tests_before) = history.before();
        let began = Instant::now();
        let result = self.run(reduction, (state, facts), &mut history, began);
        let mut record = CaseRecord::without_result(&name, CaseOutcome::Failed, String::new());
        record.take_original(&original);
        record.after = record.before;
        record.seconds = seconds_before + began.elapsed().as_secs_f64();
        match result {
            Ok(reduced) => {
                record.fill(&reduced);
                record.tests += tests_before;
                if record.outcome.is_reduced() {
                    files::put(&reduced.case, &self.folder.join(RESULT)).map_err(told)?;
                    record.judge_again(&*test, self.pool, &reduced.case);
                }
                Ok(record)
            }
            Err(ReductionError::NotInteresting(outcome)) => {
                record.outcome = CaseOutcome::NotInteresting;
                record.take_output(&outcome);
                record.reason = match outcome.verdict {
                    Verdict::TimedOut => {
                        format!("the test was stopped after {:.0?}", round(outcome.wall))
                    }
                    _ => outcome.reason,
                };
                Ok(record)
            }
            Err(ReductionError::Flaky { interesting, runs, contrary }) => {
                clreduce_files::remove_tree(&self.folder.join(RESULT)).map_err(told)?;
                record.outcome = CaseOutcome::Flaky;
                record.reason = format!("interesting in {interesting} out of {runs} runs");
                record.take_output(&contrary);
                Ok(record)
            }
            Err(error) if error.is_of_the_test() => {
                clreduce_files::remove_tree(&self.folder.join(RESULT)).map_err(told)?;
                record.outcome = CaseOutcome::Flaky;
                record.reason = error.to_string();
                Ok(record)
            }
            Err(ReductionError::State(source)) => {
                Err(CaseError::State { folder: self.folder.to_owned(), source })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn run(
        &self,
        reduction: Reduction<'static>,
        (folder, facts): (StateFolder, Facts),
        history: &mut History,
        began: Instant,
    ) -> Result<Reduced, ReductionError> {
        let facts = self.batch.facts.clone().into_iter().chain(facts).collect();
        let mut tests_now = 0;
        let listener = |event: &Event| match event {
            Event::Judged { tests, .. } => {
                tests_now = *tests;
                (self.tell)(*tests);
            }
            Event::WentBack { step, case, .. } => {
                let _ = history.go_back(*step, case);
            }
            event => {
                if let Some((commit, case)) =
                    CommitRecord::of(event, tests_now, began.elapsed().as_secs_f64())
                {
                    // The report then lacks a line; the result does not depend on it.
                    let _ = history.add(commit, case);
                }
            }
        };
        let result = self.folder.join(RESULT);
        let reduction: Reduction<'_> = reduction;
        reduction
            .pool(Arc::clone(self.pool))
            .cancel(self.batch.cancel.clone())
            .state(Resume { folder, facts, on_disk: None })
            .keep(|case| files::put(case, &result))
            .on_event(listener)
            .run()
    }
}

impl CaseRecord {
    /// The record of a reduction that has ended. What its test says about the result is not known yet.
    #[must_use]
    pub fn of(name: &str, original: &TestCase, reduced: &Reduced) -> Self {
        let mut record = Self::without_result(name, CaseOutcome::Failed, String::new());
        record.take_original(original);
        record.seconds = reduced.wall.as_secs_f64();
        record.fill(reduced);
        record
    }

    fn fill(&mut self, reduced: &Reduced) {
        self.outcome = match reduced.ending {
            Ending::Minimal => CaseOutcome::Minimal,
            Ending::StepLimit | Ending::TimeLimit => CaseOutcome::Limit,
            Ending::Interrupted => CaseOutcome::Interrupted,
        };
        self.after = Measure::new(reduced.size, reduced.case.total_bytes());
        self.steps = reduced.steps;
        self.tests = reduced.tests;
        self.timeout = reduced.timeout.as_secs_f64();
        let rates = reduced.rates.map(|rates| rates.to_string());
        let said = rates.or(reduced.numbers.map(|numbers| numbers.to_string()));
        self.reason = said.unwrap_or_default();
        self.contradictions = reduced.flakiness.contradictions();
        let passes = reduced.passes.iter().map(|pass| PassRecord {
            name: pass.name.to_owned(),
            steps: pass.steps,
            interesting: pass.interesting,
            tokens_removed: pass.tokens_removed,
            seconds: pass.wall.as_secs_f64(),
        });
        self.passes = passes.collect();
    }

    /// The verdict and output of the test on the result: the output tells bugs apart, and an answer that holds twice
    /// is worth more. Short enough to be waited for when the batch is interrupted.
    fn judge_again(
        &mut self,
        test: &dyn clreduce_interestingness::Interestingness,
        pool: &Pool,
        case: &TestCase,
    ) {
        let nobody = Cancel::new();
        let permit = pool.wait(&nobody);
        let outcome = test.judge_on(case, Occasion::Again, &nobody);
        drop(permit);
        self.tests += 1;
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(not_run) => {
                self.reason = format!("the test could not be run again on the result: {not_run}");
                return;
            }
        };
        self.take_output(&outcome);
        // Where rates decide, they are the reason, and one run says nothing.
        if outcome.verdict != Verdict::Interesting && self.reason.is_empty() {
            let reason =
                if outcome.reason.is_empty() { "no reason given" } else { &outcome.reason };
            self.reason = format!("the test rejected the result when it was repeated: {reason}");
        }
    }

    fn take_output(&mut self, outcome: &clreduce_interestingness::Outcome) {
        self.exit_code = outcome.exit_code;
        self.output = String::from_utf8_lossy(&outcome.output_tail).into_owned();
    }
}

/// An error with what caused it, as far as it does not say so itself.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

fn round(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic")
}
