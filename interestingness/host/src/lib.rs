//! Kernels as programs of this machine.
//!
//! clang's own OpenCL front end compiles a kernel for the host, and a small run-time supplies work-items, barriers and
//! built-ins. A [`Build`] makes such a program, plain or under clang's sanitizers. [`run`](run()) runs a kernel plainly
//! and returns its outcome, as a device would.

mod build;
mod cache;
mod cuda;
mod divisions;
mod parts;
mod run;
mod start;
mod subject;
mod symbols;

pub use build::{Build, CODE, Detail, Flavour, HostError, Program};
pub use cache::default_cache;
pub use run::{clang, is_supported, run};
pub use subject::{FILE, Subject, SubjectError, sizes};
pub use symbols::{Place, Symbols};
