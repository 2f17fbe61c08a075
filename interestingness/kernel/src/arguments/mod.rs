//! With which arguments a kernel is launched: what its launch comment says, what a file beside it
//! says, or what its prototype leads to.

mod clsmith;
pub(crate) mod harness;
mod sidecar;

use clreduce_testcase::Launch;
use thiserror::Error;

use crate::job::{Argument, KernelLaunch};
use crate::prototype;

pub use sidecar::{ArgumentError, SidecarError};

/// The plan for the launches of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The launches; none where the program can only be built.
    pub launches: Vec<KernelLaunch>,
    /// The reason that there are none.
    pub compile_only: Option<String>,
}

/// The reason that a program is not launched.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// It is not known how.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// It can only be built: this argument cannot be made.
    #[error("{0}")]
    CompileOnly(String),
    /// It is a whole program.
    #[error("a whole program launches itself")]
    WholeProgram,
}

/// The reason that it is not known how to launch a kernel.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Nothing to launch.
    #[error("there is no kernel in the program")]
    NoKernel,
    /// The flags of the launch comment and the kernel do not belong together.
    #[error("the launch comment means {expected} arguments, and the kernel `entry` takes {found}")]
    Arguments {
        /// Meant by the comment.
        expected: usize,
        /// The number of parameters of the prototype.
        found: usize,
    },
    /// The first line looks like a launch comment and is none.
    #[error("the launch comment is not understood: {0}")]
    Comment(String),
    /// Something is wrong in the description of the arguments.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// More memory than is reasonable.
    #[error("the buffers need {0} bytes, more than the limit of {MOST_BYTES}")]
    TooLarge(u64),
}

/// The most bytes that all buffers of a launch may have together.
const MOST_BYTES: u64 = 1 << 30;

/// Finds out how to launch the kernels of a program.
///
/// `sidecar` is the text of a description of the arguments. Without one, a kernel `entry` with a
/// launch comment of CLsmith gets the arguments that the comment means. Every other program is
/// launched by what its prototypes say: with one and with [`harness::MANY`] work-items, or with as
/// many as a launch comment says.
///
/// # Errors
/// When that cannot be found out.
pub fn plan(source: &[u8], sidecar: Option<&str>) -> Result<Plan, PlanError> {
    let plan = match sidecar {
        Some(text) => launches(sidecar::launches(text)?),
        None => from_source(source)?,
    };
    for launch in &plan.launches {
        let bytes = launch.arguments.iter().fold(0, |sum: u64, argument| {
            sum.saturating_add(match argument {
                Argument::Buffer { element, elements, .. } => {
                    elements.saturating_mul(element.bytes() as u64)
                }
                Argument::Local(_) | Argument::Value(_) => 0,
            })
        });
        if bytes > MOST_BYTES {
            return Err(PlanError::TooLarge(bytes));
        }
    }
    Ok(plan)
}

fn launches(launches: Vec<KernelLaunch>) -> Plan {
    Plan { launches, compile_only: None }
}

fn from_source(source: &[u8]) -> Result<Plan, PlanError> {
    let kernels = prototype::kernels(source);
    let entry = kernels.iter().find(|kernel| kernel.name == "entry");
    let comment = Launch::find(source);
    match (comment, entry) {
        (Some(launch), Some(entry)) => {
            let launch = clsmith::launch(&source[launch.comment.clone()], &launch)?;
            let (expected, found) = (launch.arguments.len(), entry.parameters.len());
            if expected != found {
                return Err(PlanError::Arguments { expected, found });
            }
            Ok(launches(vec![launch]))
        }
        _ if kernels.is_empty() => Err(PlanError::NoKernel),
        (comment, _) => Ok(harness::plan(&kernels, comment.as_ref())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_says_how_to_launch() {
        let comment = "// -g 4 -l 2\n__kernel void";
        let sizes = |text: String| -> Vec<Vec<u64>> {
            let plan = plan(text.as_bytes(), None).unwrap();
            plan.launches.into_iter().map(|launch| launch.global).collect()
        };
        assert_eq!(sizes(format!("{comment} entry(__global ulong *r) {{}}")), [[4]]);
        assert_eq!(sizes(format!("{comment} other(__global ulong *r) {{}}")), [[4]]);
        assert_eq!(sizes("kernel void k(global int *r) {}".into()), [[1], [harness::MANY]]);
        let error = |text: &str| plan(text.as_bytes(), None).unwrap_err().to_string();
        let extra = format!("{comment} entry(__global ulong *r, int x) {{}}");
        assert!(error(&extra).contains("means 1 arguments, and the kernel `entry` takes 2"));
        assert!(error("int x;").contains("no kernel"));
        assert!(
            error("// -g 99999999,99 -l 1,1\nkernel void k(global int *r) {}").contains("limit")
        );
    }
}
