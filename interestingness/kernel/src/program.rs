//! Kinds of programs. The kind decides which compilers and devices take a program, and how it is launched.

use clreduce_language::Shape;
use clreduce_testcase::{Language, TestCase};

use crate::arguments::{Plan, PlanError, plan, second};
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

    /// The option that switches off optimisation. CUDA's compilers have no option for that alone; `-G` asks for code for
    /// a debugger, which is not optimised.
    #[must_use]
    pub fn no_opt(self) -> &'static str {
        if self == Self::OpenCl { "-cl-opt-disable" } else { "-G" }
    }

    /// Returns true if programs of this kind have a built-in function with this name.
    #[must_use]
    pub fn has_builtin(self, name: &str) -> bool {
        // Names that only begin like those of atomic operations are common.
        let shape = Shape::of(name).filter(|shape| *shape != Shape::Atomic);
        self == Self::OpenCl && shape.is_some()
    }

    /// Plans the launches of a program of this kind.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn plan(self, source: &[u8], arguments: Option<&str>) -> Result<Plan, PlanError> {
        match self {
            Self::OpenCl => plan(source, arguments),
            Self::CudaKernels => plan_cuda(source, arguments),
            Self::CudaProgram => {
                Ok(Plan { launches: Vec::new(), compile_only: None, is_chosen: false })
            }
        }
    }

    /// Plans the same launches with other inputs. `None` where the inputs are not clreduce's choice, because the program
    /// or a description has them, or there are none.
    #[must_use]
    pub fn second_plan(self, source: &[u8], arguments: Option<&str>) -> Option<Plan> {
        let language = match self {
            Self::OpenCl => Language::OpenCl,
            Self::CudaKernels => Language::Cuda,
            Self::CudaProgram => return None,
        };
        let plan = self.plan(source, arguments).ok().filter(|_| arguments.is_none())?;
        second::second(source, language, &plan)
    }
}
