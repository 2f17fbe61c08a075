//! The judgement of a variant: the verdict of each stage that ran, and the verdict that follows.

use std::time::Duration;

use clreduce_interestingness::{NotRun, Outcome, Verdict};

use crate::pin::StageVerdict;

/// The name of the last stage.
pub(crate) const OUTCOME: &str = "outcome";

/// The result of one stage on a variant.
#[derive(Clone, Debug)]
pub struct StageResult {
    /// The name of the stage.
    pub stage: String,
    /// The verdict of the stage.
    pub verdict: StageVerdict,
    /// Notes for people: the outcome on each configuration.
    pub notes: Vec<String>,
    /// The wall time.
    pub wall: Duration,
}

/// The judgement of a variant.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The verdict.
    pub outcome: Outcome,
    /// The results of all stages that ran.
    pub results: Vec<StageResult>,
}

impl StageResult {
    pub(crate) fn of_outcome(verdict: StageVerdict, wall: Duration) -> Self {
        Self { stage: OUTCOME.to_owned(), verdict, notes: Vec::new(), wall }
    }
}

impl Judgement {
    /// The outcome, if there is one: a tool that was not run decides nothing.
    ///
    /// # Errors
    /// When the stage that decides was not run.
    pub fn verdict(self) -> Result<Outcome, NotRun> {
        match deciding(&self.results).map(|result| &result.verdict) {
            Some(StageVerdict::NotRun(_)) => Err(NotRun::Failed(self.outcome.reason)),
            _ => Ok(self.outcome),
        }
    }

    /// The other bug that a valid variant shows.
    #[must_use]
    pub fn slipped(&self) -> Option<&str> {
        match &self.results.last()?.verdict {
            StageVerdict::Slipped(what) => Some(what),
            _ => None,
        }
    }
}

/// The stage that decides: the first that does not pass.
fn deciding(results: &[StageResult]) -> Option<&StageResult> {
    results.iter().find(|result| result.verdict != StageVerdict::Passes)
}

pub(crate) fn outcome_of(results: &[StageResult], wall: Duration) -> Outcome {
    let decides = deciding(results);
    let (verdict, text) = match decides.map(|result| &result.verdict) {
        None | Some(StageVerdict::Passes) => (Verdict::Interesting, ""),
        Some(StageVerdict::Rejects(text) | StageVerdict::Slipped(text)) => {
            (Verdict::Uninteresting, text.as_str())
        }
        Some(StageVerdict::TimedOut(text)) => (Verdict::TimedOut, text.as_str()),
        Some(StageVerdict::Unresolved(text) | StageVerdict::NotRun(text)) => {
            (Verdict::Unresolved, text.as_str())
        }
    };
    let reason = decides.map(|result| format!("stage `{}`: {text}", result.stage));
    Outcome { reason: reason.unwrap_or_default(), wall, ..Outcome::from(verdict) }
}
