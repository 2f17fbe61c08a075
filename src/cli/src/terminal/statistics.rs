//! The figures of a running reduction, gathered from its events.

use std::time::{Duration, Instant};

use clreduce_engine::events::{Ending, Event};
use clreduce_interestingness::{Filtered, Verdict};
use clreduce_testcase::Size;

/// The figures so far.
#[derive(Clone, Debug)]
pub(crate) struct RunStatistics {
    started: Instant,
    began: bool,
    /// Size and bytes of the original.
    pub first: (Size, usize),
    /// Size and bytes of the best so far.
    pub best: (Size, usize),
    /// Verdicts consumed.
    pub steps: u64,
    /// Tests started, killed and speculative ones included.
    pub tests: u64,
    /// Variants that the compile filter refused, so that they were not tested.
    pub refused: u64,
    /// Verdicts that were known already.
    pub cache_hits: u64,
    /// Steps that the journal of an earlier run held at the start.
    pub resumed_steps: u64,
    /// Verdicts by which the test case became smaller.
    pub commits: u64,
    /// Time limit of one test.
    pub timeout: Duration,
    /// Time of the test of the original, if the limit follows from it.
    pub original_time: Option<Duration>,
    /// Consumed verdicts that were time-outs, and those for which the test or a tool failed.
    pub timed_out: u64,
    /// See `timed_out`.
    pub unresolved: u64,
    /// Warnings of the engine.
    pub warnings: Vec<String>,
}

impl RunStatistics {
    /// Nothing has happened yet.
    pub(crate) fn new() -> Self {
        let nothing = (Size { work_items: 1, tokens: 0, dense_bytes: 0 }, 0);
        Self {
            started: Instant::now(),
            began: false,
            first: nothing,
            best: nothing,
            steps: 0,
            tests: 0,
            refused: 0,
            cache_hits: 0,
            resumed_steps: 0,
            commits: 0,
            timeout: Duration::ZERO,
            original_time: None,
            timed_out: 0,
            unresolved: 0,
            warnings: Vec::new(),
        }
    }

    /// Takes note of one event.
    pub(crate) fn update(&mut self, event: &Event) {
        match event {
            Event::Started { size, bytes, resumed_steps, time_limit, original_time } => {
                self.began = true;
                (self.first, self.best) = ((*size, *bytes), (*size, *bytes));
                (self.resumed_steps, self.timeout) = (*resumed_steps, *time_limit);
                self.original_time = *original_time;
            }
            Event::Judged { step, outcome, known, filtered, tests, .. } => {
                (self.steps, self.tests) = (*step, *tests);
                self.refused += u64::from(*filtered == Filtered::Rejected && !known);
                self.cache_hits += u64::from(*known);
                self.timed_out += u64::from(outcome.ran_out_of_time);
                self.unresolved += u64::from(outcome.verdict == Verdict::Unresolved);
            }
            Event::Committed { size, bytes, .. } => {
                self.best = (*size, *bytes);
                self.commits += 1;
            }
            Event::WentBack { step, size, bytes, .. } => {
                (self.steps, self.best) = (*step, (*size, *bytes));
            }
            Event::Warning(text) => self.warnings.push(text.clone()),
            Event::Measured { .. }
            | Event::MeasuredNumber { .. }
            | Event::PassFinished { .. }
            | Event::PassSkipped { .. }
            | Event::EditRefused { .. }
            | Event::LastTests { .. }
            | Event::LeftOut { .. }
            | Event::Finished { .. } => {}
        }
    }

    /// True once the test found the original interesting.
    pub(crate) fn began(&self) -> bool {
        self.began
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The name of an ending in JSON.
pub(crate) fn ending_name(ending: Ending) -> &'static str {
    match ending {
        Ending::Minimal => "minimal",
        Ending::StepLimit => "step_limit",
        Ending::TimeLimit => "time_limit",
        Ending::Interrupted => "interrupted",
    }
}

/// A verdict as people say it.
pub(crate) fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Interesting => "interesting",
        Verdict::Uninteresting => "not interesting",
        Verdict::TimedOut => "timed out",
        Verdict::Unresolved => "unresolved",
    }
}
