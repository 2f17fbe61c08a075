//! The verdicts of tests on other machines.

use std::sync::PoisonError;
use std::time::Duration;

use clreduce_interestingness::{
    Cancel, Interestingness, NotRun, Occasion, Outcome, TimeLimits, Verdict,
};
use clreduce_testcase::{Clues, TestCase};

use super::RemoteTest;
use crate::agreement;
use crate::job::{CacheUse, Circumstance};
use crate::order::Ask;

impl Interestingness for RemoteTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.judge_on(variant, Occasion::Next, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let known = Circumstance::new(CacheUse::Use);
        let (ask, circumstance) = match occasion {
            Occasion::Next => (Ask::Variant, known),
            Occasion::Early => (Ask::Variant, Circumstance { is_guess: true, ..known }),
            Occasion::Afresh => (Ask::Variant, self.afresh()),
            Occasion::Again => (Ask::Again, self.afresh()),
            Occasion::Run(run) => (Ask::Run(run), known),
        };
        self.ask(ask, variant, circumstance, cancel)
    }

    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        if let Some((_, calibrated)) = &self.recipe {
            return Ok((self.judge(original, cancel)?, calibrated.calibration.clues.clone()));
        }
        let answers = self.ask_first(Ask::Original, original, CacheUse::Use, cancel);
        let Some(answers) = answers.map_err(|failure| self.not_run(failure, cancel))? else {
            return Ok((Outcome::from(Verdict::Unresolved), Clues::default()));
        };
        let run = agreement::first_run(answers, self.settings.is_flaky)
            .map_err(|error| NotRun::Failed(error.to_string()))?;
        let (outcome, clues) = (run.outcome(), run.rehearsal.clues.clone());
        let _ = self.first.set(run);
        Ok((outcome, clues))
    }

    fn set_time_limit(&self, limit: Duration) {
        let limit = if self.settings.is_exact { limit } else { rounded(limit) };
        self.limits.lock().unwrap_or_else(PoisonError::into_inner).time = Some(limit);
    }

    fn part_limits(&self) -> TimeLimits {
        self.part_limits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_part_limits(&self, limits: &TimeLimits) {
        let mut known = self.part_limits.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, limit) in limits {
            if let Some(known) = known.get_mut(name) {
                *known = rounded(*limit);
            }
        }
    }
}

/// The least power of two of seconds that is not below a limit.
fn rounded(limit: Duration) -> Duration {
    let seconds = limit.as_secs() + u64::from(limit.subsec_nanos() > 0);
    Duration::from_secs(seconds.max(1).next_power_of_two())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_limits_become_the_same_after_rounding() {
        let rounded = |millis| rounded(Duration::from_millis(millis)).as_secs();
        assert_eq!([0, 1, 1000, 2001, 3200, 3900, 300_000].map(rounded), [1, 1, 1, 4, 4, 4, 512]);
    }
}
