//! Statistics of the stages of a recipe, and the order of the stages that follows from them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::judgement::StageResult;
use crate::pin::StageVerdict;
use crate::stages::ReadyStage;

/// The statistics of one stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// The number of variants that it judged.
    pub looked: u64,
    /// The number of variants that it rejected.
    pub rejected: u64,
    /// The number of variants for which a tool failed.
    pub unresolved: u64,
    /// The wall time, including the wait for memory and devices.
    pub wall: Duration,
}

/// The number of variants after which the statistics count.
const ENOUGH: u64 = 20;

impl StageCounts {
    /// Rejections per second. One is added, so that cheap stages without rejections come before costly ones.
    fn rejects_per_second(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let rejected = (self.rejected + 1) as f64;
        rejected / self.wall.as_secs_f64().max(1e-6)
    }
}

/// The statistics of all stages, by name.
#[derive(Default)]
pub(crate) struct Counts(Mutex<BTreeMap<String, StageCounts>>);

impl Counts {
    pub(crate) fn add(&self, results: &[StageResult]) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for result in results {
            let count = counts.entry(result.stage.clone()).or_default();
            count.looked += 1;
            count.wall += result.wall;
            match result.verdict {
                StageVerdict::Passes => {}
                StageVerdict::Rejects(_) | StageVerdict::Slipped(_) | StageVerdict::TimedOut(_) => {
                    count.rejected += 1
                }
                StageVerdict::Unresolved(_) | StageVerdict::NotRun(_) => count.unresolved += 1,
            }
        }
    }

    pub(crate) fn of(&self, stage: &str) -> Option<StageCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(stage).copied()
    }

    /// Returns the stages in their order. The costly checks, which only reject and so may change places, are sorted by
    /// their rejections per second once all of them have statistics.
    pub(crate) fn order<'a>(&self, ready: &'a [ReadyStage]) -> Vec<&'a ReadyStage> {
        let mut order: Vec<&ReadyStage> = ready.iter().collect();
        let is_costly = |ready: &&ReadyStage| ready.stage.is_costly();
        let Some(first) = order.iter().position(is_costly) else { return order };
        let costly = order[first..].iter().take_while(|ready| is_costly(ready)).count();
        self.sort(&mut order[first..first + costly], |ready| &ready.stage.name);
        order
    }

    fn sort<T>(&self, stages: &mut [T], name: impl Fn(&T) -> &str) {
        let known = |stage: &T| self.of(name(stage)).filter(|one| one.looked >= ENOUGH);
        if stages.iter().all(|stage| known(stage).is_some()) {
            let rate = |stage: &T| known(stage).map_or(0.0, |one| one.rejects_per_second());
            stages.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rejects_most_in_a_second_comes_first() {
        let counts = Counts::default();
        let result = |stage: &str, verdict: StageVerdict, seconds| StageResult {
            stage: stage.to_owned(),
            verdict,
            notes: Vec::new(),
            wall: Duration::from_secs(seconds),
        };
        let order = || {
            let mut stages = ["simulate", "sanitize"];
            counts.sort(&mut stages, |stage| stage);
            stages
        };
        for _ in 1..ENOUGH {
            counts.add(&[
                result("simulate", StageVerdict::Passes, 1),
                result("sanitize", StageVerdict::Rejects(String::new()), 2),
            ]);
        }
        assert_eq!(order(), ["simulate", "sanitize"], "too few to tell");
        counts.add(&[
            result("simulate", StageVerdict::Passes, 1),
            result("sanitize", StageVerdict::Passes, 2),
        ]);
        assert_eq!(order(), ["sanitize", "simulate"]);
        for _ in 0..4 * ENOUGH {
            counts.add(&[result("sanitize", StageVerdict::Unresolved(String::new()), 60)]);
        }
        assert_eq!(order(), ["simulate", "sanitize"]);
    }
}
