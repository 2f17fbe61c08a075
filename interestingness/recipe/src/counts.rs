//! Statistics of the stages of a recipe.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::judgement::StageResult;
use crate::pin::StageVerdict;

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

/// The statistics of all stages, by name.
#[derive(Debug, Default)]
pub(crate) struct AllStageCounts(Mutex<BTreeMap<String, StageCounts>>);

impl AllStageCounts {
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

    /// The share of variants that a stage rejected, in thousandths. A stage that saw few has a small one, as little is
    /// known of it.
    pub(crate) fn rejections(&self, stage: &str) -> u64 {
        const FEW: u64 = 20;
        let count = self.of(stage).unwrap_or_default();
        count.rejected * 1000 / (count.looked + FEW)
    }
}
