//! Calibration of the stages: each one runs on the original and is timed. One that rejects the original is switched off
//! or reported.

use std::time::{Duration, Instant};

use clreduce_check::{
    CollectedReports, Finding, FindingKind, HostKernel, Question, StageFailure, StageName,
};
use clreduce_kernel::{KernelLaunch, Output};
use clreduce_process::Cancel;

use super::{STAGE_LIMIT, millis, prepare};
use crate::configuration::VariantProgram;
use crate::error::{Problem, ProblemKind};
use crate::expected::{self, EXPECTED, Expected};
use crate::format::Preset;
use crate::pin::StageVerdict;
use crate::resolved::ResolvedRecipe;
use crate::running::RunningNames;
use crate::stages::{ReadyStage, RecipeStage, StageInput, Tolerated, names_of};

/// The verdicts of the stages on the original.
#[derive(Default)]
pub(super) struct Checked {
    /// The stages that judge variants, with their time limits in milliseconds.
    pub stages: Vec<(String, u64)>,
    /// The findings that are tolerated in variants.
    pub tolerated: Tolerated,
    pub warnings: Vec<String>,
    /// The result as a check computes it.
    pub result: Option<Vec<Output>>,
    /// The verdict of the interpreter on the original, if the recipe has that stage.
    judged: Option<Expected>,
}

impl Checked {
    /// Runs all stages but the outcome on the original.
    pub fn of(
        kit: &ResolvedRecipe,
        programs: &[VariantProgram<'_>],
        running: &RunningNames<'_>,
        cancel: &Cancel,
    ) -> Result<Self, Problem> {
        let mut checked = Self::default();
        checked.run(kit, programs, running, cancel)?;
        Ok(checked)
    }

    fn run(
        &mut self,
        kit: &ResolvedRecipe,
        programs: &[VariantProgram<'_>],
        running: &RunningNames<'_>,
        cancel: &Cancel,
    ) -> Result<(), Problem> {
        let Some(program) = programs.first() else { return Ok(()) };
        // Where no results are compared, they may depend on the order.
        if kit.preset.decisive().is_empty() {
            let legal = FindingKind::ALL.into_iter().filter(|kind| kind.is_legal());
            self.tolerated.suspected.extend(legal);
        }
        let subject = program.subject();
        self.tolerated.for_device =
            subject.as_ref().map(HostKernel::code_for_device).unwrap_or_default();
        let mut gathered = CollectedReports::default();
        let mut timed = Vec::new();
        for (index, stage) in kit.stages.iter().enumerate() {
            let Some(ready) = self.prepared(kit, stage)? else { continue };
            // Oclgrind is a second opinion, and a slow one: where it is not asked for, it fills in for the sanitizers.
            if stage.at.is_none() && ready.is_covered_by(&gathered) {
                continue;
            }
            let started = Instant::now();
            if stage.is_expected() {
                self.judged = Some(expected::judge(program, &kit.check.build_options));
                timed.push((stage, started.elapsed()));
                continue;
            }
            let mut with_own = gathered.clone();
            if stage.check() == Some(StageName::Compile) {
                self.tolerate_warnings(&ready.findings(program, subject.as_ref(), cancel));
            }
            let later = kit.stages[index + 1..].iter();
            let to_run: Vec<StageName> = later.filter_map(RecipeStage::check).collect();
            let answer = {
                let (subject, to_run) = (subject.as_ref(), &to_run[..]);
                let (tolerated, question) = (&self.tolerated, Question::default());
                let input = StageInput { program, subject, tolerated, question, to_run };
                let what = format!("the check `{}`", stage.name);
                running.during(&what, || ready.run(input, &mut with_own, cancel))
            };
            let wall = started.elapsed();
            if cancel.is_cancelled() {
                return Ok(());
            }
            if self.can_read(stage, &with_own) && self.is_on(stage, answer)? {
                gathered = with_own;
                timed.push((stage, wall));
            }
        }
        let limit = |(stage, wall): (&RecipeStage, Duration)| {
            (stage.name.clone(), millis(stage.limit(wall)))
        };
        self.stages = timed.into_iter().map(limit).collect();
        self.result = gathered.result().map(|result| result.outputs.clone());
        self.tolerate(kit, subject.as_ref(), gathered)
    }

    /// A stage that is ready to run; `None` if it is left out with a warning.
    fn prepared(
        &mut self,
        kit: &ResolvedRecipe,
        stage: &RecipeStage,
    ) -> Result<Option<ReadyStage>, Problem> {
        match prepare(kit, stage, stage.timeout.unwrap_or(STAGE_LIMIT)) {
            Err(problem) if stage.at.is_none() && !stage.required => {
                let what = problem.what;
                self.warnings.push(format!("the check `{}` is left out: {what}", stage.name));
                Ok(None)
            }
            ready => ready.map(Some),
        }
    }

    /// Returns false, and warns, if a stage cannot read the original: then it cannot judge variants.
    fn can_read(&mut self, stage: &RecipeStage, reports: &CollectedReports) -> bool {
        let compile = stage.check().filter(|name| *name == StageName::Compile);
        let Some(why) = compile.and_then(|name| reports.total_failure(name)) else { return true };
        self.warnings.push(format!(
            "the stage `{}` is switched off: {}: {}",
            stage.name, why.tool, why.message
        ));
        false
    }

    /// Switches the interpreter off, unless it agrees with the witnesses about the original, or cannot read it.
    pub fn compare_with(&mut self, witnesses: Option<&[Output]>) {
        let why = match &self.judged {
            None | Some(Expected::Outside(_)) => return,
            Some(Expected::Right(outputs)) if witnesses.is_none_or(|right| right == outputs) => {
                return;
            }
            Some(Expected::Right(_)) => "expects another result than the witnesses have".to_owned(),
            Some(Expected::Invalid(why)) => format!("rejects the original: {why}"),
        };
        self.warnings.push(format!("the stage `{EXPECTED}` is switched off: it {why}"));
        self.stages.retain(|(name, _)| name != EXPECTED);
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
        let help = match stage.at {
            Some(_) => format!(
                "correct the original; or, if the stage is mistaken, write `required = false` in its [[stage]] \
                 (`{name}`)"
            ),
            None => {
                "correct the original: `clreduce check` says what is wrong with a kernel".to_owned()
            }
        };
        let problem = Problem::new(format!("the stage `{name}` {what} the original: {why}"), help);
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
        if kit.runs_programs() && subject.is_some() {
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
            "to go on all the same, give --allow-unchecked {kind} to `clreduce init`, or write `allow-unchecked = [\"{kind}\"]` \
             into the recipe; or add a [[stage]] to it that looks for it, such as `sanitize`"
        ),
    )
}
