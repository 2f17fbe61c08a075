//! The first run of a test on the original, and a look whether the test judges the program at all.

use std::sync::Arc;
use std::time::Duration;

use clreduce_process::Cancel;
use clreduce_testcase::{SourceFile, TestCase};
use serde::{Deserialize, Serialize};

use crate::{CommandTest, NotRun, Outcome, Rehearsal, Verdict};

/// The observations of a test on the original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstRun {
    /// The run itself.
    pub rehearsal: Rehearsal,
    /// True if the test also accepts an empty directory and an empty program.
    pub is_blind: bool,
}

impl FirstRun {
    /// The outcome for the reduction: a test with one of the mistakes that a first run shows does not accept the original.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let mut outcome = self.rehearsal.outcome.clone();
        if !self.rehearsal.modified.is_empty() {
            outcome.verdict = Verdict::Unresolved;
        }
        if self.is_blind {
            outcome.verdict = Verdict::Uninteresting;
        }
        outcome
    }
}

impl CommandTest {
    /// Judges the original, and looks for mistakes of the test.
    ///
    /// # Errors
    /// When the test was not run.
    pub fn first_run(&self, original: &TestCase, cancel: &Cancel) -> Result<FirstRun, NotRun> {
        let rehearsal = self.rehearse(original, cancel)?;
        let outcome = &rehearsal.outcome;
        // A test that measures an empty program accepts it no more than others: the number decides.
        let is_blind = outcome.verdict == Verdict::Interesting
            && !self.prints_number
            && rehearsal.modified.is_empty()
            && self.is_blind(original, allowed_time(outcome.wall), cancel);
        Ok(FirstRun { rehearsal, is_blind })
    }

    /// Returns true if the test does not look at the variant: it accepts an empty directory. A test for a message may
    /// find it in the complaint that there is no file, so an empty program is tried as well. A flaky test may accept
    /// either by mistake, so each is tried again.
    fn is_blind(&self, original: &TestCase, limit: Duration, cancel: &Cancel) -> bool {
        let empty = |file: &SourceFile| SourceFile { bytes: Arc::default(), ..file.clone() };
        let no_files = TestCase::new(Vec::new());
        let no_text = TestCase::new(original.files().iter().map(empty).collect());
        let accepts = |case: TestCase| {
            (0..3).all(|_| {
                let outcome = self.judge_within(&case, limit, cancel);
                outcome.is_ok_and(|outcome| outcome.verdict == Verdict::Interesting)
            })
        };
        no_files.is_ok_and(accepts) && no_text.is_ok_and(accepts)
    }
}

/// The time that a run beside the reduction may take, from the time that the original took.
#[must_use]
pub fn allowed_time(original: Duration) -> Duration {
    (original * 10).clamp(Duration::from_secs(2), Duration::from_secs(300))
}
