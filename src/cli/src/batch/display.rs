//! The progress display of a batch, on standard error.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use clreduce_batch::{BatchProgress as Event, CaseOutcome, CaseRecord};
use console::style;
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::terminal::clock::bar_style;
use crate::terminal::printing::{error_line, printable, shown_path};
use crate::terminal::progress::Verbosity;
use crate::terminal::units::{show_bytes, show_count, show_duration};

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

pub(super) struct BatchDisplay {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    names: Vec<String>,
    over: usize,
    failed: usize,
    /// Tests of the cases that are under way, and of those that this run has finished.
    going: BTreeMap<usize, u64>,
    tests: u64,
    started: Instant,
    last_line: Instant,
}

impl BatchDisplay {
    /// A display for cases of these names.
    pub(super) fn new(verbosity: Verbosity, plain: bool, names: Vec<String>) -> Self {
        let terminal = console::user_attended_stderr() && verbosity > Verbosity::Quiet && !plain;
        let bar = terminal.then(|| {
            let length = Some(names.len() as u64);
            let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
            bar.set_style(bar_style("{bar:10} {pos}/{len}  {time}  {wide_msg}"));
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        let now = Instant::now();
        Self {
            verbosity,
            bar,
            names,
            over: 0,
            failed: 0,
            going: BTreeMap::new(),
            tests: 0,
            started: now,
            last_line: now,
        }
    }

    /// Shows what happened.
    pub(super) fn update(&mut self, event: &Event) {
        match event {
            Event::Going { case, tests } => {
                self.going.insert(*case, *tests);
            }
            Event::Over { case, record, earlier } => self.over(*case, record, *earlier),
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.over as u64);
            bar.set_message(self.status());
        } else if self.verbosity > Verbosity::Quiet && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let (over, all) = (self.over, self.names.len());
            let time = show_duration(self.started.elapsed());
            error_line(&format!("{over}/{all} cases finished, {}  {time}", self.status()));
        }
    }

    /// Takes the display away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn over(&mut self, case: usize, record: &CaseRecord, earlier: bool) {
        self.tests += self.going.remove(&case).unwrap_or(0);
        if record.outcome == CaseOutcome::Interrupted {
            return;
        }
        self.over += 1;
        let is_reduced = record.outcome.is_reduced();
        self.failed += usize::from(!is_reduced);
        if self.verbosity == Verbosity::Quiet || earlier {
            return;
        }
        let what = if is_reduced {
            let (before, after) = (show_bytes(record.before.bytes), show_bytes(record.after.bytes));
            format!("{before} -> {after}, {} steps", show_count(record.steps))
        } else {
            style(record.outcome.name()).for_stderr().yellow().to_string()
        };
        let reason = if record.reason.is_empty() { "" } else { ": " };
        let text = format!(
            "[{}/{}] {}: {what}{reason}{}",
            self.over,
            self.names.len(),
            shown_path(Path::new(&self.names[case])),
            printable(&record.reason)
        );
        match &self.bar {
            Some(bar) => bar.suspend(|| error_line(&text)),
            None => error_line(&text),
        }
    }

    fn status(&self) -> String {
        let tests = self.tests + self.going.values().sum::<u64>();
        let elapsed = self.started.elapsed();
        let rate = tests as f64 / elapsed.as_secs_f64().max(0.001);
        format!(
            "{} running, {} not reduced  {} tests, {rate:.1}/s",
            self.going.len(),
            self.failed,
            show_count(tests)
        )
    }
}
