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
//! ```
//!
//! Several kernels, or several launches of one, are `[[launch]]` tables with the same keys.

use clreduce_language::Number;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::encode::{encode, encode_whole};
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
        error: ArgumentError,
    },
}

/// A mistake in the description of one argument.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The type is not a number of OpenCL C.
    #[error("`{0}` is no type of numbers; write one of OpenCL C, as in int, ulong, float4")]
    Type(String),
    /// The number of elements is missing, or 0.
    #[error("`elements` is needed, at least 1")]
    Elements,
    /// The list of values is empty.
    #[error("`fill` is an empty list")]
    EmptyFill,
    /// The value is missing.
    #[error("`is` is needed: the number")]
    Value,
    /// The keys do not belong together.
    #[error(
        "write either `buffer` with `elements`, `fill`, `output`, or `value` with `is`, or `local` with `elements`"
    )]
    Keys,
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
    pub(super) elements: Option<u64>,
    pub(super) fill: Option<FillValue>,
    pub(super) output: Option<bool>,
    pub(super) is: Option<Literal>,
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum FillValue {
    All(Literal),
    List(Vec<Literal>),
    Steps { first: Literal, step: Literal },
}

/// A number as it is written. Not every integer of 64 bits is a floating-point number.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Literal {
    Whole(i64),
    Real(f64),
}

impl Literal {
    /// The nearest number that is written without a point, if it is whole.
    pub(super) fn of(value: f64) -> Self {
        let whole = value as i64;
        if whole as f64 == value { Self::Whole(whole) } else { Self::Real(value) }
    }

    fn real(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// The element with this value in every lane.
    fn encode(self, element: Number) -> Vec<u8> {
        match self {
            Self::Whole(value) => encode_whole(element, value),
            Self::Real(value) => encode(element, value),
        }
    }
}

/// Reads the launches that a description lists.
pub(super) fn launches(text: &str) -> Result<Vec<KernelLaunch>, DescriptionError> {
    let document: toml::Table = toml::from_str(text)?;
    // The text is parsed a second time into its type, so that errors name the line.
    let tables = if document.contains_key("launch") {
        toml::from_str::<Several>(text).map(|several| several.launch)
    } else {
        toml::from_str::<LaunchTable>(text).map(|one| vec![one])
    };
    tables?.into_iter().map(launch).collect()
}

fn launch(table: LaunchTable) -> Result<KernelLaunch, DescriptionError> {
    let name = &table.kernel;
    let sizes_are_good = |sizes: &Vec<u64>| matches!(sizes.len(), 1..=3) && !sizes.contains(&0);
    if !sizes_are_good(&table.global) {
        return Err(DescriptionError::Global(name.clone()));
    }
    if let Some(local) = &table.local
        && (!sizes_are_good(local) || local.len() != table.global.len())
    {
        return Err(DescriptionError::Local(name.clone()));
    }
    let arguments = table.argument.into_iter().enumerate().map(|(index, table)| {
        argument(index, table).map_err(|error| {
            let (kernel, number) = (name.clone(), index + 1);
            DescriptionError::Argument { kernel, number, error }
        })
    });
    let arguments = arguments.collect::<Result<_, _>>()?;
    Ok(KernelLaunch { kernel: table.kernel, global: table.global, local: table.local, arguments })
}

fn argument(index: usize, table: ArgumentTable) -> Result<Argument, ArgumentError> {
    let element =
        |name: &str| Number::built_in(name).ok_or_else(|| ArgumentError::Type(name.to_owned()));
    let elements = || table.elements.filter(|&n| n > 0).ok_or(ArgumentError::Elements);
    let has_buffer_keys = table.fill.is_some() || table.output.is_some();
    match (&table.buffer, &table.value, &table.local) {
        (Some(name), None, None) if table.is.is_none() => {
            let fill = match table.fill {
                None => Fill::all(0.0),
                Some(FillValue::All(number)) => Fill::all(number.real()),
                Some(FillValue::Steps { first, step }) => {
                    Fill::Steps { first: first.real(), step: step.real() }
                }
                Some(FillValue::List(ref values)) if values.is_empty() => {
                    return Err(ArgumentError::EmptyFill);
                }
                Some(FillValue::List(ref values)) => {
                    Fill::Values(values.iter().map(|value| value.real()).collect())
                }
            };
            Ok(Argument::Buffer {
                name: index.to_string(),
                element: element(name)?,
                elements: elements()?,
                fill,
                output: table.output.unwrap_or(true),
            })
        }
        (None, Some(name), None) if !has_buffer_keys && table.elements.is_none() => {
            let number = table.is.ok_or(ArgumentError::Value)?;
            Ok(Argument::Value(number.encode(element(name)?)))
        }
        (None, None, Some(name)) if !has_buffer_keys && table.is.is_none() => {
            Ok(Argument::Local(elements()?.saturating_mul(element(name)?.bytes() as u64)))
        }
        _ => Err(ArgumentError::Keys),
    }
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
        let launch = launches(GOOD).unwrap().remove(0);
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
                },
                Argument::Value(vec![0xff; 4]),
                Argument::Local(32),
            ]
        );
        let twice =
            "[[launch]]\nkernel = \"a\"\nglobal = [1]\n[[launch]]\nkernel = \"b\"\nglobal = [2]";
        assert_eq!(launches(twice).unwrap()[1].kernel, "b");
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
            ("kernel =", "line 1"),
        ];
        for (text, part) in cases {
            let error = launches(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
