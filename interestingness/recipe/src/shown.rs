//! The outcomes that a configuration shows.

use std::time::Duration;

use clreduce_check::StageName;
use clreduce_kernel::{EmiAgreement, OutcomeClass, Output, RunOutcome, emi};

use crate::configuration::show;

/// The outcomes of one configuration: one for each program that is compared, usually one.
pub(crate) struct ShownOutcomes<'a> {
    pub name: &'a str,
    pub accused: bool,
    pub simulated: bool,
    pub outcomes: Vec<RunOutcome>,
    /// The wall time of the slowest program.
    pub wall: Duration,
}

impl ShownOutcomes<'static> {
    /// The right result as the check `sanitize` computes it.
    pub(crate) fn computed(result: &[Output]) -> Self {
        let name = StageName::Sanitize.name();
        let outcomes = vec![RunOutcome::Results(vec![result.to_vec()])];
        Self { name, accused: false, simulated: false, outcomes, wall: Duration::ZERO }
    }
}

impl ShownOutcomes<'_> {
    /// Describes them for people.
    pub(crate) fn describe(&self) -> String {
        let outcomes: Vec<String> = self.outcomes.iter().map(describe).collect();
        format!("{}: {}", self.name, outcomes.join(" / "))
    }

    /// Returns true if every program came to an end by itself.
    pub(crate) fn has_ended(&self) -> bool {
        use OutcomeClass::{BuildTimeout, RunTimeout, Unresolved};
        let is_open = |class| matches!(class, BuildTimeout | RunTimeout | Unresolved);
        !self.outcomes.iter().any(|outcome| is_open(outcome.class()))
    }

    /// Returns the result, if all programs have the same.
    pub(crate) fn success(&self) -> Option<&[Output]> {
        match &self.outcomes[..] {
            [RunOutcome::Built] => Some(&[]),
            [one] => one.result(),
            several => (emi(several) == EmiAgreement::Agree)
                .then(|| several.iter().find_map(RunOutcome::result))?,
        }
    }
}

/// Describes an outcome on one short line.
#[must_use]
pub fn describe(outcome: &RunOutcome) -> String {
    const MOST: usize = 60;
    let details = match outcome {
        RunOutcome::Results(_) => outcome.result().map(show).unwrap_or_default(),
        RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash) => {
            let words = clreduce_crash::signature(&crash.output);
            std::iter::once(crash.how.clone()).chain(words).collect::<Vec<_>>().join("; ")
        }
        RunOutcome::BuildFailure { log } => clreduce_crash::of_failure(log).unwrap_or_default(),
        _ => outcome.details(),
    };
    let line: String = details.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(MOST).collect();
    let dots = if short.len() < line.len() { "…" } else { "" };
    let colon = if short.is_empty() { "" } else { " " };
    format!("{}{colon}{short}{dots}", outcome.class().name().replace('_', " "))
}

/// Returns the signature of a crash or of a compile error.
pub(crate) fn signature_of(outcome: &RunOutcome) -> Vec<String> {
    match outcome {
        RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash) => {
            let words = clreduce_crash::signature(&crash.output);
            // The same bug can end with one signal or another.
            if words.is_empty() { vec![crash.how.clone()] } else { words }
        }
        RunOutcome::BuildFailure { log } => clreduce_crash::of_failure(log).into_iter().collect(),
        _ => Vec::new(),
    }
}
