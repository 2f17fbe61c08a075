//! The time limits of configurations: those that follow from the original, and from the variants that take its place.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clreduce_interestingness::TimeLimits;

use crate::calibration::{Calibration, LIMIT_OF_ORIGINAL};
use crate::configuration::RecipeConfiguration;
use crate::format::Preset;
use crate::resolved::ResolvedRecipe;
use crate::shown::ShownOutcomes;

/// The limit of a configuration: `LEAST`, and `TIMES` times the time of the original. Most variants are smaller and take
/// less. Some optimisers take minutes for a large kernel with another size of work-groups, and each such variant costs
/// the whole limit. What else the machine does slows commands and GPUs, but not what has a limit of computing.
const LEAST: Duration = Duration::from_secs(5);
const TIMES: u32 = 2;
const LEAST_COMPUTING: Duration = Duration::from_secs(1);
const TIMES_COMPUTING: (u32, u32) = (3, 2);
/// The factor for the preset `hang`: a slow run is no hang yet.
const TIMES_FOR_A_HANG: u32 = 20;
const LEAST_FOR_A_HANG: Duration = Duration::from_secs(2);
/// The least limit of the configuration that hangs where others show that it should have ended. What is called a hang by mistake
/// is found when it is confirmed, with the limit of the original.
const LEAST_OF_A_HANG: Duration = Duration::from_secs(1);

/// The limit of a configuration that follows from the time of a run.
pub(crate) fn limit_for(
    preset: Preset,
    configuration: &RecipeConfiguration,
    time: Duration,
) -> Duration {
    let is_fair = configuration.is_timed_fairly();
    let limit = match preset {
        Preset::Hang => {
            (time * TIMES_FOR_A_HANG).max(if is_fair { LEAST_FOR_A_HANG } else { LEAST })
        }
        _ if is_fair => LEAST_COMPUTING + time * TIMES_COMPUTING.0 / TIMES_COMPUTING.1,
        _ => LEAST + time * TIMES,
    };
    limit.min(LIMIT_OF_ORIGINAL)
}

/// The limits that follow from the runs of a variant, for configurations without a limit in the recipe and for the one that
/// hangs. A run that hangs has no time: how long the others take says how long to wait for it.
pub(crate) fn fitting(
    kit: &ResolvedRecipe,
    accused: &str,
    shown: &[ShownOutcomes<'_>],
) -> TimeLimits {
    let ended = shown.iter().filter(|shown| shown.has_ended());
    let times = ended.map(|shown| (shown.name.to_owned(), shown.time)).collect();
    limits_for(kit.preset, accused, &kit.configurations, &times)
}

fn limits_for(
    preset: Preset,
    accused: &str,
    configurations: &[RecipeConfiguration],
    times: &TimeLimits,
) -> TimeLimits {
    let others = times.iter().filter(|(name, _)| *name != accused);
    let slowest = others.map(|(_, time)| *time).max();
    let limit = |one: &RecipeConfiguration| {
        if preset == Preset::Hang && one.name == accused {
            let most = one.timeout.unwrap_or(LIMIT_OF_ORIGINAL);
            return Some((slowest? * TIMES_FOR_A_HANG).max(LEAST_OF_A_HANG).min(most));
        }
        let is_measured = one.timeout.is_none();
        times.get(&one.name).filter(|_| is_measured).map(|time| limit_for(preset, one, *time))
    };
    configurations.iter().filter_map(|one| Some((one.name.clone(), limit(one)?))).collect()
}

/// The limits in force.
#[derive(Debug)]
pub(crate) struct ConfigurationLimits(Mutex<TimeLimits>);

impl ConfigurationLimits {
    /// The limits that follow from the original.
    pub(crate) fn new(calibration: &Calibration) -> Self {
        let limits = calibration.configurations.iter();
        let limits = limits.map(|(name, limit)| (name.clone(), Duration::from_millis(*limit)));
        Self(Mutex::new(limits.collect()))
    }

    pub(crate) fn all(&self) -> TimeLimits {
        self.lock().clone()
    }

    pub(crate) fn of(&self, name: &str) -> Duration {
        self.lock().get(name).copied().unwrap_or(LIMIT_OF_ORIGINAL)
    }

    pub(crate) fn set(&self, limits: &TimeLimits) {
        for (name, limit) in &mut *self.lock() {
            *limit = limits.get(name).copied().unwrap_or(*limit);
        }
    }

    fn lock(&self) -> MutexGuard<'_, TimeLimits> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Means;

    fn seconds(limits: &[(&str, u64)]) -> TimeLimits {
        let limit = |(name, time): &(&str, u64)| ((*name).to_owned(), Duration::from_secs(*time));
        limits.iter().map(limit).collect()
    }

    fn configuration(name: &str, timeout: Option<u64>) -> RecipeConfiguration {
        let means = Means::Commands { build: String::new(), run: None };
        let timeout = timeout.map(Duration::from_secs);
        RecipeConfiguration { name: name.to_owned(), means, memory: 0, timeout }
    }

    #[test]
    fn a_hang_is_waited_for_as_long_as_the_others_make_it_likely() {
        let all = ["bad", "good", "slow", "given"];
        let all = all.map(|name| configuration(name, (name == "given").then_some(200)));
        let limits = |times| limits_for(Preset::Hang, "bad", &all, &seconds(times));
        assert_eq!(
            limits(&[("good", 2), ("slow", 6), ("given", 1)]),
            seconds(&[("bad", 120), ("good", 40), ("slow", 120)])
        );
        assert_eq!(limits(&[("given", 1)]), seconds(&[("bad", 20)]));
        assert_eq!(limits(&[]), seconds(&[]), "nothing came to an end");
        assert_eq!(limits(&[("good", 0)]), seconds(&[("bad", 1), ("good", 5)]), "no less");
        let all = [configuration("bad", Some(10)), configuration("good", None)];
        let given = |time| limits_for(Preset::Hang, "bad", &all, &seconds(&[("good", time)]));
        assert_eq!(given(0), seconds(&[("bad", 1), ("good", 5)]));
        assert_eq!(given(3), seconds(&[("bad", 10), ("good", 60)]), "no more than the user said");
    }

    #[test]
    fn without_a_hang_each_has_its_own_time() {
        let all = ["a", "b", "c"].map(|name| configuration(name, None));
        let fitting = limits_for(Preset::Crash, "a", &all, &seconds(&[("a", 10), ("b", 20)]));
        assert_eq!(fitting, seconds(&[("a", 25), ("b", 45)]));
        let limits = ConfigurationLimits(Mutex::new(seconds(&[("a", 100), ("b", 100)])));
        limits.set(&seconds(&[("b", 5), ("c", 1)]));
        assert_eq!(limits.all(), seconds(&[("a", 100), ("b", 5)]));
    }
}
