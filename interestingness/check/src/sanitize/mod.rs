//! The stage that runs a kernel as a program of this machine, under clang's sanitizers.
//!
//! clang's own OpenCL front end compiles the kernel for the host, and a small run-time supplies work-items, barriers and
//! built-in functions. There are two instrumented builds: one for undefined behaviour, addresses and data races, one for
//! uninitialised values. Each is first built in the way that compiles fastest and tells only whether anything is wrong; if so, a second
//! build tells what and where. If an instrumented program does not end in time, the plain build shows whether the kernel
//! or the instrumentation is the cause.

mod reports;

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use clreduce_compiler::Clang;
use clreduce_host::{
    BuildDetail, Flavour, HostBuild, HostError, HostKernel, HostProgram, Toolchain, watches_races,
};
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};
use clreduce_testcase::Language;

use crate::finding::{Certainty, FailureKind, Finding, FindingKind, StageFailure};
use crate::stage::{CheckStage, StageInfo, StageReport};

const TOOL: &str = "sanitizers";

pub(crate) const STAGE: StageInfo = StageInfo {
    name: "sanitize",
    languages: &[Language::OpenCl, Language::Cuda],
    executes: true,
    required: true,
    memory_bytes: 2 << 30,
    limit_factor: 2,
    tool: None,
    make: |setup| {
        let (clang, cache, side_by_side) = (setup.clang()?, setup.cache, setup.side_by_side);
        Ok(Box::new(Sanitize { clang, tools: setup.tools, cache, side_by_side }))
    },
};

#[derive(Debug)]
struct Sanitize {
    clang: Clang,
    tools: ToolRunner,
    cache: PathBuf,
    side_by_side: bool,
}

/// The result of a run in one flavour.
enum FlavourResult {
    Findings(Vec<Finding>),
    TimedOut,
    Unclear(String),
}

impl Sanitize {
    fn build(
        &self,
        flavour: Flavour,
        detail: BuildDetail,
        subject: &HostKernel,
        cancel: &Cancel,
    ) -> Result<HostProgram, HostError> {
        let (clang, tools, cache) = (&self.clang, &self.tools, &self.cache);
        let toolchain = Toolchain { clang, tools, cache, cancel };
        let build = HostBuild { toolchain, subject, optimisation: "-O0" };
        build.program(flavour, detail)
    }

    /// Builds and runs the kernel in one flavour, and reads the reports.
    fn run_flavour(
        &self,
        flavour: Flavour,
        subject: &HostKernel,
        cancel: &Cancel,
    ) -> Result<FlavourResult, HostError> {
        let program = self.build(flavour, BuildDetail::Verdict, subject, cancel)?;
        let runs = program.run(&self.tools, cancel)?;
        if runs.iter().any(|ran| ran.end == End::TimedOut) {
            return Ok(FlavourResult::TimedOut);
        }
        if runs.iter().all(|ran| ran.end == End::Exited(0) && !reports::says_anything(&ran.stderr))
        {
            return Ok(FlavourResult::Findings(Vec::new()));
        }
        drop(program);
        let program = self.build(flavour, BuildDetail::Report, subject, cancel)?;
        let runs = program.run(&self.tools, cancel)?;
        let symbols = program.symbols();
        let findings: BTreeSet<Finding> =
            runs.iter().flat_map(|ran| reports::parse(&ran.stderr, &symbols)).collect();
        let last = runs.last().map_or_else(String::new, ToolRun::trouble);
        Ok(match runs.iter().any(|ran| ran.end == End::TimedOut) {
            _ if !findings.is_empty() => FlavourResult::Findings(findings.into_iter().collect()),
            true => FlavourResult::TimedOut,
            false => FlavourResult::Unclear(format!(
                "the sanitizer stopped the program without a report: {last}"
            )),
        })
    }

    /// Runs one flavour and, if it finds nothing, the other one, which may run already.
    fn run_both(
        &self,
        subject: &HostKernel,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<(), HostError> {
        let needless = Cancel::new();
        let _hook = cancel.on_cancel({
            let needless = needless.clone();
            move || needless.cancel()
        });
        let run_memory = || self.run_flavour(Flavour::Memory, subject, &needless);
        thread::scope(|scope| {
            let begun = self.side_by_side.then(|| scope.spawn(run_memory));
            let result = self.run_flavour(Flavour::Addresses, subject, cancel);
            let goes_on = result
                .and_then(|result| self.add(Flavour::Addresses, result, subject, cancel, report));
            if !matches!(goes_on, Ok(true)) {
                needless.cancel();
                return goes_on.map(drop);
            }
            let result = match begun {
                Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                None => run_memory(),
            };
            self.add(Flavour::Memory, result?, subject, cancel, report).map(drop)
        })
    }

    /// Returns true if the plain build exceeds the time limit, too.
    fn never_ends(&self, subject: &HostKernel, cancel: &Cancel) -> Result<bool, HostError> {
        let program = self.build(Flavour::Plain, BuildDetail::Verdict, subject, cancel)?;
        let runs = program.run(&self.tools, cancel)?;
        Ok(runs.iter().any(|ran| ran.end == End::TimedOut))
    }

    /// Adds the result of one flavour to the report. Returns whether the other flavour should run.
    fn add(
        &self,
        flavour: Flavour,
        result: FlavourResult,
        subject: &HostKernel,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<bool, HostError> {
        let tool = flavour.tool();
        let mut fail = |kind, message: String| {
            report.failures.push(StageFailure { tool, kind, message });
        };
        match result {
            FlavourResult::Findings(findings) => {
                let clean = findings.is_empty();
                report.findings.extend(findings);
                report.checked.extend(looks_for(flavour));
                if !subject.launches.as_ref().is_ok_and(|launches| watches_races(launches)) {
                    report.checked.remove(&FindingKind::DataRace);
                }
                Ok(clean)
            }
            FlavourResult::Unclear(reason) => {
                fail(FailureKind::ToolFailed, reason);
                Ok(false)
            }
            FlavourResult::TimedOut => {
                if self.never_ends(subject, cancel)? {
                    report.findings.push(endless());
                    report.checked.insert(FindingKind::NonTermination);
                } else {
                    report.checked.insert(FindingKind::NonTermination);
                    let message = "the program does not finish within the time limit with this sanitizer, but does without it";
                    fail(FailureKind::Stopped, message.to_owned());
                }
                Ok(false)
            }
        }
    }
}

/// Returns the kinds of findings that a run in this flavour would have shown.
fn looks_for(flavour: Flavour) -> BTreeSet<FindingKind> {
    match flavour {
        Flavour::Plain => [FindingKind::NonTermination].into(),
        Flavour::Addresses => [
            FindingKind::OutOfBounds,
            FindingKind::NullPointer,
            FindingKind::Lifetime,
            FindingKind::Misaligned,
            FindingKind::DataRace,
            FindingKind::Divergence,
            FindingKind::SignedOverflow,
            FindingKind::DivisionByZero,
            FindingKind::ClampRange,
            FindingKind::Conversion,
            FindingKind::NonTermination,
        ]
        .into(),
        Flavour::Memory => [FindingKind::Uninitialised].into(),
    }
}

fn endless() -> Finding {
    Finding {
        kind: FindingKind::NonTermination,
        line: None,
        tool: "host",
        certainty: Certainty::Certain,
        message: "the kernel does not finish within the time limit when compiled for the host"
            .to_owned(),
    }
}

impl CheckStage for Sanitize {
    fn looks_for(&self) -> BTreeSet<FindingKind> {
        let mut kinds = looks_for(Flavour::Addresses);
        kinds.extend(looks_for(Flavour::Memory));
        kinds
    }

    fn run(&self, subject: &HostKernel, cancel: &Cancel) -> StageReport {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return StageReport::unsupported(
                TOOL,
                "the sanitizers run kernels on x86-64 Linux only",
            );
        }
        let mut report = StageReport::default();
        if let Err(error) = self.run_both(subject, cancel, &mut report) {
            report.failures.push(failure_of(&error));
        }
        report
    }
}

/// The failure of the stage for which no program was built, or the program could not run.
fn failure_of(error: &HostError) -> StageFailure {
    let kind = match error {
        HostError::BuiltIns(_) | HostError::Launch(_) | HostError::Start(_) => {
            FailureKind::Unsupported
        }
        HostError::Kernel(ran) => StageFailure::of_run(TOOL, "clang", ran).kind,
        _ => FailureKind::ToolFailed,
    };
    StageFailure { tool: TOOL, kind, message: error.to_string() }
}
