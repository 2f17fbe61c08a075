//! Quantities: what a test measures, such as seconds or a ratio of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A quantity that is not negative, in millionths. An integer, so that it is compared in the same way on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Quantity(u64);

/// A text that is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a quantity is a decimal number that is not negative, as in 12 or 0.5")]
pub struct InvalidQuantity;

/// The digits after the point.
const DIGITS: usize = 6;
const ONE: u64 = 1_000_000;

impl Quantity {
    /// The quantity `count / 1,000,000`.
    #[must_use]
    pub fn millionths(count: u64) -> Self {
        Self(count)
    }

    /// The largest quantity.
    pub const MAX: Self = Self(u64::MAX);

    /// The number of millionths.
    #[must_use]
    pub fn in_millionths(self) -> u64 {
        self.0
    }

    /// The quantity for a computation whose result decides nothing.
    #[must_use]
    pub fn as_float(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// A part of this quantity.
    #[must_use]
    pub fn part(self, numerator: u64, denominator: u64) -> Self {
        let part = u128::from(self.0) * u128::from(numerator) / u128::from(denominator.max(1));
        Self(u64::try_from(part).unwrap_or(u64::MAX))
    }

    /// The last number that a program printed: all of its last line that is not empty.
    #[must_use]
    pub fn printed_last(output: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(output);
        text.lines().rev().map(str::trim).find(|line| !line.is_empty())?.parse().ok()
    }

    /// The same with three digits that count, for people.
    #[must_use]
    pub fn rounded(self) -> Self {
        let digits = self.0.checked_ilog10().unwrap_or_default();
        let unit = 10_u64.pow(digits.saturating_sub(2)).min(ONE);
        Self(self.0.saturating_add(unit / 2) / unit * unit)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / ONE, self.0 % ONE);
        let rest = format!("{rest:0DIGITS$}");
        match rest.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            rest => write!(f, "{whole}.{rest}"),
        }
    }
}

impl FromStr for Quantity {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, InvalidQuantity> {
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + rest.len() == 0 || !is_number(whole) || !is_number(rest) {
            return Err(InvalidQuantity);
        }
        let digits: String = rest.chars().chain("000000".chars()).take(DIGITS).collect();
        format!("{whole}{digits}").parse().map(Self).map_err(|_| InvalidQuantity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_and_written() {
        for (text, shown, rounded) in [
            ("12", "12", "12"),
            ("0.5", "0.5", "0.5"),
            (".25", "0.25", "0.25"),
            ("1234567.8", "1234567.8", "1234568"),
            ("30.1239999", "30.123999", "30.1"),
            ("0.012345", "0.012345", "0.0123"),
            ("0", "0", "0"),
        ] {
            let quantity: Quantity = text.parse().unwrap();
            assert_eq!(
                (&*quantity.to_string(), &*quantity.rounded().to_string()),
                (shown, rounded)
            );
        }
        for wrong in ["", ".", "-1", "1e3", "1,5", "+1", "99999999999999999999", "nan"] {
            assert!(wrong.parse::<Quantity>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_last_line_is_the_number() {
        let printed = |text: &str| Quantity::printed_last(text.as_bytes()).map(|it| it.to_string());
        assert_eq!(printed("compiling\n3\n 4.5 \r\n\n").as_deref(), Some("4.5"));
        assert_eq!(printed("4\nerror"), None);
        assert_eq!(printed(""), None);
    }
}
