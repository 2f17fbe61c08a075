//! The judgement of a variant: whether its outcomes are those that the pin asks for.

use clreduce_kernel::{EmiAgreement, Output, RunOutcome, emi};

use super::{Demands, Pin, StageVerdict};
use crate::configuration::show;
use crate::format::Preset;
use crate::shown::{ShownOutcomes, describe, has_signature, says};

impl Pin {
    /// Judges the outcome of the suspected configuration.
    pub(crate) fn accused(
        &self,
        preset: Preset,
        demands: &Demands,
        outcomes: &[RunOutcome],
    ) -> StageVerdict {
        let name = &self.accused;
        for outcome in outcomes {
            let class = outcome.class();
            let expected = demands.class.unwrap_or(self.class);
            if class != expected || !preset.classes().contains(&class) {
                return unexpected(name, outcome);
            }
            let same = match &demands.message {
                Some(message) => says(&outcome.details(), message),
                None => has_signature(outcome, &self.signature),
            };
            if !same {
                return StageVerdict::Slipped(format!("{name}: a different {}", describe(outcome)));
            }
            // A program that is wrong by itself is of no use to the makers of the compiler.
            if let Some(new) = errors_before(outcome).iter().find(|new| !self.errors.contains(new))
            {
                return StageVerdict::Rejects(format!(
                    "{name}: it reports an error that the original does not have: {new}"
                ));
            }
        }
        match preset {
            Preset::Emi => match emi(outcomes) {
                EmiAgreement::Differ(..) => StageVerdict::Passes,
                _ => StageVerdict::Rejects(format!("{name}: the variants agree")),
            },
            Preset::WrongCode => self.against_reference(demands, outcomes),
            _ => StageVerdict::Passes,
        }
    }

    fn against_reference(&self, demands: &Demands, outcomes: &[RunOutcome]) -> StageVerdict {
        let result = outcomes.first().and_then(RunOutcome::result).map(show);
        match &demands.reference {
            Some(reference) if result.as_deref() == Some(reference.trim()) => {
                StageVerdict::Rejects(format!("{}: the result is correct", self.accused))
            }
            _ => StageVerdict::Passes,
        }
    }

    /// Judges the outcome of a witness. `first` is the result of the witnesses before it.
    pub(crate) fn witness(
        &self,
        preset: Preset,
        demands: &Demands,
        accused: &[RunOutcome],
        first: Option<&[Output]>,
        witness: &ShownOutcomes<'_>,
    ) -> StageVerdict {
        let name = witness.name;
        let Some(result) = witness.success() else {
            return match witness.outcomes.iter().find(|outcome| outcome.result().is_none()) {
                Some(outcome) => unexpected(name, outcome),
                None => StageVerdict::Slipped(format!("{name}: the variants do not agree")),
            };
        };
        if preset == Preset::Emi {
            return StageVerdict::Passes;
        }
        if first.is_some_and(|first| first != result) {
            return StageVerdict::Slipped(format!(
                "{name}: its result differs from that of the other witnesses"
            ));
        }
        if preset == Preset::WrongCode {
            if accused.first().and_then(RunOutcome::result) == Some(result) {
                return StageVerdict::Rejects(format!(
                    "{name}: the same result as {}",
                    self.accused
                ));
            }
            if demands.reference.as_ref().is_some_and(|right| show(result) != right.trim()) {
                return StageVerdict::Rejects(format!("{name}: not the reference result"));
            }
        }
        StageVerdict::Passes
    }
}

/// The errors in the program that a compiler reports before it crashes.
pub(super) fn errors_before(outcome: &RunOutcome) -> Vec<String> {
    match outcome {
        RunOutcome::BuildCrash(crash) => clreduce_crash::errors(&crash.output),
        _ => Vec::new(),
    }
}

/// Returns the verdict on an unexpected outcome.
fn unexpected(name: &str, outcome: &RunOutcome) -> StageVerdict {
    let text = format!("{name}: {}", describe(outcome));
    match outcome {
        RunOutcome::BuildTimeout | RunOutcome::RunTimeout => StageVerdict::TimedOut(text),
        RunOutcome::Unresolved(_) => StageVerdict::Unresolved(text),
        RunOutcome::NotRun(_) => StageVerdict::NotRun(text),
        RunOutcome::BuildCrash(_) | RunOutcome::RunCrash(_) => StageVerdict::Slipped(text),
        _ => StageVerdict::Rejects(text),
    }
}
