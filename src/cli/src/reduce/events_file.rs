//! The file of `--events`: one JSON object per line, written as it happens.

use std::io::{self, BufWriter, Write};

use clreduce_engine::events::Event;
use clreduce_interestingness::{Filtered, Verdict};
use serde::Serialize;

use crate::terminal::printing::json_line;
use crate::terminal::statistics::ending_name;

/// Number of the format of the events. It grows when a field is removed or gets another meaning, not when one is added.
const SCHEMA: u32 = 1;

/// The file. After the first failure to write nothing more is written to it.
pub(crate) struct EventsFile {
    writer: Option<BufWriter<Box<dyn Write + Send>>>,
}

/// One line. Sizes are of the whole test case; `key` is the content hash of a variant; `chance` is how
/// likely it was thought to be interesting, in thousandths; times are in seconds.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum EventLine<'a> {
    Started {
        schema: u32,
        version: &'static str,
        bytes: usize,
        tokens: usize,
        work_items: u64,
        resumed_steps: u64,
        timeout: f64,
    },
    Judged {
        step: u64,
        key: String,
        interesting: bool,
        verdict: &'static str,
        pass: &'a str,
        chance: u16,
        known: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        compile_filter: Option<&'static str>,
        tests: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        #[serde(skip_serializing_if = "str::is_empty")]
        reason: &'a str,
        seconds: f64,
    },
    Committed {
        step: u64,
        key: String,
        pass: &'a str,
        bytes: usize,
        tokens: usize,
        work_items: u64,
    },
    WentBack {
        step: u64,
        key: String,
        bytes: usize,
        tokens: usize,
        work_items: u64,
    },
    Measured {
        of: &'static str,
        shown: u32,
        runs: u32,
        asked: f64,
    },
    MeasuredNumber {
        of: &'static str,
        median: f64,
        low: f64,
        high: f64,
        runs: usize,
    },
    PassFinished {
        pass: &'a str,
        steps: u64,
        interesting: u64,
    },
    LeftOut {
        pass: &'a str,
        of: &'a str,
        most: usize,
    },
    PassSkipped {
        pass: &'a str,
    },
    Finished {
        ending: &'static str,
        tokens: usize,
        work_items: u64,
    },
}

impl EventsFile {
    /// Writes to a file that is empty: a run that goes on tells the whole conversation again.
    pub(crate) fn new(file: Box<dyn Write + Send>) -> Self {
        Self { writer: Some(BufWriter::new(file)) }
    }

    /// Writes the line of one event.
    ///
    /// # Errors
    /// When it cannot be written, once.
    pub(crate) fn write(&mut self, event: &Event) -> io::Result<()> {
        let (Some(writer), Some(line)) = (&mut self.writer, EventLine::of(event)) else {
            return Ok(());
        };
        let result = json_line(writer, &line).and_then(|()| writer.flush());
        if result.is_err() {
            self.writer = None;
        }
        match result {
            // `clreduce --events - | head` is fine.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

impl<'a> EventLine<'a> {
    fn of(event: &'a Event) -> Option<Self> {
        Some(match event {
            Event::Started { size, bytes, resumed_steps, time_limit, original_time: _ } => {
                Self::Started {
                    schema: SCHEMA,
                    version: env!("CARGO_PKG_VERSION"),
                    bytes: *bytes,
                    tokens: size.tokens,
                    work_items: size.work_items,
                    resumed_steps: *resumed_steps,
                    timeout: time_limit.as_secs_f64(),
                }
            }
            Event::Judged { .. } => return Self::judged(event),
            Event::Committed { step, pass, size, bytes, case } => Self::Committed {
                step: *step,
                key: case.hash().to_string(),
                pass,
                bytes: *bytes,
                tokens: size.tokens,
                work_items: size.work_items,
            },
            Event::WentBack { step, size, bytes, case } => Self::WentBack {
                step: *step,
                key: case.hash().to_string(),
                bytes: *bytes,
                tokens: size.tokens,
                work_items: size.work_items,
            },
            Event::Measured { is_original, runs, asked } => Self::Measured {
                of: if *is_original { "original" } else { "result" },
                shown: runs.shown,
                runs: runs.runs,
                asked: asked.as_share(),
            },
            Event::MeasuredNumber { is_original, number, .. } => Self::MeasuredNumber {
                of: if *is_original { "original" } else { "result" },
                median: number.median.as_float(),
                low: number.low.as_float(),
                high: number.high.as_float(),
                runs: number.runs,
            },
            Event::PassFinished { pass, steps, interesting } => {
                Self::PassFinished { pass, steps: *steps, interesting: *interesting }
            }
            Event::LeftOut { pass, of, most } => Self::LeftOut { pass, of, most: *most },
            Event::PassSkipped { pass } => Self::PassSkipped { pass },
            Event::Finished { size, ending } => Self::Finished {
                ending: ending_name(*ending),
                tokens: size.tokens,
                work_items: size.work_items,
            },
            // For people; the summary holds them.
            Event::Warning(_) | Event::LastTests { .. } | Event::EditRefused { .. } => return None,
        })
    }

    fn judged(event: &'a Event) -> Option<Self> {
        let Event::Judged { step, hash, pass, chance, outcome, known, filtered, tests } = event
        else {
            return None;
        };
        Some(Self::Judged {
            step: *step,
            key: hash.to_string(),
            interesting: outcome.verdict == Verdict::Interesting,
            verdict: verdict_name(outcome.verdict),
            pass,
            chance: *chance,
            known: *known,
            compile_filter: filter_name(*filtered),
            tests: *tests,
            exit_code: outcome.exit_code,
            reason: &outcome.reason,
            seconds: outcome.wall.as_secs_f64(),
        })
    }
}

fn filter_name(filtered: Filtered) -> Option<&'static str> {
    match filtered {
        Filtered::Passed => None,
        Filtered::Doubted => Some("doubted"),
        Filtered::Rejected => Some("rejected"),
    }
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Interesting => "interesting",
        Verdict::Uninteresting => "uninteresting",
        Verdict::TimedOut => "timed_out",
        Verdict::Unresolved => "unresolved",
    }
}
