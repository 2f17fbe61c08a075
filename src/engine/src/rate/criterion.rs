//! What is asked of a variant, once the original is measured.

use super::sequential::SequentialTest;
use super::{AskedRate, MeasuredRate, Rate};

/// An original is measured until so many runs have shown the bug: then its rate is known to about a seventh of it.
const SHOWN_OFTEN_ENOUGH: u32 = 50;

/// The most runs by which a program is measured.
const MOST_RUNS: u32 = 5_000;

/// A program that shows the bug in none of so many runs does not have it, or too rarely.
const RUNS_WITHOUT: u32 = 500;

/// The least number of runs that show the bug, however many there are.
const SHOWN_AT_LEAST: u32 = 5;

/// Returns true if enough is known of the rate of a program, and false if it is too low to be of use.
pub(super) fn is_measured(runs: &MeasuredRate) -> Option<bool> {
    if runs.shown >= SHOWN_OFTEN_ENOUGH {
        return Some(true);
    }
    if runs.runs >= MOST_RUNS {
        return Some(runs.shown >= SHOWN_AT_LEAST);
    }
    (runs.shown == 0 && runs.runs >= RUNS_WITHOUT).then_some(false)
}

/// The rates that the original shows and a variant has to show.
#[derive(Clone, Debug)]
pub(crate) struct Criterion {
    /// The runs of the original.
    pub(crate) original: MeasuredRate,
    /// A variant that shows the bug less often is not interesting.
    pub(crate) asked: Rate,
    pub(super) test: SequentialTest,
}

impl Criterion {
    /// The criterion for an original with these runs; otherwise the reason that it is not interesting.
    ///
    /// The lower end of the interval in which the rate of the original lies is certainly good. Without a rate that the user
    /// asks for, half of that is asked.
    pub(super) fn new(original: MeasuredRate, asked: AskedRate) -> Result<Self, String> {
        if is_measured(&original) != Some(true) {
            return Err(format!("it shows the bug {original}"));
        }
        let [certain, _] = original.interval();
        let (asked, good, noticed) = match asked {
            AskedRate::AsOriginal => (certain.part(1, 2), certain, original.rate()),
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
        Ok(Self { original, asked, test: SequentialTest::new(asked, good, noticed) })
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
    fn half_of_what_is_certain_is_asked() {
        let criterion = Criterion::new(measured(50, 100), AskedRate::AsOriginal).unwrap();
        assert_eq!(criterion.asked, Rate::millionths(201_917));
    }

    #[test]
    fn a_rate_that_the_original_hardly_has_is_not_asked() {
        let ask = |text: &str| Criterion::new(measured(50, 100), text.parse().unwrap());
        assert_eq!(ask("0.1").unwrap().asked.to_string(), "10 %");
        let reason = ask("0.4").unwrap_err();
        assert!(
            reason.contains("in 50 of 100 runs") && reason.contains("at most 32 %"),
            "{reason}"
        );
        assert!(ask("0.32").is_ok());
        let often = measured(50, 50);
        assert!(Criterion::new(often, "0.9".parse().unwrap()).is_ok());
    }

    #[test]
    fn an_original_is_measured_until_enough_is_known() {
        assert_eq!(is_measured(&measured(49, 100)), None);
        assert_eq!(is_measured(&measured(50, 50)), Some(true));
        assert_eq!(is_measured(&measured(0, 500)), Some(false));
        assert_eq!(is_measured(&measured(1, 4_999)), None);
        assert_eq!(is_measured(&measured(4, 5_000)), Some(false));
        assert!(Criterion::new(measured(0, 500), AskedRate::AsOriginal).is_err());
    }
}
