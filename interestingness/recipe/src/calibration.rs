//! The results of calibration, as they are kept.

use std::collections::BTreeMap;
use std::time::Duration;

use clreduce_testcase::Clues;
use serde::{Deserialize, Serialize};

use crate::configuration::RecipeConfiguration;
use crate::pin::Pin;
use crate::stages::Tolerated;

/// The time limit of the original on one configuration.
pub(crate) const LIMIT_OF_ORIGINAL: Duration = Duration::from_secs(300);

/// The results of running the original. They decide all later verdicts, so they are kept for a run that resumes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// The pinned outcome: the outcome of the original, which variants must show, too.
    pub pin: Pin,
    /// The stages that run, in their order, with their time limits in milliseconds.
    pub stages: Vec<(String, u64)>,
    /// The configurations that run, with their time limits in milliseconds.
    pub configurations: BTreeMap<String, u64>,
    /// The findings in the original that are tolerated in variants.
    pub tolerated: Tolerated,
    /// True if the check `sanitize` computes the result that the witnesses have for the original. Then witnesses run only
    /// for variants that may have several right results.
    pub computed: bool,
    /// The parts of the original that the compiler mentioned, and those that were not executed.
    pub clues: Clues,
    /// The most jumps of a work-group of the original on the host, if that is known.
    pub jumps: Option<u64>,
}

impl Calibration {
    /// The most jumps that a work-group of a variant may make: many more than one of the original, as variants may have
    /// loops that the original leaves early.
    pub(crate) fn most_jumps(&self) -> Option<u64> {
        const LEAST: u64 = 1 << 22;
        const TIMES: u64 = 64;
        Some(LEAST.saturating_add(self.jumps?.saturating_mul(TIMES)))
    }

    pub(crate) fn limit_of(&self, configuration: &RecipeConfiguration) -> Duration {
        limit_of(&self.configurations, &configuration.name)
    }
}

/// The time limit of a configuration among limits in milliseconds.
pub(crate) fn limit_of(limits: &BTreeMap<String, u64>, name: &str) -> Duration {
    limits.get(name).map_or(LIMIT_OF_ORIGINAL, |limit| Duration::from_millis(*limit))
}
