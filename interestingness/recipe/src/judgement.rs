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
        match self.deciding().map(|result| &result.verdict) {
            Some(StageVerdict::NotRun(_)) => Err(NotRun::Failed(self.outcome.reason)),
            _ => Ok(self.outcome),
        }
    }

    /// The result that decides, if one does not pass.
    #[must_use]
    pub fn deciding(&self) -> Option<&StageResult> {
        deciding(&self.results)
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

/// The result that decides, whatever the order of the stages: a rejection, which is certain; or else a time limit, which may not
/// be exceeded by another run; or else a tool that was not run, or that failed.
fn deciding(results: &[StageResult]) -> Option<&StageResult> {
    let weight = |result: &&StageResult| match result.verdict {
        StageVerdict::Rejects(_) | StageVerdict::Slipped(_) => 0,
        StageVerdict::TimedOut(_) => 1,
        StageVerdict::NotRun(_) => 2,
        StageVerdict::Unresolved(_) => 3,
        StageVerdict::Passes => 4,
    };
    results.iter().min_by_key(weight).filter(|result| result.verdict != StageVerdict::Passes)
}

pub(crate) fn outcome_of(results: &[StageResult], wall: Duration) -> Outcome {
    let decides = deciding(results);
    let (verdict, text) = match decides.map(|result| &result.verdict) {
        None | Some(StageVerdict::Passes) => (Verdict::Interesting, ""),
        Some(
            StageVerdict::Rejects(text)
            | StageVerdict::Slipped(text)
            | StageVerdict::TimedOut(text),
        ) => (Verdict::Uninteresting, text.as_str()),
        Some(StageVerdict::Unresolved(text) | StageVerdict::NotRun(text)) => {
            (Verdict::Unresolved, text.as_str())
        }
    };
    let reason = decides.map(|result| format!("stage `{}`: {text}", result.stage));
    let ran_out_of_time =
        decides.is_some_and(|result| matches!(result.verdict, StageVerdict::TimedOut(_)));
    let reason = reason.unwrap_or_default();
    Outcome { reason, wall, ran_out_of_time, ..Outcome::from(verdict) }
}
