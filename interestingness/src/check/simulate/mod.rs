//! Oclgrind: races, barriers, bounds and uninitialised values, on a simulated device.
//!
//! It runs unoptimised: its optimiser folds away most of what there is to find. It ends with status 0 whatever it
//! found, so its log is what counts, and a log that cannot be read says nothing.

mod log;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

use clreduce_testcase::{SourceFile, TestCase};

use super::arguments::{Argument, Space};
use super::finding::Kind;
use super::subject::{FILE, Subject};
use super::{Stage, StageName, StageReport};
use crate::Cancel;
use crate::command::{Bench, End};

const TOOL: &str = "Oclgrind";
const PROGRAM: &str = "oclgrind-kernel";
/// The file that tells Oclgrind what to launch.
const SIMULATION: &str = "kernel.sim";

/// The stage.
#[derive(Debug)]
pub struct Simulate {
    bench: Bench,
    build_options: String,
}

impl Simulate {
    pub(super) fn new(bench: Bench, build_options: Vec<String>) -> Self {
        let mut options = build_options;
        options.push("-cl-opt-disable".to_owned());
        Self { bench, build_options: options.join(" ") }
    }

    fn simulate(
        &self,
        files: &TestCase,
        uninitialised: bool,
        limit: Option<Duration>,
        cancel: &Cancel,
    ) -> Result<Vec<super::Finding>, String> {
        let mut args = vec!["--data-races", "--uniform-writes"];
        if uninitialised {
            args.push("--uninitialized");
        }
        args.extend(["--build-options", &self.build_options, SIMULATION]);
        let mut bench = self.bench.clone();
        bench.limits.time = limit;
        let ran = bench.run(PROGRAM, args.into_iter().map(Into::into).collect(), files, cancel);
        let log = log::parse(&ran.stderr)?;
        match ran.end {
            End::Exited(0) => Ok(log),
            // What was seen before it crashed was seen, if it was no consequence of the crash.
            _ if !log.is_empty() => Ok(log),
            _ => Err(ran.trouble()),
        }
    }
}

impl Stage for Simulate {
    fn name(&self) -> StageName {
        StageName::Simulate
    }

    fn looks_for(&self) -> BTreeSet<Kind> {
        use Kind::{DataRace, Divergence, NullPointer, OutOfBounds, Uninitialised};
        [DataRace, Divergence, NullPointer, OutOfBounds, Uninitialised].into()
    }

    fn runs(&self) -> bool {
        true
    }

    fn run(&self, subject: &Subject, cancel: &Cancel) -> StageReport {
        let script = match simulation(subject) {
            Ok(script) => script,
            Err(reason) => return StageReport::failed(TOOL, reason),
        };
        let file = |path: &str, bytes: &[u8]| SourceFile { path: path.into(), bytes: bytes.into() };
        let files = [file(FILE, &subject.source), file(SIMULATION, script.as_bytes())];
        let files = match TestCase::new(files.into()) {
            Ok(files) => files,
            Err(error) => return StageReport::failed(TOOL, error.to_string()),
        };
        let started = Instant::now();
        let limit = self.bench.limits.time;
        let mut report = StageReport { checked: self.looks_for(), ..StageReport::default() };
        let first = self.simulate(&files, true, limit, cancel);
        let result = first.or_else(|reason| {
            // Following uninitialised values crashes it on some kernels with vectors; races it finds there
            // all the same.
            let limit = limit.map(|limit| limit.saturating_sub(started.elapsed()));
            if cancel.is_cancelled() || limit.is_some_and(|limit| limit.is_zero()) {
                return Err(reason);
            }
            let message = format!("{reason}; simulated without uninitialised values");
            report.failures.push(super::Failure { tool: TOOL, message });
            report.checked.remove(&Kind::Uninitialised);
            self.simulate(&files, false, limit, cancel)
        });
        match result {
            Ok(findings) => report.findings = findings,
            Err(reason) => return StageReport::failed(TOOL, reason),
        }
        report
    }
}

/// The launch in Oclgrind's own words.
fn simulation(subject: &Subject) -> Result<String, String> {
    let mut text = format!("{FILE}\n{}\n", subject.kernel);
    for sizes in [&subject.global, &subject.local] {
        let size = |dimension: usize| sizes.get(dimension).copied().unwrap_or(1);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{} {} {}", size(0), size(1), size(2));
    }
    for argument in subject.arguments.as_ref().map_err(Clone::clone)? {
        text.push_str(&describe(argument)?);
    }
    Ok(text)
}

fn describe(argument: &Argument) -> Result<String, String> {
    let unknown = || format!("a parameter of type `{}`", argument.declared);
    let element = argument.element.ok_or_else(unknown)?;
    let lanes = if element.lanes == 3 { 4 } else { element.lanes };
    let bytes = element.bytes().saturating_mul(argument.count);
    let (start, step) = (argument.start, argument.step);
    Ok(match argument.space {
        Space::Local => format!("<size={bytes}>\n"),
        Space::Scalar => format!("<size={bytes} {}>\n{start}\n", element.scalar),
        Space::Global if step == 0 => format!("<size={bytes} {} fill={start}>\n", element.scalar),
        Space::Global => {
            let values = (0..argument.count).flat_map(|index| {
                let value = start.wrapping_add(step.wrapping_mul(index.cast_signed()));
                std::iter::repeat_n(value.to_string(), lanes as usize)
            });
            let values: Vec<String> = values.collect();
            format!("<size={bytes} {}>\n{}\n", element.scalar, values.join(" "))
        }
    })
}
