//! The sequential test that decides whether a variant shows the bug often enough.
//!
//! Two rates stand for what is asked: a variant below `asked` must not be accepted, and one at `good` or above must not be
//! refused. With a chance of p₀ and p₁ for each run to show the bug, k of n runs that do are
//!
//! ```text
//! W = k·log(p₁/p₀) + (n-k)·log((1-p₁)/(1-p₀))
//! ```
//!
//! in favour of `good`. Wald's test accepts the variant as soon as W ≥ log(1/α), and refuses it as soon as W ≤ -log(1/β). Then a
//! variant at `asked` or below is accepted with a chance of at most α, and one at `good` or above refused with a chance of at most β,
//! however often one looks. It needs the fewest runs of all tests that promise this.
//!
//! Most variants do not show the bug at all, and for them Wald's test is slow. So a variant is also refused after n runs of which
//! none shows it, where (1-p)ⁿ ≤ β for the rate p of the original. One that is refused by mistake is hardly lost: what it removes
//! is proposed again after the next commit. So β is large at [first](Haste::First), and 1/20 only once nothing else is left to try.
//!
//! A reduction asks about many variants, and ends below what was asked if it accepts one of those that are. With α = 1/1,000 for
//! each, ten of them that are just below lead there once in a hundred reductions; those further below are hardly ever accepted.

use super::{MeasuredRate, Rate};

/// One variant in this number is accepted by mistake, if it shows the bug hardly less often than was asked.
const ACCEPTED_ONE_IN: u64 = 1_000;

/// How soon a variant is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Haste {
    /// Another one will do: a few runs tell most variants that are of no use.
    First,
    /// None is left to try.
    Last,
}

impl Haste {
    /// One good variant in this number is refused by mistake, at the first look or later.
    fn refused_one_in(self) -> u64 {
        match self {
            Self::First => 2,
            Self::Last => 20,
        }
    }
}

/// A variant that is neither good nor bad is refused after this multiple of the runs after which one that never shows the bug is.
const MOST_SCREENS: u32 = 64;

/// Bits after the point of a logarithm.
const FRACTION: u32 = 32;

/// The decision rule. Logarithms are to the base 2, in fixed point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SequentialTest {
    /// The evidence of a run that shows the bug.
    shown: i64,
    /// The evidence of one that does not, negative.
    not_shown: i64,
    accept: i64,
    refuse: i64,
    /// The variant is refused after this number of runs if none shows the bug.
    screen: u32,
}

impl SequentialTest {
    /// A test that tells variants at the rate `good` from those at `asked`, which is lower. `original` is the rate at which
    /// a variant has to be noticed at all.
    pub(super) fn new(asked: Rate, good: Rate, original: Rate, haste: Haste) -> Self {
        let [asked, good, original] = [asked, good, original].map(|rate| {
            // Neither may be certain: one run more or less must not decide alone.
            u64::from(rate.in_millionths().clamp(1, Rate::ONE - 1))
        });
        let one = u64::from(Rate::ONE);
        let missed = log2(one, one - original).unsigned_abs();
        let refused = log2(haste.refused_one_in(), 1);
        let screen = refused.unsigned_abs().div_ceil(missed.max(1));
        Self {
            shown: log2(good, asked),
            not_shown: log2(one - good, one - asked),
            accept: log2(ACCEPTED_ONE_IN, 1),
            refuse: -refused,
            screen: u32::try_from(screen).unwrap_or(u32::MAX),
        }
    }

    /// The number of runs after which a variant that never shows the bug is refused.
    pub(super) fn screen(&self) -> u32 {
        self.screen
    }

    /// The decision after these runs, if they decide: whether the variant is interesting.
    pub(super) fn decides(&self, runs: &MeasuredRate) -> Option<bool> {
        let (shown, not_shown) = (i64::from(runs.shown), i64::from(runs.runs - runs.shown));
        let evidence = shown * self.shown + not_shown * self.not_shown;
        let is_refused = evidence <= self.refuse
            || (runs.shown == 0 && runs.runs >= self.screen)
            || runs.runs >= self.screen.saturating_mul(MOST_SCREENS);
        if evidence >= self.accept { Some(true) } else { is_refused.then_some(false) }
    }
}

/// The logarithm to the base 2 of a ratio, rounded down to the last of the bits after the point.
///
/// Squaring doubles a logarithm, so that each square tells one more of its bits.
fn log2(numerator: u64, denominator: u64) -> i64 {
    const ONE: u128 = 1 << 62;
    let mut ratio = u128::from(numerator) * ONE / u128::from(denominator.max(1));
    let mut whole = 0_i64;
    while ratio >= 2 * ONE {
        ratio /= 2;
        whole += 1;
    }
    while ratio < ONE {
        ratio *= 2;
        whole -= 1;
    }
    let mut bits = whole;
    for _ in 0..FRACTION {
        ratio = (ratio >> 31) * (ratio >> 31);
        bits *= 2;
        if ratio >= 2 * ONE {
            ratio /= 2;
            bits += 1;
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(percent: u32) -> Rate {
        Rate::millionths(percent * 10_000)
    }

    #[test]
    fn logarithms_are_exact_to_many_digits() {
        for (numerator, denominator) in [(1, 1), (8, 1), (3, 2), (1, 1000), (999_999, 1_000_000)] {
            let exact = (numerator as f64 / denominator as f64).log2();
            let found = log2(numerator, denominator) as f64 / f64::from(FRACTION).exp2();
            assert!((found - exact).abs() < 1e-7, "{numerator}/{denominator}: {found}, {exact}");
        }
    }

    #[test]
    fn a_variant_without_the_bug_is_refused_as_soon_as_a_good_one_would_have_shown_it() {
        for (percent, screen) in [(2, 149), (10, 29), (31, 9), (50, 5), (98, 1), (100, 1)] {
            let test = SequentialTest::new(
                rate(percent).part(1, 2),
                rate(percent),
                rate(percent),
                Haste::Last,
            );
            assert_eq!(test.screen(), screen, "{percent} %");
            let none = |runs| test.decides(&MeasuredRate { shown: 0, runs });
            assert_eq!((none(screen - 1), none(screen)), (None, Some(false)), "{percent} %");
        }
    }

    /// The chance to accept at a rate, by exact summation over all ways on which nothing is decided before, and the expected runs.
    fn accepts(test: &SequentialTest, rate: f64) -> (f64, f64) {
        let (mut undecided, mut accepted, mut expected) = (vec![1.0], 0.0, 0.0);
        for runs in 1.. {
            expected += undecided.iter().sum::<f64>();
            let mut next = vec![0.0; undecided.len() + 1];
            for (shown, chance) in undecided.iter().enumerate() {
                next[shown] += chance * (1.0 - rate);
                next[shown + 1] += chance * rate;
            }
            for (shown, chance) in next.iter_mut().enumerate() {
                let shown = u32::try_from(shown).unwrap();
                match test.decides(&MeasuredRate { shown, runs }) {
                    Some(true) => accepted += std::mem::take(chance),
                    Some(false) => *chance = 0.0,
                    None => {}
                }
            }
            let left = next.iter().sum::<f64>();
            undecided = next;
            if left < 1e-9 {
                break;
            }
        }
        (accepted, expected)
    }

    #[test]
    fn the_errors_are_as_stated() {
        for percent in [10, 20, 31, 50, 70, 90, 98] {
            let (asked, good) = (rate(percent).part(1, 2), rate(percent));
            // One in twenty at the first look, and one by the rest; in haste, one in two each time.
            for (haste, least) in [(Haste::Last, 0.9), (Haste::First, 0.25)] {
                let test = SequentialTest::new(asked, good, good, haste);
                let (wrongly, _) = accepts(&test, asked.as_share());
                let (rightly, _) = accepts(&test, good.as_share());
                assert!(wrongly <= 0.001, "{percent} %: {wrongly} are accepted");
                assert!(rightly >= least, "{percent} %: {rightly} are accepted");
                let (never, soon) = accepts(&test, 0.0);
                assert!(never == 0.0 && soon <= f64::from(test.screen()), "{percent} %: {soon}");
            }
        }
    }
}
