//! Coverage: what the work-items of a kernel came to, over all of its launches.
//!
//! Probes in the source of the kernel tell the run-time what happens. So every clang will do, and it is known how many
//! work-items came to each place, and in which order.

mod called;
mod gaps;
mod probes;
mod program;
mod trace;

use std::collections::BTreeMap;
use std::ops::{AddAssign, Range};

use clreduce_process::{End, ToolRun};
use serde::Serialize;

use crate::build::HostBuild;
use crate::cuda;
use crate::error::HostError;
use crate::run::{EXIT_DIVERGENCE, EXIT_ENDLESS};
use crate::subject::HostKernel;
use probes::{Place, Probe, ProbedSource};

pub use gaps::Gap;
pub use program::ProbedProgram;
pub use trace::{Comparison, Feature, LaunchTrace, TracedKernel};

/// The number of times that something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The number of times. At a barrier, a work-group counts once each time that it passes.
    pub times: u64,
    /// The number of work-items to which it happened.
    pub work_items: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.times += other.times;
        self.work_items += other.work_items;
    }
}

impl Count {
    fn happened(self) -> bool {
        self.times > 0
    }
}

/// Something in the source that can happen, and how often it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoveragePoint {
    /// Its line, from 1.
    pub line: u32,
    /// Its column in bytes, from 1.
    pub column: u32,
    /// Its place in the text.
    #[serde(skip)]
    pub range: Range<usize>,
    /// The events.
    #[serde(flatten)]
    pub seen: Seen,
}

/// The events at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Seen {
    /// `if`, the condition of a loop, `?:`, or a logical operator: two branches.
    Branch {
        /// The number of conditions that it depends on.
        conditions: usize,
        /// It was true.
        when_true: Count,
        /// It was false.
        when_false: Count,
    },
    /// One of several conditions that a branch depends on.
    Condition {
        /// It was true.
        when_true: Count,
        /// It was false.
        when_false: Count,
        /// True if two evaluations were seen that differ in this condition and in the branch taken, and in no other
        /// condition (MC/DC).
        decides: bool,
    },
    /// `case` or `default`: one branch.
    Case {
        /// It was reached.
        reached: Count,
    },
    /// A loop.
    Loop {
        /// Left after no iteration. A `do` loop has at least one.
        zero: Option<Count>,
        /// Left after one iteration.
        one: Count,
        /// Left after more.
        more: Count,
        /// Left because its condition was false, if it has one.
        boundary: Option<Count>,
    },
    /// A barrier that whole work-groups pass.
    Barrier {
        /// They have.
        passed: Count,
    },
    /// A function, a branch, or the rest of a block.
    Section {
        /// It was reached.
        reached: Count,
    },
}

/// The number of things of one kind that can happen, and of those that did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The number of things that happened.
    pub covered: usize,
    /// The number of things that can happen.
    pub all: usize,
}

impl Share {
    fn add(&mut self, covered: bool) {
        self.covered += usize::from(covered);
        self.all += 1;
    }
}

/// The shares that were covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CoverageSummary {
    /// Branches: two for each decision, one for each `case`.
    pub branches: Share,
    /// The values of conditions: two for each.
    pub conditions: Share,
    /// The conditions for which two evaluations were seen that differ in this condition and in the branch taken, and in
    /// no other condition (MC/DC).
    pub deciding: Share,
    /// Up to four for each loop: no iteration, one, more, and ended by its condition.
    pub loops: Share,
    /// Barriers.
    pub barriers: Share,
}

/// The coverage of a kernel by its work-items.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// The number of launches.
    pub launches: usize,
    /// The work-items of all launches.
    pub work_items: u64,
    /// The shares of what was covered.
    pub summary: CoverageSummary,
    /// The reason that not everything was seen, if there is one: a launch did not end well.
    pub incomplete: Option<String>,
    /// The most jumps that a work-group has made.
    #[serde(skip)]
    pub jumps: u64,
    /// The functions that were not looked at, because the parser does not understand them.
    pub functions_left_out: usize,
    /// Everything that can happen, in the order of the source.
    pub points: Vec<CoveragePoint>,
    /// The operands of `?:`, `&&` and `||` that were never evaluated.
    #[serde(skip)]
    unused: Vec<Range<usize>>,
}

/// The counts of runs.
#[derive(Clone, Debug, Default)]
struct ProbeCounts {
    places: BTreeMap<Place, Count>,
    vectors: BTreeMap<u32, Vec<Vector>>,
    /// The most jumps of a work-group.
    jumps: u64,
}

/// The values of the conditions of a decision, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Vector {
    evaluated: u32,
    values: u32,
    outcome: bool,
}

impl ProbeCounts {
    /// Reads what the run-time has printed: `clreduce-coverage: p 3 12 4`, `clreduce-coverage: v 0 3 1 0`,
    /// `clreduce-steps: 5000`.
    fn add(&mut self, printed: &str) {
        for line in printed.lines() {
            if let Some(jumps) = line.strip_prefix("clreduce-steps: ") {
                self.jumps = self.jumps.max(jumps.parse().unwrap_or(0));
            }
            let Some(said) = line.strip_prefix("clreduce-coverage: ") else { continue };
            let mut words = said.split(' ');
            let kind = words.next();
            let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
            match (kind, &numbers[..]) {
                (Some("p"), &[place, times, work_items]) => {
                    *self.places.entry(place as Place).or_default() += Count { times, work_items };
                }
                (Some("v"), &[decision, evaluated, values, outcome]) => {
                    let vector = Vector {
                        evaluated: evaluated as u32,
                        values: values as u32,
                        outcome: outcome != 0,
                    };
                    self.vectors.entry(decision as u32).or_default().push(vector);
                }
                _ => {}
            }
        }
    }

    /// Adds the counts of another run of the same program.
    fn merge(&mut self, other: &Self) {
        for (&place, &count) in &other.places {
            *self.places.entry(place).or_default() += count;
        }
        for (&decision, vectors) in &other.vectors {
            self.vectors.entry(decision).or_default().extend(vectors);
        }
        self.jumps = self.jumps.max(other.jumps);
    }

    fn at(&self, place: Place) -> Count {
        self.places.get(&place).copied().unwrap_or_default()
    }

    /// Returns whether a condition has decided: two evaluations differ in it and in the outcome, and in no other condition
    /// that both evaluated.
    fn decides(&self, decision: Option<u32>, number: usize) -> bool {
        let seen = decision.and_then(|decision| self.vectors.get(&decision));
        let seen = seen.map_or(&[][..], Vec::as_slice);
        let bit = 1 << number;
        let shows = |a: &Vector, b: &Vector| {
            let differs = (a.values ^ b.values) & a.evaluated & b.evaluated;
            a.outcome != b.outcome && differs == bit
        };
        seen.iter().enumerate().any(|(at, a)| seen[at + 1..].iter().any(|b| shows(a, b)))
    }
}

impl HostBuild<'_> {
    /// Runs every launch of the kernel, until one does not end well, and counts what its work-items come to.
    ///
    /// # Errors
    /// When the kernel, or what it needs, cannot be compiled.
    pub fn coverage(&self) -> Result<Coverage, HostError> {
        let mut traces = self.traces()?;
        let failed = traces.iter().position(|trace| trace.failure.is_some());
        traces.truncate(failed.map_or(traces.len(), |failed| failed + 1));
        Ok(Coverage::of_launches(self.subject, &traces))
    }
}

impl Coverage {
    /// The coverage by some launches of a kernel together.
    #[must_use]
    pub fn of_launches<'a>(
        kernel: &HostKernel,
        traces: impl IntoIterator<Item = &'a LaunchTrace>,
    ) -> Self {
        let program = program_of(kernel);
        let probed = ProbedSource::of(program, kernel.language);
        let (mut counts, mut launches, mut work_items, mut incomplete) =
            (ProbeCounts::default(), 0, 0_u64, None);
        for trace in traces {
            counts.merge(&trace.counts);
            launches += 1;
            work_items = work_items.saturating_add(trace.work_items);
            incomplete = incomplete.or_else(|| trace.failure.clone());
        }
        Self { launches, work_items, incomplete, ..Self::of(program, &probed, &counts) }
    }

    fn of(program: &[u8], probed: &ProbedSource, counts: &ProbeCounts) -> Self {
        let mut coverage = Self {
            launches: 0,
            work_items: 0,
            summary: CoverageSummary::default(),
            incomplete: None,
            jumps: counts.jumps,
            functions_left_out: probed.left_out,
            points: Vec::new(),
            unused: Vec::new(),
        };
        let lines = LineStarts::of(program);
        for (range, probe) in &probed.probes {
            coverage.add(&lines, range, probe, counts);
        }
        coverage.points.sort_by_key(|point| (point.line, point.column));
        coverage.summary = summary(&coverage.points);
        coverage
    }

    fn add(
        &mut self,
        lines: &LineStarts,
        range: &Range<usize>,
        probe: &Probe,
        counts: &ProbeCounts,
    ) {
        let points = &mut self.points;
        let mut point = |range: &Range<usize>, seen| {
            let (line, column) = lines.place(range.start);
            points.push(CoveragePoint { line, column, range: range.clone(), seen });
        };
        let values = |first: Place| (counts.at(first + 1), counts.at(first));
        match probe {
            Probe::Decision { first, conditions, vectors, arms } => {
                let (when_true, when_false) = values(*first);
                let number = conditions.len().max(1);
                point(range, Seen::Branch { conditions: number, when_true, when_false });
                for (number, condition) in conditions.iter().enumerate() {
                    let (when_true, when_false) = values(condition.first);
                    let decides = counts.decides(*vectors, number);
                    point(&condition.range, Seen::Condition { when_true, when_false, decides });
                    if !when_true.happened() && !when_false.happened() {
                        self.unused.push(condition.range.clone());
                    }
                }
                let is_unused =
                    |value| if value { !when_true.happened() } else { !when_false.happened() };
                let unused = arms.iter().filter(|arm| is_unused(arm.value));
                self.unused.extend(unused.map(|arm| arm.range.clone()));
            }
            Probe::Case(place) => point(range, Seen::Case { reached: counts.at(*place) }),
            Probe::Loop { number, can_be_skipped, ends_at } => {
                let times = |which: u32| counts.at(3 * number + which);
                let seen = Seen::Loop {
                    zero: can_be_skipped.then(|| times(0)),
                    one: times(1),
                    more: times(2),
                    boundary: ends_at.map(|place| counts.at(place)),
                };
                point(range, seen);
            }
            Probe::Barrier(place) => point(range, Seen::Barrier { passed: counts.at(*place) }),
            Probe::Section(place) => point(range, Seen::Section { reached: counts.at(*place) }),
        }
    }

    /// The ranges of the source that no work-item executed, in order; none contains another. If the runs did not end well,
    /// nothing is known, and there are none.
    #[must_use]
    pub fn never_executed(&self) -> Vec<Range<usize>> {
        if self.incomplete.is_some() {
            return Vec::new();
        }
        let sections = self.points.iter().filter_map(|point| match &point.seen {
            Seen::Section { reached } | Seen::Case { reached } if !reached.happened() => {
                Some(point.range.clone())
            }
            _ => None,
        });
        let mut ranges: Vec<Range<usize>> = sections.chain(self.unused.iter().cloned()).collect();
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let mut outer: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            if outer.last().is_none_or(|last| last.end < range.end) {
                outer.push(range);
            }
        }
        outer
    }

    /// Everything that did not happen: line, column and a sentence without its end.
    #[must_use]
    pub fn missing(&self) -> Vec<(u32, u32, String)> {
        let mut missing = Vec::new();
        let unexecuted = self.never_executed();
        for point in &self.points {
            let within = |outer: &Range<usize>| {
                outer.start < point.range.start && point.range.end <= outer.end
            };
            // The points in text that never ran are known from that text.
            if unexecuted.iter().any(within) {
                continue;
            }
            for what in point.seen.missing() {
                missing.push((point.line, point.column, what));
            }
        }
        missing
    }
}

/// The text of a kernel as it was written: in CUDA, declarations stand before it.
fn program_of(kernel: &HostKernel) -> &[u8] {
    if kernel.is_cuda() { cuda::split(&kernel.source).1 } else { &kernel.source }
}

/// The reason that a run says only in part what can happen.
fn reason(ran: &ToolRun) -> String {
    match ran.end {
        End::Exited(EXIT_DIVERGENCE) => {
            "the work-items of a group do not meet at a barrier".to_owned()
        }
        End::Exited(EXIT_ENDLESS) => "a work-item never ends, or waits for another one".to_owned(),
        _ => ran.trouble(),
    }
}

impl Seen {
    fn missing(&self) -> Vec<String> {
        let unless = |happened: Count, what: &str| (!happened.happened()).then(|| what.to_owned());
        let of_values = |when_true: &Count, when_false: &Count| match (
            when_true.happened(),
            when_false.happened(),
        ) {
            (true, true) => None,
            (false, false) => Some("condition never evaluated".to_owned()),
            (true, false) => Some("condition never false".to_owned()),
            (false, true) => Some("condition never true".to_owned()),
        };
        match self {
            Self::Branch { when_true, when_false, .. } => {
                of_values(when_true, when_false).into_iter().collect()
            }
            Self::Condition { when_true, when_false, decides } => {
                let both = when_true.happened() && when_false.happened();
                let idle = "no two evaluations show that this condition alone changes the branch"
                    .to_owned();
                let idle = (both && !decides).then_some(idle);
                of_values(when_true, when_false).into_iter().chain(idle).collect()
            }
            Self::Case { reached } => unless(*reached, "case never reached").into_iter().collect(),
            Self::Loop { zero, one, more, boundary } => [
                zero.and_then(|zero| unless(zero, "the loop body always ran at least once")),
                unless(*one, "the loop body never ran exactly once"),
                unless(*more, "the loop body never ran more than once"),
                boundary.and_then(|end| {
                    unless(end, "loop never ended because its condition was false")
                }),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Self::Barrier { passed } => {
                unless(*passed, "no work-group passed this barrier").into_iter().collect()
            }
            Self::Section { reached } => unless(*reached, "never executed").into_iter().collect(),
        }
    }
}

fn summary(points: &[CoveragePoint]) -> CoverageSummary {
    let mut sum = CoverageSummary::default();
    for point in points {
        match &point.seen {
            Seen::Branch { conditions, when_true, when_false } => {
                for count in [when_true, when_false] {
                    sum.branches.add(count.happened());
                    if *conditions == 1 {
                        sum.conditions.add(count.happened());
                    }
                }
            }
            Seen::Condition { when_true, when_false, decides } => {
                sum.conditions.add(when_true.happened());
                sum.conditions.add(when_false.happened());
                sum.deciding.add(*decides);
            }
            Seen::Case { reached } => sum.branches.add(reached.happened()),
            Seen::Loop { zero, one, more, boundary } => {
                for count in [*zero, Some(*one), Some(*more), *boundary].into_iter().flatten() {
                    sum.loops.add(count.happened());
                }
            }
            Seen::Barrier { passed } => sum.barriers.add(passed.happened()),
            Seen::Section { .. } => {}
        }
    }
    sum
}

/// Where the lines of a text begin.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &[u8]) -> Self {
        let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Self(std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect())
    }

    /// The line and the column in bytes, from 1.
    fn place(&self, at: usize) -> (u32, u32) {
        let line = self.0.partition_point(|&start| start <= at);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (number(line), number(at - self.0[line - 1] + 1))
    }
}
