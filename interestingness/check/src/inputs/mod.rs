//! The search for launches of a kernel that together cover more of it.
//!
//! A launch is kept if its work-items come to something in another way than before, and if the sanitizers find nothing
//! wrong with it. New launches come from the values that kept ones compared: if a work-item compares an argument with
//! 7, the argument is 7 in the next launch. Then arguments and sizes are changed at random, with a seed.

mod candidates;

use std::collections::{BTreeSet, VecDeque};

use clreduce_compiler::Clang;
use clreduce_host::{
    Coverage, Feature, HostBuild, HostError, HostKernel, LaunchTrace, Toolchain, is_supported,
};
use clreduce_kernel::KernelLaunch;
use clreduce_process::Cancel;

use crate::check::KernelCheck;
use crate::coverage::CoverageError;
use crate::finding::{Finding, FindingKind};
use crate::fit::with_larger_buffers;
use crate::options::{CheckError, CheckOptions};
use crate::report::CheckReport;
use crate::table::StageName;
use candidates::Candidates;

/// So many launches in a row that bring nothing new end the search.
const ATTEMPTS: usize = 50;
/// So many random launches are built together.
const BATCH: usize = 10;
/// The most launches that are run in all.
const MOST_RUNS: usize = 1000;
/// So many launches that reach beyond their buffers get larger ones; each takes a build.
const MOST_LARGER: usize = 10;
/// The most bytes of a buffer that grows with the number of work-items.
const MOST_BYTES: u64 = 1 << 20;

/// The launches that were found.
#[derive(Debug)]
pub struct FoundInputs {
    /// The launches that are kept, in the order in which they were found.
    pub launches: Vec<KernelLaunch>,
    /// The coverage of all of them together.
    pub coverage: Coverage,
    /// The launches that would cover more, but make the kernel invalid; one for each finding.
    pub refused: Vec<RefusedLaunch>,
    /// The number of launches that were run.
    pub runs: usize,
}

/// A launch that makes a kernel invalid.
#[derive(Debug)]
pub struct RefusedLaunch {
    /// The launch.
    pub launch: KernelLaunch,
    /// The error that the launch leads to; `None` if the tools could not tell whether there is one.
    pub finding: Option<Finding>,
    /// The same launch with buffers that are large enough, where they were too small and nothing else is known to be wrong.
    pub with_larger_buffers: Option<KernelLaunch>,
}

/// Looks for launches of a kernel, beginning with those that it has. The same seed finds the same launches.
///
/// # Errors
/// When the kernel cannot be compiled or launched.
pub fn find_inputs(
    kernel: &HostKernel,
    options: &CheckOptions,
    seed: u64,
    cancel: &Cancel,
) -> Result<FoundInputs, CoverageError> {
    if !is_supported() {
        return Err(CoverageError::Unsupported);
    }
    let given = kernel.launches.clone().map_err(HostError::from)?;
    let clang = Clang::find(options.clang.as_deref(), &options.build_options)?;
    let sanitize =
        CheckOptions { stages: BTreeSet::from([StageName::Sanitize]), ..options.clone() };
    let check = KernelCheck::new(&sanitize).map_err(|error| match error {
        CheckError::NoClang(error) => CoverageError::NoClang(error),
    })?;
    let mut search = InputSearch {
        kernel,
        options,
        clang: &clang,
        check,
        cancel,
        kept: Vec::new(),
        features: BTreeSet::new(),
        refused: Vec::new(),
        known: Vec::new(),
        runs: 0,
        larger: 0,
    };
    search.run(given, seed)?;
    let traces = search.kept.iter().map(|(_, trace)| trace);
    Ok(FoundInputs {
        coverage: Coverage::of_launches(kernel, traces),
        launches: search.kept.into_iter().map(|(launch, _)| launch).collect(),
        refused: search.refused,
        runs: search.runs,
    })
}

struct InputSearch<'a> {
    kernel: &'a HostKernel,
    options: &'a CheckOptions,
    clang: &'a Clang,
    check: KernelCheck,
    cancel: &'a Cancel,
    kept: Vec<(KernelLaunch, LaunchTrace)>,
    features: BTreeSet<Feature>,
    refused: Vec<RefusedLaunch>,
    /// Every launch that was tried.
    known: Vec<KernelLaunch>,
    runs: usize,
    /// The number of launches for which larger buffers were looked for.
    larger: usize,
}

impl InputSearch<'_> {
    fn run(&mut self, given: Vec<KernelLaunch>, seed: u64) -> Result<(), HostError> {
        let mut candidates = Candidates::new(self.kernel, seed);
        let mut given = VecDeque::from(given);
        let mut idle = 0;
        while idle < ATTEMPTS && self.runs < MOST_RUNS && !self.cancel.is_cancelled() {
            let mut launches = candidates.take_values(&self.known);
            let mut is_given = false;
            if launches.is_empty() {
                if self.has_covered_all() {
                    break;
                }
                launches = candidates.take_others(&self.known);
            }
            if launches.is_empty() {
                launches.extend(given.pop_front());
                is_given = !launches.is_empty();
            }
            if launches.is_empty() {
                let bases: Vec<&KernelLaunch> =
                    self.kept.iter().map(|(launch, _)| launch).collect();
                launches = candidates.random(&bases, &self.known, BATCH);
            }
            if launches.is_empty() {
                break;
            }
            let (runs, kept) = (self.runs, self.kept.len());
            self.options
                .progress
                .at(&format!("looking for inputs: {runs} launches run, {kept} kept"));
            for (launch, trace) in self.trace(launches)? {
                idle += 1;
                if let Some((launch, trace)) = self.judge(launch, trace, is_given)? {
                    candidates.add_compared(&launch, &trace);
                    self.features.extend(trace.features());
                    self.kept.push((launch, trace));
                    idle = 0;
                }
            }
        }
        Ok(())
    }

    /// Returns true if nothing is left that no launch came to.
    fn has_covered_all(&self) -> bool {
        let traces = self.kept.iter().map(|(_, trace)| trace);
        !self.kept.is_empty() && Coverage::of_launches(self.kernel, traces).missing().is_empty()
    }

    fn with(&self, launches: Vec<KernelLaunch>) -> HostKernel {
        let mut kernel = self.kernel.clone();
        kernel.launches = Ok(launches);
        kernel
    }

    /// Builds the kernel once, and runs these launches.
    fn trace(
        &mut self,
        launches: Vec<KernelLaunch>,
    ) -> Result<Vec<(KernelLaunch, LaunchTrace)>, HostError> {
        let (tools, cache) = (self.options.tools(), &self.options.cache);
        let toolchain =
            Toolchain { clang: self.clang, tools: &tools, cache, forks: None, cancel: self.cancel };
        let subject = self.with(launches.clone());
        let traces =
            HostBuild { toolchain, subject: &subject, optimisation: "-O0" }.traces_with_values()?;
        self.runs += traces.len();
        self.known.extend(launches.iter().cloned());
        Ok(launches.into_iter().zip(traces).collect())
    }

    /// Returns a launch and its trace if it shows something new and is valid.
    fn judge(
        &mut self,
        launch: KernelLaunch,
        trace: LaunchTrace,
        is_given: bool,
    ) -> Result<Option<(KernelLaunch, LaunchTrace)>, HostError> {
        let is_new = !trace.features().is_subset(&self.features);
        if !is_new || trace.failure.is_some() && !is_given {
            return Ok(None);
        }
        let report = self.check(&launch);
        if is_valid(&report) && trace.failure.is_none() {
            return Ok(Some((launch, trace)));
        }
        let larger = if is_out_of_bounds(&report) { self.larger(&launch)? } else { None };
        // The author of a description may mean the buffers as they are.
        if let Some(larger) = &larger
            && self.kernel.has_chosen_arguments
            && is_valid(&self.check(larger))
        {
            let traced = self.trace(vec![larger.clone()])?.into_iter().next();
            return Ok(traced.filter(|(_, trace)| trace.failure.is_none()));
        }
        let finding = report.findings.into_iter().find(Finding::is_certain);
        if self.refused.iter().all(|other| other.finding != finding) {
            self.refused.push(RefusedLaunch { launch, finding, with_larger_buffers: larger });
        }
        Ok(None)
    }

    /// The launch with buffers that are large enough, if it has too small ones.
    fn larger(&mut self, launch: &KernelLaunch) -> Result<Option<KernelLaunch>, HostError> {
        if self.larger == MOST_LARGER {
            return Ok(None);
        }
        self.larger += 1;
        let (tools, cache) = (self.options.tools(), &self.options.cache);
        let toolchain =
            Toolchain { clang: self.clang, tools: &tools, cache, forks: None, cancel: self.cancel };
        with_larger_buffers(self.kernel, launch, toolchain)
    }

    fn check(&self, launch: &KernelLaunch) -> CheckReport {
        self.check.run(&self.with(vec![launch.clone()]), self.cancel)
    }
}

fn is_out_of_bounds(report: &CheckReport) -> bool {
    report.findings.iter().any(|finding| finding.kind == FindingKind::OutOfBounds)
}

/// Returns true if the sanitizers have seen the launch and found nothing. A result that depends on the order of
/// work-items is legal.
fn is_valid(report: &CheckReport) -> bool {
    report.failures.is_empty() && report.findings.iter().all(|finding| finding.kind.is_legal())
}
