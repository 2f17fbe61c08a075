//! The stage that simulates a kernel with Oclgrind, for races, barriers, bounds and uninitialised values.
//!
//! The kernel is not optimised, because Oclgrind's optimiser removes most of what there is to find. Oclgrind exits with
//! status 0 whatever it finds, so that only its log counts.

mod log;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

use clreduce_host::{FILE, HostKernel, sizes};
use clreduce_kernel::{Argument, Fill, KernelLaunch, Number, encode};
use clreduce_process::{Cancel, End, ToolRunner};
use clreduce_testcase::{Feature, SourceFile, TestCase};
use clreduce_tools::OCLGRIND;

use self::log::LogError;
use crate::finding::{FailureKind, Finding, FindingKind, StageFailure};
use crate::stage::{CheckStage, Question, StageInfo, StageReport};

const TOOL: &str = "Oclgrind";
const PROGRAM: &str = "oclgrind-kernel";
/// The file that describes the launch to Oclgrind.
const SIMULATION: &str = "kernel.sim";

pub(crate) const STAGE: StageInfo = StageInfo {
    name: "simulate",
    needs: &[Feature::CheckedKernels, Feature::OpenClWords],
    executes: true,
    takes_images: false,
    exact: &[],
    required: true,
    memory_bytes: 2 << 30,
    limit_factor: 5,
    tool: Some(&OCLGRIND),
    make: |setup| Ok(Box::new(Simulate::new(setup.tools, setup.build_options))),
};

#[derive(Debug)]
struct Simulate {
    tools: ToolRunner,
    build_options: String,
}

impl Simulate {
    fn new(tools: ToolRunner, build_options: Vec<String>) -> Self {
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
    ) -> Result<Vec<Finding>, StageFailure> {
        let mut args = vec!["--data-races", "--uniform-writes"];
        if uninitialised {
            args.push("--uninitialized");
        }
        args.extend(["--build-options", &self.build_options, SIMULATION]);
        let tools = self.tools.within(limit);
        let ran = tools.run(PROGRAM, args.into_iter().map(Into::into).collect(), files, cancel);
        let log = log::parse(&ran.stderr).map_err(|error| {
            let kind = match error {
                LogError::Failed(_) => FailureKind::ToolFailed,
                LogError::Unknown(_) => FailureKind::Unsupported,
            };
            StageFailure { tool: TOOL, kind, message: error.to_string() }
        })?;
        match ran.end {
            End::Exited(0) => Ok(log),
            // Findings before a crash count.
            _ if !log.is_empty() => Ok(log),
            _ => Err(StageFailure::of_run(TOOL, PROGRAM, &ran)),
        }
    }
}

impl Simulate {
    /// Simulates one launch; without the check for uninitialised values if Oclgrind fails with it.
    fn launch(
        &self,
        subject: &HostKernel,
        launch: &KernelLaunch,
        deadline: Option<Instant>,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<Vec<Finding>, StageFailure> {
        let file = |path: &str, bytes: &[u8]| SourceFile { path: path.into(), bytes: bytes.into() };
        let script = simulation(FILE, launch, false);
        let files = [file(FILE, &subject.source), file(SIMULATION, script.as_bytes())];
        let files = TestCase::new(files.into()).map_err(|error| {
            let kind = FailureKind::Unsupported;
            StageFailure { tool: TOOL, kind, message: error.to_string() }
        })?;
        let left = || deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if report.checked.contains(&FindingKind::Uninitialised) {
            let mut failure = match self.simulate(&files, true, left(), cancel) {
                Ok(found) => return Ok(found),
                Err(failure) => failure,
            };
            // Oclgrind crashes on some kernels with vectors when it follows uninitialised values. Without, it finds
            // races in them.
            let is_missing = failure.kind == FailureKind::ToolMissing;
            if is_missing || cancel.is_cancelled() || left().is_some_and(|left| left.is_zero()) {
                return Err(failure);
            }
            failure.message.push_str(
                "; the simulation was repeated without the check for uninitialised values",
            );
            report.failures.push(failure);
            report.checked.remove(&FindingKind::Uninitialised);
        }
        self.simulate(&files, false, left(), cancel)
    }
}

impl CheckStage for Simulate {
    fn looks_for(&self) -> BTreeSet<FindingKind> {
        use FindingKind::{DataRace, Divergence, NullPointer, OutOfBounds, Uninitialised};
        [DataRace, Divergence, NullPointer, OutOfBounds, Uninitialised].into()
    }

    fn run(&self, subject: &HostKernel, _question: Question<'_>, cancel: &Cancel) -> StageReport {
        let launches = match &subject.launches {
            Ok(launches) => launches,
            Err(error) => return StageReport::unsupported(TOOL, error.to_string()),
        };
        if subject.has_images() {
            return StageReport::unsupported(TOOL, format!("{PROGRAM} takes no images"));
        }
        let deadline = self.tools.limits.time.and_then(|limit| Instant::now().checked_add(limit));
        let mut report = StageReport { checked: self.looks_for(), ..StageReport::default() };
        for launch in launches {
            match self.launch(subject, launch, deadline, cancel, &mut report) {
                Ok(findings) if findings.is_empty() => {}
                Ok(findings) => {
                    report.findings = findings;
                    break;
                }
                Err(failure) => {
                    report.checked.clear();
                    report.failures.push(failure);
                    break;
                }
            }
        }
        report
    }
}

/// Describes a launch of a kernel in a file, in the format of `oclgrind-kernel`. If the simulator is to dump the results, the
/// description says so.
#[must_use]
pub fn simulation(file: &str, launch: &KernelLaunch, dumps: bool) -> String {
    let mut text = format!("{file}\n{}\n", launch.kernel);
    for [x, y, z] in sizes(launch) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{x} {y} {z}");
    }
    text.extend(launch.arguments.iter().map(|argument| describe(argument, dumps)));
    text
}

/// Describes an argument by its bits.
fn describe(argument: &Argument, dumps: bool) -> String {
    match argument {
        // Without a type, Oclgrind takes that of the kernel, and it knows no structures.
        Argument::Local(bytes) => format!("<size={bytes} uchar>\n"),
        Argument::Sampler(sampler) => format!("<size=4 uint>\n{}\n", sampler.bits()),
        Argument::Value(bytes) => format!("<size={} uchar>\n{}\n", bytes.len(), bits(bytes, 1)),
        Argument::Buffer { element, elements, fill, output, .. } => {
            let dump = if dumps && *output { " dump" } else { "" };
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
                return format!("<size={bytes} {kind} fill={value}{dump}>\n");
            }
            let values = bits(&fill.content(*element, *elements), width);
            format!("<size={bytes} {kind}{dump}>\n{values}\n")
        }
    }
}

/// Writes numbers of `width` bytes in decimal.
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
    fn launches_are_described_by_their_bits() {
        let source = b"// -g 2 -l 1\nkernel void k(global float *a, local int *l, short n, global char2 *c) {}";
        let launch = plan(source, None).unwrap().launches.remove(0);
        assert_eq!(
            simulation(FILE, &launch, false),
            "kernel.cl\nk\n2 1 1\n1 1 1\n<size=8 uint>\n1065353216 1073741824\n<size=4 uchar>\n\
             <size=2 uchar>\n2 0\n<size=4 uchar>\n1 1 2 2\n"
        );
    }
}
