//! clreduce: test-case reduction for compiler bugs in OpenCL C, CUDA and C.
//!
//! The reducer asks, the oracle answers: an [`asker`] is a deterministic conversation, and everything
//! else here is about having its questions answered soon.

pub mod asker;
pub mod batch;
pub mod events;
pub mod journal;
mod reduction;
pub mod report;
pub mod speculation;
pub mod triage;

pub use asker::PassChoice;
pub use reduction::{
    Contradiction, Efficiency, GateFigures, PassStatistics, Reduced, Reduction, ReductionError,
    Resume, Running, Subject,
};
pub use speculation::Pool;

// What a program that embeds clreduce needs of the floors below.
pub use clreduce_interestingness::{
    Cancel, CommandError, CommandOptions, CommandTest, Gate, Gated, Interestingness, Limits,
    Outcome, OutputPattern, SetupError, TestCommand, Verdict,
};
pub use clreduce_testcase::{ContentHash, InvalidTestCase, Language, Size, SourceFile, TestCase};

/// The example of the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
