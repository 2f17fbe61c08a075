//! clreduce: test-case reduction for compiler bugs in OpenCL C, CUDA and C.
//!
//! A [`CandidateSource`](clreduce_candidates::CandidateSource) proposes variants and takes the verdicts on them;
//! everything else here is about having its candidates judged soon.

pub mod batch;
pub mod events;
pub mod journal;
mod reduction;
pub mod report;
pub mod speculation;
pub mod triage;

pub use clreduce_reducer::PassChoice;
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
