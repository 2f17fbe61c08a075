//! The numeric types of OpenCL C: scalars and vectors, and how their names are spelled.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A scalar type that is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scalar {
    /// 8 bits; `bool` too.
    Char,
    /// 8 bits, unsigned.
    Uchar,
    /// 16 bits.
    Short,
    /// 16 bits, unsigned.
    Ushort,
    /// 32 bits.
    Int,
    /// 32 bits, unsigned.
    Uint,
    /// 64 bits.
    Long,
    /// 64 bits, unsigned.
    Ulong,
    /// 16 bits, floating.
    Half,
    /// 32 bits, floating.
    Float,
    /// 64 bits, floating.
    Double,
}

use Scalar::{Char, Double, Float, Half, Int, Long, Short, Uchar, Uint, Ulong, Ushort};

/// The names of which vector names are made.
const NAMES: [(&str, Scalar); 11] = [
    ("uchar", Uchar),
    ("char", Char),
    ("ushort", Ushort),
    ("short", Short),
    ("uint", Uint),
    ("int", Int),
    ("ulong", Ulong),
    ("long", Long),
    ("half", Half),
    ("float", Float),
    ("double", Double),
];

/// Other names of scalars, those of `stdint.h` among them.
const ALIASES: [(&str, Scalar); 15] = [
    ("bool", Char),
    ("size_t", Ulong),
    ("ptrdiff_t", Long),
    ("intptr_t", Long),
    ("uintptr_t", Ulong),
    ("int8_t", Char),
    ("uint8_t", Uchar),
    ("int16_t", Short),
    ("uint16_t", Ushort),
    ("int32_t", Int),
    ("uint32_t", Uint),
    ("int64_t", Long),
    ("uint64_t", Ulong),
    ("signed", Int),
    ("unsigned", Uint),
];

/// A scalar, or a vector of some lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Number {
    /// The type of each lane.
    pub scalar: Scalar,
    /// 1 for a scalar.
    pub lanes: u8,
}

impl Scalar {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, scalar)| *scalar == self).map_or("int", |(name, _)| name)
    }

    /// Its size in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Char | Uchar => 1,
            Short | Ushort | Half => 2,
            Int | Uint | Float => 4,
            Long | Ulong | Double => 8,
        }
    }

    /// The whole number twice as wide.
    #[must_use]
    pub fn widened(self) -> Self {
        match self {
            Char => Short,
            Uchar => Ushort,
            Short => Int,
            Ushort => Uint,
            Int => Long,
            Uint => Ulong,
            other => other,
        }
    }

    /// The lanes of the result of comparing vectors of it.
    #[must_use]
    pub fn mask(self) -> Self {
        match self {
            Char | Uchar => Char,
            Short | Ushort | Half => Short,
            Int | Uint | Float => Int,
            Long | Ulong | Double => Long,
        }
    }
}

impl Number {
    /// The type with one lane of a scalar type.
    #[must_use]
    pub fn scalar(scalar: Scalar) -> Self {
        Self { scalar, lanes: 1 }
    }

    /// Returns the type that a name means: `uint`, `float4`, `size_t`, `unsigned long`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        if let Some((_, scalar)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
            return Some(Self::scalar(*scalar));
        }
        if name.contains(' ') {
            return several_words(name).map(Self::scalar);
        }
        Self::built_in(name)
    }

    /// Returns the number that a name of OpenCL C means and whose size in a buffer is known: `uint` or `float4`, not `bool`
    /// or `size_t`.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let (name, scalar) = NAMES
            .iter()
            .find(|(known, _)| name.starts_with(known))
            .map(|(known, scalar)| (&name[known.len()..], *scalar))?;
        let lanes = match name {
            "" => 1,
            "2" => 2,
            "3" => 3,
            "4" => 4,
            "8" => 8,
            "16" => 16,
            _ => return None,
        };
        Some(Self { scalar, lanes })
    }

    /// The number of lanes that it takes up in memory; a vector of three takes the room of four.
    #[must_use]
    pub fn stored_lanes(self) -> usize {
        if self.lanes == 3 { 4 } else { usize::from(self.lanes) }
    }

    /// Its size in memory, in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.scalar.bytes() * self.stored_lanes()
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> String {
        if self.lanes == 1 {
            self.scalar.name().to_owned()
        } else {
            format!("{}{}", self.scalar.name(), self.lanes)
        }
    }
}

impl From<Scalar> for Number {
    fn from(scalar: Scalar) -> Self {
        Self::scalar(scalar)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// `unsigned long int` and the like.
fn several_words(name: &str) -> Option<Scalar> {
    let has = |word: &str| name.split_ascii_whitespace().any(|part| part == word);
    Some(match (has("unsigned"), has("char"), has("short"), has("long"), has("double")) {
        (_, _, _, _, true) => Double,
        (true, true, ..) => Uchar,
        (false, true, ..) => Char,
        (true, _, true, ..) => Ushort,
        (false, _, true, ..) => Short,
        (true, _, _, true, _) => Ulong,
        (false, _, _, true, _) => Long,
        (true, ..) => Uint,
        _ if has("int") || has("signed") => Int,
        _ => return None,
    })
}

/// The lanes that `.xyzw`, `.s0f`, `.lo` and the like pick from a vector.
#[must_use]
pub fn components(name: &str, lanes: u8) -> Option<Vec<u8>> {
    let half = lanes.div_ceil(2);
    let picked: Vec<u8> = match name {
        "lo" => (0..half).collect(),
        "hi" => (half..2 * half).collect(),
        "even" => (0..half).map(|lane| 2 * lane).collect(),
        "odd" => (0..half).map(|lane| 2 * lane + 1).collect(),
        _ => {
            let digits = name.strip_prefix(['s', 'S']);
            let lane = |byte: char| match digits {
                Some(_) => byte.to_digit(16).map(|lane| lane as u8),
                None => "xyzw".find(byte).map(|lane| lane as u8),
            };
            digits.unwrap_or(name).chars().map(lane).collect::<Option<_>>()?
        }
    };
    let fits = matches!(picked.len(), 1 | 2 | 3 | 4 | 8 | 16);
    // The third lane of four of a vector of three is there, and undefined.
    let inside = picked.iter().all(|&lane| lane < lanes || lanes == 3 && lane == 3);
    (lanes > 1 && fits && inside).then_some(picked)
}

/// The name of these components: `xy`, `s0a`.
#[must_use]
pub fn component_name(picked: &[u8]) -> String {
    if picked.iter().all(|&lane| lane < 4) && picked.len() <= 4 {
        return picked.iter().map(|&lane| b"xyzw"[usize::from(lane)] as char).collect();
    }
    let digits = picked.iter().filter_map(|&lane| char::from_digit(lane.into(), 16));
    std::iter::once('s').chain(digits).collect()
}

/// The type of a number as it is written.
#[must_use]
pub(crate) fn literal(text: &str) -> Number {
    let lower = text.to_ascii_lowercase();
    let is_hex = lower.starts_with("0x");
    if !is_hex && lower.contains(['.', 'e']) {
        let scalar = if lower.ends_with('f') { Scalar::Float } else { Scalar::Double };
        return Number::scalar(scalar);
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let value = match is_hex {
        true => u64::from_str_radix(&digits[2..], 16),
        false => digits.parse(),
    };
    let large = value.is_ok_and(|value| value > u64::from(u32::MAX));
    Number::scalar(match (suffix.contains('u'), suffix.contains('l') || large) {
        (true, true) => Scalar::Ulong,
        (false, true) => Scalar::Long,
        (true, false) => Scalar::Uint,
        (false, false) => Scalar::Int,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_numbers() {
        for (scalar, lanes, names) in [
            (Uint, 1, &["uint", "unsigned", "unsigned int", "uint32_t"][..]),
            (Long, 1, &["long", "long int", "signed long", "int64_t"]),
            (Ulong, 16, &["ulong16"]),
            (Char, 2, &["char2"]),
        ] {
            for name in names {
                assert_eq!(Number::named(name), Some(Number { scalar, lanes }), "{name}");
            }
        }
        for name in ["int5", "integer", "floats", "image2d_t", "", "struct S"] {
            assert_eq!(Number::named(name), None, "{name}");
        }
        assert_eq!(Number { scalar: Uchar, lanes: 8 }.name(), "uchar8");
    }

    #[test]
    fn built_in_numbers_have_a_size() {
        let ulong3 = Number::built_in("ulong3").unwrap();
        assert_eq!((ulong3.bytes(), ulong3.to_string()), (32, "ulong3".to_owned()));
        assert_eq!(Number::scalar(Half).bytes(), 2);
        for name in ["float5", "bool", "size_t", "unsigned int", "int32_t"] {
            assert_eq!(Number::built_in(name), None, "{name}");
        }
    }
}
