//! Arguments from a description, a file `KERNEL.args.toml` beside the kernel:
//!
//! ```toml
//! kernel = "blur"
//! global = [64, 64]
//! local = [8, 8]
//!
//! [[argument]]
//! buffer = "float4"
//! elements = 4096
//! fill = { first = 1, step = 1 }     # or a number, or a list of numbers; 0 where it is missing
//! output = true                      # as it is where this is missing
//!
//! [[argument]]
//! value = "int"
//! is = 64
//!
//! [[argument]]
//! local = "float"
//! elements = 64
//!
//! [[argument]]
//! value = "struct box"               # members that are not named are 0
//! is = { n = 4, "corners[1].x" = 1.5 }
//!
//! [[argument]]
//! buffer = "node"                    # a structure; `fill` may also be a list of such tables
//! elements = 16
//! fill = { first_edge = 0, edges = 3 }
//!
//! [[argument]]
//! buffer = "int"
//! elements = 1000
//! content = "data.bin"               # the bytes of a file beside this one, again from the beginning where they are too few
//! fixed = true                       # a search for other launches leaves this argument as it is
//!
//! [[argument]]
//! image = "uchar4"                   # a pixel: one, two or four numbers; `fill`, `content` and `output` as for a buffer
//! size = [64, 64]                    # width, height and depth; the layers of an array come last
//! normalized = true                  # whole numbers are read as parts of the largest one
//!
//! [[argument]]
//! sampler = "clamp_to_edge"          # or "clamp", "repeat", "mirrored_repeat", "none"
//! filter = "linear"                  # "nearest" where it is missing
//! normalized = true                  # coordinates are parts of the size
//! ```
//!
//! Several kernels, or several launches of one, are `[[launch]]` tables with the same keys.

use clreduce_language::{ImageKind, KernelParameter, KernelSignature, Number, Scalar};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::elements::{ArgumentError, Element, FillValue, ValueOrMembers, bytes};
use crate::images::{Addressing, Filter, Image, Sampler};
use crate::job::{Argument, Fill, KernelLaunch};

/// A mistake in the description of a kernel's arguments.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DescriptionError {
    /// The file is no TOML, or has other keys. The message of the TOML reader names the line.
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    /// The global size is wrong.
    #[error("`global` of `{0}` must be one to three numbers greater than 0")]
    Global(String),
    /// The size of work-groups is wrong.
    #[error("`local` of `{0}` must be as many numbers as `global`, none of them 0")]
    Local(String),
    /// One of the arguments is wrong.
    #[error("argument {number} of `{kernel}`: {error}")]
    Argument {
        /// The name of the kernel.
        kernel: String,
        /// The place of the argument, from 1.
        number: usize,
        /// The mistake.
        error: Box<ArgumentError>,
    },
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Several {
    pub(super) launch: Vec<LaunchTable>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LaunchTable {
    pub(super) kernel: String,
    pub(super) global: Vec<u64>,
    pub(super) local: Option<Vec<u64>>,
    #[serde(default)]
    pub(super) argument: Vec<ArgumentTable>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArgumentTable {
    pub(super) buffer: Option<String>,
    pub(super) value: Option<String>,
    pub(super) local: Option<String>,
    pub(super) image: Option<String>,
    pub(super) size: Option<Vec<u64>>,
    pub(super) normalized: Option<bool>,
    pub(super) sampler: Option<Addressing>,
    pub(super) filter: Option<Filter>,
    pub(super) elements: Option<u64>,
    pub(super) fill: Option<FillValue>,
    /// The file with the content; [`read_description`](super::read_description) puts `bytes` in its place.
    pub(super) content: Option<String>,
    /// Hexadecimal digits.
    pub(super) bytes: Option<String>,
    pub(super) output: Option<bool>,
    pub(super) is: Option<ValueOrMembers>,
    pub(super) fixed: Option<bool>,
}

/// Reads the launches that a description lists.
pub(super) fn launches(
    text: &str,
    kernels: &[KernelSignature],
) -> Result<Vec<KernelLaunch>, DescriptionError> {
    let document: toml::Table = toml::from_str(text)?;
    // The text is parsed a second time into its type, so that errors name the line.
    let tables = if document.contains_key("launch") {
        toml::from_str::<Several>(text).map(|several| several.launch)
    } else {
        toml::from_str::<LaunchTable>(text).map(|one| vec![one])
    };
    tables?.into_iter().map(|table| launch(table, kernels)).collect()
}

fn launch(
    mut table: LaunchTable,
    kernels: &[KernelSignature],
) -> Result<KernelLaunch, DescriptionError> {
    let name = table.kernel.clone();
    let sizes_are_good = |sizes: &Vec<u64>| matches!(sizes.len(), 1..=3) && !sizes.contains(&0);
    if !sizes_are_good(&table.global) {
        return Err(DescriptionError::Global(name.clone()));
    }
    if let Some(local) = &table.local
        && (!sizes_are_good(local) || local.len() != table.global.len())
    {
        return Err(DescriptionError::Local(name.clone()));
    }
    let signature = kernels.iter().find(|kernel| kernel.name == name);
    let fixed = table.argument.iter().enumerate().filter(|(_, one)| one.fixed == Some(true));
    let fixed = fixed.map(|(index, _)| index).collect();
    let arguments =
        std::mem::take(&mut table.argument).into_iter().enumerate().map(|(index, table)| {
            let parameter = signature.and_then(|signature| signature.parameters.get(index));
            argument(index, table, parameter).map_err(|error| {
                let (kernel, number) = (name.clone(), index + 1);
                DescriptionError::Argument { kernel, number, error: Box::new(error) }
            })
        });
    let arguments = arguments.collect::<Result<_, _>>()?;
    let LaunchTable { kernel, global, local, .. } = table;
    Ok(KernelLaunch { kernel, global, local, arguments, fixed })
}

fn argument(
    index: usize,
    table: ArgumentTable,
    parameter: Option<&KernelParameter>,
) -> Result<Argument, ArgumentError> {
    if let Some(file) = table.content {
        return Err(ArgumentError::Content(file));
    }
    if table.image.is_some() || table.sampler.is_some() {
        return image_or_sampler(index, &table, parameter);
    }
    if table.size.is_some() || table.normalized.is_some() || table.filter.is_some() {
        return Err(ArgumentError::Keys);
    }
    let elements = || table.elements.filter(|&n| n > 0).ok_or(ArgumentError::Elements);
    let has_buffer_keys = table.fill.is_some() || table.output.is_some() || table.bytes.is_some();
    match (&table.buffer, &table.value, &table.local) {
        (Some(name), None, None) if table.is.is_none() => {
            let element = Element::named(name, parameter)?;
            let fill = match (&table.fill, &table.bytes) {
                (None, Some(digits)) => Fill::Bytes(bytes(digits)?),
                (fill, None) => element.fill(fill.as_ref())?,
                _ => return Err(ArgumentError::Keys),
            };
            let (element, of_one) = match element {
                Element::Number(number) => (number, 1),
                Element::Object { layout, .. } => (Scalar::Uchar.into(), layout.bytes as u64),
            };
            Ok(Argument::Buffer {
                name: index.to_string(),
                element,
                elements: elements()?.saturating_mul(of_one),
                fill,
                output: table.output.unwrap_or(true),
                image: None,
            })
        }
        (None, Some(name), None) if !has_buffer_keys && table.elements.is_none() => {
            let value = table.is.as_ref().ok_or(ArgumentError::Value)?;
            Ok(Argument::Value(Element::named(name, parameter)?.value(value)?))
        }
        (None, None, Some(name)) if !has_buffer_keys && table.is.is_none() => {
            let bytes = Element::named(name, parameter)?.bytes() as u64;
            Ok(Argument::Local(elements()?.saturating_mul(bytes)))
        }
        _ => Err(ArgumentError::Keys),
    }
}

/// An argument whose table has the key `image` or `sampler`.
fn image_or_sampler(
    index: usize,
    table: &ArgumentTable,
    parameter: Option<&KernelParameter>,
) -> Result<Argument, ArgumentError> {
    let has_others = table.buffer.is_some()
        || table.value.is_some()
        || table.local.is_some()
        || table.elements.is_some()
        || table.is.is_some();
    let normalized = table.normalized.unwrap_or(false);
    match (&table.image, table.sampler) {
        (None, Some(addressing)) if !has_others && table.size.is_none() && table.fill.is_none() => {
            let filter = table.filter.unwrap_or_default();
            Ok(Argument::Sampler(Sampler { normalized, addressing, filter }))
        }
        (Some(pixel), None) if !has_others && table.filter.is_none() => {
            let element = Number::built_in(pixel).filter(|&pixel| is_pixel(pixel, normalized));
            let element = element.ok_or_else(|| ArgumentError::Pixel(pixel.clone()))?;
            let fill = match (&table.fill, &table.bytes) {
                (None, Some(digits)) => Fill::Bytes(bytes(digits)?),
                (fill, None) => Element::Number(element).fill(fill.as_ref())?,
                _ => return Err(ArgumentError::Keys),
            };
            let sizes = table.size.as_deref().unwrap_or_default();
            let kind = match parameter {
                Some(KernelParameter::Image { kind, .. }) => Some(*kind),
                _ => [ImageKind::OneD, ImageKind::TwoD, ImageKind::ThreeD]
                    .into_iter()
                    .find(|kind| kind.coordinates() == sizes.len()),
            };
            let fits = |kind: &ImageKind| kind.coordinates() == sizes.len() && !sizes.contains(&0);
            let kind = kind.filter(fits).ok_or(ArgumentError::Size)?;
            let mut size = [1; 3];
            size[..sizes.len()].copy_from_slice(sizes);
            let (image, elements) = Image::of_size(kind, size);
            Ok(Argument::Buffer {
                name: index.to_string(),
                element,
                elements,
                fill,
                output: table.output.unwrap_or(true),
                image: Some(Image { normalized, ..image }),
            })
        }
        _ => Err(ArgumentError::Keys),
    }
}

/// Returns true for the numbers that a pixel can have; those of 32 bits and of floating point are never parts of others.
fn is_pixel(pixel: Number, normalized: bool) -> bool {
    let is_whole = match pixel.scalar.bytes() {
        1 | 2 => pixel.scalar != Scalar::Half,
        4 => !normalized && pixel.scalar != Scalar::Float,
        _ => false,
    };
    let is_real = !normalized && matches!(pixel.scalar, Scalar::Half | Scalar::Float);
    matches!(pixel.lanes, 1 | 2 | 4) && (is_whole || is_real)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "kernel = \"k\"\nglobal = [4, 4]\nlocal = [2, 1]\n\
        [[argument]]\nbuffer = \"short2\"\nelements = 3\nfill = { first = 1, step = 2 }\n\
        [[argument]]\nbuffer = \"uchar\"\nelements = 2\nfill = [7, 8]\noutput = false\n\
        [[argument]]\nvalue = \"int\"\nis = -1\n\
        [[argument]]\nlocal = \"float\"\nelements = 8\n";

    #[test]
    fn a_description_becomes_launches() {
        let launch = launches(GOOD, &[]).unwrap().remove(0);
        assert_eq!((launch.global, launch.local), (vec![4, 4], Some(vec![2, 1])));
        assert_eq!(
            launch.arguments[1..],
            [
                Argument::Buffer {
                    name: "1".into(),
                    element: Number::built_in("uchar").unwrap(),
                    elements: 2,
                    fill: Fill::Values(vec![7.0, 8.0]),
                    output: false,
                    image: None,
                },
                Argument::Value(vec![0xff; 4]),
                Argument::Local(32),
            ]
        );
        let twice =
            "[[launch]]\nkernel = \"a\"\nglobal = [1]\n[[launch]]\nkernel = \"b\"\nglobal = [2]";
        assert_eq!(launches(twice, &[]).unwrap()[1].kernel, "b");
    }

    #[test]
    fn errors_name_the_mistake_and_its_place() {
        let cases = [
            ("kernel = \"k\"\nglobal = [1]\nlokal = [1]", "lokal"),
            ("kernel = \"k\"\nglobal = [0]", "greater than 0"),
            ("kernel = \"k\"\nglobal = [1]\nlocal = [1, 1]", "as many"),
            (
                "kernel = \"k\"\nglobal = [1]\n[[argument]]\nbuffer = \"bool\"\nelements = 1",
                "no type",
            ),
            ("kernel = \"k\"\nglobal = [1]\n[[argument]]\nbuffer = \"int\"", "argument 1 of `k`"),
            ("kernel = \"k\"\nglobal = [1]\n[[argument]]\nvalue = \"int\"", "`is` is needed"),
            ("kernel = \"k\"\nglobal = [1]\n[[argument]]\nelements = 2", "either"),
            (
                "kernel = \"k\"\nglobal = [1]\n[[argument]]\nimage = \"uchar3\"\nsize = [4]",
                "one, two or four",
            ),
            ("kernel = \"k\"\nglobal = [1]\n[[argument]]\nimage = \"uchar\"\nsize = [0]", "`size`"),
            ("kernel = \"k\"\nglobal = [1]\n[[argument]]\nsampler = \"wrap\"", "mirrored_repeat"),
            ("kernel =", "line 1"),
        ];
        for (text, part) in cases {
            let error = launches(text, &[]).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn members_of_structures_are_given_by_name() {
        let source = b"typedef struct { char c; float f[2]; } P; kernel void k(global P *p, P q, enum E { A } e) {}";
        let kernels =
            clreduce_language::kernel_signatures(source, clreduce_testcase::Language::OPENCL);
        let read = |arguments: &str| {
            launches(&format!("kernel = \"k\"\nglobal = [1]\n{arguments}"), &kernels)
        };
        let buffer =
            "[[argument]]\nbuffer = \"P\"\nelements = 2\nfill = { c = 7, \"f[1]\" = 1.5 }\n";
        let value = "[[argument]]\nvalue = \"P\"\nis = { \"f[0]\" = 2 }\n";
        let launch = read(&format!("{buffer}{value}")).unwrap().remove(0);
        let one = [&[7, 0, 0, 0, 0, 0, 0, 0][..], &1.5_f32.to_ne_bytes()].concat();
        let Argument::Buffer { element, elements: 24, fill, .. } = &launch.arguments[0] else {
            panic!("{launch:?}")
        };
        assert_eq!(fill.content(*element, 24), one.repeat(2));
        let of_value = [&[0; 4][..], &2_f32.to_ne_bytes(), &[0; 4]].concat();
        assert_eq!(launch.arguments[1], Argument::Value(of_value));
        let error = read(&buffer.replace("c = 7", "d = 7")).unwrap_err().to_string();
        assert!(error.contains("no member `d`; its members are c, f[0], f[1]"), "{error}");
        let error = read(&buffer.replace("\"P\"", "\"Q\"")).unwrap_err().to_string();
        assert!(error.contains("`Q` is no type"), "{error}");
    }

    #[test]
    fn bytes_are_repeated() {
        let text = "kernel = \"k\"\nglobal = [1]\n[[argument]]\nbuffer = \"short\"\nelements = 3\nbytes = \"01020304\"";
        let launch = launches(text, &[]).unwrap().remove(0);
        let Argument::Buffer { element, fill, .. } = &launch.arguments[0] else {
            panic!("{launch:?}")
        };
        assert_eq!(fill.content(*element, 3), [1, 2, 3, 4, 1, 2]);
        assert!(launches(&text.replace("0304", "030"), &[]).is_err());
    }
}
