//! Traces of launches: what the work-items of each came to, and which values they compared.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::Range;

use clreduce_kernel::KernelLaunch;
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};

use super::gaps::Gap;
use super::probes::{Place, ProbedSource};
use super::{Count, ProbeCounts, Vector, program_of, reason};
use crate::build::HostBuild;
use crate::cuda;
use crate::error::HostError;
use crate::flavour::{BuildDetail, Flavour};
use crate::order::Order;
use crate::reach::{Reach, ReachProgram};
use crate::subject::{HostKernel, sizes};
use crate::toolchain::Toolchain;

/// The option with which clang tells the run-time the values that a kernel compares.
pub(super) const COMPARED_VALUES: &str = "-fsanitize-coverage=trace-cmp";

/// Two different integers that a kernel compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comparison {
    /// The size of both in bytes.
    pub bytes: usize,
    /// The integer that stands first, in the low `bytes` bytes.
    pub first: u64,
    /// The other integer.
    pub second: u64,
    /// True if the first one is a constant of the kernel.
    pub is_constant: bool,
}

/// Something that a launch showed, to tell launches apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feature(Shown);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    /// These work-items came to a place.
    Place(Place, WorkItems),
    /// The conditions of a decision had these values.
    Decision(u32, Vector),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WorkItems {
    None,
    One,
    Some,
    All,
}

/// The behaviour of one launch of a kernel.
#[derive(Clone, Debug)]
pub struct LaunchTrace {
    /// The number of its work-items.
    pub work_items: u64,
    /// The reason that it did not end well, if it did not.
    pub failure: Option<String>,
    /// The values that it compared, where that was asked for.
    pub compared: Vec<Comparison>,
    /// The numbers that its conditions compared, where that was asked for.
    pub gaps: Vec<Gap>,
    places: u32,
    pub(super) counts: ProbeCounts,
}

impl LaunchTrace {
    fn of(launch: &KernelLaunch, ran: &ToolRun, places: u32) -> Self {
        let mut counts = ProbeCounts::default();
        counts.add(&ran.stdout);
        let lines = || ran.stdout.lines();
        Self {
            work_items: sizes(launch)[0].iter().copied().fold(1, u64::saturating_mul),
            failure: (ran.end != End::Exited(0)).then(|| reason(ran)),
            compared: lines().filter_map(comparison).collect(),
            gaps: lines().filter_map(Gap::read).collect(),
            places,
            counts,
        }
    }

    /// Returns true if a work-item came to this place.
    #[must_use]
    pub fn came_to(&self, place: u32) -> bool {
        self.counts.at(place).happened()
    }

    /// Everything that the launch showed.
    #[must_use]
    pub fn features(&self) -> BTreeSet<Feature> {
        let places = (0..self.places).map(|place| {
            let Count { work_items, .. } = self.counts.at(place);
            let share = match work_items {
                0 => WorkItems::None,
                all if all == self.work_items => WorkItems::All,
                1 => WorkItems::One,
                _ => WorkItems::Some,
            };
            Feature(Shown::Place(place, share))
        });
        let decisions = self.counts.vectors.iter().flat_map(|(&decision, vectors)| {
            vectors.iter().map(move |&vector| Feature(Shown::Decision(decision, vector)))
        });
        places.chain(decisions).collect()
    }
}

/// A kernel with probes as a program that tells what it reaches in its buffers, too.
#[derive(Debug)]
pub struct TracedKernel {
    program: ReachProgram,
    places: u32,
    /// The conditions in the text of the kernel, by the places that count how often they are false.
    pub conditions: BTreeMap<u32, Range<usize>>,
}

impl TracedKernel {
    /// Runs a launch of the kernel as [`ReachProgram::reach`] does.
    ///
    /// # Errors
    /// When the program needs what is nowhere.
    pub fn trace(
        &self,
        launch: &KernelLaunch,
        most_jumps: u64,
        most_bytes: u64,
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Result<(LaunchTrace, Reach), HostError> {
        let (reach, ran) = self.program.run(launch, most_jumps, most_bytes, tools, cancel)?;
        Ok((LaunchTrace::of(launch, &ran, self.places), reach))
    }

    /// As [`ReachProgram::is_clean`].
    ///
    /// # Errors
    /// When the program needs what is nowhere.
    pub fn is_clean(
        &self,
        launch: &KernelLaunch,
        most_jumps: u64,
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Result<bool, HostError> {
        self.program.is_clean(launch, most_jumps, tools, cancel)
    }
}

impl HostBuild<'_> {
    /// Makes a program of the kernel that tells what its launches come to, which numbers they compare and what they reach.
    ///
    /// # Errors
    /// When the kernel, or what it needs, cannot be compiled.
    pub fn traced_kernel(&self) -> Result<TracedKernel, HostError> {
        let probed = ProbedSource::with_gaps(program_of(self.subject), self.subject.language);
        let subject = self.with_probes(&probed);
        let clang = self.toolchain.clang.with_more(&[COMPARED_VALUES]);
        let toolchain = Toolchain { clang: &clang, ..self.toolchain };
        let build = HostBuild { subject: &subject, toolchain, ..*self };
        let program = build.reach_program()?.with_word(word(&probed));
        let conditions = probed.conditions();
        Ok(TracedKernel { program, places: probed.places, conditions })
    }

    pub(super) fn traces(&self) -> Result<Vec<LaunchTrace>, HostError> {
        let probed = ProbedSource::of(program_of(self.subject), self.subject.language);
        let subject = self.with_probes(&probed);
        let build = HostBuild { subject: &subject, ..*self };
        let built = build.program(Flavour::Steps, BuildDetail::Verdict)?.with_word(word(&probed));
        let launches = subject.launches.clone()?;
        let trace = |(number, launch)| {
            let (tools, cancel) = (self.toolchain.tools, self.toolchain.cancel);
            let ran = built.run_launch(number, Order::Forward, tools, cancel)?;
            Ok(LaunchTrace::of(launch, &ran, probed.places))
        };
        launches.iter().enumerate().map(trace).collect()
    }

    fn with_probes(&self, probed: &ProbedSource) -> HostKernel {
        // In CUDA, declarations stand before the program.
        let declarations = match self.subject.is_cuda() {
            true => cuda::split(&self.subject.source).0,
            false => &[][..],
        };
        let source = [declarations, &probed.text].concat().into();
        HostKernel { source, ..self.subject.clone() }
    }
}

/// Tells the run-time how much there is to count.
fn word(probed: &ProbedSource) -> OsString {
    format!("coverage:{}:{}:{}", probed.places, probed.loops, probed.decisions).into()
}

/// Reads a line of the run-time: `clreduce-compared: 4 1 4294964309 4`.
fn comparison(line: &str) -> Option<Comparison> {
    let mut numbers = line.strip_prefix("clreduce-compared: ")?.split(' ');
    let mut next = || numbers.next()?.parse::<u64>().ok();
    let (bytes, is_constant, first, second) = (next()?, next()? != 0, next()?, next()?);
    Some(Comparison { bytes: usize::try_from(bytes).ok()?, first, second, is_constant })
}
