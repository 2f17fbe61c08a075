//! The kernel as a program of the host, under clang's sanitizers.
//!
//! clang's own OpenCL front end compiles the kernel for the host; a small run-time supplies work-items,
//! barriers and built-ins. Two instrumented builds: undefined behaviour and addresses, then uninitialised
//! values. Instrumented runs only reject; when one does not end in time, the plain build tells whether the
//! kernel or the instrumentation is to blame.

mod build;
mod cache;
mod divisions;
mod reports;
mod symbols;

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::finding::{Certainty, Failure, Finding, Kind};
use super::subject::Subject;
use super::{CheckError, CheckOptions, Clang, Stage, StageName, StageReport};
use crate::Cancel;
use crate::command::{Bench, End, Ran};
use build::{Build, Flavour, Trouble};

pub(super) use cache::default_cache;

const TOOL: &str = "sanitizers";

/// The stage.
#[derive(Debug)]
pub struct Sanitize {
    clang: Clang,
    bench: Bench,
    cache: PathBuf,
}

/// How a run in one flavour went.
enum Said {
    Findings(Vec<Finding>),
    TimedOut,
    Nothing(String),
}

impl Sanitize {
    pub(super) fn new(clang: Clang, bench: Bench, cache: PathBuf) -> Self {
        Self { clang, bench, cache }
    }

    /// With the tools and limits of a check.
    ///
    /// # Errors
    /// When there is no clang.
    pub fn with(options: &CheckOptions) -> Result<Self, CheckError> {
        let clang = Clang::find(options.clang.as_deref(), &options.build_options)?;
        Ok(Self::new(clang, options.bench(), options.cache.clone()))
    }

    fn build<'a>(&'a self, subject: &'a Subject, cancel: &'a Cancel) -> Build<'a> {
        Build { clang: &self.clang, bench: &self.bench, cache: &self.cache, subject, cancel }
    }

    /// Builds, runs, reads the reports.
    fn look(&self, flavour: Flavour, subject: &Subject, cancel: &Cancel) -> Result<Said, Trouble> {
        let program = self.build(subject, cancel).program(flavour)?;
        let ran = program.run(&self.bench, subject, cancel);
        if ran.end == End::TimedOut {
            return Ok(Said::TimedOut);
        }
        let findings = reports::parse(&ran.stderr, &program.symbols());
        Ok(if findings.is_empty() && ran.end != End::Exited(0) {
            Said::Nothing(ran.trouble())
        } else {
            Said::Findings(findings)
        })
    }

    /// Whether the plain build exceeds the limit as well.
    fn never_ends(&self, subject: &Subject, cancel: &Cancel) -> Result<bool, Trouble> {
        let ran = self.run_plain(subject, cancel)?;
        Ok(ran.end == End::TimedOut)
    }

    /// The kernel's result where it is compiled plainly for the host: a reference nobody sells. As the hosts
    /// of CLsmith print it: each element followed by a comma.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn reference(&self, subject: &Subject, cancel: &Cancel) -> Result<String, String> {
        let ran = self.run_plain(subject, cancel).map_err(|trouble| trouble.to_string())?;
        match ran.end {
            End::Exited(0) => Ok(ran.stdout.trim_end().to_owned()),
            _ => Err(ran.trouble()),
        }
    }

    fn run_plain(&self, subject: &Subject, cancel: &Cancel) -> Result<Ran, Trouble> {
        let program = self.build(subject, cancel).program(Flavour::Plain)?;
        Ok(program.run(&self.bench, subject, cancel))
    }

    /// One flavour's part of the report. Tells whether there is any sense in going on.
    fn add(
        &self,
        flavour: Flavour,
        subject: &Subject,
        cancel: &Cancel,
        report: &mut StageReport,
    ) -> Result<bool, Trouble> {
        let mut fail = |message: String| {
            report.failures.push(Failure { tool: flavour.tool(), message });
        };
        match self.look(flavour, subject, cancel)? {
            Said::Findings(findings) => {
                let clean = findings.is_empty();
                report.findings.extend(findings);
                report.checked.extend(flavour.looks_for());
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
        let mut kinds = Flavour::Addresses.looks_for();
        kinds.extend(Flavour::Memory.looks_for());
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
        for flavour in [Flavour::Addresses, Flavour::Memory] {
            match self.add(flavour, subject, cancel, &mut report) {
                Ok(true) => {}
                Ok(false) => break,
                Err(trouble) => {
                    report.failures.push(Failure { tool: TOOL, message: trouble.to_string() });
                    break;
                }
            }
        }
        report
    }
}
