//! Values in recipes that are written as text.

use std::str::FromStr;
use std::time::Duration;

use clreduce_check::{StageName, UnknownStage};
use clreduce_process::units::{UnitError, parse_bytes, parse_duration};
use regex::Regex;
use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

use crate::expected::EXPECTED;

/// The number of runs that must show the outcome, as in "2 of 3".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequiredRuns {
    pub least: u32,
    pub of: u32,
}

impl RequiredRuns {
    pub(crate) const ONCE: Self = Self { least: 1, of: 1 };
}

/// A number of runs that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no number of runs; write it as in \"2 of 3\"")]
pub(crate) struct ConfirmationError(String);

impl FromStr for RequiredRuns {
    type Err = ConfirmationError;

    fn from_str(text: &str) -> Result<Self, ConfirmationError> {
        let numbers = text.split_once(" of ").and_then(|(least, of)| {
            Some(Self { least: least.trim().parse().ok()?, of: of.trim().parse().ok()? })
        });
        numbers
            .filter(|confirm| (1..=confirm.of).contains(&confirm.least) && confirm.of <= 99)
            .ok_or_else(|| ConfirmationError(text.to_owned()))
    }
}

/// A time, as in `90s`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimit(pub Duration);

impl FromStr for TimeLimit {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse_duration(text).map(Self)
    }
}

/// A number of bytes, as in `2GiB`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemorySize(pub u64);

impl FromStr for MemorySize {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse_bytes(text).map(Self)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CheckName {
    /// A stage of `clreduce check`.
    Stage(StageName),
    /// The interpreter.
    Expected,
}

/// The name of a check that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}, or {EXPECTED}")]
pub(crate) struct CheckNameError(UnknownStage);

impl FromStr for CheckName {
    type Err = CheckNameError;

    fn from_str(text: &str) -> Result<Self, CheckNameError> {
        if text == EXPECTED {
            return Ok(Self::Expected);
        }
        text.parse().map(Self::Stage).map_err(CheckNameError)
    }
}

/// A regular expression.
#[derive(Clone, Debug)]
pub(crate) struct MessagePattern(pub Regex);

impl FromStr for MessagePattern {
    type Err = regex::Error;

    fn from_str(text: &str) -> Result<Self, regex::Error> {
        Regex::new(text).map(Self)
    }
}

macro_rules! deserialize_from_text {
    ($($name:ident),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}
deserialize_from_text!(RequiredRuns, TimeLimit, MemorySize, CheckName, MessagePattern);
