//! Calibration: runs every configuration and every stage on the original. The outcome is pinned, that is, variants have
//! to show the same one; every stage is timed; and a stage that rejects the original is switched off or reported.

mod checks;

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use clreduce_check::StageName;
use clreduce_kernel::{Output, RunOutcome};
use clreduce_process::{Cancel, in_parallel};
use clreduce_testcase::{Clues, TestCase};
use regex::Regex;

use crate::RecipeOptions;
use crate::calibration::{Calibration, LIMIT_OF_ORIGINAL, limit_of};
use crate::configuration::VariantProgram;
use crate::error::Problem;
use crate::format::Preset;
use crate::limits::limit_for;
use crate::pin::{Pin, pin};
use crate::resolved::ResolvedRecipe;
use crate::running::RunningNames;
use crate::shown::{ShownOutcomes, as_warnings, common_signature, crash_of, has_signature};
use crate::stages::{ReadyStage, RecipeStage};
use crate::test::RecipeTest;
use crate::unexecuted::{Executed, executed};
use checks::Checked;

/// The time limit of a tool on the original.
const STAGE_LIMIT: Duration = Duration::from_secs(60);
/// The time limit of the original on the configurations with which one that hangs is compared.
const PATIENCE_BESIDE_A_HANG: Duration = Duration::from_secs(60);

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Runs everything on the original, and makes the test.
pub(crate) fn calibrate(
    kit: ResolvedRecipe,
    case: &TestCase,
    options: &RecipeOptions,
) -> Result<RecipeTest, Problem> {
    let cancel = &options.cancel;
    let programs = kit.programs(case).ok_or_else(|| {
        Problem::new(
            "a [[variant]] names a file that is not there",
            "name files as they are called in the test case",
        )
    })?;
    let running = RunningNames::new(&options.progress, "calibrating on the original");
    let (shown, mut checked) = outcome_and_checks(&kit, &programs, &running, options)?;
    let PinnedOutcome { pin, limits: configurations, right, clues } = shown;
    checked.compare_with(right.as_deref());
    let Executed { unexecuted, jumps } = running.during("what is not executed", || {
        executed(&kit, &programs, &pin, &configurations, cancel)
    });
    let clues = Clues { unexecuted, ..clues };
    if cancel.is_cancelled() {
        return Err(Problem::interruption());
    }
    drop(programs);
    let computed = kit.preset == Preset::WrongCode && right.is_some() && checked.result == right;
    let (stages, tolerated) = (checked.stages, checked.tolerated);
    let calibration =
        Calibration { pin, stages, configurations, tolerated, computed, clues, jumps };
    ready(kit, calibration, checked.warnings)
}

/// Runs the original on the configurations and through the checks, side by side if there is more than one job. An
/// outcome that does not show the bug ends the checks. Where a check computes the result of the first witness, the other
/// witnesses do not run: they are needed for variants whose result no check computes.
fn outcome_and_checks(
    kit: &ResolvedRecipe,
    programs: &[VariantProgram<'_>],
    running: &RunningNames<'_>,
    options: &RecipeOptions,
) -> Result<(PinnedOutcome, Checked), Problem> {
    let stop = Cancel::new();
    let stopped = stop.clone();
    let _linked = options.cancel.on_cancel(move || stopped.cancel());
    let check = || Checked::of(kit, programs, running, &stop);
    thread::scope(|scope| {
        // Where the system gives no thread, it is done later.
        let spawn = || thread::Builder::new().spawn_scoped(scope, check).ok();
        let beside = (options.jobs > 1).then(spawn).flatten();
        let jobs = options.jobs.saturating_sub(1).max(1);
        let pinned =
            |chosen: &[usize]| pinned_outcome(kit, programs, chosen, running, jobs, options);
        let all: Vec<usize> = (0..kit.configurations.len()).collect();
        let few = accused_and_witness(kit, programs);
        let first = few.as_ref().map(|few| pinned(few)).and_then(Result::ok);
        let is_first = first.is_some();
        let shown = first.map_or_else(|| pinned(&all), Ok);
        if shown.is_err() {
            stop.cancel();
        }
        let checked = match beside {
            Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None if shown.is_ok() => check(),
            None => Ok(Checked::default()),
        };
        let (mut shown, checked) = (shown?, checked?);
        if is_first && checked.result.is_some() && checked.result == shown.right {
            let others = kit
                .configurations
                .iter()
                .filter(|one| !one.is_simulated() && one.name != shown.pin.accused);
            shown.pin.witnesses = others.map(|one| one.name.clone()).collect();
        } else if is_first {
            shown = pinned(&all)?;
        }
        Ok((shown, checked))
    })
}

/// The suspected configuration and the first witness, if the result that a check computes may stand for other witnesses:
/// not for a kernel that may have several right results.
fn accused_and_witness(
    kit: &ResolvedRecipe,
    programs: &[VariantProgram<'_>],
) -> Option<Vec<usize>> {
    let accused = kit.accused?;
    let is_witness =
        |index: &usize| *index != accused && !kit.configurations[*index].is_simulated();
    let mut witnesses = (0..kit.configurations.len()).filter(is_witness);
    let (witness, another) = (witnesses.next()?, witnesses.next());
    let computes = kit.preset == Preset::WrongCode
        && kit.demands.reference.is_none()
        && kit.stages.iter().any(|stage| stage.check() == Some(StageName::Sanitize));
    let has_one_result = |program: &VariantProgram<'_>| {
        program.subject().is_some_and(|subject| subject.has_one_result())
    };
    let both = vec![accused.min(witness), accused.max(witness)];
    (computes && another.is_some() && programs.iter().all(has_one_result)).then_some(both)
}

/// The pinned outcome of the original, and what else its runs tell.
struct PinnedOutcome {
    pin: Pin,
    /// Time limits of the configurations in milliseconds.
    limits: BTreeMap<String, u64>,
    /// The result of the witnesses.
    right: Option<Vec<Output>>,
    clues: Clues,
}

/// Runs the original on the chosen configurations and pins the outcome, with as many attempts as a run is to be confirmed by.
fn pinned_outcome(
    kit: &ResolvedRecipe,
    programs: &[VariantProgram<'_>],
    chosen: &[usize],
    running: &RunningNames<'_>,
    jobs: usize,
    options: &RecipeOptions,
) -> Result<PinnedOutcome, Problem> {
    let cancel = &options.cancel;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let (shown, limits) = show(kit, programs, chosen, running, jobs, cancel);
        if cancel.is_cancelled() {
            return Err(Problem::interruption());
        }
        match pin(kit.preset, &kit.demands, &shown) {
            Ok(mut pin) => {
                let right = right_result(&pin, &shown);
                let accused = kit.configurations.iter().find(|one| one.name == pin.accused);
                if let (Preset::Crash, None, Some(accused)) =
                    (kit.preset, &kit.demands.message, accused)
                {
                    let crash = shown.iter().find(|one| one.name == accused.name);
                    let limit = limit_of(&limits, &accused.name);
                    let again = || kit.run_on(accused, programs, limit, cancel);
                    pin.signature = steady_signature(pin.signature, crash, again);
                }
                let clues = clues(&shown, kit.demands.message.as_ref());
                return Ok(PinnedOutcome { pin, limits, right, clues });
            }
            Err(_) if attempts < kit.confirm.of => {}
            Err(problem) => return Err(problem),
        }
    }
}

/// Runs a crash twice more. If it ends in several ways, the signature is what they have in common.
fn steady_signature<'a>(
    pinned: Vec<String>,
    crash: Option<&ShownOutcomes<'a>>,
    again: impl Fn() -> ShownOutcomes<'a>,
) -> Vec<String> {
    let runs: Vec<ShownOutcomes<'_>> = (0..2).map(|_| again()).collect();
    let ends = crash.into_iter().chain(&runs).filter_map(|shown| shown.outcomes.first());
    let crashes: Vec<&RunOutcome> = ends.filter(|end| crash_of(end).is_some()).collect();
    let is_steady = crashes.iter().all(|crash| has_signature(crash, &pinned));
    let common = if is_steady { None } else { common_signature(&crashes) };
    common.unwrap_or(pinned)
}

/// The result of the witnesses.
fn right_result(pin: &Pin, shown: &[ShownOutcomes<'_>]) -> Option<Vec<Output>> {
    let witness =
        shown.iter().find(|one| pin.witnesses.first().is_some_and(|name| name == one.name));
    witness?.success().map(<[Output]>::to_vec)
}

/// The clues in what the accused compiler printed: the report of its crash, the message that the recipe asks for, or its
/// first error.
fn clues(shown: &[ShownOutcomes<'_>], message: Option<&Regex>) -> Clues {
    let accused = shown.iter().filter(|one| one.accused).flat_map(|one| &one.outcomes);
    let output = |outcome: &RunOutcome| match outcome {
        RunOutcome::BuildCrash(crash) | RunOutcome::RunCrash(crash) => Some(crash.output.clone()),
        RunOutcome::BuildFailure { log } => Some(log.clone()),
        _ => None,
    };
    let outputs = accused.filter_map(output);
    let as_asked = |output: String| match message {
        Some(message) if !message.is_match(&output) => as_warnings(&output).into_owned(),
        _ => output,
    };
    let outputs: Vec<String> = outputs.map(as_asked).collect();
    let errors = outputs.iter().filter_map(|output| {
        if let Some(message) = message {
            return Some(message.clone());
        }
        let error = output.lines().find_map(clreduce_crash::first_error)?;
        Regex::new(&regex::escape(error)).ok()
    });
    clreduce_crash::clues(&outputs, &errors.collect::<Vec<_>>())
}

/// Makes the test of a calibrated recipe.
pub(crate) fn ready(
    mut kit: ResolvedRecipe,
    calibration: Calibration,
    warnings: Vec<String>,
) -> Result<RecipeTest, Problem> {
    kit.check.most_jumps = calibration.most_jumps();
    let mut stages = Vec::new();
    for (name, limit) in &calibration.stages {
        let stage = kit.stages.iter().find(|stage| stage.name == *name);
        let stage = stage.ok_or_else(|| {
            Problem::new(format!("there is no stage `{name}` any more"), "start again with --fresh")
        })?;
        stages.push(prepare(&kit, stage, Duration::from_millis(*limit))?);
    }
    Ok(RecipeTest::new(kit, stages, calibration, warnings))
}

fn prepare(
    kit: &ResolvedRecipe,
    stage: &RecipeStage,
    limit: Duration,
) -> Result<ReadyStage, Problem> {
    ReadyStage::new(stage.clone(), &kit.check, &kit.bench, limit).map_err(|error| {
        Problem::new(error.to_string(), format!("the stage `{}` needs one", stage.name))
    })
}

/// Runs the original on the chosen configurations. Returns the outcomes and the time limits that follow from them.
fn show<'a>(
    kit: &'a ResolvedRecipe,
    programs: &[VariantProgram<'_>],
    chosen: &[usize],
    running: &RunningNames<'_>,
    jobs: usize,
    cancel: &Cancel,
) -> (Vec<ShownOutcomes<'a>>, BTreeMap<String, u64>) {
    let hangs = kit.preset == Preset::Hang;
    let run = |index: usize, patience: Duration| {
        if cancel.is_cancelled() {
            return None;
        }
        let configuration = &kit.configurations[index];
        let patience = configuration.timeout.unwrap_or(patience);
        let mut one = running
            .during(&configuration.name, || kit.run_on(configuration, programs, patience, cancel));
        one.accused = kit.accused == Some(index);
        // A hang is a run that exceeds the limit.
        let usual = match hangs && !one.has_ended() {
            true => patience,
            false => limit_for(kit.preset, configuration, one.time),
        };
        let limit = configuration.timeout.unwrap_or(usual);
        Some((one, (configuration.name.clone(), millis(limit))))
    };
    // The configuration that hangs comes last: the others show how long a run takes.
    let last = kit.accused.filter(|_| hangs);
    let patience = if hangs { PATIENCE_BESIDE_A_HANG } else { LIMIT_OF_ORIGINAL };
    let first = chosen.iter().copied().filter(|index| Some(*index) != last);
    let mut shown = in_parallel(first, jobs, |_, index| run(index, patience));
    if let Some(index) = last {
        let ended = shown.iter().flatten().filter(|(one, _)| one.has_ended());
        let slowest = ended.map(|(one, _)| one.time).max().unwrap_or_default();
        let patience = limit_for(kit.preset, &kit.configurations[index], slowest);
        shown.insert(index, run(index, patience));
    }
    shown.into_iter().flatten().unzip()
}
