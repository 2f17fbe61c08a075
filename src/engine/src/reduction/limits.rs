//! Time limits that follow the program. They are lowered when commits make it cheaper to test, so that a variant on which
//! the test hangs costs no more than if the reduction had begun with the current test case.

use std::collections::VecDeque;
use std::time::Duration;

use clreduce_interestingness::{Interestingness, Outcome, TimeLimits};

/// Bounds of the derived limit.
const LIMIT_AT_LEAST: Duration = Duration::from_secs(2);
/// The limit as well until one is derived.
pub(super) const LIMIT_AT_MOST: Duration = Duration::from_secs(300);

/// A test may take this multiple of the time of that of the original, or of the test cases that took its place.
pub const LIMIT_FACTOR: u32 = 10;

/// A limit is lowered to what the slowest of this number of test cases needs, the current one and those before it: one that was
/// fast by chance does not decide.
const TEST_CASES: usize = 3;

/// A limit changes only by this factor or more.
const NOTABLE_FACTOR: u32 = 2;

/// The name of the limit of the whole test, beside those of its parts.
const WHOLE_TEST: &str = "";

/// The wall-time limit of a test whose original took this time.
pub(super) fn limit_for(original: Duration) -> Duration {
    (original * LIMIT_FACTOR).clamp(LIMIT_AT_LEAST, LIMIT_AT_MOST)
}

/// The limits of a test and of its parts.
#[derive(Debug)]
pub(super) struct CommitLimits {
    now: TimeLimits,
    /// The limits that follow from the original. No limit is higher.
    highest: TimeLimits,
    /// The limits that would follow from each of the last test cases if it were the original, the current one last.
    recent: VecDeque<TimeLimits>,
    /// The limit of the whole test is measured.
    follows_test: bool,
    /// They are not in force yet.
    is_changed: bool,
    /// The time of the last tests of the current test case, if they ran.
    time: Option<Duration>,
}

impl CommitLimits {
    /// Begins with those of the original. A limit that the user gave stays, and so does that of a whole test whose parts
    /// have limits.
    pub(super) fn new(of_test: Duration, is_given: bool, of_parts: TimeLimits) -> Self {
        let follows_test = !is_given && of_parts.is_empty();
        let mut highest = TimeLimits::from([(WHOLE_TEST.to_owned(), of_test)]);
        highest.extend(of_parts);
        let now = highest.clone();
        let recent = VecDeque::new();
        Self { now, highest, recent, follows_test, is_changed: false, time: None }
    }

    /// The same limits, with the time that the test of the original took.
    pub(super) fn knowing(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// The time of a test of the current test case, or of one before it.
    pub(super) fn time_of_test(&self) -> Duration {
        self.time.unwrap_or_else(|| self.of_test() / LIMIT_FACTOR)
    }

    /// Takes the time of a test that was run again, which may look at more.
    pub(super) fn learn_again(&mut self, outcome: &Outcome) {
        self.time = self.time.max(Some(outcome.wall));
    }

    /// The limits for the current test case and its variants.
    pub(super) fn now(&self) -> &TimeLimits {
        &self.now
    }

    /// The limit of the whole test.
    pub(super) fn of_test(&self) -> Duration {
        self.now.get(WHOLE_TEST).copied().unwrap_or(LIMIT_AT_MOST)
    }

    /// Takes another time of the original: the first test was cold.
    pub(super) fn learn_original(&mut self, outcome: &Outcome) {
        let fits = limit_for(outcome.wall);
        if self.follows_test {
            self.is_changed |= fits < self.of_test();
            for limits in [&mut self.highest, &mut self.now] {
                limits.entry(WHOLE_TEST.to_owned()).and_modify(|limit| *limit = fits.min(*limit));
            }
        }
    }

    /// Takes the times of a new current test case. If it needs far more than the limits now, they are raised.
    pub(super) fn learn(&mut self, outcome: &Outcome) {
        self.time = Some(outcome.wall);
        let mut fitting = outcome.part_limits.clone();
        if self.follows_test {
            fitting.insert(WHOLE_TEST.to_owned(), limit_for(outcome.wall));
        }
        for (name, highest) in &self.highest {
            let Some((fits, now)) = fitting.get(name).zip(self.now.get_mut(name)) else { continue };
            let raised = *fits.min(highest);
            if raised >= now.saturating_mul(NOTABLE_FACTOR) {
                (*now, self.is_changed) = (raised, true);
            }
        }
        self.recent.push_back(fitting);
        if self.recent.len() > TEST_CASES {
            self.recent.pop_front();
        }
    }

    /// The limits that may be lowered, and what to.
    fn lower_ones(&self) -> TimeLimits {
        if self.recent.len() < TEST_CASES {
            return TimeLimits::new();
        }
        let slowest = |name: &String| {
            let fitting: Option<Vec<_>> = self.recent.iter().map(|fits| fits.get(name)).collect();
            fitting?.into_iter().max().copied()
        };
        let lower = self.now.iter().filter_map(|(name, now)| {
            let limit =
                slowest(name).filter(|limit| limit.saturating_mul(NOTABLE_FACTOR) <= *now)?;
            Some((name.clone(), limit))
        });
        lower.collect()
    }

    /// Returns true if limits may be lowered.
    pub(super) fn may_be_lower(&self) -> bool {
        !self.lower_ones().is_empty()
    }

    /// Lowers the limits that may be lowered.
    pub(super) fn lower(&mut self) {
        let lower = self.lower_ones();
        self.is_changed |= !lower.is_empty();
        self.now.extend(lower);
    }

    /// Returns to limits of an earlier time, which are in force.
    pub(super) fn restore(&mut self, limits: TimeLimits) {
        self.now.extend(limits);
        self.recent.clear();
        self.time = None;
        self.is_changed = false;
    }

    /// Returns true if there are limits that are not in force yet, once.
    pub(super) fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }
}

/// Puts limits into force for the tests that begin from now on.
pub(super) fn put_into_force(limits: &TimeLimits, test: &dyn Interestingness) {
    limits.get(WHOLE_TEST).into_iter().for_each(|limit| test.set_time_limit(*limit));
    test.set_part_limits(limits);
}

#[cfg(test)]
mod tests {
    use clreduce_interestingness::Verdict;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn outcome(tenths: u32, parts: &[(&str, u64)]) -> Outcome {
        let limit = |(name, limit): &(&str, u64)| ((*name).to_owned(), SECOND * *limit as u32);
        let part_limits = parts.iter().map(limit).collect();
        Outcome { wall: SECOND * tenths / 10, part_limits, ..Outcome::from(Verdict::Interesting) }
    }

    /// The limit after each of some test cases, the original having taken ten seconds.
    fn limits(is_given: bool, tenths: &[u32]) -> Vec<u64> {
        let mut limits = CommitLimits::new(SECOND * 100, is_given, TimeLimits::new());
        let each = tenths.iter().map(|tenths| {
            let before = limits.of_test();
            limits.learn(&outcome(*tenths, &[]));
            limits.lower();
            assert_eq!(limits.take_change(), limits.of_test() != before);
            limits.of_test().as_secs()
        });
        each.collect()
    }

    #[test]
    fn the_limit_follows_the_slowest_of_the_last_test_cases() {
        assert_eq!(limits(false, &[20, 10, 10, 10, 1, 1, 1]), [100, 100, 20, 10, 10, 10, 2]);
        assert_eq!(limits(false, &[60, 60, 60, 60]), [100; 4], "a little is no reason");
        assert_eq!(limits(false, &[1, 1, 1, 3, 4, 90]), [100, 100, 2, 2, 4, 90], "a slower one");
        assert_eq!(limits(false, &[1, 1, 1, 900]), [100, 100, 2, 100], "no more than at first");
        assert_eq!(limits(true, &[1, 1, 1, 1]), [100; 4], "given by the user");
    }

    #[test]
    fn limits_of_parts_are_followed_instead_of_that_of_the_whole() {
        let parts = |limits: &CommitLimits| ["a", "b"].map(|name| limits.now()[name].as_secs());
        let of_parts = outcome(0, &[("a", 60), ("b", 60)]).part_limits;
        let mut limits = CommitLimits::new(SECOND * 100, false, of_parts);
        for (told, expected) in [
            (vec![("a", 10), ("b", 20)], [60, 60]),
            (vec![("a", 10)], [60, 60]),
            (vec![("a", 10), ("b", 20)], [10, 60]),
            (vec![("a", 90), ("b", 20), ("c", 1)], [60, 60]),
            (vec![("a", 90), ("b", 20)], [60, 20]),
        ] {
            limits.learn(&outcome(1, &told));
            limits.lower();
            assert_eq!(parts(&limits), expected, "{told:?}");
        }
        limits.learn_original(&outcome(1, &[]));
        assert_eq!(limits.of_test(), SECOND * 100);
    }

    #[test]
    fn the_second_test_of_the_original_lowers_what_the_limit_may_be() {
        let mut limits = CommitLimits::new(SECOND * 100, false, TimeLimits::new());
        limits.learn_original(&outcome(50, &[]));
        assert!(limits.take_change() && !limits.take_change());
        limits.restore(TimeLimits::from([(WHOLE_TEST.to_owned(), SECOND * 3)]));
        limits.learn_original(&outcome(40, &[]));
        assert_eq!(limits.of_test(), SECOND * 3);
        limits.learn(&outcome(70, &[]));
        assert_eq!(limits.of_test(), SECOND * 40);
    }
}
