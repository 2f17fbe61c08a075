//! What comes out of a reduction.

use std::io;
use std::time::Duration;

use clreduce_interestingness::Outcome;
use clreduce_testcase::{Size, TestCase};
use thiserror::Error;

use crate::events::Ending;
use clreduce_journal::StateError;
use clreduce_speculation::Recheck;

/// A consumed answer that a second test contradicted. The first stands.
pub type Contradiction = Recheck;

/// The result of a reduction, and what it took.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest interesting test case found.
    pub case: TestCase,
    /// Its size.
    pub size: Size,
    /// Why it ended.
    pub ending: Ending,
    /// Answers consumed, those of an earlier run that was resumed included.
    pub steps: u64,
    /// Tests started in this run: of the original, speculative, killed and checking ones included.
    pub tests: u64,
    /// Tests killed since nobody waited for them any more.
    pub killed: u64,
    /// Questions whose answer had been consumed before, in this run or the one that was resumed.
    pub cache_hits: u64,
    /// Wall time of this run.
    pub wall: Duration,
    /// Wall-time limit of one test.
    pub timeout: Duration,
    /// The passes, in the order in which they first asked.
    pub passes: Vec<PassStatistics>,
    /// Answers found to be wrong, or to depend on something other than content.
    pub contradictions: Vec<Contradiction>,
    /// What the gate did.
    pub compile_filter: FilterFigures,
    /// What became of the cores.
    pub efficiency: Efficiency,
}

/// What a gate did. All zero without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterFigures {
    /// Variants that it looked at in this run.
    pub checked: u64,
    /// Variants that it rejected and that were not tested.
    pub rejected: u64,
    /// Variants that it rejected and that were tested all the same.
    pub doubted: u64,
    /// A test found one of them interesting, which ended it.
    pub ended: bool,
}

/// What a pass asked and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassStatistics {
    /// Its name.
    pub name: &'static str,
    /// Questions.
    pub steps: u64,
    /// Questions whose answer was "interesting".
    pub interesting: u64,
    /// Tokens that its commits removed; negative when they added some.
    pub tokens_removed: i64,
    /// Wall time the conversation spent with it.
    pub wall: Duration,
}

/// How well cores were used while the reduction ran.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Efficiency {
    /// Of the tests that ran to their end, the share whose answer was consumed; 0 to 1.
    pub consumed: f64,
    /// Of the time of all cores that could run tests, the share that ran one, or had the gate look at a
    /// variant; 0 to 1.
    pub busy: f64,
}

/// Why a reduction failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReductionError {
    /// There is nothing to reduce.
    #[error("the original is not interesting{}", because(.0))]
    NotInteresting(Box<Outcome>),
    /// The test says now this, now that. What was kept meanwhile was replaced by the original.
    #[error(
        "the test is flaky: it found the original interesting in {interesting} out of {runs} runs{}", because(.contrary)
    )]
    Flaky {
        /// How often it was interesting.
        interesting: usize,
        /// How often it was judged.
        runs: usize,
        /// The first outcome that was not.
        contrary: Box<Outcome>,
    },
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

fn because(outcome: &Outcome) -> String {
    if outcome.reason.is_empty() { String::new() } else { format!(" ({})", outcome.reason) }
}
