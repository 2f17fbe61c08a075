//! The choice of the accused compiler, and the compilers that speak against it. Compilers of one family share most of their
//! code. So a compiler is accused only if it disagrees with itself, or if two other families disagree with it and none agrees.

use std::collections::BTreeSet;

use clreduce_kernel::{Output, RunOutcome};

use super::forms::ProgramForm;
use super::installed::family;
use super::sanity::{SPELLINGS, SanityChecks};
use super::{BugSearch, CompilerBugError, CompilerRun, is_run, warnings, witnesses};
use crate::format::Preset;
use crate::shown::describe;

/// The state of an accusation after the compilers that were heard.
enum Standing {
    /// The compilers that were heard are enough to accuse.
    Enough,
    /// More compilers may be heard. `families` is the number of other families that speak against the accused so far.
    Open { families: usize },
    /// A compiler of another family has another result than the one that is taken to be right.
    Against(String),
}

impl BugSearch<'_> {
    /// Decides which command shows which bug. Returns it, and the commands that are witnesses against it.
    pub(super) fn decide(
        &mut self,
        own: CompilerRun,
        mut others: Vec<CompilerRun>,
    ) -> Result<(Preset, CompilerRun, Vec<CompilerRun>), CompilerBugError> {
        let by_itself = |outcome: &RunOutcome| match outcome {
            RunOutcome::BuildCrash(_) | RunOutcome::RunCrash(_) => Some(Preset::Crash),
            RunOutcome::BuildTimeout | RunOutcome::RunTimeout => Some(Preset::Hang),
            RunOutcome::BuildFailure { .. } => Some(Preset::BuildFailure),
            _ => None,
        };
        let row = |one: &CompilerRun| format!("\n    {}: {}", one.build, describe(&one.outcome));
        let compared: String = others.iter().map(row).collect();
        if let Some(preset) = by_itself(&own.outcome) {
            let any_runs = others.iter().any(|other| is_run(&other.outcome));
            let successes = self.agreeing(others, None)?;
            if is_run(&own.outcome) && successes.is_empty() {
                return Err(no_other(&own, any_runs, compared));
            }
            return Ok((preset, own, successes));
        }
        // It says nothing if a compiler of our choice rejects the program.
        let asked_for = !self.query.also.is_empty();
        let fails = |other: &CompilerRun| asked_for && by_itself(&other.outcome).is_some();
        if let Some(at) = others.iter().position(fails) {
            let accused = others.swap_remove(at);
            let preset = by_itself(&accused.outcome).unwrap_or(Preset::Crash);
            return Ok((preset, accused, vec![own]));
        }
        if own.outcome.result().is_none() {
            let also = match asked_for {
                true => "",
                false => "; to compare with another compiler, add --also 'COMMAND'",
            };
            return Err(CompilerBugError::NothingWrong(own.build, describe(&own.outcome), also));
        }
        let has_result = others.iter().any(|one| one.outcome.result().is_some());
        let witnesses = self.agreeing(others, own.outcome.result())?;
        if witnesses.is_empty() {
            return Err(no_other(&own, has_result, compared));
        }
        if !asked_for {
            let lines: Vec<String> = witnesses
                .iter()
                .map(|one| format!("`{}`", one.build.replace(SPELLINGS, "")))
                .collect();
            self.note(format!(
                "there is no --also, so the result is compared with that of {}",
                lines.join(" and ")
            ));
        }
        Ok((Preset::WrongCode, own, witnesses))
    }

    /// The largest group of commands that have one result, other than `wrong`; the first one of several.
    fn agreeing(
        &mut self,
        others: Vec<CompilerRun>,
        wrong: Option<&[Output]>,
    ) -> Result<Vec<CompilerRun>, CompilerBugError> {
        let is_success =
            |one: &CompilerRun| matches!(one.outcome, RunOutcome::Built | RunOutcome::Results(_));
        let differs = |one: &CompilerRun| wrong.is_none() || one.outcome.result() != wrong;
        let fits = |one: &CompilerRun| is_success(one) && differs(one);
        let support =
            |one: &CompilerRun| others.iter().filter(|other| other.outcome == one.outcome).count();
        let mut best: Option<&RunOutcome> = None;
        let mut most = 0;
        for one in others.iter().filter(|one| fits(one)) {
            if support(one) > most {
                (best, most) = (Some(&one.outcome), support(one));
            }
        }
        let best = best.cloned();
        let (kept, left): (Vec<CompilerRun>, Vec<CompilerRun>) =
            others.into_iter().partition(|one| Some(&one.outcome) == best.as_ref());
        let is_named = !self.query.also.is_empty() && (wrong.is_none() || best.is_some());
        if is_named && let Some(one) = left.first() {
            return Err(CompilerBugError::NoWitness(one.name.clone(), describe(&one.outcome)));
        }
        for one in left {
            self.note(format!("{} is no witness: {}", one.name, describe(&one.outcome)));
        }
        Ok(kept)
    }
}

impl BugSearch<'_> {
    /// Hears others about an accusation because of a result, until it is certain that it is no matter of taste.
    ///
    /// # Errors
    /// When no compiler can be accused.
    pub(super) fn hear(
        &mut self,
        form: &ProgramForm,
        accused: &CompilerRun,
        witnesses: &[CompilerRun],
        mut heard: Vec<CompilerRun>,
        checks: &SanityChecks,
    ) -> Result<(), CompilerBugError> {
        let Some(right) = witnesses.first().map(|one| &one.outcome) else { return Ok(()) };
        heard.retain(|one| one.build != accused.build);
        let is_decided = |heard: &[CompilerRun]| {
            !matches!(standing(accused, right, heard), Standing::Open { .. })
        };
        witnesses::run_more(self, form, accused, &mut heard, is_decided)?;
        let why = match standing(accused, right, &heard) {
            Standing::Enough => return Ok(()),
            Standing::Open { families: 0 } => {
                self.note(
                    "no compiler of another family runs the program, so only the accused itself speaks against its result",
                );
                return Ok(());
            }
            Standing::Open { .. } => {
                "it has the same result without its optimiser, and only one other family of compilers disagrees".to_owned()
            }
            Standing::Against(name) => format!("`{name}` does not have the result of the others either"),
        };
        // Certain facts come before open ones.
        let warned = warnings::of_source(self)?;
        self.weigh_warnings(accused, checks, &warned)?;
        let row = |one: &CompilerRun| format!("\n    {}: {}", one.name, describe(&one.outcome));
        let others = std::iter::once(accused).chain(&heard).map(row).collect();
        Err(CompilerBugError::OneAgainstOne { accused: accused.name.clone(), why, others })
    }
}

fn standing(accused: &CompilerRun, right: &RunOutcome, heard: &[CompilerRun]) -> Standing {
    let own = family(accused.compiler());
    let is_own = |one: &CompilerRun| family(one.compiler()) == own;
    let has_right = |one: &&CompilerRun| one.outcome == *right;
    let differs = |one: &&CompilerRun| !is_own(one) && is_run(&one.outcome) && !has_right(one);
    if let Some(other) = heard.iter().find(differs) {
        return Standing::Against(other.name.clone());
    }
    let disagrees = heard.iter().filter(has_right).any(is_own);
    let others = heard.iter().filter(has_right).filter(|one| !is_own(one));
    let families: BTreeSet<String> = others.map(|one| family(one.compiler())).collect();
    match families.len() {
        1 if disagrees => Standing::Enough,
        families if families > 1 => Standing::Enough,
        families => Standing::Open { families },
    }
}

/// The reason that there is no compiler whose program behaves in another way.
fn no_other(own: &CompilerRun, any_runs: bool, others: String) -> CompilerBugError {
    let (command, outcome) = (own.build.clone(), describe(&own.outcome));
    match any_runs {
        true => CompilerBugError::NoDifference { command, outcome, others },
        false => CompilerBugError::NothingToCompare { command, outcome, others },
    }
}
