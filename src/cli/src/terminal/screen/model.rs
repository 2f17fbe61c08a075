//! The facts that the screen shows of a running reduction. They come from the events; [`super::draw`] draws them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clreduce_engine::events::Event;
use clreduce_testcase::TestCase;

use crate::terminal::diff::{DiffLine, short_diff};
use crate::terminal::statistics::{RunStatistics, verdict_name};

/// The rate of tests is that of this time.
const RATE_OVER: Duration = Duration::from_secs(10);

/// The lines of the program as it is shown, with the names of several files.
pub(super) fn lines_of(case: &TestCase) -> usize {
    let title = usize::from(case.files().len() > 1);
    let lines = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count() + title;
    case.files().iter().map(|file| lines(&file.bytes)).sum()
}

/// A commit as it is shown.
pub(crate) struct CommitView {
    pub pass: &'static str,
    pub bytes: usize,
    pub tokens: usize,
    pub diff: Vec<DiffLine>,
}

/// The state of the reduction for the screen.
pub(crate) struct Model {
    /// The name of the reduced file or folder, as the user wrote it.
    pub name: String,
    /// Tests at a time, and how many run now.
    pub slots: usize,
    running: Arc<AtomicUsize>,
    /// The figures so far.
    pub statistics: RunStatistics,
    /// The current test case.
    pub program: TestCase,
    /// The pass under way, and its steps in this run of it.
    pub pass: (&'static str, u64),
    /// The newest comes first.
    pub commits: VecDeque<CommitView>,
    /// Bytes of the current test case, and since when.
    pub curve: Vec<(Duration, usize)>,
    last_commit: Instant,
    tests: VecDeque<(Instant, u64)>,
    /// Warnings and notes, as they will be printed.
    pub messages: Vec<String>,
    /// The end of the last test, and the last lines that it printed.
    pub last_test: (String, Vec<u8>),
    /// The answer to the last key.
    pub notice: String,
}

impl Model {
    pub(crate) fn new(
        name: String,
        program: TestCase,
        slots: usize,
        running: Arc<AtomicUsize>,
    ) -> Self {
        Self {
            name,
            slots,
            running,
            statistics: RunStatistics::new(),
            program,
            pass: ("", 0),
            commits: VecDeque::new(),
            curve: Vec::new(),
            last_commit: Instant::now(),
            tests: VecDeque::new(),
            messages: Vec::new(),
            last_test: ("no test has ended yet".to_owned(), Vec::new()),
            notice: String::new(),
        }
    }

    /// Takes note of an event; `statistics` know of it already.
    pub(crate) fn update(&mut self, event: &Event, statistics: &RunStatistics) {
        self.statistics = statistics.clone();
        match event {
            Event::Started { bytes, .. } => self.curve.push((Duration::ZERO, *bytes)),
            Event::Judged { pass, step, tests, outcome, known, .. } => {
                if !known {
                    let end = [verdict_name(outcome.verdict), &outcome.reason];
                    let end = end.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
                    let head = format!("the test of step {step}: {}", end.join(", "));
                    self.last_test = (head, outcome.output_tail.clone());
                }
                let steps = if self.pass.0 == *pass { self.pass.1 } else { 0 };
                self.pass = (pass, steps + 1);
                let now = Instant::now();
                while self.tests.front().is_some_and(|(then, _)| now - *then > RATE_OVER) {
                    self.tests.pop_front();
                }
                self.tests.push_back((now, *tests));
            }
            Event::Committed { pass, size, bytes, case, .. } => {
                let diff = short_diff(&self.program, case, 6);
                let commit = CommitView { pass, bytes: *bytes, tokens: size.tokens, diff };
                self.commits.push_front(commit);
                self.commits.truncate(50);
                self.program = case.clone();
                self.last_commit = Instant::now();
                self.curve.push((statistics.elapsed(), *bytes));
            }
            Event::WentBack { bytes, case, .. } => {
                self.program = case.clone();
                self.curve.push((statistics.elapsed(), *bytes));
            }
            Event::PassSkipped { pass } => self.notice = format!("skipped {pass}"),
            Event::EditRefused { .. } => self.notice = "the edit is not interesting".to_owned(),
            Event::LastTests { .. } => self.notice = "last tests of the result".to_owned(),
            Event::Measured { .. }
            | Event::MeasuredNumber { .. }
            | Event::PassFinished { .. }
            | Event::LeftOut { .. }
            | Event::Warning(_)
            | Event::Finished { .. } => {}
        }
    }

    /// The line at which the program begins to be shown. A preprocessed one begins with its headers and ends with the program
    /// itself.
    pub(crate) fn first_line(&self) -> usize {
        let is_preprocessed = |path: &str| path.ends_with(".i") || path.ends_with(".ii");
        let all = self.program.files().iter().all(|file| is_preprocessed(&file.path));
        if all { lines_of(&self.program) } else { 0 }
    }

    /// Tests that run now.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed).min(self.slots)
    }

    /// Tests per second, lately.
    pub(crate) fn rate(&self) -> f64 {
        let Some((then, first)) = self.tests.front() else { return 0.0 };
        let span = then.elapsed().max(Duration::from_secs(1)).as_secs_f64();
        self.statistics.tests.saturating_sub(*first) as f64 / span
    }

    /// Time since the last commit or the start.
    pub(crate) fn since_commit(&self) -> Duration {
        self.last_commit.elapsed()
    }

    /// The size at `count` moments from the start to now, on a logarithmic scale from 0 to `top`.
    pub(crate) fn heights(&self, count: usize, top: u64) -> Vec<u64> {
        let height = |bytes: usize| ((bytes + 1) as f64).ln();
        let first = self.curve.first().map_or(1.0, |(_, bytes)| height(*bytes));
        let now = self.statistics.elapsed().as_secs_f64();
        let at = |column: usize| {
            let time = now * (column + 1) as f64 / count as f64;
            let next = self.curve.partition_point(|(then, _)| then.as_secs_f64() <= time);
            let bytes = self.curve.get(next.saturating_sub(1)).map_or(0, |(_, bytes)| *bytes);
            (height(bytes) / first * top as f64).round() as u64
        };
        (0..count).map(at).collect()
    }
}
