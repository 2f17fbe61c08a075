//! The tools of a build.

use std::ffi::OsString;
use std::path::Path;

use clreduce_compiler::{Clang, ForkServers};
use clreduce_process::{Cancel, End, ToolRun, ToolRunner};
use clreduce_testcase::TestCase;

use crate::error::{HostError, first_error};

/// The tools of a build, and where it keeps compiled parts.
#[derive(Clone, Copy, Debug)]
pub struct Toolchain<'a> {
    /// The compiler.
    pub clang: &'a Clang,
    /// Runs the compiler and the linker.
    pub tools: &'a ToolRunner,
    /// The folder for compiled parts of the run-time.
    pub cache: &'a Path,
    /// Compilers that have started already, where many kernels come.
    pub forks: Option<&'a ForkServers>,
    /// Ends the build early.
    pub cancel: &'a Cancel,
}

impl Toolchain<'_> {
    pub(crate) fn run(&self, program: &str, args: Vec<OsString>, files: &TestCase) -> ToolRun {
        self.tools.run(program, args, files, self.cancel)
    }

    pub(crate) fn run_clang(&self, args: Vec<OsString>, files: &TestCase) -> ToolRun {
        self.run(self.clang.program(), args, files)
    }

    /// Runs clang, which has to succeed.
    pub(crate) fn compile(&self, args: Vec<OsString>, files: &TestCase) -> Result<(), HostError> {
        let ran = self.run_clang(args, files);
        match ran.end {
            End::Exited(0) => Ok(()),
            _ => Err(HostError::Clang(first_error(&ran))),
        }
    }
}
