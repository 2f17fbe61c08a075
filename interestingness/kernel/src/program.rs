//! Kinds of programs: which compilers and devices take them, and how they are launched.

use clreduce_testcase::TestCase;

use crate::arguments::{Plan, PlanError, plan};
use crate::cuda::{has_main, plan_cuda};

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// Kernels in OpenCL C.
    OpenCl,
    /// Kernels in CUDA without a host program.
    CudaKernels,
    /// A whole program in CUDA.
    CudaProgram,
}

impl ProgramKind {
    /// The kind of a test case, by its first file.
    #[must_use]
    pub fn of_case(case: &TestCase) -> Self {
        case.files().first().map_or(Self::OpenCl, |file| Self::of(&file.path, &file.bytes))
    }

    /// The kind of the program in a file.
    #[must_use]
    pub fn of(path: &str, source: &[u8]) -> Self {
        match path.ends_with(".cu") {
            false => Self::OpenCl,
            true if has_main(source) => Self::CudaProgram,
            true => Self::CudaKernels,
        }
    }

    /// The option that switches off optimisation. CUDA's compilers have none that says only that: code for a
    /// debugger is not optimised.
    #[must_use]
    pub fn no_opt(self) -> &'static str {
        if self == Self::OpenCl { "-cl-opt-disable" } else { "-G" }
    }

    /// Finds out how to launch a program of this kind.
    ///
    /// # Errors
    /// When that cannot be found out.
    pub fn plan(self, source: &[u8], arguments: Option<&str>) -> Result<Plan, PlanError> {
        match self {
            Self::OpenCl => plan(source, arguments),
            Self::CudaKernels => plan_cuda(source, arguments),
            Self::CudaProgram => Ok(Plan { launches: Vec::new(), compile_only: None }),
        }
    }
}
