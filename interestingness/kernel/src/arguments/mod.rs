//! The arguments of kernels. They come from a description beside the kernel, from its launch comment, or from its
//! signature.

mod contents;
mod elements;
pub(crate) mod from_comment;
mod from_description;
pub(crate) mod from_signature;
pub(crate) mod second;
mod to_description;

use std::path::{Path, PathBuf};

use clreduce_language::kernel_signatures;
use clreduce_testcase::{Feature, Language, Launch};
use thiserror::Error;

use crate::job::{Argument, KernelLaunch};

pub use contents::read_description;
pub use elements::ArgumentError;
pub use from_description::DescriptionError;
pub use from_signature::Choice;
pub use to_description::describe;

/// The launches of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The launches. Without any, the program is only built.
    pub launches: Vec<KernelLaunch>,
    /// The reason that a program with kernels is only built.
    pub compile_only: Option<UnsupportedParameter>,
    /// True if clreduce has chosen values of arguments: the author of the kernel may mean others.
    pub is_chosen: bool,
}

/// A parameter for which clreduce cannot make an argument.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "clreduce cannot make an argument for the parameter `{parameter}` of the kernel `{kernel}`{}",
    why_unsupported(.parameter)
)]
pub struct UnsupportedParameter {
    /// The name of the kernel.
    pub kernel: String,
    /// The parameter as the kernel declares it.
    pub parameter: String,
}

/// The reason that there is no argument for a parameter, where its text tells it.
fn why_unsupported(parameter: &str) -> &'static str {
    let has = |part: &str| parameter.contains(part);
    match () {
        () if has("image") => {
            ": images of depths, and those with several samples, are not supported"
        }
        () if has("pipe ") || has("queue_t") => ": pipes and queues are not supported",
        () if parameter.matches('*').count() > 1 => {
            ": a host has no pointer that could lie in a buffer"
        }
        () if has("*") => {
            ": it is not known how large what it points to is, or there are pointers in it"
        }
        () => "",
    }
}

/// The reason that a program has no launches.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// They are not known.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The program can only be built, because a kernel has such a parameter.
    #[error(transparent)]
    Parameter(#[from] UnsupportedParameter),
    /// The program has a `main`.
    #[error("a whole program launches itself")]
    WholeProgram,
}

/// The reason that the launches of a program are not known.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The program defines other kernels.
    #[error("there is no kernel `{name}` in the program; its kernels are {known}")]
    NoSuchKernel {
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The program defines no kernel.
    #[error("there is no kernel in the program")]
    NoKernel,
    /// The launch comment and the kernel `entry` contradict each other.
    #[error(
        "the launch comment describes {expected} arguments, but the kernel `entry` takes {found}"
    )]
    Arguments {
        /// The number that the comment describes.
        expected: usize,
        /// The number that the kernel takes.
        found: usize,
    },
    /// The launch comment lacks the number after `--atomics`.
    #[error("`--atomics` in the launch comment needs a number greater than 0")]
    AtomicsWithoutCount,
    /// The description of the arguments is wrong.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// The buffers need too much memory.
    #[error("the buffers of the kernel need {0} bytes, more than the limit of {MOST_BYTES}")]
    TooLarge(u64),
}

/// The names that the description of a kernel's arguments may have: `k.args.toml` and `k.cl.args.toml` for `k.cl`.
#[must_use]
pub fn description_names(kernel: &Path) -> [PathBuf; 2] {
    let mut whole = kernel.file_name().unwrap_or_default().to_owned();
    whole.push(".args.toml");
    [kernel.with_extension("args.toml"), kernel.with_file_name(whole)]
}

/// The most bytes that all buffers of a launch may have.
const MOST_BYTES: u64 = 1 << 30;

/// Plans the launches of an OpenCL program.
///
/// With `description`, the text of a file `KERNEL.args.toml`, that file decides. Without it, a kernel `entry` with a
/// launch comment of CLsmith gets the arguments that the comment describes. All other kernels get arguments that fit
/// their signatures, and run with one and with 2048 work-items, or with as many as a launch comment says.
///
/// # Errors
/// When the program has no kernel, when the description or the launch comment is wrong, and when buffers are too large.
pub fn plan(source: &[u8], description: Option<&str>) -> Result<Plan, PlanError> {
    plan_in(Language::OPENCL, source, description)
}

/// The same for a program in this language, which for CUDA has a description.
pub(crate) fn plan_in(
    language: Language,
    source: &[u8],
    description: Option<&str>,
) -> Result<Plan, PlanError> {
    let plan = match description {
        Some(text) => {
            let kernels = kernel_signatures(source, language);
            launches(from_description::launches(text, &kernels)?)
        }
        None => from_source(source)?,
    };
    within_limits(plan)
}

/// Plans the launches of one kernel of a program, as if there were no other ones.
pub(crate) fn plan_kernel(
    language: Language,
    source: &[u8],
    name: &str,
) -> Result<Plan, PlanError> {
    let kernels = kernel_signatures(source, language);
    let Some(kernel) = kernels.iter().find(|kernel| kernel.name == name) else {
        let known: Vec<&str> = kernels.iter().map(|kernel| &*kernel.name).collect();
        let (name, known) = (name.to_owned(), known.join(", "));
        return Err(if kernels.is_empty() {
            PlanError::NoKernel
        } else {
            PlanError::NoSuchKernel { name, known }
        });
    };
    let is_opencl = language.has(Feature::OpenClWords);
    if is_opencl && name == "entry" && Launch::find(source).is_some() {
        return plan_in(language, source, None);
    }
    let comment = Launch::find(source);
    within_limits(from_signature::plan(std::slice::from_ref(kernel), comment.as_ref()))
}

fn within_limits(plan: Plan) -> Result<Plan, PlanError> {
    for launch in &plan.launches {
        let bytes = launch.arguments.iter().fold(0, |sum: u64, argument| {
            sum.saturating_add(match argument {
                Argument::Buffer { element, elements, .. } => {
                    elements.saturating_mul(element.bytes() as u64)
                }
                Argument::Local(_) | Argument::Value(_) | Argument::Sampler(_) => 0,
            })
        });
        if bytes > MOST_BYTES {
            return Err(PlanError::TooLarge(bytes));
        }
    }
    Ok(plan)
}

fn launches(launches: Vec<KernelLaunch>) -> Plan {
    Plan { launches, compile_only: None, is_chosen: false }
}

fn from_source(source: &[u8]) -> Result<Plan, PlanError> {
    let kernels = kernel_signatures(source, Language::OPENCL);
    let entry = kernels.iter().find(|kernel| kernel.name == "entry");
    let comment = Launch::find(source);
    match (comment, entry) {
        (Some(launch), Some(entry)) => {
            let launch = from_comment::launch(&source[launch.comment.clone()], &launch)?;
            let (expected, found) = (launch.arguments.len(), entry.parameters.len());
            if expected != found {
                return Err(PlanError::Arguments { expected, found });
            }
            Ok(launches(vec![launch]))
        }
        _ if kernels.is_empty() => Err(PlanError::NoKernel),
        (comment, _) => Ok(from_signature::plan(&kernels, comment.as_ref())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kernel_of_several_is_planned_alone() {
        let source = b"kernel void a(image2d_depth_t i) {} kernel void b(global int *p) {}";
        assert!(plan(source, None).unwrap().compile_only.is_some());
        let plan = plan_kernel(Language::OPENCL, source, "b").unwrap();
        assert!(
            plan.launches.iter().all(|launch| launch.kernel == "b") && plan.launches.len() == 2
        );
        let error = plan_kernel(Language::OPENCL, source, "c").unwrap_err().to_string();
        assert!(error.contains("no kernel `c`") && error.contains("a, b"), "{error}");
    }

    #[test]
    fn the_comment_or_the_signature_decides() {
        let comment = "// -g 4 -l 2\n__kernel void";
        let sizes = |text: String| -> Vec<Vec<u64>> {
            let plan = plan(text.as_bytes(), None).unwrap();
            plan.launches.into_iter().map(|launch| launch.global).collect()
        };
        assert_eq!(sizes(format!("{comment} entry(__global ulong *r) {{}}")), [[4]]);
        assert_eq!(sizes(format!("{comment} other(__global ulong *r) {{}}")), [[4]]);
        assert_eq!(sizes("kernel void k(global int *r) {}".into()), [[1], [from_signature::MANY]]);
        let error = |text: &str| plan(text.as_bytes(), None).unwrap_err().to_string();
        let extra = format!("{comment} entry(__global ulong *r, int x) {{}}");
        assert!(error(&extra).contains("describes 1 arguments, but the kernel `entry` takes 2"));
        assert!(error("int x;").contains("no kernel"));
        assert!(
            error("// -g 99999999,99 -l 1,1\nkernel void k(global int *r) {}").contains("limit")
        );
    }
}
