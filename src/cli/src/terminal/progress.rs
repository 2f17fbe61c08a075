//! The progress of a reduction on standard error: the screen on a terminal, otherwise a line every ten seconds.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use clreduce_engine::LIMIT_FACTOR;
use clreduce_engine::events::{Ending, Event};
use clreduce_testcase::TestCase;
use console::style;
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::terminal::clock::{Clock, bar_style};
use crate::terminal::diff::short_diff;
use crate::terminal::printing::{error_line, printable, warning};
use crate::terminal::screen::{Drawn, Screen};
use crate::terminal::statistics::{RunStatistics, verdict_name};
use crate::terminal::units::{show_bytes, show_count, show_duration, show_refused, show_share};

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The amount of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Errors and warnings only.
    Quiet,
    /// Also the progress.
    Normal,
    /// Also every commit.
    Commits,
    /// Also every step.
    Steps,
}

/// The display: a line with a clock until the original is known to be interesting, and then the screen, or lines.
pub(crate) struct ProgressDisplay {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    drawn: Option<Drawn>,
    screen: Option<Screen>,
    last_line: Instant,
    /// The current test case, where commits are printed.
    current: Option<TestCase>,
}

impl ProgressDisplay {
    /// A display on standard error.
    pub(crate) fn new(verbosity: Verbosity, plain: bool) -> Self {
        let terminal = console::user_attended_stderr() && verbosity > Verbosity::Quiet && !plain;
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(bar_style("{spinner} {time}  {wide_msg}"));
            bar.set_message("running the test on the original");
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Self { verbosity, bar, drawn: None, screen: None, last_line: Instant::now(), current: None }
    }

    /// Takes what is drawn once the original is known to be interesting.
    pub(crate) fn will_draw(&mut self, drawn: Drawn) {
        if self.verbosity >= Verbosity::Commits {
            self.current = Some(drawn.model.program.clone());
        } else if self.bar.is_some() && Screen::is_possible() {
            self.drawn = Some(drawn);
        }
    }

    /// Starts a clock for what precedes the reduction, unless quiet.
    pub(crate) fn clock(&self) -> Option<Clock> {
        (self.verbosity > Verbosity::Quiet).then(|| Clock::on(self.bar.clone()))
    }

    /// Prints a line that stays.
    pub(crate) fn line(&self, text: &str) {
        match (&self.screen, &self.bar) {
            (Some(screen), _) => screen.line(text),
            (None, Some(bar)) => bar.suspend(|| error_line(text)),
            (None, None) => error_line(text),
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(&self, text: &str) {
        self.line(&warning(text));
    }

    /// Prints something worth knowing, unless quiet.
    pub(crate) fn note(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            self.line(&format!("{}: {}", style("note").for_stderr().bold(), printable(text)));
        }
    }

    /// Shows an event; `statistics` know of it already.
    pub(crate) fn update(&mut self, event: &Event, statistics: &RunStatistics) {
        if matches!(event, Event::Started { .. }) {
            self.started(statistics);
        }
        if let Some(screen) = &self.screen {
            screen.update(event, statistics);
        }
        match event {
            Event::Started { .. } | Event::PassFinished { .. } => {}
            Event::Judged { step, pass, outcome, known, .. } => {
                if self.verbosity >= Verbosity::Steps {
                    let verdict = verdict_name(outcome.verdict);
                    let known = if *known { "known" } else { "" };
                    let why = [outcome.reason.as_str(), known];
                    let why: Vec<&str> = why.into_iter().filter(|why| !why.is_empty()).collect();
                    let why = match &why[..] {
                        [] => String::new(),
                        why => format!(" ({})", why.join("; ")),
                    };
                    self.line(&format!("  {step} {pass}: {verdict}{}", printable(&why)));
                }
                self.show(statistics, pass);
            }
            Event::Committed { pass, size, bytes, case, .. } => {
                let (bytes, tokens) = (show_bytes(*bytes), show_count(size.tokens as u64));
                self.committed(&format!("{bytes:>9} {tokens:>7} tokens  {pass}"), case);
            }
            Event::LeftOut { pass, of, most } => {
                if self.verbosity >= Verbosity::Steps {
                    self.line(&format!("  {pass} left something out: more than {most} {of}"));
                }
            }
            Event::Measured { is_original: true, runs, asked } => self.note(&format!(
                "the original shows the bug {}; a variant is interesting if it does so in at least {asked} of its runs",
                runs.with_interval()
            )),
            Event::MeasuredNumber { is_original: true, number, asked } => self.note(&format!(
                "the test measures {number} for the original; a variant is interesting with {asked}"
            )),
            // The text at the end has it.
            Event::Measured { is_original: false, .. }
            | Event::MeasuredNumber { is_original: false, .. } => {}
            Event::Warning(text) => self.warning(text),
            Event::LastTests { ending, limit } => {
                if let Some(text) = last_tests(*ending, *limit) {
                    self.note(&text);
                }
            }
            Event::PassSkipped { pass } => self.note(&format!("skipped what was left of {pass}")),
            // It is told with the place that it is put to.
            Event::EditRefused { .. } => {}
            // Later events are told by lines again.
            Event::Finished { .. } => self.finish(),
            Event::WentBack { case, .. } => {
                if let Some(current) = &mut self.current {
                    current.clone_from(case);
                }
            }
        }
    }

    /// Prints a commit and what it changed, if lines about commits are wanted.
    fn committed(&mut self, text: &str, case: &TestCase) {
        let Some(before) = &mut self.current else { return };
        let before = std::mem::replace(before, case.clone());
        self.line(text);
        for line in short_diff(&before, case, 6) {
            self.line(&format!("          {}{}", line.sign, line.text));
        }
    }

    /// Takes the display away.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        // Closes it, and prints what it showed.
        self.screen = None;
    }

    fn started(&mut self, statistics: &RunStatistics) {
        self.last_line = Instant::now();
        if statistics.resumed_steps > 0 {
            let steps = show_count(statistics.resumed_steps);
            self.note(&format!("resuming an earlier run after {steps} steps"));
        }
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        // Where no thread can be started, there are lines.
        self.screen = self.drawn.take().and_then(|drawn| Screen::start(drawn).ok());
        if self.verbosity > Verbosity::Quiet && self.screen.is_none() {
            self.line(&format!(
                "original: {}, {} tokens; time limit of a test: {}{}",
                show_bytes(statistics.first.1),
                show_count(statistics.first.0.tokens as u64),
                show_duration(statistics.timeout),
                limit_basis(statistics)
            ));
        }
    }

    fn show(&mut self, statistics: &RunStatistics, pass: &str) {
        let is_due = self.last_line.elapsed() >= LINE_EVERY;
        if self.screen.is_none() && self.verbosity > Verbosity::Quiet && is_due {
            self.last_line = Instant::now();
            self.line(&status(statistics, pass));
        }
    }
}

/// Says what happens after the end of the search, unless that takes as long as it takes.
fn last_tests(ending: Ending, limit: Option<Duration>) -> Option<String> {
    let limit = show_duration(limit?);
    match ending {
        Ending::TimeLimit => Some(format!(
            "the time limit is reached; the result is tested again and laid out, in {limit} at most"
        )),
        Ending::Interrupted => Some(format!(
            "interrupted; the result is laid out and tested, in {limit} at most; Ctrl-C again ends clreduce at once"
        )),
        Ending::StepLimit | Ending::Minimal => None,
    }
}

/// Says where the time limit of a test comes from, if it was measured.
fn limit_basis(statistics: &RunStatistics) -> String {
    let Some(original) = statistics.original_time else { return String::new() };
    match (original * LIMIT_FACTOR).cmp(&statistics.timeout) {
        Ordering::Less => " (the minimum)".to_owned(),
        Ordering::Equal => {
            format!(" ({LIMIT_FACTOR} x the original's {})", show_duration(original))
        }
        Ordering::Greater => " (the maximum)".to_owned(),
    }
}

fn status(statistics: &RunStatistics, pass: &str) -> String {
    let elapsed = statistics.elapsed();
    let rate = statistics.tests as f64 / elapsed.as_secs_f64().max(0.001);
    format!(
        "{} ({} left)  {pass}  {} tests, {rate:.1}/s, {}{} cached  {}",
        show_bytes(statistics.best.1),
        show_share(statistics.best.1, statistics.first.1),
        show_count(statistics.tests),
        show_refused(statistics.refused),
        show_count(statistics.cache_hits),
        show_duration(elapsed)
    )
}
