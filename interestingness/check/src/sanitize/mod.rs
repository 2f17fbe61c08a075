//! The stage that runs the kernel as a program of the host, under clang's sanitizers.
//!
//! clang's own OpenCL front end compiles the kernel for the host; a small run-time supplies work-items,
//! barriers and built-ins. Two instrumented builds: undefined behaviour and addresses, then uninitialised
//! values. Each is first built in the way that compiles fastest and says only whether anything is wrong; what, and
//! where, is found out with a second build. Instrumented runs only reject; when one does not end in time, the plain
//! build tells whether the kernel or the instrumentation is to blame. The plain build is also a configuration
//! whose result can be compared with that of devices.

mod reports;

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use clreduce_compiler::Clang;
use clreduce_host::{BuildDetail, Flavour, HostBuild, HostError, HostProgram, Subject, Toolchain};
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};

use super::finding::{Certainty, Failure, Finding, Kind};
use super::{CheckOptions, Stage, StageName, StageReport};

const TOOL: &str = "sanitizers";

/// The stage.
#[derive(Debug)]
pub struct Sanitize {
    clang: Clang,
    tools: ToolRunner,
    cache: PathBuf,
    side_by_side: bool,
}

/// How a run in one flavour went.
enum Said {
    Findings(Vec<Finding>),
    TimedOut,
    Nothing(String),
}

impl Sanitize {
    pub(super) fn new(clang: Clang, tools: ToolRunner, options: &CheckOptions) -> Self {
        let (cache, side_by_side) = (options.cache.clone(), options.side_by_side);
        Self { clang, tools, cache, side_by_side }
    }

    fn build(
        &self,
        flavour: Flavour,
        detail: BuildDetail,
        subject: &Subject,
        cancel: &Cancel,
    ) -> Result<HostProgram, HostError> {
        let (clang, tools, cache) = (&self.clang, &self.tools, &self.cache);
        let toolchain = Toolchain { clang, tools, cache, cancel };
        let build = HostBuild { toolchain, subject, optimisation: "-O0" };
        build.program(flavour, detail)
    }

    /// Builds, runs, reads the reports.
    fn look(
        &self,
        flavour: Flavour,
        subject: &Subject,
        cancel: &Cancel,
    ) -> Result<Said, HostError> {
        let program = self.build(flavour, BuildDetail::Verdict, subject, cancel)?;
        let runs = program.run(&self.tools, cancel)?;
        if runs.iter().any(|ran| ran.end == End::TimedOut) {
            return Ok(Said::TimedOut);
        }
        if runs.iter().all(|ran| ran.end == End::Exited(0) && !reports::says_anything(&ran.stderr))
        {
            return Ok(Said::Findings(Vec::new()));
        }
        drop(program);
        let program = self.build(flavour, BuildDetail::Report, subject, cancel)?;
        let runs = program.run(&self.tools, cancel)?;
        let symbols = program.symbols();
        let findings: BTreeSet<Finding> =
            runs.iter().flat_map(|ran| reports::parse(&ran.stderr, &symbols)).collect();
        let last = runs.last().map_or_else(String::new, ToolRun::trouble);
        Ok(match runs.iter().any(|ran| ran.end == End::TimedOut) {
            _ if !findings.is_empty() => Said::Findings(findings.into_iter().collect()),
            true => Said::TimedOut,
            false => Said::Nothing(format!("something is wrong that has no report; {last}")),
        })
    }

    /// In the one flavour, and if nothing is wrong there, in the other, which may have begun already.
    fn look_at_both(
        &self,
        subject: &Subject,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<(), HostError> {
        let needless = Cancel::new();
        let _hook = cancel.on_cancel({
            let needless = needless.clone();
            move || needless.cancel()
        });
        let look_at_memory = || self.look(Flavour::Memory, subject, &needless);
        thread::scope(|scope| {
            let begun = self.side_by_side.then(|| scope.spawn(look_at_memory));
            let said = self.look(Flavour::Addresses, subject, cancel);
            let goes_on =
                said.and_then(|said| self.add(Flavour::Addresses, said, subject, cancel, report));
            if !matches!(goes_on, Ok(true)) {
                needless.cancel();
                return goes_on.map(drop);
            }
            let said = match begun {
                Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                None => look_at_memory(),
            };
            self.add(Flavour::Memory, said?, subject, cancel, report).map(drop)
        })
    }

    /// Whether the plain build exceeds the limit as well.
    fn never_ends(&self, subject: &Subject, cancel: &Cancel) -> Result<bool, HostError> {
        let program = self.build(Flavour::Plain, BuildDetail::Verdict, subject, cancel)?;
        let runs = program.run(&self.tools, cancel)?;
        Ok(runs.iter().any(|ran| ran.end == End::TimedOut))
    }

    /// One flavour's part of the report. Tells whether there is any sense in going on.
    fn add(
        &self,
        flavour: Flavour,
        said: Said,
        subject: &Subject,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<bool, HostError> {
        let mut fail = |message: String| {
            report.failures.push(Failure { tool: flavour.tool(), message });
        };
        match said {
            Said::Findings(findings) => {
                let clean = findings.is_empty();
                report.findings.extend(findings);
                report.checked.extend(looks_for(flavour));
                Ok(clean)
            }
            Said::Nothing(reason) => {
                fail(reason);
                Ok(false)
            }
            Said::TimedOut => {
                if self.never_ends(subject, cancel)? {
                    report.findings.push(endless());
                    report.checked.insert(Kind::NonTermination);
                } else {
                    report.checked.insert(Kind::NonTermination);
                    fail("time limit, while the plain program ends in time".to_owned());
                }
                Ok(false)
            }
        }
    }
}

/// The kinds of findings that a run in this flavour would have shown.
fn looks_for(flavour: Flavour) -> BTreeSet<Kind> {
    match flavour {
        Flavour::Plain => [Kind::NonTermination].into(),
        Flavour::Addresses => [
            Kind::OutOfBounds,
            Kind::NullPointer,
            Kind::Lifetime,
            Kind::Misaligned,
            Kind::Divergence,
            Kind::SignedOverflow,
            Kind::DivisionByZero,
            Kind::ClampRange,
            Kind::Conversion,
            Kind::NonTermination,
        ]
        .into(),
        Flavour::Memory => [Kind::Uninitialised].into(),
    }
}

fn endless() -> Finding {
    Finding {
        kind: Kind::NonTermination,
        line: None,
        tool: "host",
        certainty: Certainty::Certain,
        message: "compiled plainly for the host, it does not end within the limit".to_owned(),
    }
}

impl Stage for Sanitize {
    fn name(&self) -> StageName {
        StageName::Sanitize
    }

    fn looks_for(&self) -> BTreeSet<Kind> {
        let mut kinds = looks_for(Flavour::Addresses);
        kinds.extend(looks_for(Flavour::Memory));
        kinds
    }

    fn runs(&self) -> bool {
        true
    }

    fn run(&self, subject: &Subject, cancel: &Cancel) -> StageReport {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return StageReport::failed(TOOL, "kernels can be run here on x86-64 Linux only");
        }
        let mut report = StageReport::default();
        if let Err(trouble) = self.look_at_both(subject, cancel, &mut report) {
            report.failures.push(Failure { tool: TOOL, message: trouble.to_string() });
        }
        report
    }
}
