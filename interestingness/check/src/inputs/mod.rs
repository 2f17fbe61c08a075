//! The search for launches of a kernel that together cover more of it.
//!
//! A launch is kept if its work-items come to something in another way than before, and if the sanitizers find nothing
//! wrong with it. New launches come from the values that kept ones compared: if a work-item compares an argument with
//! 7, the argument is 7 in the next launch. Where a condition compares what is computed from arguments, a solver is asked, or
//! arguments change step by step until the numbers that it compares are equal. At last, arguments and sizes are changed
//! at random, with a seed. Buffers that clreduce made itself grow as far as a launch reaches, and indices in them stay small.

mod candidates;
mod climb;
mod solver;
mod validity;

use std::collections::{BTreeSet, VecDeque};

use clreduce_compiler::Clang;
use clreduce_host::{
    Coverage, Feature, HostBuild, HostError, HostKernel, LaunchTrace, ReachEnd, Toolchain,
    TracedKernel, is_supported,
};
use clreduce_kernel::KernelLaunch;
use clreduce_process::{Cancel, ToolRunner};

use crate::check::KernelCheck;
use crate::coordinates::Coordinate;
use crate::coverage::CoverageError;
use crate::finding::Finding;
use crate::fit::{
    Bounds, MOST_BYTES as MOST_REACHED, MOST_JUMPS, ROUNDS, enlarged, in_groups as groups_of, widen,
};
use crate::options::{CheckError, CheckOptions};
use crate::table::StageName;
use candidates::Candidates;
use solver::Solver;
use validity::is_valid;

/// The search ends after this number of random launches in a row that bring nothing new.
const ATTEMPTS: usize = 50;
/// The number of random launches that are made together.
const BATCH: usize = 10;
/// The most launches that are run in all.
const MOST_RUNS: usize = 600;
/// The most launches that seem to be wrong and are checked: a check takes several builds.
const MOST_CHECKED: usize = 6;
/// The most launches that are run to mend others.
const MOST_MENDED: usize = 100;
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
    let (tools, cache) = (options.tools(), &options.cache);
    let toolchain = Toolchain { clang: &clang, tools: &tools, cache, forks: None, cancel };
    let build = HostBuild { toolchain, subject: kernel, optimisation: "-O0" };
    let program = build.traced_kernel()?;
    let solver = Solver::find(kernel, program.conditions.clone());
    let mut search = InputSearch {
        kernel,
        options,
        program,
        solver,
        tools,
        check,
        cancel,
        kept: Vec::new(),
        features: BTreeSet::new(),
        refused: Vec::new(),
        known: Vec::new(),
        runs: 0,
        idle: 0,
        checked: 0,
        mended: 0,
        candidates: Candidates::new(kernel, seed),
    };
    let mut pending = search.pending(given);
    search.run(&mut pending)?;
    search.leave_out_invalid();
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
    program: TracedKernel,
    solver: Option<Solver>,
    tools: ToolRunner,
    check: KernelCheck,
    cancel: &'a Cancel,
    kept: Vec<(KernelLaunch, LaunchTrace)>,
    features: BTreeSet<Feature>,
    refused: Vec<RefusedLaunch>,
    /// Every launch that was tried.
    known: Vec<KernelLaunch>,
    runs: usize,
    /// The number of random launches that were run since a launch was kept.
    idle: usize,
    /// The number of launches that seemed to be wrong and were checked.
    checked: usize,
    /// The number of launches that were run to mend others.
    mended: usize,
    candidates: Candidates<'a>,
}

/// Where a launch comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The kernel has it.
    Given,
    /// The search made it.
    Made,
    /// The search made it at random.
    Random,
    /// The search made it in several groups, where arguments that do not fit each other lead to races.
    InGroups,
    /// It is a step of one number of another launch, and its numbers stay.
    Step,
}

/// A launch that was run, with buffers that are large enough.
struct Ran {
    launch: KernelLaunch,
    trace: LaunchTrace,
    /// True if it ended, and nothing complained.
    is_clean: bool,
    /// True if it reached beyond its buffers as they were before.
    has_grown: bool,
}

/// The launches that wait for their turn, and the goals that were tried, each from one launch.
struct Pending {
    given: VecDeque<KernelLaunch>,
    in_groups: VecDeque<KernelLaunch>,
    closed: BTreeSet<(climb::Goal, usize)>,
}

impl InputSearch<'_> {
    fn pending(&self, given: Vec<KernelLaunch>) -> Pending {
        let (mut given, mut in_groups) = (VecDeque::from(given), VecDeque::new());
        if self.kernel.has_chosen_arguments && self.candidates.sizes_are_free() {
            given.iter_mut().for_each(|launch| widen(launch, &self.kernel.expanded));
            in_groups.extend(groups_of(self.kernel));
        }
        Pending { given, in_groups, closed: BTreeSet::new() }
    }

    fn run(&mut self, pending: &mut Pending) -> Result<(), HostError> {
        while self.idle < ATTEMPTS && self.may_go_on() {
            let mut launches = self.candidates.take_values(&self.known);
            let mut origin = Origin::Made;
            if launches.is_empty() {
                if self.has_covered_all() {
                    break;
                }
                launches = self.candidates.take_others(&self.known);
            }
            if launches.is_empty() {
                launches.extend(pending.given.pop_front());
                origin = Origin::Given;
            }
            if launches.is_empty() {
                launches.extend(pending.in_groups.pop_front());
                origin = Origin::InGroups;
            }
            if launches.is_empty() {
                if self.climb(&mut pending.closed)? {
                    continue;
                }
                origin = Origin::Random;
                let bases: Vec<&KernelLaunch> =
                    self.kept.iter().map(|(launch, _)| launch).collect();
                launches = self.candidates.random(&bases, &self.known, BATCH);
            }
            if launches.is_empty() {
                break;
            }
            for launch in launches {
                self.attempt(launch, origin)?;
            }
        }
        Ok(())
    }

    fn may_go_on(&self) -> bool {
        self.runs < MOST_RUNS && !self.cancel.is_cancelled()
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

    /// Runs a launch, and keeps it if it shows something new and is valid. Returns its trace.
    fn attempt(&mut self, launch: KernelLaunch, origin: Origin) -> Result<LaunchTrace, HostError> {
        self.known.push(launch.clone());
        let (runs, kept) = (self.runs, self.kept.len());
        self.options.progress.at(&format!("looking for inputs: {runs} launches run, {kept} kept"));
        self.idle += usize::from(origin == Origin::Random);
        let ran = self.ran(&launch, origin)?;
        let trace = ran.trace.clone();
        let is_new = !trace.features().is_subset(&self.features);
        if is_new && (origin == Origin::Given || trace.failure.is_none()) {
            let is_clean = ran.is_clean && self.is_clean(&ran.launch)?;
            if !is_clean && origin == Origin::InGroups && self.mend(&ran.launch)? {
                return Ok(trace);
            }
            self.judge(launch, ran, is_clean)?;
        }
        Ok(trace)
    }

    fn is_clean(&self, launch: &KernelLaunch) -> Result<bool, HostError> {
        self.program.is_clean(launch, MOST_JUMPS[0], &self.tools, self.cancel)
    }

    /// Changes one value of a launch that seems to be wrong: where rows of a matrix overlap, they may lie farther apart. Keeps the
    /// first launch that shows something new and is clean. Returns false if there is none.
    fn mend(&mut self, launch: &KernelLaunch) -> Result<bool, HostError> {
        for value in Coordinate::values(&self.kernel.kernels, launch) {
            let Some(before) = value.of(launch) else { continue };
            for next in [(16.0 * before).max(64.0), 1.0, 0.0] {
                if self.mended == MOST_MENDED || !self.may_go_on() {
                    return Ok(false);
                }
                let next = value.with(launch, next).filter(|next| !self.known.contains(next));
                let Some(next) = next else { continue };
                self.mended += 1;
                self.known.push(next.clone());
                let ran = self.ran(&next, Origin::InGroups)?;
                let is_new = !ran.trace.features().is_subset(&self.features);
                if is_new && ran.is_clean && self.is_clean(&ran.launch)? {
                    self.keep(ran.launch, ran.trace);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Runs a launch, with larger buffers and smaller indices each time, until it stays in its buffers.
    fn ran(&mut self, launch: &KernelLaunch, origin: Origin) -> Result<Ran, HostError> {
        let (mut launch, mut bounds) = (launch.clone(), Bounds::default());
        let mut has_grown = false;
        let may_bound = self.kernel.has_chosen_arguments && origin != Origin::Step;
        for round in 0.. {
            self.runs += 1;
            let jumps = MOST_JUMPS[0];
            let (trace, reach) =
                self.program.trace(&launch, jumps, MOST_REACHED, &self.tools, self.cancel)?;
            let kernels = &self.kernel.kernels;
            let wanted = match reach.end {
                ReachEnd::Outside(_) if may_bound => bounds.next(kernels, &launch, &reach.sources),
                ReachEnd::Outside(_) => None,
                _ => enlarged(kernels, &launch, &reach, round >= ROUNDS[0]),
            };
            match wanted {
                Some(wanted) if wanted != launch && round < ROUNDS[1] => {
                    has_grown = true;
                    launch = wanted;
                }
                wanted => {
                    let is_clean = reach.end == ReachEnd::Clean && wanted.as_ref() == Some(&launch);
                    return Ok(Ran { launch, trace, is_clean, has_grown });
                }
            }
        }
        unreachable!("the last round returns")
    }

    /// Keeps a launch that shows something new, if it is valid.
    fn judge(&mut self, given: KernelLaunch, ran: Ran, is_clean: bool) -> Result<(), HostError> {
        let Ran { launch, trace, has_grown, .. } = ran;
        // The author of a description may mean the buffers as they are.
        let is_allowed = !has_grown || self.kernel.has_chosen_arguments;
        if is_clean && is_allowed {
            self.keep(launch, trace);
            return Ok(());
        }
        if self.checked == MOST_CHECKED {
            return Ok(());
        }
        self.checked += 1;
        let checked = if is_allowed { &launch } else { &given };
        let report = self.check(checked);
        if is_allowed && is_valid(&report) && trace.failure.is_none() {
            self.keep(launch, trace);
            return Ok(());
        }
        let with_larger_buffers = (is_clean && has_grown).then_some(launch);
        self.refuse(given, &report, with_larger_buffers);
        Ok(())
    }

    fn keep(&mut self, launch: KernelLaunch, trace: LaunchTrace) {
        self.candidates.add_compared(&launch, &trace);
        self.features.extend(trace.features());
        self.kept.push((launch, trace));
        self.idle = 0;
    }
}
