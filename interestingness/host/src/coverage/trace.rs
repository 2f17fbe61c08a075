//! Traces of launches: what the work-items of each came to, and which values they compared.

use std::collections::BTreeSet;

use clreduce_process::End;

use super::probes::{Place, ProbedSource};
use super::{Count, ProbeCounts, Vector, program_of, reason};
use crate::build::HostBuild;
use crate::cuda;
use crate::error::HostError;
use crate::flavour::{BuildDetail, Flavour};
use crate::order::Order;
use crate::subject::{HostKernel, sizes};
use crate::toolchain::Toolchain;

/// The option with which clang tells the run-time the values that a kernel compares.
pub(super) const COMPARED_VALUES: &str = "-fsanitize-coverage=trace-cmp";

/// Two different integers that a kernel compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comparison {
    /// The size of both in bytes.
    pub bytes: usize,
    /// The first one.
    pub first: u64,
    /// The second one.
    pub second: u64,
    /// True if the first one is a constant of the kernel.
    pub is_constant: bool,
}

/// Something that a launch showed, to tell launches apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feature(Shown);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    /// So many work-items came to a place.
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
    places: u32,
    pub(super) counts: ProbeCounts,
}

impl LaunchTrace {
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

impl HostBuild<'_> {
    /// Runs every launch of the kernel on its own, and traces it.
    ///
    /// # Errors
    /// When the kernel, or what it needs, cannot be compiled.
    pub fn traces_with_values(&self) -> Result<Vec<LaunchTrace>, HostError> {
        self.traces(&[COMPARED_VALUES])
    }

    pub(super) fn traces(&self, options: &[&str]) -> Result<Vec<LaunchTrace>, HostError> {
        let program = program_of(self.subject);
        let probed = ProbedSource::of(program, self.subject.language);
        // In CUDA, declarations stand before the program.
        let declarations = match self.subject.is_cuda() {
            true => cuda::split(&self.subject.source).0,
            false => &[][..],
        };
        let subject = HostKernel {
            source: [declarations, &probed.text].concat().into(),
            ..self.subject.clone()
        };
        let clang = self.toolchain.clang.with_more(options);
        let toolchain = Toolchain { clang: &clang, ..self.toolchain };
        let build = HostBuild { subject: &subject, toolchain, ..*self };
        let built = build.program(Flavour::Steps, BuildDetail::Verdict)?;
        let word = format!("coverage:{}:{}:{}", probed.places, probed.loops, probed.decisions);
        let built = built.with_word(word.into());
        let launches = subject.launches.clone()?;
        let trace = |(number, launch)| {
            let (tools, cancel) = (self.toolchain.tools, self.toolchain.cancel);
            let ran = built.run_launch(number, Order::Forward, tools, cancel)?;
            let mut counts = ProbeCounts::default();
            counts.add(&ran.stdout);
            let items = sizes(launch)[0].iter().fold(1, |all: u64, size| all.saturating_mul(*size));
            Ok(LaunchTrace {
                work_items: items,
                failure: (ran.end != End::Exited(0)).then(|| reason(&ran)),
                compared: ran.stdout.lines().filter_map(comparison).collect(),
                places: probed.places,
                counts,
            })
        };
        launches.iter().enumerate().map(trace).collect()
    }
}

/// Reads a line of the run-time: `clreduce-compared: 4 1 4294964309 4`.
fn comparison(line: &str) -> Option<Comparison> {
    let mut numbers = line.strip_prefix("clreduce-compared: ")?.split(' ');
    let mut next = || numbers.next()?.parse::<u64>().ok();
    let (bytes, is_constant, first, second) = (next()?, next()? != 0, next()?, next()?);
    Some(Comparison { bytes: usize::try_from(bytes).ok()?, first, second, is_constant })
}
