//! Kernels of OpenCL and CUDA as data: how they are launched, what became of them, and who is wrong.
//!
//! [`plan`] and [`plan_cuda`] find out with which arguments a kernel is launched. A [`KernelRun`] is a program
//! with its
//! launches, a [`RunOutcome`] says what became of it on one configuration, and [`vote`] says which configurations are
//! wrong. Nothing here runs anything.

mod arguments;
mod cuda;
mod job;
mod outcome;
mod program;
mod prototype;
mod votes;

pub use arguments::{ArgumentError, LaunchError, Plan, PlanError, SidecarError, plan};
pub use clreduce_process::Crash;
pub use cuda::{has_main, plan_cuda};
pub use job::{Argument, ElementType, Fill, KernelLaunch, KernelRun, RunLimits, Scalar};
pub use outcome::{OUTPUT, OutcomeClass, Output, PROGRAM, RunOutcome, RunReport};
pub use program::ProgramKind;
pub use prototype::{Parameter, Prototype, cuda_kernels, kernels};
pub use votes::{Ballot, Emi, Role, Rule, Vote, VoteResult, emi, vote};
