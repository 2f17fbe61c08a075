//! Arguments for kernels of which nothing is known but their prototypes, in the manner of DeepSmith
//! (ISSTA 2018): a buffer of n elements holds 1 to n, a number is n, where n is the number of
//! work-items; one launch with a single one, and one with many.

use clreduce_testcase::Launch;
use thiserror::Error;

use super::Plan;
use crate::job::{Argument, Fill, KernelLaunch};
use crate::prototype::{Parameter, Prototype};

/// The number of work-items in the larger launch.
pub(super) const MANY: u64 = 2048;
/// The size of its work-groups, which every device can run.
const GROUP: u64 = 32;

/// Launches of every kernel; none where one of them takes what cannot be made.
pub(crate) fn plan(kernels: &[Prototype], sizes: Option<&Launch>) -> Plan {
    let mut launches = Vec::new();
    for kernel in kernels {
        let sizes = match sizes {
            Some(launch) => vec![(launch.global.clone(), launch.local.clone())],
            None => standard_sizes(kernel),
        };
        for (global, local) in sizes {
            match launch(kernel, global, local) {
                Ok(launch) => launches.push(launch),
                Err(error) => {
                    let compile_only = Some(error.to_string());
                    return Plan { launches: Vec::new(), compile_only };
                }
            }
        }
    }
    Plan { launches, compile_only: None }
}

fn standard_sizes(kernel: &Prototype) -> Vec<(Vec<u64>, Vec<u64>)> {
    let Some(local) = &kernel.required_local else {
        return vec![(vec![1], vec![1]), (vec![MANY], vec![GROUP])];
    };
    // One group, and many in the first dimension.
    let mut many = local.clone();
    let items = local.iter().copied().fold(1, u64::saturating_mul);
    many[0] = many[0].saturating_mul((MANY / items).max(1));
    vec![(local.clone(), local.clone()), (many, local.clone())]
}

/// A parameter for which no argument can be made.
#[derive(Debug, Error)]
#[error("no argument can be made for `{parameter}` of the kernel `{kernel}`")]
struct NoArgument {
    parameter: String,
    kernel: String,
}

fn launch(
    kernel: &Prototype,
    global: Vec<u64>,
    local: Vec<u64>,
) -> Result<KernelLaunch, NoArgument> {
    let n = global.iter().copied().fold(1, u64::saturating_mul);
    let argument = |(index, parameter): (usize, &Parameter)| match parameter {
        Parameter::Buffer { name, element, read_only } => Ok(Argument::Buffer {
            name: if name.is_empty() { index.to_string() } else { name.clone() },
            element: *element,
            elements: n,
            fill: Fill::Steps { first: 1.0, step: 1.0 },
            output: !read_only,
        }),
        Parameter::Local(element) => {
            let items = local.iter().copied().fold(1, u64::saturating_mul);
            Ok(Argument::Local(items.saturating_mul(element.bytes() as u64)))
        }
        Parameter::Value(element) => Ok(Argument::Value(element.encode(n as f64))),
        Parameter::Other(text) => {
            Err(NoArgument { parameter: text.clone(), kernel: kernel.name.clone() })
        }
    };
    let arguments = kernel.parameters.iter().enumerate().map(argument).collect::<Result<_, _>>()?;
    Ok(KernelLaunch { kernel: kernel.name.clone(), global, local: Some(local), arguments })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prototype::kernels;

    #[test]
    fn one_and_many() {
        let source = b"kernel void k(global int *a, constant char *c, local float2 *l, short n) {}";
        let plan = plan(&kernels(source), None);
        let [one, many] = &plan.launches[..] else { panic!("{plan:?}") };
        assert_eq!((&one.global[..], &many.global[..]), (&[1][..], &[2048][..]));
        let Argument::Buffer { elements: 2048, output: true, fill, element, .. } =
            &many.arguments[0]
        else {
            panic!("{many:?}")
        };
        assert_eq!(fill.content(*element, 2), [1_i32, 2].map(i32::to_ne_bytes).concat());
        assert!(matches!(many.arguments[1], Argument::Buffer { output: false, .. }));
        assert_eq!(many.arguments[2], Argument::Local(32 * 8));
        assert_eq!(many.arguments[3], Argument::Value(2048_i16.to_ne_bytes().into()));
    }

    #[test]
    fn what_cannot_be_made_is_only_built() {
        let plan = plan(&kernels(b"kernel void k(image2d_t i) {}"), None);
        assert!(plan.launches.is_empty() && plan.compile_only.unwrap().contains("image2d_t i"));
    }

    #[test]
    fn required_sizes_are_kept() {
        let source = b"kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(int n) {}";
        let plan = plan(&kernels(source), None);
        let sizes: Vec<_> = plan.launches.iter().map(|launch| launch.global.clone()).collect();
        assert_eq!(sizes, [[8, 4, 1], [512, 4, 1]]);
    }
}
