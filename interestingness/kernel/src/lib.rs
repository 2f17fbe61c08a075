//! Kernels of OpenCL and CUDA as data: their arguments and launches, the outcomes of runs, and votes on them.
//!
//! [`ProgramKind::plan`] makes the arguments of a kernel. A [`KernelRun`] is a program with its launches, a
//! [`RunOutcome`] is what one configuration made of it, and [`vote`] compares the outcomes of several configurations.
//! Nothing here runs anything.

mod arguments;
mod cuda;
mod encode;
mod exact;
mod group_order;
mod host_program;
mod images;
mod job;
mod opencl_names;
mod outcome;
mod program;
mod votes;

pub use arguments::{
    ArgumentError, Choice, DescriptionError, LaunchError, Plan, PlanError, UnsupportedParameter,
    describe, description_names, plan, read_description,
};
pub use clreduce_language::{ImageKind, KernelParameter, KernelSignature, Number, Scalar};
pub use clreduce_process::Crash;
pub use cuda::has_main;
pub use encode::{decode_whole, encode, encode_whole, read_number};
pub use exact::{is_exact, is_exact_program};
pub use group_order::{GROUP_ORDERS, in_group_order};
pub use host_program::{HostInterface, host_program};
pub use images::{Addressing, Filter, Image, Sampler};
pub use job::{Argument, Fill, KernelLaunch, KernelRun, RunLimits};
pub use opencl_names::{OpenClConstant, image_format, image_type};
pub use outcome::{OUTPUT, OutcomeClass, Output, PROGRAM, RunOutcome, RunReport};
pub use program::{ProgramKind, with_macros};
pub use votes::{Ballot, BallotRole, EmiAgreement, Rule, Vote, VoteResult, emi, vote};
