//! Coverage of a kernel, with the tools of a check.

use clreduce_compiler::{Clang, NoClang};
use clreduce_host::{Coverage, HostBuild, HostError, HostKernel, Toolchain, is_supported};
use clreduce_process::Cancel;
use thiserror::Error;

use crate::options::CheckOptions;

/// The reason that coverage is not known.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CoverageError {
    /// Kernels do not run here.
    #[error("kernels run on x86-64 Linux only")]
    Unsupported,
    /// clang is missing.
    #[error(transparent)]
    NoClang(#[from] NoClang),
    /// There is no program to run.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// Runs every launch of a kernel as a program of this machine, and counts what its work-items come to.
///
/// # Errors
/// When the kernel cannot be compiled or launched.
pub fn coverage(
    subject: &HostKernel,
    options: &CheckOptions,
    cancel: &Cancel,
) -> Result<Coverage, CoverageError> {
    if !is_supported() {
        return Err(CoverageError::Unsupported);
    }
    let clang = Clang::find(options.clang.as_deref(), &options.build_options)?;
    let (tools, cache) = (options.tools(), &options.cache);
    let toolchain = Toolchain { clang: &clang, tools: &tools, cache, forks: None, cancel };
    Ok(HostBuild { toolchain, subject, optimisation: "-O0" }.coverage()?)
}
