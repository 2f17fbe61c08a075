//! A recipe as the test of a reduction. It is calibrated on the original, or the journal of an interrupted run has its
//! calibration.

use std::num::NonZeroUsize;

use clreduce_interestingness::{Cancel, Confinement};
use clreduce_journal::{Facts, StateFolder};
use clreduce_recipe::{Preset, Recipe, RecipeError, RecipeOptions, RecipeTest};
use clreduce_testcase::TestCase;

use crate::failure::CliError;
use crate::settings::resolve::default_jobs;
use crate::settings::sandbox;
use crate::settings::zoo;
use crate::terminal::clock::Clock;
use crate::terminal::progress::ProgressDisplay;

/// Under this name, what was found out about the original stands in the journal.
const CALIBRATION: &str = "the calibration of the recipe";

/// Gets a recipe ready.
///
/// # Errors
/// When the recipe cannot be used, or the journal cannot be read.
pub(crate) fn ready(
    recipe: &Recipe,
    original: &TestCase,
    folder: &StateFolder,
    jobs: NonZeroUsize,
    cancel: &Cancel,
    progress: &ProgressDisplay,
) -> Result<RecipeTest, CliError> {
    let clock = progress.clock();
    let shown = clock.as_ref().map(Clock::progress).unwrap_or_default();
    let options = RecipeOptions { progress: shown, jobs: jobs.get(), ..options(cancel) };
    let recipe = recipe.clone().options(options);
    let earlier = folder.unfinished_facts()?.and_then(|facts| {
        // A journal that was begun with another test is refused later, with a reason.
        serde_json::from_str(facts.get(CALIBRATION)?).ok()
    });
    if let Some(calibration) = earlier {
        return Ok(recipe.resume(original, calibration)?);
    }
    progress.note("calibrating: running every stage of the recipe on the original");
    let test = match recipe.calibrate(original) {
        Err(error) if !error.is_interruption() => {
            return Err(match refused(&recipe, original, &error, cancel) {
                Some(refused) => CliError::Refused(refused),
                None => error.into(),
            });
        }
        calibrated => calibrated?,
    };
    drop(clock);
    let pin = &test.calibration().pin;
    let class = pin.class.name().replace('_', " ");
    let says = pin.signature.iter().map(|word| format!("; {word}")).collect::<String>();
    progress.note(&format!(
        "outcome that every variant must show, pinned: {}: {class}{says}",
        pin.accused
    ));
    if !pin.witnesses.is_empty() {
        progress.note(&opposed_to(test.preset(), &pin.witnesses));
    }
    test.warnings().iter().for_each(|warning| progress.warning(warning));
    Ok(test)
}

/// The message, if the sandbox is the reason that a recipe rejects its original.
fn refused(
    recipe: &Recipe,
    original: &TestCase,
    error: &RecipeError,
    cancel: &Cancel,
) -> Option<String> {
    // A user who asks for the strict one does not trust the program: it is not run outside.
    if !matches!(sandbox::confinement(), Confinement::Landlock(_)) {
        return None;
    }
    let options = RecipeOptions { confinement: Confinement::Unconfined, ..options(cancel) };
    recipe.clone().options(options).calibrate(original).ok()?;
    Some(format!(
        "the sandbox is the reason that the recipe does not accept the original. In the sandbox:\n{error}\n\
         help: allow what its commands do by --writable, --readable, --network or --gpu; `clreduce help sandbox` says what a \
         sandbox refuses\n\
         help: run it without a sandbox, by --sandbox off"
    ))
}

/// Says what the witnesses must do with every variant.
fn opposed_to(preset: Preset, witnesses: &[String]) -> String {
    let names = witnesses.join(", ");
    match preset {
        Preset::WrongCode => {
            let agree = if witnesses.len() == 1 { "" } else { ", and these results must agree" };
            format!("every variant must have another result with {names}{agree}")
        }
        Preset::Emi => format!("the programs must have the same result with {names}"),
        Preset::Crash | Preset::Hang | Preset::BuildFailure => {
            format!("every variant must work with {names}")
        }
    }
}

/// The options where a recipe is calibrated and nothing else runs.
pub(crate) fn options_alone(cancel: &Cancel) -> RecipeOptions {
    RecipeOptions { jobs: default_jobs().get(), ..options(cancel) }
}

/// The options where other calibrations or tests may run. This program is its own worker.
pub(crate) fn options(cancel: &Cancel) -> RecipeOptions {
    let worker = std::env::current_exe().ok();
    let confinement = sandbox::confinement();
    let zoo = zoo::installations().to_vec();
    RecipeOptions { worker, confinement, zoo, cancel: cancel.clone(), ..RecipeOptions::default() }
}

/// Answers rest on it.
pub(crate) fn note(facts: &mut Facts, test: &RecipeTest) {
    // Strings, numbers and lists: this cannot fail.
    let text = serde_json::to_string(test.calibration()).unwrap_or_default();
    facts.insert(CALIBRATION.to_owned(), text);
}
