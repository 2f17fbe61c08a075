//! clreduce: test-case reduction for compiler bugs in OpenCL C, CUDA, C and C++.
//!
//! This crate is the front door for programs that embed clreduce. It holds no code of its own: it re-exports what an
//! embedding program needs of the crates below. A [`Reduction`] is where to begin.

pub use clreduce_batch as batch;
pub use clreduce_candidates as candidates;
pub use clreduce_engine::{
    AskedNumber, AskedRate, CaseToReduce, Considered, Efficiency, FilterFigures, Flakiness,
    History, HistoryEnd, MeasuredNumber, MeasuredRate, NumberBound, Numbers, Options,
    PassStatistics, PastStep, Rate, Rates, Reduced, Reduction, ReductionError, Resume, Running,
    SandboxError, SandboxLevel, SandboxOptions, UserRequests, events,
};
pub use clreduce_interestingness::{
    Cancel, CommandError, CommandOptions, CommandTest, CompileFilter, Confinement, Filtered,
    Interestingness, Limits, NoSandbox, NotRun, Outcome, OutputPattern, Permissions, SetupError,
    TestCommand, Verdict,
};
pub use clreduce_journal as journal;
pub use clreduce_reducer::{self as reducer, PassChoice};
#[cfg(feature = "remote")]
pub use clreduce_remote as remote;
pub use clreduce_report as report;
pub use clreduce_speculation::{self as speculation, Pool};
pub use clreduce_testcase::{ContentHash, InvalidTestCase, Size, SourceFile, TestCase};
pub use clreduce_triage as triage;

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The examples of the page for authors of other programs, too.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
struct Embedding;
