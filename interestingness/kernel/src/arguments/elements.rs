//! Elements of arguments as descriptions write them: numbers, and structures by their members.

use std::collections::BTreeMap;

use clreduce_language::{KernelParameter, Layout, Number};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::encode::{encode, encode_whole};
use crate::job::Fill;

/// A mistake in the description of one argument.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The type is not a number of OpenCL C.
    #[error(
        "`{0}` is no type of numbers, nor the structure that the parameter is; write one of OpenCL C, as in int, ulong, float4"
    )]
    Type(String),
    /// The structure has no member of this name.
    #[error("`{kind}` has no member `{member}`; its members are {known}")]
    Member {
        /// The structure.
        kind: String,
        /// The name.
        member: String,
        /// The names that there are.
        known: String,
    },
    /// Members of what has none.
    #[error("`{0}` has no members: write a number")]
    NoMembers(String),
    /// The file with the content was not read.
    #[error("the file `{0}` is not read here; write its `bytes` in hexadecimal digits")]
    Content(String),
    /// The bytes of a content are wrong.
    #[error("`bytes` must be an even number of hexadecimal digits, and not empty")]
    Bytes,
    /// The number of elements is missing, or 0.
    #[error("`elements` is needed, at least 1")]
    Elements,
    /// The list of values is empty.
    #[error("`fill` is an empty list")]
    EmptyFill,
    /// The value is missing.
    #[error("`is` is needed: the number")]
    Value,
    /// A pixel of numbers that no pixel can have.
    #[error(
        "`{0}` is no pixel: write one, two or four numbers, as in uchar4; those of 32 bits and of floating point cannot be normalized"
    )]
    Pixel(String),
    /// The size of an image is missing, or not that of the parameter.
    #[error("`size` is needed, one number greater than 0 for each coordinate of the image")]
    Size,
    /// The keys do not belong together.
    #[error(
        "write either `buffer` with `elements`, `output` and `fill` or `content`, or `value` with `is`, or `local` with `elements`, \
         or `image` with `size`, `normalized`, `output` and `fill` or `content`, or `sampler` with `filter` and `normalized`"
    )]
    Keys,
}

/// Values of members of a structure, by their names.
pub(super) type Members = BTreeMap<String, Literal>;

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum ValueOrMembers {
    Value(Literal),
    Members(Members),
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum FillValue {
    All(Literal),
    List(Vec<Literal>),
    Members(Members),
    Objects(Vec<Members>),
}

/// A number as it is written. Not every integer of 64 bits is a floating-point number.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Literal {
    Whole(i64),
    Real(f64),
}

impl Literal {
    /// The number as an integer if it is one of 64 bits with a sign, or as it is. An integer has no negative zero.
    pub(super) fn of(value: f64) -> Self {
        let whole = value as i64;
        // 2^63 as an integer would be 2^63 - 1, which is 2^63 again as a floating-point number.
        let is_whole = whole as f64 == value && whole < i64::MAX;
        let is_negative_zero = whole == 0 && value.is_sign_negative();
        if is_whole && !is_negative_zero { Self::Whole(whole) } else { Self::Real(value) }
    }

    /// True if the number is a floating-point number of 64 bits without rounding.
    fn is_real(self) -> bool {
        match self {
            Self::Whole(value) => value as f64 as i128 == i128::from(value),
            Self::Real(_) => true,
        }
    }

    pub(super) fn real(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    /// The element with this value in every lane.
    pub(super) fn encode(self, element: Number) -> Vec<u8> {
        match self {
            Self::Whole(value) => encode_whole(element, value),
            Self::Real(value) => encode(element, value),
        }
    }
}

/// The type of the elements of an argument.
pub(super) enum Element<'a> {
    Number(Number),
    Object { kind: &'a str, layout: &'a Layout },
}

impl<'a> Element<'a> {
    /// A number, or the structure that the parameter is or points to.
    pub(super) fn named(
        name: &'a str,
        parameter: Option<&'a KernelParameter>,
    ) -> Result<Self, ArgumentError> {
        if let Some(number) = Number::built_in(name) {
            return Ok(Self::Number(number));
        }
        match parameter {
            Some(
                KernelParameter::Object { kind, layout }
                | KernelParameter::Objects { kind, layout, .. },
            ) if kind == name => Ok(Self::Object { kind, layout }),
            _ => Err(ArgumentError::Type(name.to_owned())),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Number(number) => number.bytes(),
            Self::Object { layout, .. } => layout.bytes,
        }
    }

    pub(super) fn fill(&self, fill: Option<&FillValue>) -> Result<Fill, ArgumentError> {
        // What a floating-point number would round is written as bytes.
        let literals = |number: &Number, values: &[Literal]| {
            if values.iter().all(|one| one.is_real()) {
                return Fill::Values(values.iter().map(|one| one.real()).collect());
            }
            Fill::Bytes(values.iter().flat_map(|one| one.encode(*number)).collect())
        };
        match (self, fill) {
            (_, None) => Ok(Fill::all(0.0)),
            (Self::Number(_), Some(FillValue::All(value))) if value.is_real() => {
                Ok(Fill::all(value.real()))
            }
            (Self::Number(number), Some(FillValue::All(value))) => Ok(literals(number, &[*value])),
            (Self::Object { layout, .. }, Some(FillValue::All(value))) => {
                let members = layout.numbers.iter().map(|one| (one.name.clone(), *value)).collect();
                Ok(Fill::Bytes(self.object(&members)?))
            }
            (_, Some(FillValue::List(values))) if values.is_empty() => {
                Err(ArgumentError::EmptyFill)
            }
            (Self::Number(number), Some(FillValue::List(values))) => Ok(literals(number, values)),
            (Self::Number(number), Some(FillValue::Members(members))) => {
                let step = |name: &str| members.get(name).map(|value| value.real());
                match (step("first"), step("step"), members.len()) {
                    (Some(first), Some(step), 2) => Ok(Fill::Steps { first, step }),
                    _ => Err(ArgumentError::NoMembers(number.to_string())),
                }
            }
            (Self::Number(number), Some(FillValue::Objects(_))) => {
                Err(ArgumentError::NoMembers(number.to_string()))
            }
            (Self::Object { .. }, Some(FillValue::Members(members))) => {
                Ok(Fill::Bytes(self.object(members)?))
            }
            (Self::Object { .. }, Some(FillValue::Objects(objects))) => {
                let objects = objects.iter().map(|members| self.object(members));
                Ok(Fill::Bytes(objects.collect::<Result<Vec<_>, _>>()?.concat()))
            }
            (Self::Object { kind, .. }, Some(FillValue::List(_))) => {
                Err(ArgumentError::Type((*kind).to_owned()))
            }
        }
    }

    pub(super) fn value(&self, value: &ValueOrMembers) -> Result<Vec<u8>, ArgumentError> {
        match (self, value) {
            (Self::Number(number), ValueOrMembers::Value(value)) => Ok(value.encode(*number)),
            (Self::Number(number), ValueOrMembers::Members(_)) => {
                Err(ArgumentError::NoMembers(number.to_string()))
            }
            // An enumeration or a truth value is one number without a name.
            (Self::Object { .. }, ValueOrMembers::Value(value)) => {
                self.object(&Members::from([(String::new(), *value)]))
            }
            (Self::Object { .. }, ValueOrMembers::Members(members)) => self.object(members),
        }
    }

    /// The bytes of an object whose members have these values; the others are 0.
    fn object(&self, members: &Members) -> Result<Vec<u8>, ArgumentError> {
        let Self::Object { kind, layout } = self else { return Ok(Vec::new()) };
        let mut bytes = vec![0; layout.bytes];
        for (member, value) in members {
            let number = layout.numbers.iter().find(|number| number.name == *member);
            let number = number.ok_or_else(|| {
                let known: Vec<&str> = layout.numbers.iter().map(|one| &*one.name).collect();
                let (kind, known) = ((*kind).to_owned(), known.join(", "));
                ArgumentError::Member { kind, member: member.clone(), known }
            })?;
            let encoded = value.encode(number.number);
            if let Some(place) = bytes.get_mut(number.offset..number.offset + encoded.len()) {
                place.copy_from_slice(&encoded);
            }
        }
        Ok(bytes)
    }
}

/// Reads hexadecimal digits.
pub(super) fn bytes(digits: &str) -> Result<Vec<u8>, ArgumentError> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let text = std::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
        u8::from_str_radix(text, 16).ok()
    });
    let bytes = pairs.collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty());
    bytes.ok_or(ArgumentError::Bytes)
}

#[cfg(test)]
mod tests {
    use clreduce_language::Scalar;

    use super::*;

    #[test]
    fn numbers_keep_their_value_in_a_description_and_in_a_buffer() {
        let long = Number::scalar(Scalar::Long);
        for value in [9_007_199_254_740_993, i64::MAX, i64::MIN, -1] {
            let (one, list) = (Literal::Whole(value), FillValue::List(vec![Literal::Whole(value)]));
            for fill in [FillValue::All(one), list] {
                let fill = Element::Number(long).fill(Some(&fill)).unwrap();
                assert_eq!(fill.content(long, 2), value.to_ne_bytes().repeat(2), "{value}");
            }
        }
        for value in
            [-0.0, 0.0, 0.5, -3.0, 9_223_372_036_854_775_808.0, -9_223_372_036_854_775_808.0]
        {
            let read = Literal::of(value).real();
            assert_eq!(read.to_bits(), f64::to_bits(value), "{value}");
        }
    }
}
