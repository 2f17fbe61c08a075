//! Arguments from the signature of a kernel, as DeepSmith (ISSTA 2018) makes them. With n work-items, a buffer holds
//! the numbers 1 to n, and a value is n. In structures, enumerations and truth values, each number is 1. Each kernel is launched with one work-item and with many. A launch comment may give
//! the work-items, and a length of buffers.

use clreduce_language::{KernelParameter, KernelSignature, Layout, LayoutNumber, Number, Scalar};
use clreduce_testcase::Launch;

use super::{Plan, UnsupportedParameter};
use crate::encode::encode;
use crate::images::{Image, Sampler};
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
            let choice = Choice { elements, ..Choice::of_sizes(global, local) };
            match choice.launch(kernel) {
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
    let Some(local) = kernel.required_local.as_ref().or(kernel.hinted_local.as_ref()) else {
        return vec![one_of(dimensions(kernel)), many_of(dimensions(kernel))];
    };
    // One group, and many in the first dimension.
    let mut many = local.clone();
    let items = local.iter().copied().fold(1, u64::saturating_mul);
    many[0] = many[0].saturating_mul((MANY / items).max(1));
    vec![(local.clone(), local.clone()), (many, local.clone())]
}

/// The dimensions of a launch: as many as the coordinates of its images.
fn dimensions(kernel: &KernelSignature) -> usize {
    let coordinates = kernel.parameters.iter().map(|parameter| match parameter {
        KernelParameter::Image { kind, .. } => kind.coordinates(),
        _ => 1,
    });
    coordinates.max().unwrap_or(1)
}

/// One work-item.
fn one_of(dimensions: usize) -> (Vec<u64>, Vec<u64>) {
    (vec![1; dimensions], vec![1; dimensions])
}

/// The larger launch, in groups of the same size in all dimensions together.
fn many_of(dimensions: usize) -> (Vec<u64>, Vec<u64>) {
    match dimensions {
        1 => (vec![MANY], vec![GROUP]),
        2 => (vec![MANY / GROUP, GROUP], vec![8, GROUP / 8]),
        _ => (vec![16, 16, MANY / 256], vec![4, 4, GROUP / 16]),
    }
}

/// What decides about the arguments of a launch that clreduce makes up.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The global size.
    pub global: Vec<u64>,
    /// The size of work-groups.
    pub local: Vec<u64>,
    /// The number that every value is.
    pub value: u64,
    /// The number of elements of buffers; as many as work-items where it is missing.
    pub elements: Option<u64>,
    /// What buffers of numbers hold.
    pub fill: Fill,
    /// The number that every member of an object is.
    pub member: u64,
}

impl Choice {
    /// With n work-items, a value is n, and buffers hold the numbers 1 to n.
    #[must_use]
    pub fn of_sizes(global: Vec<u64>, local: Vec<u64>) -> Self {
        let value = global.iter().copied().fold(1, u64::saturating_mul);
        let fill = Fill::Steps { first: 1.0, step: 1.0 };
        Self { global, local, value, elements: None, fill, member: 1 }
    }

    /// Returns a launch of a kernel.
    ///
    /// # Errors
    /// When the kernel has a parameter for which there is no argument.
    pub fn launch(&self, kernel: &KernelSignature) -> Result<KernelLaunch, UnsupportedParameter> {
        let items = |sizes: &[u64]| sizes.iter().copied().fold(1, u64::saturating_mul);
        let elements = self.elements.unwrap_or(items(&self.global));
        let named = |index: usize, name: &str| {
            if name.is_empty() { index.to_string() } else { name.to_owned() }
        };
        let argument = |(index, parameter): (usize, &KernelParameter)| match parameter {
            KernelParameter::Buffer { name, element, read_only } => Ok(Argument::Buffer {
                name: named(index, name),
                element: *element,
                elements,
                fill: self.fill.clone(),
                output: !read_only,
                image: None,
            }),
            KernelParameter::Image { name, kind, pixel, read_only } => {
                let (image, elements) = Image::of_launch(*kind, &self.global);
                Ok(Argument::Buffer {
                    name: named(index, name),
                    element: *pixel,
                    elements,
                    fill: self.fill.clone(),
                    output: !read_only,
                    image: Some(image),
                })
            }
            KernelParameter::Sampler => Ok(Argument::Sampler(Sampler::default())),
            KernelParameter::Local(bytes) => {
                Ok(Argument::Local(items(&self.local).saturating_mul(*bytes as u64)))
            }
            KernelParameter::Value(element) => {
                Ok(Argument::Value(encode(*element, self.value as f64)))
            }
            KernelParameter::Object { layout, .. } => {
                Ok(Argument::Value(object(layout, self.member)))
            }
            KernelParameter::Objects { name, layout, read_only, .. } => Ok(Argument::Buffer {
                name: named(index, name),
                element: Number::scalar(Scalar::Uchar),
                elements: elements.saturating_mul(layout.bytes as u64),
                fill: Fill::Bytes(object(layout, self.member)),
                output: !read_only,
                image: None,
            }),
            KernelParameter::Other(text) => {
                Err(UnsupportedParameter { kernel: kernel.name.clone(), parameter: text.clone() })
            }
        };
        let arguments =
            kernel.parameters.iter().enumerate().map(argument).collect::<Result<_, _>>()?;
        Ok(KernelLaunch {
            kernel: kernel.name.clone(),
            global: self.global.clone(),
            local: Some(self.local.clone()),
            arguments,
            fixed: Vec::new(),
        })
    }
}

/// The bytes of an object all of whose numbers are this one.
fn object(layout: &Layout, value: u64) -> Vec<u8> {
    let mut bytes = vec![0; layout.bytes];
    for LayoutNumber { offset, number, .. } in &layout.numbers {
        let one = encode(*number, value as f64);
        if let Some(place) = bytes.get_mut(*offset..offset + one.len()) {
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
        let plan = plan(&kernels(b"kernel void k(image2d_depth_t i) {}"), None);
        let reason = plan.compile_only.unwrap();
        assert!(plan.launches.is_empty() && reason.parameter == "image2d_depth_t i");
        assert!(reason.to_string().ends_with("several samples, are not supported"), "{reason}");
        let plan = super::plan(&kernels(b"kernel void k(global int **p) {}"), None);
        let reason = plan.compile_only.unwrap().to_string();
        assert!(reason.ends_with("no pointer that could lie in a buffer"), "{reason}");
    }

    #[test]
    fn an_image_has_a_pixel_for_each_work_item() {
        let source = b"kernel void k(read_only image3d_t i, sampler_t s, write_only image1d_t o) { write_imagei(o, 0, read_imagei(i, s, c)); }";
        let plan = plan(&kernels(source), None);
        let many = &plan.launches[1];
        assert_eq!((&many.global[..], &many.local), (&[16, 16, 8][..], &Some(vec![4, 4, 2])));
        let Argument::Buffer { element, elements: 2048, image: Some(image), output: false, .. } =
            &many.arguments[0]
        else {
            panic!("{many:?}")
        };
        assert_eq!((element.to_string().as_str(), image.size(2048)), ("int4", [16, 16, 8]));
        assert_eq!(many.arguments[1], Argument::Sampler(Sampler::default()));
        assert!(
            matches!(&many.arguments[2], Argument::Buffer { image: Some(image), output: true, .. } if image.size(2048) == [2048, 1, 1])
        );
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
