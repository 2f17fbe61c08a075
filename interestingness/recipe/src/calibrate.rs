//! Calibration: runs every configuration and every stage on the original. The outcome is pinned, that is, variants have
//! to show the same one; every stage is timed; and a stage that rejects the original is switched off or reported.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clreduce_check::{
    CollectedReports, Finding, FindingKind, HostKernel, Question, StageFailure, StageName,
};
use clreduce_kernel::{KernelLaunch, Output, RunOutcome};
use clreduce_testcase::{Clues, TestCase};
use regex::Regex;

use crate::RecipeOptions;
use crate::calibration::{Calibration, LIMIT_OF_ORIGINAL, limit_of};
use crate::configuration::Program;
use crate::error::{Problem, ProblemKind};
use crate::expected::{self, EXPECTED, Expected};
use crate::format::Preset;
use crate::limits::limit_for;
use crate::pin::{Pin, StageVerdict, pin};
use crate::resolved::ResolvedRecipe;
use crate::shown::{ShownOutcomes, common_signature, crash_of, has_signature};
use crate::stages::{ReadyStage, RecipeStage, StageInput, StageKind, Tolerated, names_of};
use crate::test::RecipeTest;
use crate::unexecuted::{Executed, executed};

/// The time limit of a tool on the original.
const STAGE_LIMIT: Duration = Duration::from_secs(60);

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
    let mut attempts = 0;
    let (pin, configurations, right, clues) = loop {
        attempts += 1;
        let (shown, limits) = show_all(&kit, &programs, options);
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
                    let again = || kit.run_on(accused, &programs, limit, cancel);
                    pin.signature = steady_signature(pin.signature, crash, again);
                }
                break (pin, limits, right, clues(&shown, kit.demands.message.as_ref()));
            }
            Err(_) if attempts < kit.confirm.of => {}
            Err(problem) => return Err(problem),
        }
    };
    let mut checked = Checked::default();
    checked.run(&kit, &programs, right.as_deref(), options)?;
    options.progress.at("calibrating on the original: what is not executed");
    let Executed { unexecuted, jumps } = executed(&kit, &programs, &pin, &configurations, cancel);
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

/// Runs a crash twice more. If it ends in several ways, the signature is what they have in common.
fn steady_signature<'a>(
    pinned: Vec<String>,
    crash: Option<&ShownOutcomes<'a>>,
    again: impl Fn() -> ShownOutcomes<'a>,
) -> Vec<String> {
    const MORE_RUNS: usize = 2;
    let runs: Vec<ShownOutcomes<'_>> = (0..MORE_RUNS).map(|_| again()).collect();
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
    let outputs: Vec<String> = accused.filter_map(output).collect();
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
        Problem::new(error.to_string(), format!("or remove the stage `{}`", stage.name))
    })
}

/// Runs the original on every configuration. Returns the outcomes and the time limits that follow from them.
fn show_all<'a>(
    kit: &'a ResolvedRecipe,
    programs: &[Program<'_>],
    options: &RecipeOptions,
) -> (Vec<ShownOutcomes<'a>>, BTreeMap<String, u64>) {
    let cancel = &options.cancel;
    let hangs = kit.preset == Preset::Hang;
    let mut slowest = Duration::ZERO;
    let mut limits = BTreeMap::new();
    let mut shown: Vec<Option<ShownOutcomes<'a>>> =
        kit.configurations.iter().map(|_| None).collect();
    // The configuration that hangs comes last: the others show how long a run takes.
    let is_last = |index: &usize| hangs && kit.accused == Some(*index);
    let mut order: Vec<usize> = (0..kit.configurations.len()).collect();
    order.sort_by_key(is_last);
    for index in order {
        let configuration = &kit.configurations[index];
        let patience = configuration.timeout.unwrap_or_else(|| match hangs {
            true if is_last(&index) => limit_for(kit.preset, configuration, slowest),
            true => Duration::from_secs(60),
            false => LIMIT_OF_ORIGINAL,
        });
        options.progress.at(&format!("calibrating on the original: {}", configuration.name));
        let mut one = kit.run_on(configuration, programs, patience, cancel);
        one.accused = kit.accused == Some(index);
        let has_ended = one.has_ended();
        if has_ended {
            slowest = slowest.max(one.time);
        }
        let limit = configuration.timeout.unwrap_or_else(|| {
            // A hang is a run that exceeds the limit.
            if hangs && !has_ended {
                patience
            } else {
                limit_for(kit.preset, configuration, one.time)
            }
        });
        limits.insert(configuration.name.clone(), millis(limit));
        shown[index] = Some(one);
        if cancel.is_cancelled() {
            break;
        }
    }
    (shown.into_iter().flatten().collect(), limits)
}

/// The verdicts of the stages on the original.
#[derive(Default)]
struct Checked {
    stages: Vec<(String, u64)>,
    tolerated: Tolerated,
    warnings: Vec<String>,
    /// The result as a check computes it.
    result: Option<Vec<Output>>,
}

impl Checked {
    fn run(
        &mut self,
        kit: &ResolvedRecipe,
        programs: &[Program<'_>],
        right: Option<&[Output]>,
        options: &RecipeOptions,
    ) -> Result<(), Problem> {
        let cancel = &options.cancel;
        let Some(program) = programs.first() else { return Ok(()) };
        // Where no results are compared, they may depend on the order.
        if kit.preset.decisive().is_empty() {
            self.tolerated.suspected.insert(FindingKind::OrderDependence);
        }
        let subject = program.subject();
        self.tolerated.for_device =
            subject.as_ref().map(HostKernel::code_for_device).unwrap_or_default();
        let mut gathered = CollectedReports::default();
        let mut timed = Vec::new();
        for (index, stage) in kit.stages.iter().enumerate() {
            options
                .progress
                .at(&format!("calibrating on the original: the check `{}`", stage.name));
            let ready = prepare(kit, stage, stage.timeout.unwrap_or(STAGE_LIMIT))?;
            // Oclgrind is a second opinion, and a slow one: where nobody asks for it, it fills in for the sanitizers.
            if stage.at.is_none() && ready.is_covered_by(&gathered) {
                continue;
            }
            let started = Instant::now();
            if stage.is_expected() {
                if self
                    .trusts_interpreter(expected::judge(program, &kit.check.build_options), right)
                {
                    timed.push((stage, started.elapsed()));
                }
                continue;
            }
            let mut with_own = gathered.clone();
            if stage.check() == Some(StageName::Compile) {
                self.tolerate_warnings(&ready.findings(subject.as_ref(), cancel));
            }
            let later = kit.stages[index + 1..].iter();
            let to_run: Vec<StageName> = later.filter_map(RecipeStage::check).collect();
            let answer = {
                let (subject, to_run) = (subject.as_ref(), &to_run[..]);
                let (tolerated, question) = (&self.tolerated, Question::default());
                let input = StageInput { program, subject, tolerated, question, to_run };
                ready.run(input, &mut with_own, cancel)
            };
            let wall = started.elapsed();
            if cancel.is_cancelled() {
                return Ok(());
            }
            // A stage that cannot read the original cannot judge variants.
            let compile = stage.check().filter(|name| *name == StageName::Compile);
            if let Some(why) = compile.and_then(|name| with_own.total_failure(name)) {
                self.warnings.push(format!(
                    "the stage `{}` is switched off: {}: {}",
                    stage.name, why.tool, why.message
                ));
                continue;
            }
            if self.is_on(stage, answer)? {
                gathered = with_own;
                timed.push((stage, wall));
            }
        }
        // The cheapest checks come first; commands keep their places.
        let cost = |(stage, wall): &(&RecipeStage, Duration)| match stage.does {
            StageKind::Expected | StageKind::Check(StageName::Compile) | StageKind::Command(_) => {
                Duration::ZERO
            }
            StageKind::Check(_) => *wall,
        };
        timed.sort_by_key(cost);
        let limit = |(stage, wall): (&RecipeStage, Duration)| {
            (stage.name.clone(), millis(stage.limit(wall)))
        };
        self.stages = timed.into_iter().map(limit).collect();
        self.result = gathered.result().map(|result| result.outputs.clone());
        self.tolerate(kit, subject.as_ref(), gathered)
    }

    /// Returns true if the interpreter judges variants: it agrees with the witnesses about the original, or cannot read it.
    fn trusts_interpreter(&mut self, judged: Expected, right: Option<&[Output]>) -> bool {
        let why = match judged {
            Expected::Outside(_) => return true,
            Expected::Right(outputs) if right.is_none_or(|right| right == outputs) => return true,
            Expected::Right(_) => "expects another result than the witnesses have".to_owned(),
            Expected::Invalid(why) => format!("rejects the original: {why}"),
        };
        self.warnings.push(format!("the stage `{EXPECTED}` is switched off: it {why}"));
        false
    }

    /// Returns true if a stage can be used, given its verdict on the original.
    fn is_on(&mut self, stage: &RecipeStage, answer: StageVerdict) -> Result<bool, Problem> {
        let name = &stage.name;
        let (why, failed) = match answer {
            StageVerdict::Passes => return Ok(true),
            StageVerdict::Rejects(why) | StageVerdict::Slipped(why) => (why, false),
            StageVerdict::TimedOut(why)
            | StageVerdict::Unresolved(why)
            | StageVerdict::NotRun(why) => (why, true),
        };
        if !stage.required {
            self.warnings.push(format!(
                "the stage `{name}` rejects the original and is switched off: {why}"
            ));
            return Ok(false);
        }
        let what = if failed { "cannot judge" } else { "rejects" };
        let problem = Problem::new(
            format!("the stage `{name}` {what} the original: {why}"),
            format!(
                "correct the original; or, if the stage is mistaken, write `required = false` in its [[stage]] \
                 (`{name}`)"
            ),
        );
        let kind = if failed { ProblemKind::Recipe } else { ProblemKind::Invalid };
        Err(Problem { at: stage.at, kind, ..problem })
    }

    /// Tolerates the portability warnings of the original: generated programs are full of harmless ones.
    fn tolerate_warnings(&mut self, findings: &[Finding]) {
        let warnings = self.tolerated.warnings_of(findings);
        if !warnings.is_empty() {
            self.warnings.push(format!(
                "the original triggers portability warnings ({}), so variants may trigger them too",
                warnings.join(", ")
            ));
        }
    }

    /// Tolerates in variants what no stage could check in the original, unless the bug depends on it.
    fn tolerate(
        &mut self,
        kit: &ResolvedRecipe,
        subject: Option<&HostKernel>,
        gathered: CollectedReports,
    ) -> Result<(), Problem> {
        let report = gathered.report();
        for failure in &report.failures {
            self.warnings.push(format!("{}: {}", failure.tool, failure.message));
        }
        self.warnings.extend(report.remarks.iter().cloned());
        let mut unchecked = report.unchecked;
        if subject.is_none() {
            // A command does not say which errors it looks for. The recipe lists those that no command finds.
            unchecked.extend(&kit.allow_unchecked);
        }
        if kit.preset.runs() && subject.is_some() {
            unchecked.extend(report.not_looked_for);
        }
        if subject.is_some_and(|subject| !may_race(subject)) {
            unchecked.remove(&FindingKind::DataRace);
        }
        let decisive = kit.preset.decisive().iter().filter(|kind| unchecked.contains(kind));
        if let Some(kind) = decisive.copied().find(|kind| !kit.allow_unchecked.contains(kind)) {
            return Err(cannot_decide(kit.preset, kind, &report.failures));
        }
        self.tolerated.suspected.extend(report.findings.iter().map(|finding| finding.kind));
        if !unchecked.is_empty() {
            let kinds = names_of(&unchecked);
            self.warnings.push(match subject {
                None => format!(
                    "no stage of the recipe looks for these errors, so the result may contain them: {kinds}"
                ),
                Some(_) => format!(
                    "these cannot be checked in the original, so the result may contain them: {kinds}; run `clreduce \
                     check` on the result"
                ),
            });
        }
        for finding in &report.findings {
            self.warnings.push(format!(
                "suspected `{}` is ignored in variants, because the original triggers an unconfirmed warning: {finding}",
                finding.kind
            ));
        }
        self.tolerated.unchecked.extend(unchecked);
        Ok(())
    }
}

/// Returns true if there may be several work-items.
fn may_race(subject: &HostKernel) -> bool {
    let has_several = |launch: &KernelLaunch| {
        launch.global.iter().fold(1, |all: u64, size| all.saturating_mul(*size)) > 1
    };
    subject.launches.as_ref().map_or(true, |launches| launches.iter().any(has_several))
}

/// The mistake of a recipe that cannot tell a bug from an invalid program.
fn cannot_decide(preset: Preset, kind: FindingKind, failures: &[StageFailure]) -> Problem {
    let why: Vec<String> = failures
        .iter()
        .map(|failure| format!("\n    {}: {}", failure.tool, failure.message))
        .collect();
    Problem::new(
        format!(
            "no stage of the recipe can look for `{kind}` in the original, and a program with such an error shows no \
             `{}` bug{}",
            preset.name(),
            why.concat()
        ),
        format!(
            "add a [[stage]] that looks for it, such as `sanitize`; or go on all the same, with `allow-unchecked = \
             [\"{kind}\"]` in the recipe (`clreduce init --allow-unchecked {kind}` writes it)"
        ),
    )
}
