//! Numbers that a test prints, for `--measure`: what is asked of them, and which of them decide at once.
//!
//! Runs of one program differ, by more the busier the machine is. How much they do is seen on the original. A number that is further
//! from the bound than that decides alone. Nearer to it, a run shows the bug if its number is better than the bound by a quarter of
//! that distance, and a sequential test decides on several runs as for rates.

use std::fmt;
use std::str::FromStr;

use clreduce_interestingness::{InvalidQuantity, Outcome, Quantity, Verdict};
use serde::{Deserialize, Serialize};

use super::{AS_ORIGINAL, Rate};

/// The number of runs that measure the original, the result, and every other program whose number is shown.
pub(super) const RUNS: usize = 5;

/// The test must not accept a variant that shows the bug at the rate `BAD`, nor refuse one that shows it at the rate `GOOD`.
pub(super) const BAD: Rate = Rate(200_000);
pub(super) const GOOD: Rate = Rate(900_000);

/// The distance from the bound at which a number decides alone, in thousandths of the bound: at least, at most, and in multiples of
/// what the runs of the original differ by. It is none where they do not differ.
const LEAST_NOISE: u64 = 20;
const MOST_NOISE: u64 = 500;
const TIMES: u64 = 4;

/// In front of a number that is an upper bound.
const AT_MOST: &str = "<=";

/// The number that `--measure` asks of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AskedNumber {
    /// At least half of what the original has.
    AsOriginal,
    /// No less.
    AtLeast(Quantity),
    /// No more.
    AtMost(Quantity),
}

impl FromStr for AskedNumber {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, InvalidQuantity> {
        match text.strip_prefix(AT_MOST) {
            _ if text == AS_ORIGINAL => Ok(Self::AsOriginal),
            Some(number) => number.trim().parse().map(Self::AtMost),
            None => text.parse().map(Self::AtLeast),
        }
    }
}

impl TryFrom<String> for AskedNumber {
    type Error = InvalidQuantity;

    fn try_from(text: String) -> Result<Self, InvalidQuantity> {
        text.parse()
    }
}

impl From<AskedNumber> for String {
    fn from(asked: AskedNumber) -> Self {
        match asked {
            AskedNumber::AsOriginal => AS_ORIGINAL.to_owned(),
            AskedNumber::AtLeast(number) => number.to_string(),
            AskedNumber::AtMost(number) => format!("{AT_MOST}{number}"),
        }
    }
}

/// The numbers of some runs of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredNumber {
    /// The one in the middle.
    pub median: Quantity,
    /// The lowest.
    pub low: Quantity,
    /// The highest.
    pub high: Quantity,
    /// The number of runs.
    pub runs: usize,
}

impl MeasuredNumber {
    /// The numbers of these runs; `None` where there are none.
    pub(crate) fn of(numbers: &[Quantity]) -> Option<Self> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        let (&low, &high) = (sorted.first()?, sorted.last()?);
        Some(Self { median: sorted[sorted.len() / 2], low, high, runs: sorted.len() })
    }
}

/// "12.3 (12.1 to 13 in 5 runs)", or "12.3" of one run.
impl fmt::Display for MeasuredNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, low, high] = [self.median, self.low, self.high].map(Quantity::rounded);
        match self.runs {
            1 => write!(f, "{median}"),
            runs => write!(f, "{median} ({low} to {high} in {runs} runs)"),
        }
    }
}

/// The number that is asked of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberBound {
    asked: Quantity,
    is_least: bool,
    /// In thousandths of the bound.
    noise: u64,
}

impl NumberBound {
    /// The bound for an original with these numbers; otherwise the reason that it is not interesting.
    pub(super) fn new(original: MeasuredNumber, asked: AskedNumber) -> Result<Self, String> {
        let (asked, is_least) = match asked {
            AskedNumber::AsOriginal => (original.median.part(1, 2), true),
            AskedNumber::AtLeast(number) => (number, true),
            AskedNumber::AtMost(number) => (number, false),
        };
        let (low, high) = (original.low.in_millionths(), original.high.in_millionths());
        let differs = u128::from(high - low) * 1_000 / u128::from(low.max(1));
        let noise = u64::try_from(differs).unwrap_or(u64::MAX).saturating_mul(TIMES);
        let noise = if low == high { 0 } else { noise.clamp(LEAST_NOISE, MOST_NOISE) };
        let bound = Self { asked, is_least, noise };
        if original.median.in_millionths() == 0 && is_least {
            return Err("the test measures 0".to_owned());
        }
        if bound.is_met(original.median) {
            return Ok(bound);
        }
        Err(format!("the test measures {original}, which is not clearly {bound}"))
    }

    /// The bound for an original with these numbers, in millionths, as a journal has them.
    #[must_use]
    pub fn of_note(numbers: &[u64], asked: AskedNumber) -> Option<Self> {
        let numbers: Vec<Quantity> = numbers.iter().copied().map(Quantity::millionths).collect();
        Self::new(MeasuredNumber::of(&numbers)?, asked).ok()
    }

    /// The number and the bound, the first of which should be the higher one.
    fn sides(&self, number: Quantity) -> [u128; 2] {
        let sides = [number, self.asked].map(|side| u128::from(side.in_millionths()));
        if self.is_least { sides } else { [sides[1], sides[0]] }
    }

    /// Returns true if a number is better than the bound by more than chance.
    pub(super) fn is_met(&self, number: Quantity) -> bool {
        let [high, low] = self.sides(number);
        high * 4_000 >= low * u128::from(4_000 + self.noise)
    }

    /// Returns true if a number does not keep the bound.
    #[must_use]
    pub fn is_missed(&self, number: Quantity) -> bool {
        let [high, low] = self.sides(number);
        high < low
    }

    /// The decision of a number that is far from the bound.
    pub(super) fn decides_alone(&self, number: Quantity) -> Option<bool> {
        let [high, low] = self.sides(number);
        let noise = u128::from(1_000 + self.noise);
        if high * 1_000 >= low * noise {
            return Some(true);
        }
        (high * noise <= low * 1_000).then_some(false)
    }

    /// The outcome of a run of a variant: the number decides.
    #[must_use]
    pub fn judged(&self, outcome: Outcome) -> Outcome {
        match outcome.number {
            Some(number) if !self.is_met(number) => {
                let reason = format!("the test measures {}", number.rounded());
                Outcome { verdict: Verdict::Uninteresting, reason, ..outcome }
            }
            _ => outcome,
        }
    }
}

/// "at least 12" or "at most 12".
impl fmt::Display for NumberBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_least { "at least" } else { "at most" };
        write!(f, "{word} {}", self.asked.rounded())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    fn measured(numbers: &[&str]) -> MeasuredNumber {
        let numbers: Vec<Quantity> = numbers.iter().map(|text| quantity(text)).collect();
        MeasuredNumber::of(&numbers).unwrap()
    }

    #[test]
    fn bounds_are_read_and_written() {
        for text in ["original", "12", "0.5", "<=3.25"] {
            let asked: AskedNumber = text.parse().unwrap();
            assert_eq!(String::from(asked), text);
        }
        for wrong in ["", "<=", ">3", "ten", "-1"] {
            assert!(wrong.parse::<AskedNumber>().is_err(), "{wrong}");
        }
        let shown = measured(&["3", "10", "9.87654", "11", "10.5"]).to_string();
        assert_eq!(shown, "10 (3 to 11 in 5 runs)");
    }

    #[test]
    fn a_number_far_from_the_bound_decides_alone() {
        // The runs of the original differ by a tenth, so that two fifths decide.
        let original = measured(&["20", "22", "21", "21", "20"]);
        let bound = NumberBound::new(original, AskedNumber::AsOriginal).unwrap();
        assert_eq!(bound.to_string(), "at least 10.5");
        let says = |number: &str| {
            let number = quantity(number);
            (bound.decides_alone(number), bound.is_met(number))
        };
        assert_eq!(says("14.7"), (Some(true), true));
        assert_eq!(says("14.6"), (None, true));
        assert_eq!(says("11.6"), (None, true));
        assert_eq!(says("11.5"), (None, false));
        assert_eq!(says("7.6"), (None, false));
        assert_eq!(says("7.5"), (Some(false), false));
        assert!(bound.is_missed(quantity("10.4")) && !bound.is_missed(quantity("10.5")));
    }

    #[test]
    fn an_upper_bound_is_met_by_less() {
        let original = measured(&["3", "3", "3", "3", "3"]);
        let bound = NumberBound::new(original, AskedNumber::AtMost(quantity("5"))).unwrap();
        assert_eq!(bound.decides_alone(quantity("4.9")), Some(true));
        assert_eq!(bound.decides_alone(quantity("5")), Some(true));
        assert_eq!(bound.decides_alone(quantity("5.1")), Some(false));
        assert_eq!(bound.decides_alone(quantity("0")), Some(true));
    }

    #[test]
    fn an_original_that_hardly_meets_the_bound_is_refused() {
        let original = measured(&["20", "22", "21", "21", "20"]);
        let ask = |text: &str| NumberBound::new(original, text.parse().unwrap());
        assert!(ask("19").is_ok());
        let reason = ask("20").unwrap_err();
        assert!(
            reason.contains("21 (20 to 22 in 5 runs)") && reason.contains("at least 20"),
            "{reason}"
        );
        let nothing = NumberBound::new(measured(&["0"]), AskedNumber::AsOriginal);
        assert!(nothing.unwrap_err().contains("measures 0"));
    }
}
