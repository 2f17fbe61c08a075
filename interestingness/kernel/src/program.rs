//! Kinds of programs. The kind decides which compilers and devices take a program, and how it is launched.

use std::borrow::Cow;

use clreduce_language::Shape;
use clreduce_testcase::{Feature, Language, TestCase};

use crate::arguments::{Plan, PlanError, plan, plan_kernel, second};
use crate::cuda::{has_main, plan_of_nvidia};

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// Kernels in OpenCL C.
    OpenCl,
    /// Kernels in CUDA without a host program.
    CudaKernels,
    /// A whole program in CUDA.
    CudaProgram,
    /// Kernels in PTX.
    Ptx,
}

impl ProgramKind {
    /// The kind of a test case, by its first file.
    #[must_use]
    pub fn of_case(case: &TestCase) -> Self {
        Self::of_file(case, 0)
    }

    /// The kind of a file of a test case.
    #[must_use]
    pub fn of_file(case: &TestCase, index: usize) -> Self {
        let text = case.files().get(index).map_or(&b""[..], |file| &file.bytes);
        Self::in_language(case.language(), text)
    }

    /// The kind of the program in a file, by the name of the file.
    #[must_use]
    pub fn of(path: &str, source: &[u8]) -> Self {
        Language::of_name(path, source)
            .map_or(Self::OpenCl, |language| Self::in_language(language, source))
    }

    fn in_language(language: Language, source: &[u8]) -> Self {
        match language.has(Feature::HostAndDevice) {
            false if language.has(Feature::VirtualInstructions) => Self::Ptx,
            false => Self::OpenCl,
            true if has_main(source) => Self::CudaProgram,
            true => Self::CudaKernels,
        }
    }

    /// The option that switches off optimisation. CUDA's compilers have no option for that alone; `-G` asks for code for
    /// a debugger, which is not optimised.
    #[must_use]
    pub fn no_opt(self) -> &'static str {
        match self {
            Self::OpenCl => "-cl-opt-disable",
            Self::CudaKernels | Self::CudaProgram => "-G",
            Self::Ptx => "-O0",
        }
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
            Self::CudaKernels => plan_of_nvidia(Language::CUDA, source, arguments),
            Self::Ptx => plan_of_nvidia(Language::PTX, source, arguments),
            Self::CudaProgram => {
                Ok(Plan { launches: Vec::new(), compile_only: None, is_chosen: false })
            }
        }
    }

    /// Plans the launches of the kernel with a name alone.
    ///
    /// # Errors
    /// As [`plan`]; and when there is no such kernel.
    pub fn plan_kernel(self, source: &[u8], name: &str) -> Result<Plan, PlanError> {
        match self {
            Self::OpenCl => plan_kernel(Language::OPENCL, source, name),
            Self::Ptx => plan_kernel(Language::PTX, source, name),
            _ => plan_kernel(Language::CUDA, source, name),
        }
    }

    /// Plans the same launches with other inputs. `None` where the inputs are not clreduce's choice, because the program
    /// or a description has them, or there are none.
    #[must_use]
    pub fn second_plan(self, source: &[u8], arguments: Option<&str>) -> Option<Plan> {
        let language = match self {
            Self::OpenCl => Language::OPENCL,
            Self::CudaKernels => Language::CUDA,
            Self::Ptx => Language::PTX,
            Self::CudaProgram => return None,
        };
        let plan = self.plan(source, arguments).ok().filter(|_| arguments.is_none())?;
        second::second(source, language, &plan)
    }
}

/// Returns a program with the macros of build options, as in `-DREAL=float`, defined at its beginning: for readers of its
/// signatures.
#[must_use]
pub fn with_macros<'a>(source: &'a [u8], options: &[String]) -> Cow<'a, [u8]> {
    let mut macros = String::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let Some(same_word) = word.strip_prefix("-D") else { continue };
        let is_next = same_word.is_empty();
        let definition = if is_next { words.next().map_or("", |word| word) } else { same_word };
        let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
        macros.push_str(&format!("#define {name} {value}\n"));
    }
    if macros.is_empty() {
        return Cow::Borrowed(source);
    }
    // A launch comment stays in the first line.
    let first_line = source.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
    let end = if first_line.starts_with(b"//") { first_line.len() } else { 0 };
    let (comment, rest) = source.split_at(end);
    Cow::Owned([comment, b"\n", macros.as_bytes(), rest].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_of_the_build_decide_about_types() {
        let source = b"// -g 4 -l 2\n#ifndef REAL\n#define REAL float\n#endif\nkernel void k(global REAL *a, REAL b) {}";
        let bytes = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
            let plan = plan(&with_macros(source, &options), None).unwrap();
            assert_eq!(plan.launches[0].global, [4]);
            match &plan.launches[0].arguments[1] {
                crate::Argument::Value(bytes) => bytes.len(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(bytes(&["-w"]), 4);
        assert_eq!(bytes(&["-DREAL=double"]), 8);
        assert_eq!(bytes(&["-D", "REAL=char", "-DOTHER"]), 1);
    }
}
