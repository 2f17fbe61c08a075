//! Repeated tests of one variant, and how many of them decide, where a test is flaky.

/// The results of testing one variant again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatedResults {
    /// The number of times that it was interesting.
    pub interesting: u32,
    /// The number of times that it was tested.
    pub runs: u32,
}

impl RepeatedResults {
    /// The number of tests of one variant after which no more are run. A test that is right in two of three runs has nearly
    /// always decided by then; one that says "yes" and "no" in turn never does.
    const MOST_RUNS: u32 = 100;

    /// Adds a result.
    pub fn add(&mut self, interesting: bool) {
        self.interesting += u32::from(interesting);
        self.runs += 1;
    }

    /// The decision, if there is one: interesting where "yes" came `lead` times more often than "no", and not interesting
    /// where "no" came twice more often than "yes", or where a hundred tests made neither certain. A few wrong results of
    /// either kind do not decide.
    #[must_use]
    pub fn decides(&self, lead: u32) -> Option<bool> {
        if self.interesting >= self.contrary() + lead {
            return Some(true);
        }
        (self.is_rejected() || self.runs >= Self::MOST_RUNS).then_some(false)
    }

    /// Returns true if the most tests made neither certain, so that the test cannot decide about this variant.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.runs >= Self::MOST_RUNS && !self.is_rejected()
    }

    fn contrary(&self) -> u32 {
        self.runs - self.interesting
    }

    fn is_rejected(&self) -> bool {
        self.contrary() >= self.interesting + 2
    }
}

/// The rate at which a test calls variants interesting that are not, as far as that was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrongSuccesses {
    /// Variants that the test found interesting at first, and not when it was repeated.
    pub refuted: u64,
    /// Variants that the test rejected at once.
    pub rejected: u64,
}

impl WrongSuccesses {
    /// The number of wrong successes of which one may be believed.
    const BELIEVED_ONE_IN: u64 = 1_000_000;
    const AT_LEAST: u32 = 3;
    const AT_MOST: u32 = 24;

    /// The number by which "yes" has to exceed "no" when a success is tested again.
    ///
    /// A variant that is interesting by mistake in a share p of tests gets a lead of n once in ((1-p)/p)^n times. With
    /// nothing seen, p is supposed to be a quarter.
    #[must_use]
    pub fn lead(&self) -> u32 {
        const ONE: u64 = 1 << 32;
        let (wrong, right) = (self.refuted + 2, self.rejected + 6);
        let odds = wrong.saturating_mul(ONE) / right;
        let (mut chance, mut lead) = (ONE, 0);
        while lead < Self::AT_MOST && chance > ONE / Self::BELIEVED_ONE_IN {
            chance = chance.saturating_mul(odds) / ONE;
            lead += 1;
        }
        lead.max(Self::AT_LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_mistakes_were_seen_the_more_often_a_success_is_tested_again() {
        let lead = |refuted, rejected| WrongSuccesses { refuted, rejected }.lead();
        assert_eq!(lead(0, 0), 13, "one third to the thirteenth is less than one in a million");
        assert_eq!(lead(1, 100), 4);
        assert_eq!(lead(5, 100), 6);
        assert_eq!(lead(25, 100), 11);
        assert_eq!(lead(0, 1 << 40), 3);
        assert_eq!(lead(1 << 40, 1), 24);
    }

    #[test]
    fn a_few_wrong_results_do_not_decide() {
        let tally = |interesting, runs| RepeatedResults { interesting, runs };
        assert_eq!(tally(0, 0).decides(3), None);
        assert_eq!(tally(0, 1).decides(3), None);
        assert_eq!(tally(0, 2).decides(3), Some(false));
        assert_eq!(tally(3, 4).decides(3), None);
        assert_eq!(tally(4, 5).decides(3), Some(true));
        assert_eq!(tally(1, 4).decides(3), Some(false));
        assert_eq!(tally(0, 0).decides(0), Some(true), "nothing more is asked");
    }

    #[test]
    fn yes_and_no_in_turn_end_without_a_decision() {
        let tally = |interesting, runs| RepeatedResults { interesting, runs };
        assert_eq!(tally(49, 99).decides(3), None);
        assert_eq!(tally(50, 100).decides(3), Some(false));
        assert!(tally(50, 100).is_undecided() && !tally(49, 100).is_undecided());
    }
}
