//! Checks whether a kernel is valid, that is, whether its meaning is defined: by stages, each with one tool.
//!
//! A stage only ever *finds* something wrong. A kernel is valid if no stage finds anything and every kind of finding was
//! checked. A stage that sees every case of a kind is believed, and not another stage that guesses. Each stage says which kinds it looks for and, after a run, which of them it did check. Where its tool crashed
//! or does not know a built-in function, another stage that checked the same kind makes up for it; otherwise the result
//! is unresolved.
//!
//! To add a stage, write a file with its `StageInfo` and its implementation of [`CheckStage`], as `analyze.rs` does, and
//! add a row to the table in `table.rs`. Everything else, recipes included, reads the table.

mod analyze;
mod blind_spots;
mod check;
mod compile;
mod coordinates;
mod coverage;
mod definitions;
mod expanded;
mod finding;
mod fit;
mod inputs;
mod location;
mod mixed_arguments;
mod options;
mod preprocess;
mod recursion;
mod report;
mod sanitize;
mod simulate;
mod stage;
mod table;

pub use blind_spots::{BlindSpots, blind_spots};
pub use check::{KernelCheck, prepare};
pub use clreduce_host::{Coverage, CoveragePoint, CoverageSummary, ProbedProgram, Seen, Share};
pub use clreduce_host::{HostKernel, HostKernelError, Order};
pub use coverage::{CoverageError, coverage};
pub use definitions::{CompletedBuild, complete_build};
pub use finding::{Certainty, FailureKind, Finding, FindingKind, StageFailure, UnknownKind};
pub use fit::{FittedKernel, fit_arguments};
pub use inputs::{FoundInputs, RefusedLaunch, find_inputs};
pub use options::{CheckError, CheckOptions};
pub use preprocess::{PreprocessError, compiles, needs_preprocessing, preprocess};
pub use report::{CheckReport, CollectedReports, RefutedFinding, Validity};
pub use simulate::simulation;
pub use stage::{CheckStage, ComputedResult, Question, StageInfo, StageReport};
pub use table::{PreparedStage, StageName, UnknownStage};
