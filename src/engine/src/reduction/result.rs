//! The result of a reduction, its figures and its errors.

use std::fmt;
use std::io;
use std::time::Duration;

use clreduce_candidates::LeftOut;
use clreduce_interestingness::{NotRun, Outcome};
use clreduce_testcase::{Size, TestCase};
use thiserror::Error;

use crate::events::Ending;
use crate::ranked::Ranks;
use crate::rate::{MeasuredNumber, MeasuredRate, NumberBound, Rate};
use clreduce_journal::StateError;

/// The result of a reduction, and the work that it took.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest interesting test case found.
    pub case: TestCase,
    /// The size of `case`.
    pub size: Size,
    /// The reason why the reduction ended.
    pub ending: Ending,
    /// The proposals that passes left out since the last commit: something more might go there.
    pub left_out: Vec<LeftOut>,
    /// The passes that a person skipped since then.
    pub skipped: Vec<&'static str>,
    /// Steps: verdicts that the reducer took, also in an earlier run that was resumed.
    pub steps: u64,
    /// Tests started in this run: of the original, speculative, killed and checking ones included.
    pub tests: u64,
    /// Tests killed because their verdict was not needed any more.
    pub killed: u64,
    /// Steps whose verdict was known already, from this run or the one that was resumed.
    pub cache_hits: u64,
    /// Wall time of this run.
    pub wall: Duration,
    /// Wall-time limit of one test.
    pub timeout: Duration,
    /// Figures of each pass, in the order of its first step.
    pub passes: Vec<PassStatistics>,
    /// The flakiness of the test.
    pub flakiness: Flakiness,
    /// How often the test shows the bug, where that decides.
    pub rates: Option<Rates>,
    /// What the test measures, where that decides.
    pub numbers: Option<Numbers>,
    /// The ranks of the original and of the result, where somebody prefers a variant to another.
    pub ranks: Option<Ranks>,
    /// The work and the verdicts of the compile filter.
    pub compile_filter: FilterFigures,
    /// The use of the cores.
    pub efficiency: Efficiency,
}

/// How often the test shows a bug that comes and goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// The runs of the original.
    pub original: MeasuredRate,
    /// The least rate that was asked of a variant.
    pub asked: Rate,
    /// The runs of the result, besides those that led to its verdict. `None` where a limit or an interruption came before.
    pub result: Option<MeasuredRate>,
    /// All runs of the test on all variants, in this run of the reduction.
    pub runs: u64,
}

/// "the result shows the bug in 31 of 100 runs (23 % to 41 %), the original in 50 of 120 runs (33 % to 51 %)".
impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { original, asked, result, .. } = self;
        match result {
            Some(result) => write!(f, "the result shows the bug {}", result.with_interval())?,
            None => write!(f, "the result shows the bug in at least {asked} of its runs")?,
        }
        write!(f, ", the original {}", original.with_interval())
    }
}

/// The numbers that the test printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The numbers of the original.
    pub original: MeasuredNumber,
    /// The number that was asked of a variant.
    pub asked: NumberBound,
    /// Those of the result, from runs besides those that led to its verdict. `None` where a limit or an interruption came before.
    pub result: Option<MeasuredNumber>,
    /// All runs of the test on all variants, in this run of the reduction.
    pub runs: u64,
}

/// "the test measures 6.1 (6 to 6.2 in 5 runs) for the result, and 12 (11.9 to 12.1 in 5 runs) for the original".
impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { original, asked, result, .. } = self;
        match result {
            Some(result) => write!(f, "the test measures {result} for the result")?,
            None => write!(f, "the test measures {asked} for the result")?,
        }
        write!(f, ", and {original} for the original")
    }
}

/// The flakiness of a test, as far as a reduction noticed it in this run. All are zero for a reliable test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flakiness {
    /// Variants that were tested again and again, until the results decided.
    pub repeated: u64,
    /// Variants among them that were interesting at first, by mistake.
    pub wrongly_interesting: u64,
    /// Variants among them that are interesting, although a test said once that they are not.
    pub wrongly_rejected: u64,
    /// The number of times that the reduction went back to an earlier commit.
    pub went_back: u64,
}

impl Flakiness {
    /// Variants that the test was wrong about at least once.
    #[must_use]
    pub fn contradictions(&self) -> u64 {
        self.wrongly_interesting + self.wrongly_rejected
    }
}

/// Figures of the compile filter. Without one, all are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterFigures {
    /// Variants that it checked in this run.
    pub checked: u64,
    /// Variants that it rejected and that were therefore not tested.
    pub rejected: u64,
    /// Variants that it rejected and that were tested all the same.
    pub doubted: u64,
    /// True if a test contradicted it, so that it was switched off.
    pub ended: bool,
}

/// Figures of one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassStatistics {
    /// The name of the pass.
    pub name: &'static str,
    /// The number of its steps.
    pub steps: u64,
    /// Steps with the verdict "interesting".
    pub interesting: u64,
    /// Tokens that its commits removed; negative when they added some.
    pub tokens_removed: i64,
    /// Wall time between its steps.
    pub wall: Duration,
}

/// The use of the cores while the reduction ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Efficiency {
    /// Of the tests that ran to their end, the share whose verdict the reducer took; 0 to 1.
    pub consumed: f64,
    /// Of the time of all cores that could run tests, the share in which a test or the compile filter ran; 0 to 1.
    pub busy: f64,
}

/// A reason why a reduction failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReductionError {
    /// There is nothing to reduce.
    #[error("the original is not interesting{}", because(.0))]
    NotInteresting(Box<Outcome>),
    /// The test does not accept the original any more. The last commit that was confirmed by a second test was put back,
    /// or the original if there is none.
    #[error(
        "the test is flaky: it found the original interesting in {interesting} out of {runs} runs{}", because(.contrary)
    )]
    Flaky {
        /// The number of times that it was interesting.
        interesting: usize,
        /// The number of times that it was judged.
        runs: usize,
        /// The first outcome that was not.
        contrary: Box<Outcome>,
    },
    /// The test calls one variant interesting about as often as not. The last commit that was certain was put back, or the original.
    #[error(
        "the test cannot decide: it found one variant interesting in {interesting} out of {runs} runs"
    )]
    Undecided {
        /// The number of times that it was interesting.
        interesting: u32,
        /// The number of times that it was judged.
        runs: u32,
    },
    /// The test accepts what it rejected before. The last commit that was certain before that was put back, or the original.
    #[error("the test has changed: it now accepts all variants that it rejected last")]
    TestChanged,
    /// The test could not be run, also not after some time. Nothing of it is in the journal.
    #[error("the test cannot be run")]
    NotRun(#[source] NotRun),
    /// The state folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// A new best test case could not be written where it belongs.
    #[error("cannot write the reduced test case")]
    Keep(#[source] io::Error),
    /// There is no pass of this name.
    #[error("there is no pass called `{0}`")]
    UnknownPass(String),
    /// The system has no threads for the tests.
    #[error("cannot start a thread")]
    Threads(#[source] io::Error),
}

impl ReductionError {
    /// Returns true if the test contradicts itself too much to have a result.
    #[must_use]
    pub fn is_of_the_test(&self) -> bool {
        matches!(self, Self::Flaky { .. } | Self::Undecided { .. } | Self::TestChanged)
    }
}

fn because(outcome: &Outcome) -> String {
    if outcome.reason.is_empty() { String::new() } else { format!(" ({})", outcome.reason) }
}
