//! Kernels as programs of this machine.
//!
//! clang's own OpenCL front end compiles a kernel for the host, and a small run-time supplies work-items, barriers
//! and
//! built-ins. A [`HostBuild`] makes such a program, plain or under clang's sanitizers. [`run`](run()) runs a
//! kernel plainly
//! and returns its outcome, as a device would.

mod aliasing;
mod alignment;
mod build;
mod cache;
mod changes;
mod coverage;
mod cuda;
mod divisions;
mod dynamic;
mod error;
mod evaluation;
mod flavour;
mod for_compiler;
mod for_device;
mod forked;
mod lanes;
mod operands;
mod order;
mod own;
mod parts;
mod ptx;
mod reach;
mod run;
mod sources;
mod start;
mod sub_groups;
mod subject;
mod symbols;
mod toolchain;

pub use build::{
    CODE, HostBuild, HostProgram, atomics_meet, conflict, watches_bounds, watches_races,
};
pub use cache::default_cache;
pub use coverage::{
    Comparison, Count, Coverage, CoveragePoint, CoverageSummary, Feature, Gap, LaunchTrace,
    ProbedProgram, Seen, Share, TracedKernel,
};
pub use error::HostError;
pub use flavour::{BuildDetail, Flavour};
pub use order::{Order, UnknownOrder};
pub use ptx::UnknownPtx;
pub use reach::{Reach, ReachEnd, ReachProgram};
pub use run::{clang, is_supported, run};
pub use sources::Source;
pub use start::StartError;
pub use subject::{HostKernel, HostKernelError, sizes};
pub use symbols::{CodeAddress, ProgramSymbols};
pub use toolchain::Toolchain;

/// The name of the kernel's file where the tools run; they are told its language.
pub const FILE: &str = "kernel.cl";

/// The name of the file with what CUDA declares.
pub const DECLARATIONS: &str = "declarations";
