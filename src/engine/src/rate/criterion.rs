//! What is asked of a variant, once the original is measured.

use clreduce_interestingness::{Outcome, Quantity};

use super::number::{BAD, GOOD, RUNS};
use super::numbered::{Decided, Run};
use super::sequential::{Haste, SequentialTest};
use super::{AskedNumber, AskedRate, MeasuredNumber, MeasuredRate, NumberBound, Rate};

/// The original runs until this number of runs have shown the bug. Then its rate is known to about a fifth of it.
const SHOWN_OFTEN_ENOUGH: u32 = 30;

/// The most runs by which a program is measured.
const MOST_RUNS: u32 = 5_000;

/// A program that shows the bug in none of this number of runs does not have it, or shows it too rarely.
const RUNS_WITHOUT: u32 = 500;

/// The least number of runs that show the bug, however many there are.
const SHOWN_AT_LEAST: u32 = 5;

/// What is asked of the runs of a variant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AskedBound {
    /// They show the bug often enough.
    Rate(AskedRate),
    /// The numbers that they print are high or low enough.
    Number(AskedNumber),
}

impl AskedBound {
    /// The decision on a measured program: it is accepted when enough is known of it, and refused if it is of no use. `None` asks
    /// for more runs.
    pub(super) fn is_measured(self, runs: &MeasuredRate, run: &Run) -> Option<Decided> {
        match self {
            Self::Rate(_) => is_measured(runs).map(Decided::ByRule),
            Self::Number(_) if run.number.is_none() => Some(failed(runs)),
            Self::Number(_) => (runs.runs as usize >= RUNS).then_some(Decided::ByRule(true)),
        }
    }
}

/// The decision after a run that prints no number.
fn failed(runs: &MeasuredRate) -> Decided {
    if runs.runs == 1 { Decided::AsFirst } else { Decided::ByRule(false) }
}

/// Returns true if enough is known of the rate of a program, and false if it is too low to be of use.
fn is_measured(runs: &MeasuredRate) -> Option<bool> {
    if runs.shown >= SHOWN_OFTEN_ENOUGH {
        return Some(true);
    }
    if runs.runs >= MOST_RUNS {
        return Some(runs.shown >= SHOWN_AT_LEAST);
    }
    (runs.shown == 0 && runs.runs >= RUNS_WITHOUT).then_some(false)
}

/// What the original shows and a variant has to show.
#[derive(Clone, Debug)]
pub(crate) struct Criterion {
    /// The runs of the original.
    pub(crate) original: MeasuredRate,
    /// A variant that shows the bug less often is not interesting.
    pub(crate) asked: Rate,
    /// Where numbers decide which runs show the bug: the bound, and the numbers of the original.
    pub(crate) number: Option<(NumberBound, Vec<Quantity>)>,
    pub(super) test: SequentialTest,
    /// The test for the time when nothing is left to try, where it is another one.
    pub(super) last: Option<SequentialTest>,
}

impl Criterion {
    /// The criterion for an original with these runs, which printed these numbers; otherwise the reason that it is not
    /// interesting.
    pub(super) fn new(
        runs: MeasuredRate,
        numbers: &[Quantity],
        asked: AskedBound,
    ) -> Result<Self, String> {
        match asked {
            AskedBound::Rate(asked) => Self::of_rate(runs, asked),
            AskedBound::Number(asked) => Self::of_number(runs, numbers, asked),
        }
    }

    /// The criterion that an earlier run of the reduction has noted.
    pub(crate) fn of_note(note: &[u64], asked: AskedBound) -> Result<Self, String> {
        match (asked, note) {
            (AskedBound::Rate(asked), [shown, runs]) => {
                let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
                Self::of_rate(MeasuredRate { shown: count(*shown), runs: count(*runs) }, asked)
            }
            (asked, numbers) => {
                let numbers: Vec<Quantity> =
                    numbers.iter().copied().map(Quantity::millionths).collect();
                let runs = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                Self::new(MeasuredRate { shown: runs, runs }, &numbers, asked)
            }
        }
    }

    /// Returns true if variants are refused in haste at first, by fewer runs than at last.
    pub(crate) fn is_in_haste(&self) -> bool {
        self.last.is_some()
    }

    /// A note of what the original has shown, for a later run of the reduction.
    pub(crate) fn note(&self) -> Vec<u64> {
        match &self.number {
            None => vec![self.original.shown.into(), self.original.runs.into()],
            Some((_, numbers)) => numbers.iter().map(|number| number.in_millionths()).collect(),
        }
    }

    fn of_number(
        runs: MeasuredRate,
        numbers: &[Quantity],
        asked: AskedNumber,
    ) -> Result<Self, String> {
        let measured = MeasuredNumber::of(numbers).filter(|measured| measured.runs >= RUNS);
        let measured = measured.ok_or("a run of the test printed no number")?;
        let bound = NumberBound::new(measured, asked)?;
        let test = SequentialTest::new(BAD, GOOD, GOOD, Haste::Last);
        let number = Some((bound, numbers.to_vec()));
        Ok(Self { original: runs, asked: GOOD, number, test, last: None })
    }

    /// The outcome of a run of a variant.
    pub(super) fn judged(&self, outcome: Outcome) -> Outcome {
        match &self.number {
            Some((bound, _)) => bound.judged(outcome),
            None => outcome,
        }
    }

    /// The decision on a variant after these runs, of which the last one is given, if they decide.
    pub(super) fn decides(&self, runs: &MeasuredRate, last: &Run) -> Option<Decided> {
        let by_rule = || self.test.decides(runs);
        let decision = match (&self.number, last.number) {
            (None, _) => by_rule(),
            (Some(_), None) => return Some(failed(runs)),
            (Some((bound, _)), Some(number)) => bound.decides_alone(number).or_else(by_rule),
        };
        decision.map(Decided::ByRule)
    }

    /// The lower end of the interval in which the rate of the original lies is certainly good. Without a rate that the user
    /// asks for, a third of that is asked: what lies between is accepted the more often, the nearer it is to the original.
    fn of_rate(original: MeasuredRate, asked: AskedRate) -> Result<Self, String> {
        if is_measured(&original) != Some(true) {
            return Err(format!("it shows the bug {original}"));
        }
        let [certain, _] = original.interval();
        let (asked, good, noticed) = match asked {
            AskedRate::AsOriginal => (certain.part(1, 3), certain, original.rate()),
            AskedRate::AtLeast(asked) => {
                let good = well_above(asked).min(certain);
                if good < just_above(asked) {
                    let most = certain.part(4, 5);
                    return Err(format!(
                        "it shows the bug {original}, which does not tell its rate from the {asked} that --flaky asks for \
                         (at most {most} can be asked for)"
                    ));
                }
                (asked, good, good)
            }
        };
        let [first, last] = [Haste::First, Haste::Last]
            .map(|haste| SequentialTest::new(asked, good, noticed, haste));
        let last = (first.screen() < last.screen()).then_some(last);
        Ok(Self { original, asked, number: None, test: first, last })
    }
}

/// Twice a rate, or halfway to one: a variant with that rate is hardly ever refused.
fn well_above(rate: Rate) -> Rate {
    let rate = rate.in_millionths();
    Rate::millionths((2 * rate).min(rate + (Rate::ONE - rate) / 2))
}

/// The least rate that is told from a rate without too many runs.
fn just_above(rate: Rate) -> Rate {
    let rate = rate.in_millionths();
    Rate::millionths((rate + rate / 4).min(rate + (Rate::ONE - rate) / 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(shown: u32, runs: u32) -> MeasuredRate {
        MeasuredRate { shown, runs }
    }

    #[test]
    fn a_third_of_what_is_certain_is_asked() {
        let criterion = Criterion::of_rate(measured(50, 100), AskedRate::AsOriginal).unwrap();
        assert_eq!(criterion.asked, Rate::millionths(134_611));
    }

    #[test]
    fn a_rate_that_the_original_hardly_has_is_not_asked() {
        let ask = |text: &str| Criterion::of_rate(measured(50, 100), text.parse().unwrap());
        assert_eq!(ask("0.1").unwrap().asked.to_string(), "10 %");
        let reason = ask("0.4").unwrap_err();
        assert!(
            reason.contains("in 50 of 100 runs") && reason.contains("at most 32 %"),
            "{reason}"
        );
        assert!(ask("0.32").is_ok());
        let often = measured(50, 50);
        assert!(Criterion::of_rate(often, "0.9".parse().unwrap()).is_ok());
    }

    #[test]
    fn an_original_is_measured_until_enough_is_known() {
        assert_eq!(is_measured(&measured(29, 100)), None);
        assert_eq!(is_measured(&measured(30, 50)), Some(true));
        assert_eq!(is_measured(&measured(0, 500)), Some(false));
        assert_eq!(is_measured(&measured(1, 4_999)), None);
        assert_eq!(is_measured(&measured(4, 5_000)), Some(false));
        assert!(Criterion::of_rate(measured(0, 500), AskedRate::AsOriginal).is_err());
    }
}
