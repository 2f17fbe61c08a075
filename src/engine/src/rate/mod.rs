//! Rates: how often the runs of a test on one program show the bug. For tests that do so only now and then (`--flaky`), and for those
//! that measure something ([`number`], `--measure`).
//!
//! A variant counts as interesting if it shows the bug often enough, which a sequential test decides ([`sequential`]). Its runs
//! are numbered ([`numbered`]), and the verdict is a function of what they say, in the order of their numbers. So neither the
//! slots on which they run nor an interruption changes it. [`rate_test`] starts the runs and gathers their verdicts.

mod criterion;
mod number;
mod numbered;
mod rate_test;
mod sequential;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use criterion::{AskedBound, Criterion};
pub use number::{AskedNumber, MeasuredNumber, NumberBound};
pub(crate) use rate_test::RateTest;

/// A share of runs, in millionths. An integer, so that it decides in the same way on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rate(u32);

/// A text that is no rate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a rate is a number as in 0.2 or 20%, from 0.001 to 0.99")]
pub struct InvalidRate;

impl Rate {
    const ONE: u32 = 1_000_000;

    /// The rate `count / 1,000,000`, and 1 for a larger count.
    pub(crate) fn millionths(count: u32) -> Self {
        Self(count.min(Self::ONE))
    }

    /// The number of millionths.
    pub(crate) fn in_millionths(self) -> u32 {
        self.0
    }

    /// A share of this rate.
    pub(crate) fn part(self, numerator: u32, denominator: u32) -> Self {
        let part = u64::from(self.0) * u64::from(numerator) / u64::from(denominator);
        Self(u32::try_from(part).unwrap_or(Self::ONE).min(Self::ONE))
    }

    /// The rate as a number between 0 and 1.
    #[must_use]
    pub fn as_share(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE)
    }
}

/// "31 %", "2.5 %", "0.12 %": three digits at most.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.as_share() * 100.0;
        let digits = match self.0 {
            0..10_000 => 2,
            10_000..100_000 => 1,
            _ => 0,
        };
        let text = format!("{percent:.digits$}");
        let text =
            if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        write!(f, "{text} %")
    }
}

impl FromStr for Rate {
    type Err = InvalidRate;

    fn from_str(text: &str) -> Result<Self, InvalidRate> {
        let (number, whole) = match text.trim().strip_suffix('%') {
            Some(percent) => (percent.trim_end(), 100.0),
            None => (text.trim(), 1.0),
        };
        let number: f64 = number.parse().map_err(|_| InvalidRate)?;
        let millionths = (number / whole * f64::from(Self::ONE)).round();
        if !(1_000.0..=990_000.0).contains(&millionths) {
            return Err(InvalidRate);
        }
        Ok(Self(millionths as u32))
    }
}

impl TryFrom<String> for Rate {
    type Error = InvalidRate;

    fn try_from(text: String) -> Result<Self, InvalidRate> {
        text.parse()
    }
}

impl From<Rate> for String {
    fn from(rate: Rate) -> Self {
        format!("{}", rate.as_share())
    }
}

/// The rate that `--flaky` asks of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AskedRate {
    /// About as often as the original.
    AsOriginal,
    /// In at least this share of the runs.
    AtLeast(Rate),
}

/// The word for [`AskedRate::AsOriginal`].
const AS_ORIGINAL: &str = "original";

impl FromStr for AskedRate {
    type Err = InvalidRate;

    fn from_str(text: &str) -> Result<Self, InvalidRate> {
        if text == AS_ORIGINAL { Ok(Self::AsOriginal) } else { text.parse().map(Self::AtLeast) }
    }
}

impl TryFrom<String> for AskedRate {
    type Error = InvalidRate;

    fn try_from(text: String) -> Result<Self, InvalidRate> {
        text.parse()
    }
}

impl From<AskedRate> for String {
    fn from(asked: AskedRate) -> Self {
        match asked {
            AskedRate::AsOriginal => AS_ORIGINAL.to_owned(),
            AskedRate::AtLeast(rate) => rate.into(),
        }
    }
}

/// What the runs of one program said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeasuredRate {
    /// The number of runs that showed the bug.
    pub shown: u32,
    /// The number of runs.
    pub runs: u32,
}

impl MeasuredRate {
    /// Adds a run.
    pub(crate) fn add(&mut self, shown: bool) {
        self.shown += u32::from(shown);
        self.runs += 1;
    }

    /// The share of the runs that showed the bug; none of no runs.
    #[must_use]
    pub fn rate(&self) -> Rate {
        let share = u64::from(self.shown) * u64::from(Rate::ONE) / u64::from(self.runs.max(1));
        Rate::millionths(u32::try_from(share).unwrap_or(Rate::ONE))
    }

    /// Between which rates the true one lies, with a certainty of 95 %: the interval of Wilson.
    ///
    /// With k of n runs and z = 1.96, its ends are (k + z²/2 ± z·√(k(n-k)/n + z²/4)) / (n + z²).
    #[must_use]
    pub fn interval(&self) -> [Rate; 2] {
        // In thousandths of a run, whose squares are millionths.
        const Z: u128 = 1_960;
        const Z_SQUARED: u128 = 3_842;
        let (shown, runs) = (u128::from(self.shown), u128::from(self.runs));
        if runs == 0 {
            return [Rate(0), Rate(Rate::ONE)];
        }
        let variance = shown * (runs - shown) * 1_000_000 / runs + Z_SQUARED * 1_000 / 4;
        let spread = Z * variance.isqrt() / 1_000;
        let middle = shown * 1_000 + Z_SQUARED / 2;
        let rate = |end: u128| {
            let millionths = end * u128::from(Rate::ONE) / (runs * 1_000 + Z_SQUARED);
            Rate::millionths(u32::try_from(millionths).unwrap_or(Rate::ONE))
        };
        [rate(middle.saturating_sub(spread)), rate(middle + spread)]
    }
}

impl MeasuredRate {
    /// "in 31 of 100 runs (23 % to 41 %)", with the interval in which the true rate lies.
    #[must_use]
    pub fn with_interval(&self) -> String {
        let [low, high] = self.interval();
        format!("{self} ({low} to {high})")
    }
}

/// "in 31 of 100 runs".
impl fmt::Display for MeasuredRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = if self.runs == 1 { "run" } else { "runs" };
        write!(f, "in {} of {} {runs}", self.shown, self.runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_and_written() {
        let read = |text: &str| text.parse::<Rate>().map(|rate| rate.to_string());
        assert_eq!(read("0.31").unwrap(), "31 %");
        assert_eq!(read("2.5%").unwrap(), "2.5 %");
        assert_eq!(read(".004").unwrap(), "0.4 %");
        for wrong in ["", "1", "0", "100%", "-1", "often", "nan"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        for text in ["original", "0.031", "20%"] {
            let asked: AskedRate = text.parse().unwrap();
            assert_eq!(AskedRate::try_from(String::from(asked)), Ok(asked));
        }
    }

    #[test]
    fn intervals_are_those_of_wilson() {
        let interval = |shown, runs| {
            MeasuredRate { shown, runs }.interval().map(|end| end.in_millionths() / 100)
        };
        assert_eq!(interval(31, 100), [2278, 4062]);
        assert_eq!(interval(0, 20), [0, 1611]);
        assert_eq!(interval(20, 20), [8388, 9999]);
        assert_eq!(interval(50, 2500), [152, 262]);
        let measured = MeasuredRate { shown: 31, runs: 100 };
        assert_eq!(measured.with_interval(), "in 31 of 100 runs (23 % to 41 %)");
    }
}
