//! What the original says before anything is asked: that it is interesting, how long a test takes, and
//! whether a gate is of use.

use std::time::{Duration, Instant};

use clreduce_interestingness::{Cancel, Gate, Interestingness, Outcome, Verdict};
use clreduce_testcase::TestCase;

use super::result::ReductionError;
use crate::speculation::Pool;

/// Bounds of the derived limit.
const LIMIT_AT_LEAST: Duration = Duration::from_secs(2);
const LIMIT_AT_MOST: Duration = Duration::from_secs(300);

/// A test may take so many times what it took when warm.
const LIMIT_FACTOR: u32 = 10;

/// A gate that takes more than this part of the time of a test does not pay: most variants compile, and
/// a test of one that does not is short.
const GATE_SHARE: u32 = 5;

/// With a shorter test there is nothing to gain: a gate has to be started first.
const WORTH_A_GATE: Duration = Duration::from_millis(50);

/// What runs of the original showed.
#[derive(Debug, PartialEq, Eq)]
pub enum Calibration {
    /// It is interesting, every time.
    Done {
        /// Wall-time limit of every later test.
        limit: Duration,
        /// What a test takes, where that was measured.
        typical: Option<Duration>,
        /// Tests run.
        tests: u64,
    },
    /// Cancelled after so many tests.
    Cancelled {
        /// Tests run.
        tests: u64,
    },
}

/// Judges the original: twice, and once when the limit is known from an earlier run. The pool
/// that the other tests run on is as busy then as it will be later.
pub fn calibrate(
    test: &dyn Interestingness,
    pool: &Pool,
    original: &TestCase,
    given: Option<Duration>,
    earlier: Option<Duration>,
    cancel: &Cancel,
) -> Result<Calibration, ReductionError> {
    test.set_time_limit(earlier.or(given).unwrap_or(LIMIT_AT_MOST));
    // The first run is cold and says little about time.
    let runs = if earlier.is_some() { 1 } else { 2 };
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(runs);
    for run in 1..=runs {
        let Some(permit) = pool.wait(cancel) else {
            return Ok(Calibration::Cancelled { tests: run as u64 - 1 });
        };
        let outcome = test.judge(original, cancel);
        drop(permit);
        if cancel.is_cancelled() {
            return Ok(Calibration::Cancelled { tests: run as u64 });
        }
        if run == 1 && outcome.verdict != Verdict::Interesting {
            return Err(ReductionError::NotInteresting(Box::new(outcome)));
        }
        outcomes.push(outcome);
    }
    let interesting =
        outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Interesting).count();
    if let Some(contrary) = outcomes.iter().find(|o| o.verdict != Verdict::Interesting) {
        let contrary = Box::new(contrary.clone());
        return Err(ReductionError::Flaky { interesting, runs, contrary });
    }
    let typical = outcomes.get(1).map(|outcome| outcome.wall);
    let limit = earlier.or(given).unwrap_or_else(|| {
        let derived = typical.unwrap_or(LIMIT_AT_MOST) * LIMIT_FACTOR;
        derived.clamp(LIMIT_AT_LEAST, LIMIT_AT_MOST)
    });
    test.set_time_limit(limit);
    Ok(Calibration::Done { limit, typical, tests: runs as u64 })
}

/// Whether a gate is of use: it accepts the original, and takes far less time than a test.
pub fn pays(gate: &dyn Gate, original: &TestCase, test: Duration, cancel: &Cancel) -> bool {
    // The first look is cold and says little about time.
    test >= WORTH_A_GATE && gate.accepts(original, cancel) == Some(true) && {
        let began = Instant::now();
        gate.accepts(original, cancel) == Some(true) && began.elapsed() * GATE_SHARE <= test
    }
}
