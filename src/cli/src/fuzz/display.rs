//! The progress display of a campaign, on standard error.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clreduce_campaign::{Conclusion, End, Programs, Progress};
use console::style;
use indicatif::{ProgressBar, ProgressDrawTarget};

use super::tally::Tally;
use crate::terminal::clock::bar_style;
use crate::terminal::printing::{error_line, printable};
use crate::terminal::units::{counted, show_bytes, show_count, show_duration};

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

pub(super) struct Display {
    quiet: bool,
    /// The programs before the first reduction, until this run has told of them.
    gate: Option<u64>,
    bar: Option<ProgressBar>,
    /// What is being reduced, with tests and bytes.
    reducing: BTreeMap<String, (u64, usize)>,
    started: Instant,
    last_line: Instant,
}

impl Display {
    /// A display for a campaign in which nothing is reduced before the program number `gate`.
    pub(super) fn new(quiet: bool, plain: bool, gate: u64) -> Self {
        let terminal = console::user_attended_stderr() && !quiet && !plain;
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(bar_style("{spinner} {time}  {wide_msg}"));
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        let now = Instant::now();
        let gate = Some(gate);
        Self { quiet, gate, bar, reducing: BTreeMap::new(), started: now, last_line: now }
    }

    /// Shows what happened.
    pub(super) fn update(&mut self, progress: &Progress, tally: &Tally, programs: &Programs) {
        match progress {
            Progress::Ran { program, earlier, .. } => {
                if !earlier && let Some(gate) = self.gate.take_if(|gate| program < gate) {
                    self.say(&format!(
                        "the first {} show what each configuration can do; reducing begins after them (--gate)",
                        counted(gate, "program")
                    ));
                }
            }
            Progress::Gate { left_out, avoid } => {
                if tally.programs_now > 0 {
                    self.say(&seen(tally));
                }
                for (name, share) in left_out {
                    let text = format!("{name} is left out: {share} % of the first programs fail");
                    self.say(&style(text).for_stderr().yellow().to_string());
                }
                for line in avoid {
                    let (name, feature) = (&line.configuration, &line.feature);
                    self.say(&format!(
                        "{name} never gets {feature} right, so later programs for it do not use {feature}"
                    ));
                }
            }
            Progress::Reducing { name, tests, bytes } => {
                self.reducing.insert(name.clone(), (*tests, *bytes));
            }
            Progress::Reduced { name, is_published } => {
                self.reducing.remove(name);
                if *is_published {
                    self.say(&format!("{name} is reduced; its folder is there"));
                }
            }
            Progress::Concluded { conclusion, earlier } => {
                self.reducing.clear();
                if !earlier {
                    self.concluded(
                        conclusion,
                        &programs.name(conclusion.program, conclusion.variant),
                    );
                }
            }
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.status(tally));
        } else if !self.quiet && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let time = show_duration(self.started.elapsed());
            error_line(&format!("{time}  {}", self.status(tally)));
        }
    }

    /// Takes the display away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn concluded(&self, conclusion: &Conclusion, program: &str) {
        let Conclusion { configuration, class, reason, bug, .. } = conclusion;
        let what = format!("{} on {configuration}: {}", printable(program), class.name());
        match (conclusion.end, bug) {
            (End::Bug, Some(name)) => {
                let cure = conclusion.construct.as_ref();
                let cure = cure.map(|cure| format!(", right without {cure}")).unwrap_or_default();
                let name = style(name).for_stderr().green().bold();
                self.say(&format!("{what}: new bug {name}{cure}"));
            }
            (End::Generator, _) => {
                let who = style("THE GENERATOR IS SUSPECTED").for_stderr().red().bold();
                self.say(&format!("{what}: {who}: {}", printable(reason)));
            }
            // What is known goes into the figures alone.
            (End::Known, _) => {}
            (End::Duplicate, Some(name)) => {
                self.say(&format!("{what}: reduced, the same as {name}"))
            }
            (End::Invalid, _) => {
                self.say(&format!("{what}: the program is invalid: {}", on_one_line(reason)));
            }
            _ => self.say(&format!("{what}: not reduced: {}", on_one_line(reason))),
        }
        let features: Vec<&str> = conclusion.avoid.iter().map(|line| &*line.feature).collect();
        if conclusion.end == End::Bug && !features.is_empty() {
            let features = features.join(", ");
            self.say(&format!(
                "each alarm makes {features} rarer in later programs for {configuration}"
            ));
        }
    }

    fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        match &self.bar {
            Some(bar) => bar.suspend(|| error_line(text)),
            None => error_line(text),
        }
    }

    fn status(&self, tally: &Tally) -> String {
        let elapsed = self.started.elapsed();
        let an_hour = tally.programs_now as f64 * 3600.0 / elapsed.as_secs_f64().max(1.0);
        let mut text = format!(
            "{} ({} an hour), {}, {}",
            counted(tally.programs, "program"),
            show_count(an_hour as u64),
            counted(tally.alarms(), "suspected bug"),
            counted(tally.bugs.len() as u64, "bug")
        );
        for (name, (tests, bytes)) in &self.reducing {
            let (tests, bytes) = (show_count(*tests), show_bytes(*bytes));
            text += &format!("  reducing {name}: {tests} tests, {bytes}");
        }
        text
    }
}

/// What the first programs have shown, with a line for each configuration that was not always right.
fn seen(tally: &Tally) -> String {
    let mut text = "the first programs have run; reducing begins. Seen so far:".to_owned();
    let shown = tally.configurations.iter().zip(&tally.outcomes);
    for (name, outcomes) in shown.clone().filter(|(_, outcomes)| !outcomes.is_empty()) {
        let counts = outcomes.iter().map(|(class, count)| format!("{count} {}", class.name()));
        text += &format!("\n  {name}: {}", counts.collect::<Vec<_>>().join(", "));
    }
    if shown.clone().all(|(_, outcomes)| outcomes.is_empty()) {
        text += " all results are right";
    }
    text
}

/// A reason with what explains it, such as the message of a linker, but without advice.
fn on_one_line(reason: &str) -> String {
    /// More lines say nothing new.
    const MOST: usize = 4;
    let lines = reason.lines().map(str::trim).take_while(|line| !line.starts_with("help: "));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).take(MOST).collect();
    printable(&lines.join("; ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_keeps_what_explains_it() {
        let reason = "`r.toml`: no stage can look for `data-race`\n    clang: ld: cannot find libclang_rt\nhelp: add a stage";
        let shown =
            "`r.toml`: no stage can look for `data-race`; clang: ld: cannot find libclang_rt";
        assert_eq!(on_one_line(reason), shown);
    }
}
