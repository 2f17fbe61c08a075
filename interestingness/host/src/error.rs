//! The reasons that a kernel does not become a program.

use std::io;

use clreduce_kernel::LaunchError;
use clreduce_process::ToolRun;
use clreduce_testcase::InvalidTestCase;
use clreduce_tools::SANITIZERS;
use thiserror::Error;

use crate::start::StartError;

/// The reason that there is no program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HostError {
    /// The run-time lacks these built-ins.
    #[error("built-in{} {} not known to the host run-time", if .0.len() == 1 { "" } else { "s" }, .0.join(", "))]
    BuiltIns(Vec<String>),
    /// The kernel uses sub-groups that depend on the device.
    #[error(
        "the sub-groups of `{0}` depend on the device: they are known with __attribute__((intel_reqd_sub_group_size(32))) and \
         work-groups whose first size is a multiple of 32"
    )]
    SubGroups(String),
    /// It is not known how to launch the kernel.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The launch does not fit the kernel.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The name of a file cannot be used.
    #[error(transparent)]
    File(#[from] InvalidTestCase),
    /// clang fails on a part of the run-time.
    #[error("clang: {0}{help}", help = missing_libraries(.0))]
    Clang(String),
    /// The linker fails.
    #[error("ld: {0}{help}", help = missing_libraries(.0))]
    Linker(String),
    /// clang fails on the kernel itself; with that run, for a caller that wants to know more.
    #[error("clang: {}", first_error(.0))]
    Kernel(Box<ToolRun>),
    /// clang has written something that is no object.
    #[error("the object of the kernel cannot be read: {0}")]
    Object(#[from] object::Error),
    /// A file cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Says what to install if a linker's error is about a library of the sanitizers.
fn missing_libraries(error: &str) -> String {
    if error.contains("clang_rt") || error.contains("clang/lib") {
        let install = SANITIZERS.install();
        format!(
            "; the libraries of the sanitizers are missing: install them ({install}, with the version of this clang)"
        )
    } else {
        String::new()
    }
}

/// The first error of a compiler, or else the way in which it ended.
pub(crate) fn first_error(ran: &ToolRun) -> String {
    let error = ran.stderr.lines().find(|line| line.contains("error: "));
    error.map_or_else(|| ran.trouble(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_of_the_sanitizers_is_told_from_other_errors() {
        let missing = "ld: cannot find /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.asan.a: No such file";
        let shown = |error: &str| HostError::Clang(error.to_owned()).to_string();
        assert!(shown(missing).ends_with("with the version of this clang)"));
        assert_eq!(
            shown("ld: undefined reference to `f'"),
            "clang: ld: undefined reference to `f'"
        );
    }
}
