//! A kernel as clang reads it, with its launches.

use std::collections::BTreeSet;
use std::sync::Arc;

use clreduce_kernel::{
    Argument, KernelLaunch, KernelSignature, LaunchError, Plan, PlanError, ProgramKind, is_exact,
};
use clreduce_language::kernel_signatures;
use clreduce_testcase::{Feature, Language, TestCase, tokens};
use thiserror::Error;

use crate::evaluation::in_other_order;
use crate::for_device::{self, ARCHITECTURE};
use crate::ptx::{self, UnknownPtx};
use crate::{FILE, cuda, dynamic};

/// The beginnings of names that are not a kernel's to use: they belong to the run-time and to the sanitizers, and a function
/// with such a name would stand in the place of one of theirs.
pub(crate) const RESERVED: [&[u8]; 5] =
    [b"clreduce_", b"__asan_", b"__msan_", b"__ubsan_", b"__sanitizer_"];

/// A kernel with its launches, and what is known of its text.
#[derive(Clone, Debug)]
pub struct HostKernel {
    /// The language.
    pub language: Language,
    /// The one file, under the name that tools are given.
    pub files: TestCase,
    /// As tools read it: a program in CUDA comes with declarations.
    pub source: Arc<[u8]>,
    /// The program after preprocessing, where that is known, and else as tools read it.
    pub expanded: Arc<[u8]>,
    /// The signatures of its kernels.
    pub kernels: Vec<KernelSignature>,
    /// The launches. The reason that there are none matters only to stages that run the kernel.
    pub launches: Result<Vec<KernelLaunch>, LaunchError>,
    /// True if clreduce has chosen the arguments of the launches, and neither the user nor a description.
    pub has_chosen_arguments: bool,
    /// True if nothing in its text makes a result that devices may compute differently.
    pub(crate) is_exact: bool,
}

/// The reason that a file is no kernel that could be checked.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostKernelError {
    /// There is no `__kernel` function with a body, nor, in CUDA, a `__global__` one or `main`.
    #[error("there is no kernel function in it")]
    NoKernel,
    /// The global sizes are no multiples of the local ones.
    #[error("the launch comment's global sizes are not multiples of its local ones")]
    Launch,
    /// A module in PTX has a part that clreduce cannot execute.
    #[error(transparent)]
    Ptx(#[from] UnknownPtx),
}

impl HostKernel {
    /// A program in the language that its file's name tells: CUDA or OpenCL C.
    ///
    /// # Errors
    /// When there is no kernel, or it cannot be launched as it says.
    pub fn of(path: &str, source: impl Into<Arc<[u8]>>) -> Result<Self, HostKernelError> {
        let source = source.into();
        let kind = ProgramKind::of(path, &source);
        let plan = kind.plan(&source, None);
        Self::planned(kind, source, plan)
    }

    /// The same, with the launches of a plan.
    ///
    /// # Errors
    /// When there is no kernel, or it cannot be launched so.
    pub fn planned(
        kind: ProgramKind,
        source: impl Into<Arc<[u8]>>,
        plan: Result<Plan, PlanError>,
    ) -> Result<Self, HostKernelError> {
        let source = source.into();
        if kind == ProgramKind::CudaProgram {
            let launches = Err(LaunchError::WholeProgram);
            return Self::made(Language::CUDA, cuda::text(&source).into(), Vec::new(), launches);
        }
        let has_chosen_arguments = plan.as_ref().is_ok_and(|plan| plan.is_chosen);
        let launches = launches(plan)?;
        if kind == ProgramKind::OpenCl {
            return Ok(Self { has_chosen_arguments, ..Self::launched(source, launches)? });
        }
        let (kernels, text, is_exact) = if kind == ProgramKind::Ptx {
            let kernels = kernel_signatures(&source, Language::PTX);
            let kernels = ptx::as_launched(kernels, launches.as_deref().unwrap_or_default());
            let program = ptx::to_cuda(&source, &kernels)?;
            (kernels, cuda::text_with(&ptx::declarations(), program.as_bytes()), true)
        } else {
            let kernels = kernel_signatures(&source, Language::CUDA);
            (kernels, cuda::text(&source), is_exact(&source))
        };
        let made = Self::made(Language::CUDA, text.into(), kernels, launches)?;
        Ok(Self { is_exact, has_chosen_arguments, ..made })
    }

    /// A program that has no kernel, to be compiled alone; `None` for a file that no compiler would take.
    #[must_use]
    pub fn without_kernel(kind: ProgramKind, source: impl Into<Arc<[u8]>>) -> Option<Self> {
        let source = source.into();
        let (language, source) = match kind {
            ProgramKind::OpenCl => (Language::OPENCL, source),
            ProgramKind::Ptx => return None,
            _ => (Language::CUDA, cuda::text(&source).into()),
        };
        Self::made(language, source, Vec::new(), Err(LaunchError::WholeProgram)).ok()
    }

    /// A kernel that is launched as [`plan`] says without a description of its arguments.
    ///
    /// # Errors
    /// When there is no kernel, or it cannot be launched so.
    pub fn new(source: impl Into<Arc<[u8]>>) -> Result<Self, HostKernelError> {
        Self::of(FILE, source)
    }

    /// A kernel with the launches that somebody else has found out, or why there are none. If it is launched and its text shows no
    /// kernel, macros make the kernel, and `kernels` is empty until [`Self::with_signatures`].
    ///
    /// # Errors
    /// When there is no kernel, or it cannot be launched so.
    pub fn launched(
        source: impl Into<Arc<[u8]>>,
        launches: Result<Vec<KernelLaunch>, LaunchError>,
    ) -> Result<Self, HostKernelError> {
        let source = source.into();
        let kernels = kernel_signatures(&source, Language::OPENCL);
        let is_launched = launches.as_ref().is_ok_and(|all| !all.is_empty());
        if kernels.is_empty() && !is_launched {
            return Err(HostKernelError::NoKernel);
        }
        let is_exact = is_exact(&source);
        Ok(Self { is_exact, ..Self::made(Language::OPENCL, source, kernels, launches)? })
    }

    /// The same kernel, whose parameters have the types that they have in this text: the program after preprocessing.
    #[must_use]
    pub fn with_signatures(self, text: &[u8]) -> Self {
        let kernels = kernel_signatures(text, self.language);
        if kernels.is_empty() { self } else { Self { kernels, expanded: text.into(), ..self } }
    }

    /// Returns a name in a text of the program that belongs to clreduce, if there is one: a definition of it would stand in
    /// the place of a part of the run-time.
    #[must_use]
    pub fn reserved_name(&self, text: &[u8]) -> Option<String> {
        let program = if self.is_cuda() { cuda::split(text).1 } else { text };
        let mut words = tokens(program).map(|token| &program[token.range()]);
        let name = words.find(|word| RESERVED.iter().any(|start| word.starts_with(start)))?;
        Some(String::from_utf8_lossy(name).into_owned())
    }

    /// Returns true if the compiler of a device may see other code than that of the host: CUDA with `__CUDA_ARCH__`.
    #[must_use]
    pub fn has_code_for_device(&self) -> bool {
        self.is_cuda()
            && self.program().windows(ARCHITECTURE.len()).any(|text| text == ARCHITECTURE)
    }

    /// Returns true if the launch decides how large an array in shared memory is.
    #[must_use]
    pub fn has_dynamic_memory(&self) -> bool {
        self.is_cuda() && dynamic::with_size(self.program()).is_some()
    }

    /// Returns what a device executes and the host does not, or in another way, as its tokens: conditionals that depend on
    /// `__CUDA_ARCH__`, and inline assembly.
    #[must_use]
    pub fn code_for_device(&self) -> BTreeSet<String> {
        for_device::code_for_device(self.program())
    }

    /// Returns the same kernel with operands and arguments evaluated in the other order, and the lines where that is so.
    /// `None` if the order cannot matter.
    #[must_use]
    pub fn in_other_order(&self) -> Option<(Self, Vec<u32>)> {
        let program = self.program();
        let reordered = in_other_order(program, self.language)?;
        let mut source = self.source[..self.source.len() - program.len()].to_vec();
        source.extend(reordered.text);
        let made =
            Self::made(self.language, source.into(), self.kernels.clone(), self.launches.clone());
        let Self { is_exact, has_chosen_arguments, .. } = *self;
        Some((Self { is_exact, has_chosen_arguments, ..made.ok()? }, reordered.lines))
    }

    /// Returns true for a program with a `main` of its own.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.launches, Err(LaunchError::WholeProgram))
    }

    /// Returns true if a launch has an image or a sampler among its arguments.
    #[must_use]
    pub fn has_images(&self) -> bool {
        let is_image = |argument: &Argument| {
            matches!(argument, Argument::Buffer { image: Some(_), .. } | Argument::Sampler(_))
        };
        let launches = self.launches.as_deref().unwrap_or_default();
        launches.iter().any(|launch| launch.arguments.iter().any(is_image))
    }

    /// Returns true for CUDA, whose declarations clreduce puts before the program.
    pub(crate) fn is_cuda(&self) -> bool {
        self.language.has(Feature::HostAndDevice)
    }

    /// The declarations that clreduce puts before the program, if there are any, and the program.
    #[must_use]
    pub fn parts(&self) -> [&[u8]; 2] {
        if self.is_cuda() { cuda::split(&self.source).into() } else { [b"", &self.source] }
    }

    /// The program without the declarations that clreduce puts before it.
    pub(crate) fn program(&self) -> &[u8] {
        let [_, program] = self.parts();
        program
    }

    /// Returns true if the kernel has one right result on every device, provided that it is valid: OpenCL leaves nothing
    /// of it to the device, not even the size of groups.
    #[must_use]
    pub fn has_one_result(&self) -> bool {
        let is_given = |launch: &KernelLaunch| {
            launch.local.is_some() || launch.global.iter().all(|&size| size == 1)
        };
        self.is_exact && self.launches.as_ref().is_ok_and(|all| all.iter().all(is_given))
    }

    fn made(
        language: Language,
        source: Arc<[u8]>,
        kernels: Vec<KernelSignature>,
        launches: Result<Vec<KernelLaunch>, LaunchError>,
    ) -> Result<Self, HostKernelError> {
        if launches.iter().flatten().any(|launch| !has_whole_groups(launch)) {
            return Err(HostKernelError::Launch);
        }
        // The name is no absolute path, and there is one file: this is always a test case.
        let files =
            TestCase::single(FILE, Arc::clone(&source)).map_err(|_| HostKernelError::NoKernel)?;
        let (has_chosen_arguments, is_exact) = (false, false);
        Ok(Self {
            language,
            files,
            expanded: Arc::clone(&source),
            source,
            kernels,
            launches,
            has_chosen_arguments,
            is_exact,
        })
    }
}

/// The launches of a plan, or why there are none.
fn launches(
    plan: Result<Plan, PlanError>,
) -> Result<Result<Vec<KernelLaunch>, LaunchError>, HostKernelError> {
    match plan {
        Err(PlanError::NoKernel) => Err(HostKernelError::NoKernel),
        Err(error) => Ok(Err(error.into())),
        Ok(plan) => {
            let only = plan.compile_only.map(LaunchError::Parameter);
            Ok(only.map_or(Ok(plan.launches), Err))
        }
    }
}

fn has_whole_groups(launch: &KernelLaunch) -> bool {
    let local = launch.local.iter().flatten();
    launch.global.iter().zip(local).all(|(global, local)| global.is_multiple_of(*local))
}

/// Global and local size in three dimensions. Where the local size is left to the driver, each work-item is a
/// group of its own.
#[must_use]
pub fn sizes(launch: &KernelLaunch) -> [[u64; 3]; 2] {
    let padded = |sizes: &[u64]| [0, 1, 2].map(|at| sizes.get(at).copied().unwrap_or(1));
    [padded(&launch.global), padded(launch.local.as_deref().unwrap_or_default())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_run_time_are_reserved() {
        let reserved = |path: &str, source: &str| {
            let kernel = HostKernel::of(path, source.as_bytes()).unwrap();
            kernel.reserved_name(&kernel.source)
        };
        let own = "kernel void k(global int *p) { clreduce_atomic(0); } // clreduce_x";
        assert_eq!(reserved("k.cl", own).as_deref(), Some("clreduce_atomic"));
        assert_eq!(reserved("k.cl", &own.replace("clreduce_atomic", "my_clreduce_")), None);
        assert_eq!(reserved("k.cu", "__global__ void k(int *p) { *p = 1; }"), None);
    }

    #[test]
    fn what_cannot_be_launched_is_known() {
        let error = |source: &str| HostKernel::new(source.as_bytes()).map(drop);
        assert_eq!(error("int x;"), Err(HostKernelError::NoKernel));
        let launch = "// -g 4 -l 3\nkernel void entry(global ulong *r) {}";
        assert_eq!(error(launch), Err(HostKernelError::Launch));
        let image = HostKernel::new(&b"kernel void k(image2d_depth_t i) {}"[..]).unwrap();
        assert!(image.launches.unwrap_err().to_string().contains("image2d_depth_t i"));
        let two =
            HostKernel::new(&b"kernel void k(global int *p) {}"[..]).unwrap().launches.unwrap();
        assert_eq!(
            two.iter().map(sizes).collect::<Vec<_>>(),
            [[[1; 3], [1; 3]], [[2048, 1, 1], [32, 1, 1]]]
        );
    }
}
