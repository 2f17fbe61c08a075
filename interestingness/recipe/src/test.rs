//! A calibrated recipe as an interestingness test, which follows a plan.

use std::time::{Duration, Instant};

use clreduce_check::StageName;
use clreduce_interestingness::{
    Cancel, Interestingness, NotRun, Occasion, Outcome, TimeLimits, Verdict,
};
use clreduce_testcase::{Clues, TestCase};

use crate::calibrated::CalibratedRecipe;
use crate::calibration::Calibration;
use crate::component::Component;
use crate::counts::{AllStageCounts, StageCounts};
use crate::judgement::{Judgement, OUTCOME, StageResult, outcome_of};
use crate::limits::{ConfigurationLimits, fitting};
use crate::pin::StageVerdict;
use crate::plan::{Depth, RecipePlan};
use crate::resolved::ResolvedRecipe;
use crate::stages::{ReadyStage, names_of};
use crate::trial::VariantTrial;

/// A recipe that was calibrated on the original.
pub struct RecipeTest {
    pub(crate) recipe: CalibratedRecipe,
    pub(crate) warnings: Vec<String>,
    plan: RecipePlan,
    counts: AllStageCounts,
}

impl RecipeTest {
    pub(crate) fn new(
        kit: ResolvedRecipe,
        ready: Vec<ReadyStage>,
        calibration: Calibration,
        warnings: Vec<String>,
    ) -> Self {
        let limits = ConfigurationLimits::new(&calibration);
        let recipe = CalibratedRecipe { kit, ready, calibration, slippage: false, limits };
        Self { plan: recipe.plan(), recipe, warnings, counts: AllStageCounts::default() }
    }

    /// Runs every configuration on every valid variant, which [`Judgement::slipped`] needs.
    #[must_use]
    pub fn watch_for_slippage(self) -> Self {
        let recipe = CalibratedRecipe { slippage: true, ..self.recipe };
        Self { plan: recipe.plan(), recipe, ..self }
    }

    /// Returns the results of calibration. A later run that resumes with them judges alike.
    #[must_use]
    pub fn calibration(&self) -> &Calibration {
        &self.recipe.calibration
    }

    /// Returns the parts of the original that the compiler mentioned, and those that were not executed.
    #[must_use]
    pub fn clues(&self) -> &Clues {
        &self.recipe.calibration.clues
    }

    /// Returns warnings for people: stages that were switched off, and kinds that no stage checks.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns a remark on a result: the kinds of errors that no stage could look for.
    #[must_use]
    pub fn unchecked(&self) -> Option<String> {
        let kinds = &self.recipe.calibration.tolerated.unchecked;
        let names = names_of(kinds);
        (!kinds.is_empty()).then(|| {
            format!("No stage of the recipe looked for these errors in the program: {names}.")
        })
    }

    /// Returns the stages that `clreduce check` has as well, in their order.
    pub fn checks(&self) -> impl Iterator<Item = StageName> {
        self.recipe.checks()
    }

    /// Returns the devices that the configurations use, with their drivers.
    #[must_use]
    pub fn devices(&self) -> Vec<String> {
        let facts = self.recipe.kit.pools.iter().map(|pool| &pool.device.facts);
        facts.map(|facts| format!("{}: {}, {}", facts.platform, facts.name, facts.driver)).collect()
    }

    /// Returns the statistics of the stages, in their order.
    #[must_use]
    pub fn counts(&self) -> Vec<(String, StageCounts)> {
        let names =
            self.recipe.ready.iter().map(|ready| ready.stage.name.as_str()).chain([OUTCOME]);
        names.filter_map(|name| Some((name.to_owned(), self.counts.of(name)?))).collect()
    }

    /// Judges a variant. The verdict follows from the variant and the depth alone.
    #[must_use]
    pub fn look(&self, variant: &TestCase, depth: Depth, cancel: &Cancel) -> Judgement {
        let started = Instant::now();
        let Some(programs) = self.recipe.kit.programs(variant) else {
            let why = StageVerdict::Rejects("a file that the recipe needs was removed".to_owned());
            let results = vec![StageResult::of_outcome(why, Duration::ZERO)];
            return Judgement { outcome: outcome_of(&results, started.elapsed()), results };
        };
        let mut trial = VariantTrial::new(&self.recipe, &programs, depth, cancel);
        self.plan.follow(depth, &self.counts, |step| trial.run(step));
        let VariantTrial { known, results, .. } = trial;
        if !cancel.is_cancelled() {
            self.counts.add(&results);
        }
        let part_limits = fitting(&self.recipe.kit, &self.recipe.calibration.pin.accused, &known);
        let outcome = outcome_of(&results, started.elapsed());
        let output_tail = match outcome.verdict {
            Verdict::Interesting => format!("signature: {}\n", self.signature()).into_bytes(),
            _ => Vec::new(),
        };
        Judgement { outcome: Outcome { part_limits, output_tail, ..outcome }, results }
    }

    /// The pinned outcome on one line, by which batches tell bugs apart: the messages of a crash or of a compiler, or else the
    /// kind of bug and who has it.
    #[must_use]
    pub fn signature(&self) -> String {
        let pin = &self.recipe.calibration.pin;
        let said = match &pin.signature[..] {
            [] => format!("{}: {}", self.recipe.kit.preset.name(), pin.accused),
            words => words.join("; "),
        };
        // The stack of a crash may name the pass, too.
        let pass = self.component().and_then(|component| component.pass.as_deref());
        match pass.filter(|pass| !said.contains(&format!("pass {pass}"))) {
            Some(pass) => format!("{said}; pass {pass}"),
            None => said,
        }
    }

    /// Returns the part of the compiler that is wrong, if the recipe names it.
    #[must_use]
    pub fn component(&self) -> Option<&Component> {
        self.recipe.kit.component.as_ref()
    }
}

impl Interestingness for RecipeTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.judge_on(variant, Occasion::Next, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        self.look(variant, Depth::on(occasion), cancel).verdict()
    }

    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        Ok((self.judge(original, cancel)?, self.recipe.calibration.clues.clone()))
    }

    fn part_limits(&self) -> TimeLimits {
        self.recipe.limits.all()
    }

    fn set_part_limits(&self, limits: &TimeLimits) {
        self.recipe.limits.set(limits);
    }
}

impl std::fmt::Debug for RecipeTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecipeTest")
            .field("preset", &self.recipe.kit.preset)
            .field("calibration", &self.recipe.calibration)
            .finish_non_exhaustive()
    }
}
