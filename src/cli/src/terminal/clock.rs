//! A line on standard error that says what the program is at, and for how long: on a terminal one line that is written
//! anew, otherwise a plain line now and then.

use std::fmt::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clreduce_process::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::terminal::printing::{error_line, printable};
use crate::terminal::units::{show_clock, show_duration};

/// An action that is shorter gets no line where there is no terminal.
const FIRST_LINE: Duration = Duration::from_secs(3);
/// Time between two lines about one action.
const NEXT_LINE: Duration = Duration::from_secs(10);

/// The style of a line or bar with this template, in which `{time}` is the time since the start. It moves by itself.
pub(crate) fn bar_style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("time", |state: &ProgressState, text: &mut dyn Write| {
        let _ = write!(text, "{}", show_clock(state.elapsed()));
    })
}

/// Shows actions while it exists.
pub(crate) struct Clock {
    display: Arc<ClockDisplay>,
    /// Writes the lines where there is no terminal.
    writer: Option<JoinHandle<()>>,
    /// True if the bar goes with the clock.
    owns_bar: bool,
}

struct ClockDisplay {
    bar: Option<ProgressBar>,
    state: Mutex<ClockState>,
    changed: Condvar,
}

struct ClockState {
    action: String,
    since: Instant,
    next_line: Duration,
    is_over: bool,
}

impl Clock {
    /// Starts a clock on a line of its own.
    pub(crate) fn start() -> Self {
        let bar = console::user_attended_stderr().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(bar_style("{spinner} {wide_msg}"));
            bar
        });
        let mut clock = Self::on(bar);
        clock.owns_bar = true;
        clock
    }

    /// Starts a clock on a bar that is there already; without one, it prints plain lines.
    pub(crate) fn on(bar: Option<ProgressBar>) -> Self {
        let since = Instant::now();
        let state =
            ClockState { action: String::new(), since, next_line: FIRST_LINE, is_over: false };
        let display =
            Arc::new(ClockDisplay { bar, state: Mutex::new(state), changed: Condvar::new() });
        let own = Arc::clone(&display);
        let writer = thread::Builder::new().name("clock".to_owned()).spawn(move || own.write());
        // Without a thread there is no clock, and the work goes on.
        Self { display, writer: writer.ok(), owns_bar: false }
    }

    /// The hook through which actions are shown.
    pub(crate) fn progress(&self) -> Progress {
        let display = Arc::clone(&self.display);
        Progress::new(move |action| display.begin(action))
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.display.begin("");
        self.display.state().is_over = true;
        self.display.changed.notify_all();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        if let Some(bar) = self.display.bar.as_ref().filter(|_| self.owns_bar) {
            bar.finish_and_clear();
        }
    }
}

impl ClockDisplay {
    fn state(&self) -> MutexGuard<'_, ClockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an action. The one before it gets its line, if one is due.
    fn begin(&self, action: &str) {
        let mut state = self.state();
        self.show(&mut state);
        (state.action, state.since) = (action.to_owned(), Instant::now());
        state.next_line = FIRST_LINE;
        drop(state);
        self.changed.notify_all();
    }

    fn show(&self, state: &mut ClockState) {
        let elapsed = state.since.elapsed();
        if state.action.is_empty() {
            return;
        }
        let text =
            || printable(&format!("{} ({})", state.action, show_duration(elapsed))).into_owned();
        match &self.bar {
            Some(bar) => {
                bar.set_message(text());
                bar.tick();
            }
            None if elapsed >= state.next_line => {
                error_line(&text());
                state.next_line = elapsed + NEXT_LINE;
            }
            None => {}
        }
    }

    /// Shows the action again and again, until the end.
    fn write(&self) {
        const TICK: Duration = Duration::from_millis(100);
        let mut state = self.state();
        while !state.is_over {
            self.show(&mut state);
            state =
                self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
