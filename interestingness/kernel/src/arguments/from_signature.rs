//! Arguments from the signature of a kernel, as DeepSmith (ISSTA 2018) makes them. With n work-items, a buffer holds
//! the numbers 1 to n, and a value is n. In structures, enumerations and truth values, each number is 1. Each kernel is launched with one work-item and with many. A launch comment may give
//! the work-items, and a length of buffers.

use clreduce_language::{KernelParameter, KernelSignature, Layout, Number, Scalar};
use clreduce_testcase::Launch;

use super::{Plan, UnsupportedParameter};
use crate::encode::encode;
use crate::job::{Argument, Fill, KernelLaunch};

/// The number of work-items of the larger launch.
pub(super) const MANY: u64 = 2048;
/// The size of its work-groups: small enough for every device, so that all devices do the same.
const GROUP: u64 = 32;

/// Plans launches of every kernel. There are none where clreduce can make no argument for a parameter of one of them.
pub(crate) fn plan(kernels: &[KernelSignature], sizes: Option<&Launch>) -> Plan {
    let mut launches = Vec::new();
    // A launch comment says how long buffers are: as many elements as there are work-items.
    let is_given =
        |parameter: &KernelParameter| matches!(parameter, KernelParameter::Buffer { .. });
    let are_given = |kernel: &KernelSignature| kernel.parameters.iter().all(is_given);
    let is_chosen = sizes.is_none() || !kernels.iter().all(are_given);
    let elements = sizes.and_then(|launch| launch.elements);
    for kernel in kernels {
        let sizes = match sizes {
            Some(launch) => vec![(launch.global.clone(), launch.local.clone())],
            None => standard_sizes(kernel),
        };
        for (global, local) in sizes {
            match launch(kernel, global, local, elements) {
                Ok(launch) => launches.push(launch),
                Err(reason) => {
                    let compile_only = Some(reason);
                    return Plan { launches: Vec::new(), compile_only, is_chosen };
                }
            }
        }
    }
    Plan { launches, compile_only: None, is_chosen }
}

fn standard_sizes(kernel: &KernelSignature) -> Vec<(Vec<u64>, Vec<u64>)> {
    let Some(local) = &kernel.required_local else {
        return vec![(vec![1], vec![1]), (vec![MANY], vec![GROUP])];
    };
    // One group, and many in the first dimension.
    let mut many = local.clone();
    let items = local.iter().copied().fold(1, u64::saturating_mul);
    many[0] = many[0].saturating_mul((MANY / items).max(1));
    vec![(local.clone(), local.clone()), (many, local.clone())]
}

fn launch(
    kernel: &KernelSignature,
    global: Vec<u64>,
    local: Vec<u64>,
    elements: Option<u64>,
) -> Result<KernelLaunch, UnsupportedParameter> {
    let n = global.iter().copied().fold(1, u64::saturating_mul);
    let argument = |(index, parameter): (usize, &KernelParameter)| match parameter {
        KernelParameter::Buffer { name, element, read_only } => Ok(Argument::Buffer {
            name: if name.is_empty() { index.to_string() } else { name.clone() },
            element: *element,
            elements: elements.unwrap_or(n),
            fill: Fill::Steps { first: 1.0, step: 1.0 },
            output: !read_only,
        }),
        KernelParameter::Local(bytes) => {
            let items = local.iter().copied().fold(1, u64::saturating_mul);
            Ok(Argument::Local(items.saturating_mul(*bytes as u64)))
        }
        KernelParameter::Value(element) => Ok(Argument::Value(encode(*element, n as f64))),
        KernelParameter::Object { layout, .. } => Ok(Argument::Value(ones(layout))),
        KernelParameter::Objects { name, layout, read_only } => Ok(Argument::Buffer {
            name: if name.is_empty() { index.to_string() } else { name.clone() },
            element: Number::scalar(Scalar::Uchar),
            elements: elements.unwrap_or(n).saturating_mul(layout.bytes as u64),
            fill: Fill::Values(ones(layout).into_iter().map(f64::from).collect()),
            output: !read_only,
        }),
        KernelParameter::Other(text) => {
            Err(UnsupportedParameter { kernel: kernel.name.clone(), parameter: text.clone() })
        }
    };
    let arguments = kernel.parameters.iter().enumerate().map(argument).collect::<Result<_, _>>()?;
    Ok(KernelLaunch { kernel: kernel.name.clone(), global, local: Some(local), arguments })
}

/// The bytes of an object all of whose numbers are 1.
fn ones(layout: &Layout) -> Vec<u8> {
    let mut bytes = vec![0; layout.bytes];
    for (at, number) in &layout.numbers {
        let one = encode(*number, 1.0);
        if let Some(place) = bytes.get_mut(*at..at + one.len()) {
            place.copy_from_slice(&one);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use clreduce_language::kernel_signatures;
    use clreduce_testcase::Language;

    use super::*;

    fn kernels(source: &[u8]) -> Vec<KernelSignature> {
        kernel_signatures(source, Language::OPENCL)
    }

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
    fn a_kernel_with_an_unsupported_parameter_is_only_built() {
        let plan = plan(&kernels(b"kernel void k(image2d_t i) {}"), None);
        assert!(plan.launches.is_empty() && plan.compile_only.unwrap().parameter == "image2d_t i");
    }

    #[test]
    fn a_launch_comment_gives_sizes() {
        let sizes = Launch::find(b"// -g 8,4 -l 4,2 --elements 100").unwrap();
        let plan = plan(&kernels(b"kernel void k(global int *a, int n) {}"), Some(&sizes));
        let [launch] = &plan.launches[..] else { panic!("{plan:?}") };
        assert_eq!((&launch.global[..], &launch.local), (&[8, 4][..], &Some(vec![4, 2])));
        assert!(matches!(launch.arguments[0], Argument::Buffer { elements: 100, .. }));
        assert_eq!(launch.arguments[1], Argument::Value(32_i32.to_ne_bytes().into()));
    }

    #[test]
    fn required_sizes_are_kept() {
        let source = b"kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(int n) {}";
        let plan = plan(&kernels(source), None);
        let sizes: Vec<_> = plan.launches.iter().map(|launch| launch.global.clone()).collect();
        assert_eq!(sizes, [[8, 4, 1], [512, 4, 1]]);
    }
}
