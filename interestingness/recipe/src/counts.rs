//! What the stages of a recipe have done so far, and in which order they are best asked.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::pin::Answer;
use crate::stages::Ready;
use crate::test::Step;

/// What a stage has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// Variants that it looked at.
    pub looked: u64,
    /// Of these, those that it rejected.
    pub rejected: u64,
    /// Those for which a tool failed.
    pub unresolved: u64,
    /// Wall time, waiting for its turn included.
    pub wall: Duration,
}

/// So many variants say how a stage does.
const ENOUGH: u64 = 20;

impl StageCounts {
    /// Rejections per second; one more than were seen, so that cheap stages without any come before costly ones.
    fn rejects_per_second(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let rejected = (self.rejected + 1) as f64;
        rejected / self.wall.as_secs_f64().max(1e-6)
    }
}

/// Of all stages, by name.
#[derive(Default)]
pub(crate) struct Counts(Mutex<BTreeMap<String, StageCounts>>);

impl Counts {
    pub fn add(&self, steps: &[Step]) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for step in steps {
            let count = counts.entry(step.stage.clone()).or_default();
            count.looked += 1;
            count.wall += step.wall;
            match step.answer {
                Answer::Holds => {}
                Answer::No(_) | Answer::Slipped(_) | Answer::TimedOut(_) => count.rejected += 1,
                Answer::Unresolved(_) => count.unresolved += 1,
            }
        }
    }

    pub fn of(&self, stage: &str) -> Option<StageCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(stage).copied()
    }

    /// The stages as they come, but the costly checks, which only ever reject and so may change places, by how
    /// much they reject in a second, as soon as all of them have been seen at work.
    pub fn order<'a>(&self, ready: &'a [Ready]) -> Vec<&'a Ready> {
        let mut order: Vec<&Ready> = ready.iter().collect();
        let is_costly = |ready: &&Ready| ready.stage.is_costly();
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
        let step = |stage: &str, answer: Answer, seconds| Step {
            stage: stage.to_owned(),
            answer,
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
                step("simulate", Answer::Holds, 1),
                step("sanitize", Answer::No(String::new()), 2),
            ]);
        }
        assert_eq!(order(), ["simulate", "sanitize"], "too few to tell");
        counts.add(&[step("simulate", Answer::Holds, 1), step("sanitize", Answer::Holds, 2)]);
        assert_eq!(order(), ["sanitize", "simulate"]);
        for _ in 0..4 * ENOUGH {
            counts.add(&[step("sanitize", Answer::Unresolved(String::new()), 60)]);
        }
        assert_eq!(order(), ["simulate", "sanitize"]);
    }
}
