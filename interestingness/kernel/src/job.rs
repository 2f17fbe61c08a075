//! The work that a device is given: a program, the launches of its kernels, and the time for both.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A type of numbers that kernels compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Scalar {
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Half,
    Float,
    Double,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Char,
        Self::Uchar,
        Self::Short,
        Self::Ushort,
        Self::Int,
        Self::Uint,
        Self::Long,
        Self::Ulong,
        Self::Half,
        Self::Float,
        Self::Double,
    ];

    /// The size of one number, in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Char | Self::Uchar => 1,
            Self::Short | Self::Ushort | Self::Half => 2,
            Self::Int | Self::Uint | Self::Float => 4,
            Self::Long | Self::Ulong | Self::Double => 8,
        }
    }

    /// The name in OpenCL C.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::Uchar => "uchar",
            Self::Short => "short",
            Self::Ushort => "ushort",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Long => "long",
            Self::Ulong => "ulong",
            Self::Half => "half",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// A number in memory, as this machine and its devices lay it out; too large ones wrap around.
    #[must_use]
    pub fn encode(self, number: f64) -> Vec<u8> {
        // By way of a wide integer, so that negative numbers wrap and do not saturate.
        let whole = number as i128;
        match self {
            Self::Half => half_bits(number as f32).to_ne_bytes().to_vec(),
            Self::Float => (number as f32).to_ne_bytes().to_vec(),
            Self::Double => number.to_ne_bytes().to_vec(),
            Self::Char | Self::Uchar => vec![whole as u8],
            Self::Short | Self::Ushort => (whole as u16).to_ne_bytes().to_vec(),
            Self::Int | Self::Uint => (whole as u32).to_ne_bytes().to_vec(),
            Self::Long | Self::Ulong => (whole as u64).to_ne_bytes().to_vec(),
        }
    }
}

/// A float as a half, rounded towards zero: what is filled into buffers is small and whole.
fn half_bits(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 15;
    match exponent {
        ..=0 => sign,
        31.. => sign | 0x7c00,
        _ => sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16,
    }
}

/// A scalar or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ElementType {
    /// The type of its numbers.
    pub scalar: Scalar,
    /// Their number: 1 for a scalar, else 2, 3, 4, 8 or 16.
    pub lanes: u8,
}

impl ElementType {
    /// Bytes in memory; a vector of three takes the room of four.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.scalar.bytes() * self.stored_lanes()
    }

    fn stored_lanes(self) -> usize {
        if self.lanes == 3 { 4 } else { usize::from(self.lanes) }
    }

    /// One element with the number in every lane.
    #[must_use]
    pub fn encode(self, number: f64) -> Vec<u8> {
        self.scalar.encode(number).repeat(self.stored_lanes())
    }
}

impl From<Scalar> for ElementType {
    fn from(scalar: Scalar) -> Self {
        Self { scalar, lanes: 1 }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scalar.name())?;
        if self.lanes > 1 { write!(f, "{}", self.lanes) } else { Ok(()) }
    }
}

impl FromStr for ElementType {
    type Err = ();

    /// Reads `ulong`, `float4` and so on.
    fn from_str(name: &str) -> Result<Self, ()> {
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let lanes = match &name[base.len()..] {
            "" => 1,
            "2" => 2,
            "3" => 3,
            "4" => 4,
            "8" => 8,
            "16" => 16,
            _ => return Err(()),
        };
        let scalar = Scalar::ALL.into_iter().find(|scalar| scalar.name() == base).ok_or(())?;
        Ok(Self { scalar, lanes })
    }
}

/// The content of a buffer before the launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fill {
    /// Element `i` is `first + i * step`.
    Steps {
        /// The first element.
        first: f64,
        /// The difference between neighbours.
        step: f64,
    },
    /// These, from the beginning again where there are too few.
    Values(Vec<f64>),
}

impl Fill {
    /// All the same.
    #[must_use]
    pub fn all(value: f64) -> Self {
        Self::Steps { first: value, step: 0.0 }
    }

    /// The content of a buffer.
    #[must_use]
    pub fn content(&self, element: ElementType, elements: u64) -> Vec<u8> {
        let encode = |value: f64| element.encode(value);
        // Buffers have megabytes; what repeats is made once.
        let round: Vec<u8> = match self {
            Self::Steps { first, step } if *step != 0.0 => {
                let values = (0..elements).map(|index| first + index as f64 * step);
                return values.flat_map(encode).collect();
            }
            Self::Steps { first, .. } => encode(*first),
            Self::Values(values) if values.is_empty() => encode(0.0),
            Self::Values(values) => values.iter().copied().flat_map(encode).collect(),
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
        element: ElementType,
        /// The number of its elements.
        elements: u64,
        /// Its content.
        fill: Fill,
        /// True if its content at the end is part of the result.
        output: bool,
    },
    /// Local memory of so many bytes.
    Local(u64),
    /// A value, in bytes.
    Value(Vec<u8>),
}

/// One launch of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelLaunch {
    /// Its name.
    pub kernel: String,
    /// Global size, one to three dimensions.
    pub global: Vec<u64>,
    /// Work-group size, as many; `None` leaves it to the driver.
    pub local: Option<Vec<u64>>,
    /// In the order of the parameters.
    pub arguments: Vec<Argument>,
}

/// A program and what to do with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRun {
    /// The source text.
    pub source: Vec<u8>,
    /// Options of the compiler, as one text.
    pub options: String,
    /// The launches, one after the other; none: the program is only built.
    pub launches: Vec<KernelLaunch>,
    /// The number of times that all launches are done, each time with fresh buffers; at least 1.
    pub repeat: u32,
}

/// The time limits of the two halves of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// The compiler.
    pub build: Duration,
    /// All launches with all repetitions.
    pub run: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_memory() {
        let ulong3: ElementType = "ulong3".parse().unwrap();
        assert_eq!((ulong3.bytes(), ulong3.to_string()), (32, "ulong3".to_owned()));
        assert_eq!(Scalar::Char.encode(-1.0), [0xff]);
        assert_eq!(Scalar::Long.encode(-2.0), (-2_i64).to_ne_bytes());
        assert_eq!(Scalar::Half.encode(1.0), 0x3c00_u16.to_ne_bytes());
        assert_eq!(Scalar::Half.encode(-2048.0), 0xe800_u16.to_ne_bytes());
        assert_eq!(Scalar::Half.encode(0.0), [0, 0]);
        assert!("float5".parse::<ElementType>().is_err() && "bool".parse::<ElementType>().is_err());
    }

    #[test]
    fn buffers_are_filled() {
        let steps = Fill::Steps { first: 1024.0, step: -1.0 };
        let bytes = steps.content(Scalar::Short.into(), 3);
        assert_eq!(bytes, [1024_i16, 1023, 1022].map(i16::to_ne_bytes).concat());
        let bytes = Fill::Values(vec![5.0, 6.0]).content("uchar2".parse().unwrap(), 3);
        assert_eq!(bytes, [5, 5, 6, 6, 5, 5]);
    }
}
