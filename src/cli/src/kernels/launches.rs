//! The launches of a kernel. All commands find them by one rule: files that were named, the file beside the kernel, the kernel's
//! own comment, and else arguments that fit the kernel.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::ValueHint;
use clreduce_check::{
    CheckOptions, CompletedBuild, HostKernel, HostKernelError, complete_build, fit_arguments,
    needs_preprocessing, preprocess,
};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{
    KernelLaunch, Plan, PlanError, ProgramKind, description_names, read_description, with_macros,
};
use clreduce_testcase::Language;

use crate::failure::ArgumentsError;

/// The option that names files with launches.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct LaunchArgs {
    /// File that describes the arguments; given several times, the launches of all files run [default: for k.cl, the file
    /// k.args.toml or k.cl.args.toml, if it exists]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub args: Vec<PathBuf>,

    /// Launch this kernel alone [default: all kernels of the program]
    #[arg(long = "kernel", value_name = "NAME")]
    pub only_kernel: Option<String>,
}

/// A kernel in a file, with its launches or the reason that there are none.
pub(crate) struct PlannedKernel {
    pub kind: ProgramKind,
    pub plan: Result<Plan, PlanError>,
    /// The options of a build with what the kernel needs besides.
    pub build: CompletedBuild,
    /// What clreduce has to say of arguments that it has chosen.
    pub remarks: Vec<String>,
    /// True if the arguments that every kernel gets do not fit this one, and it has others.
    pub is_fitted: bool,
    /// The text in which the types of parameters stand.
    signatures: Vec<u8>,
}

impl PlannedKernel {
    /// The kernel for checks.
    ///
    /// # Errors
    /// When there is none, or it cannot be launched so.
    pub(crate) fn subject(&self, source: &[u8]) -> Result<HostKernel, HostKernelError> {
        let subject = HostKernel::planned(self.kind, source, self.plan.clone())?;
        Ok(subject.with_signatures(&self.signatures))
    }
}

/// The file beside a kernel that describes its arguments, if there is one.
///
/// # Errors
/// When there are two.
pub(crate) fn description_beside(kernel: &Path) -> Result<Option<PathBuf>, ArgumentsError> {
    match description_names(kernel).map(|path| Some(path).filter(|path| path.is_file())) {
        [Some(one), Some(other)] => Err(ArgumentsError::Two(one, other)),
        [one, other] => Ok(one.or(other)),
    }
}

impl LaunchArgs {
    /// The launches of the kernel in a file: those that files describe, or else those that its text asks for or that fit it.
    /// With arguments that clreduce chooses, the kernel runs on the host a few times.
    ///
    /// # Errors
    /// When a file that describes arguments cannot be read, or is wrong.
    pub(crate) fn planned(
        &self,
        kernel: &Path,
        kind: ProgramKind,
        source: &[u8],
        options: &CheckOptions,
        cancel: &Cancel,
    ) -> Result<PlannedKernel, ArgumentsError> {
        let build = completed(kind, kernel, source, options, cancel);
        let options = &CheckOptions { build_options: build.options.clone(), ..options.clone() };
        let signatures = signatures(kind, kernel, source, options, cancel).into_owned();
        if let Some(plan) = self.described_in(kernel, kind, &signatures)? {
            return Ok(PlannedKernel {
                kind,
                plan: Ok(plan),
                build,
                remarks: Vec::new(),
                is_fitted: false,
                signatures,
            });
        }
        let plan = match &self.only_kernel {
            Some(name) => kind.plan_kernel(&signatures, name),
            None => kind.plan(&signatures, None),
        };
        let mut planned =
            PlannedKernel { kind, plan, build, remarks: Vec::new(), is_fitted: false, signatures };
        if let Some((launches, remarks)) = fitted(&planned, source, options, cancel)
            && let Ok(plan) = &mut planned.plan
        {
            planned.is_fitted = plan.launches != launches;
            plan.launches = launches;
            planned.remarks = remarks;
        }
        Ok(planned)
    }

    /// The launches in the files that were named, or in the one beside the kernel; `None` if there is no such file.
    ///
    /// # Errors
    /// When a file cannot be read, or is wrong.
    pub(crate) fn described(
        &self,
        kernel: &Path,
        source: &[u8],
    ) -> Result<Option<Plan>, ArgumentsError> {
        let kind = ProgramKind::of(&kernel.to_string_lossy(), source);
        self.described_in(kernel, kind, source)
    }

    fn described_in(
        &self,
        kernel: &Path,
        kind: ProgramKind,
        signatures: &[u8],
    ) -> Result<Option<Plan>, ArgumentsError> {
        let beside;
        let paths = match &self.args[..] {
            [] => {
                beside = description_beside(kernel)?;
                beside.as_slice()
            }
            named => named,
        };
        let mut launches = Vec::new();
        for path in paths {
            let text = read_description(path)
                .map_err(|source| ArgumentsError::Read { path: path.clone(), source })?;
            let plan = kind.plan(signatures, Some(&text)).map_err(|source| {
                ArgumentsError::Plan { path: path.clone(), source: source.into() }
            })?;
            launches.extend(plan.launches);
        }
        if let Some(name) = &self.only_kernel {
            launches.retain(|launch| launch.kernel == *name);
        }
        Ok((!paths.is_empty()).then_some(Plan { launches, compile_only: None, is_chosen: false }))
    }
}

/// The text of a program as the compiler sees it, where the types of parameters are looked for.
fn signatures<'a>(
    kind: ProgramKind,
    kernel: &Path,
    source: &'a [u8],
    options: &CheckOptions,
    cancel: &Cancel,
) -> Cow<'a, [u8]> {
    let read = with_macros(source, &options.build_options);
    if kind != ProgramKind::OpenCl || !needs_preprocessing(&read) {
        return read;
    }
    // Where clang does not accept the program, a stage of a check says so.
    preprocess(source, folder_of(kernel), Language::OPENCL, options, cancel)
        .map_or(read, Cow::Owned)
}

/// The options of the build of a kernel, with what it needs besides.
fn completed(
    kind: ProgramKind,
    kernel: &Path,
    source: &[u8],
    options: &CheckOptions,
    cancel: &Cancel,
) -> CompletedBuild {
    match kind {
        ProgramKind::OpenCl => complete_build(source, folder_of(kernel), options, cancel),
        _ => CompletedBuild { options: options.build_options.clone(), remarks: Vec::new() },
    }
}

fn folder_of(kernel: &Path) -> &Path {
    let folder = kernel.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Launches that fit a kernel whose arguments clreduce chooses; `None` where they cannot be looked for.
fn fitted(
    planned: &PlannedKernel,
    source: &[u8],
    options: &CheckOptions,
    cancel: &Cancel,
) -> Option<(Vec<KernelLaunch>, Vec<String>)> {
    let is_chosen = planned.plan.as_ref().is_ok_and(|plan| plan.is_chosen);
    let subject = planned.subject(source).ok().filter(|_| is_chosen)?;
    let fitted = fit_arguments(subject, options, cancel).ok()?;
    Some((fitted.kernel.launches.ok()?, fitted.remarks))
}
