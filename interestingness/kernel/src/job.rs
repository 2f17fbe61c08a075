//! The work for a device: a program, the launches of its kernels, and time limits for both.

use std::time::Duration;

use clreduce_language::Number;
use serde::{Deserialize, Serialize};

use crate::encode::encode;
use crate::images::{Image, Sampler};
use crate::outcome::Output;

/// The first content of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fill {
    /// Element `i` is `first + i * step`.
    Steps {
        /// The first element.
        first: f64,
        /// The difference between each and the one before.
        step: f64,
    },
    /// These values, repeated where there are too few.
    Values(Vec<f64>),
    /// These bytes, repeated where there are too few.
    Bytes(Vec<u8>),
}

impl Fill {
    /// The same value in every element.
    #[must_use]
    pub fn all(value: f64) -> Self {
        Self::Steps { first: value, step: 0.0 }
    }

    /// Returns the bytes of a buffer.
    #[must_use]
    pub fn content(&self, element: Number, elements: u64) -> Vec<u8> {
        let encode = |value: f64| encode(element, value);
        // A buffer can have megabytes: values that repeat are encoded once.
        let round: Vec<u8> = match self {
            Self::Steps { first, step } if *step != 0.0 => {
                let values = (0..elements).map(|index| first + index as f64 * step);
                return values.flat_map(encode).collect();
            }
            Self::Steps { first, .. } => encode(*first),
            Self::Values(values) if values.is_empty() => encode(0.0),
            Self::Values(values) => values.iter().copied().flat_map(encode).collect(),
            Self::Bytes(bytes) if bytes.is_empty() => vec![0],
            Self::Bytes(bytes) => bytes.clone(),
        };
        let bytes = elements as usize * element.bytes();
        round.iter().copied().cycle().take(bytes).collect()
    }
}

/// One argument of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Argument {
    /// Global or constant memory.
    Buffer {
        /// The name of the parameter.
        name: String,
        /// The type of its elements.
        element: Number,
        /// The number of elements.
        elements: u64,
        /// Its first content.
        fill: Fill,
        /// True if its last content is part of the result.
        output: bool,
        /// The shape of the image that it is, if the parameter is an image.
        #[serde(default)]
        image: Option<Image>,
    },
    /// Local memory, by its size in bytes.
    Local(u64),
    /// A value, as its bytes in memory.
    Value(Vec<u8>),
    /// A sampler.
    Sampler(Sampler),
}

/// One launch of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelLaunch {
    /// The name of the kernel.
    pub kernel: String,
    /// The global size, in one to three dimensions.
    pub global: Vec<u64>,
    /// The size of work-groups, in as many dimensions; with `None` the driver chooses.
    pub local: Option<Vec<u64>>,
    /// The arguments, in the order of the parameters.
    pub arguments: Vec<Argument>,
    /// The numbers of arguments, from 0, that a search for other launches leaves as they are.
    #[serde(default)]
    pub fixed: Vec<usize>,
}

impl KernelLaunch {
    /// The buffers that are part of the result, from the last content of each argument. An argument without one is left out.
    #[must_use]
    pub fn outputs(&self, contents: Vec<Option<Vec<u8>>>) -> Vec<Output> {
        let output = |(argument, content): (&Argument, Option<Vec<u8>>)| match argument {
            Argument::Buffer { name, element, output: true, .. } => Some(Output {
                kernel: self.kernel.clone(),
                name: name.clone(),
                scalar: element.scalar,
                bytes: content?,
            }),
            _ => None,
        };
        self.arguments.iter().zip(contents).filter_map(output).collect()
    }
}

/// A program with its launches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRun {
    /// The source text.
    pub source: Vec<u8>,
    /// The options of the compiler, as on a command line.
    pub options: String,
    /// The launches, in order. Without any, the program is only built.
    pub launches: Vec<KernelLaunch>,
    /// The number of times that all launches run, each time with fresh buffers; at least 1.
    pub repeat: u32,
}

/// The time limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// For the compiler.
    pub build: Duration,
    /// For all launches and repetitions together.
    pub run: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_filled() {
        let steps = Fill::Steps { first: 1024.0, step: -1.0 };
        let bytes = steps.content(Number::built_in("short").unwrap(), 3);
        assert_eq!(bytes, [1024_i16, 1023, 1022].map(i16::to_ne_bytes).concat());
        let bytes = Fill::Values(vec![5.0, 6.0]).content(Number::built_in("uchar2").unwrap(), 3);
        assert_eq!(bytes, [5, 5, 6, 6, 5, 5]);
    }
}
