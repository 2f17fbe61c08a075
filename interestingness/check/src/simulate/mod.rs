//! Oclgrind: races, barriers, bounds and uninitialised values, on a simulated device.
//!
//! It runs unoptimised: its optimiser folds away most of what there is to find. It ends with status 0 whatever it
//! found, so its log is what counts, and a log that cannot be read says nothing.

mod log;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

use clreduce_host::{FILE, Subject, sizes};
use clreduce_kernel::{Argument, Fill, KernelLaunch, Number, encode};
use clreduce_process::{Cancel, End, ToolRunner};
use clreduce_testcase::{SourceFile, TestCase};

use super::finding::Kind;
use super::{Stage, StageName, StageReport};

const TOOL: &str = "Oclgrind";
const PROGRAM: &str = "oclgrind-kernel";
/// The file that tells Oclgrind what to launch.
const SIMULATION: &str = "kernel.sim";

/// The stage.
#[derive(Debug)]
pub struct Simulate {
    tools: ToolRunner,
    build_options: String,
}

impl Simulate {
    pub(super) fn new(tools: ToolRunner, build_options: Vec<String>) -> Self {
        let mut options = build_options;
        options.push("-cl-opt-disable".to_owned());
        Self { tools, build_options: options.join(" ") }
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
        let tools = self.tools.within(limit);
        let ran = tools.run(PROGRAM, args.into_iter().map(Into::into).collect(), files, cancel);
        let log = log::parse(&ran.stderr)?;
        match ran.end {
            End::Exited(0) => Ok(log),
            // What was seen before it crashed was seen, if it was no consequence of the crash.
            _ if !log.is_empty() => Ok(log),
            _ => Err(ran.trouble()),
        }
    }
}

impl Simulate {
    /// One launch, if need be without looking for uninitialised values.
    fn launch(
        &self,
        subject: &Subject,
        launch: &KernelLaunch,
        deadline: Option<Instant>,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<Vec<super::Finding>, String> {
        let file = |path: &str, bytes: &[u8]| SourceFile { path: path.into(), bytes: bytes.into() };
        let script = simulation(launch);
        let files = [file(FILE, &subject.source), file(SIMULATION, script.as_bytes())];
        let files = TestCase::new(files.into()).map_err(|error| error.to_string())?;
        let left = || deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if report.checked.contains(&Kind::Uninitialised) {
            let reason = match self.simulate(&files, true, left(), cancel) {
                Ok(found) => return Ok(found),
                Err(reason) => reason,
            };
            // Following uninitialised values crashes it on some kernels with vectors; races it finds there
            // all the same.
            if cancel.is_cancelled() || left().is_some_and(|left| left.is_zero()) {
                return Err(reason);
            }
            let message = format!("{reason}; simulated without uninitialised values");
            report.failures.push(super::Failure { tool: TOOL, message });
            report.checked.remove(&Kind::Uninitialised);
        }
        self.simulate(&files, false, left(), cancel)
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
        let launches = match &subject.launches {
            Ok(launches) => launches,
            Err(error) => return StageReport::failed(TOOL, error.to_string()),
        };
        let deadline = self.tools.limits.time.map(|limit| Instant::now() + limit);
        let mut report = StageReport { checked: self.looks_for(), ..StageReport::default() };
        for launch in launches {
            match self.launch(subject, launch, deadline, cancel, &mut report) {
                Ok(findings) if findings.is_empty() => {}
                Ok(findings) => {
                    report.findings = findings;
                    break;
                }
                Err(reason) => {
                    report.checked.clear();
                    report.failures.push(super::Failure { tool: TOOL, message: reason });
                    break;
                }
            }
        }
        report
    }
}

/// A launch in Oclgrind's own words.
fn simulation(launch: &KernelLaunch) -> String {
    let mut text = format!("{FILE}\n{}\n", launch.kernel);
    for [x, y, z] in sizes(launch) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{x} {y} {z}");
    }
    text.extend(launch.arguments.iter().map(describe));
    text
}

/// An argument, its content as plain bits.
fn describe(argument: &Argument) -> String {
    match argument {
        Argument::Local(bytes) => format!("<size={bytes}>\n"),
        Argument::Value(bytes) => format!("<size={} uchar>\n{}\n", bytes.len(), bits(bytes, 1)),
        Argument::Buffer { element, elements, fill, .. } => {
            let bytes = elements.saturating_mul(element.bytes() as u64);
            let width = element.scalar.bytes();
            let kind = match width {
                1 => "uchar",
                2 => "ushort",
                4 => "uint",
                _ => "ulong",
            };
            if let Fill::Steps { first, step: 0.0 } = fill {
                let value = bits(&encode(Number::scalar(element.scalar), *first), width);
                return format!("<size={bytes} {kind} fill={value}>\n");
            }
            let values = bits(&fill.content(*element, *elements), width);
            format!("<size={bytes} {kind}>\n{values}\n")
        }
    }
}

/// Numbers of so many bytes, as people write them.
fn bits(bytes: &[u8], width: usize) -> String {
    let number = |bytes: &[u8]| {
        bytes.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte)).to_string()
    };
    bytes.chunks(width).map(number).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clreduce_kernel::plan;

    use super::*;

    #[test]
    fn launches_are_said_in_bits() {
        let source = b"// -g 2 -l 1\nkernel void k(global float *a, local int *l, short n, global char2 *c) {}";
        let launch = plan(source, None).unwrap().launches.remove(0);
        assert_eq!(
            simulation(&launch),
            "kernel.cl\nk\n2 1 1\n1 1 1\n<size=8 uint>\n1065353216 1073741824\n<size=4>\n\
             <size=2 uchar>\n2 0\n<size=4 uchar>\n1 1 2 2\n"
        );
    }
}
