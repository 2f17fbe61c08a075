//! Compilers as tools: clang as a program, and libclang in worker processes that stay.
//!
//! [`Clang`] finds a clang and knows with which options it reads kernels. [`CompileWorkers`] return clang's
//! diagnostics of a text in milliseconds. [`LibclangFilter`] is the compile filter that stands on them. [`ForkServers`] compile
//! a program without starting the compiler first.

mod api;
mod clang;
mod cuda;
mod diagnostic;
mod filter;
mod forks;
mod service;
mod worker;
mod workers;

use clreduce_process::worker::ServiceEntry;

pub use api::LibclangError;
pub use clang::{Clang, NoClang};
pub use diagnostic::{Diagnostic, Severity};
pub use filter::LibclangFilter;
pub use forks::{ForkServers, ForkedCompiler};
pub use worker::{CompileOptions, CompileWorker, CompilerError};
pub use workers::CompileWorkers;

/// The services of worker programs that this crate needs.
pub const SERVICES: &[ServiceEntry] =
    &[ServiceEntry::of::<service::CompilerService>(), ServiceEntry::of::<forks::ForkService>()];
