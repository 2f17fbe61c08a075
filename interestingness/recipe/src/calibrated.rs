//! A recipe that was calibrated on the original: its plan, and the outcome that it asks for.

use std::time::Duration;

use clreduce_check::StageName;
use clreduce_interestingness::Cancel;

use crate::calibration::Calibration;
use crate::configuration::{RecipeConfiguration, VariantProgram};
use crate::confirm::confirmed;
use crate::format::{Preset, RequiredRuns};
use crate::limits::ConfigurationLimits;
use crate::pin::StageVerdict;
use crate::plan::{Cost, Decides, Depth, PlanStep, RecipePlan, StepWork};
use crate::resolved::ResolvedRecipe;
use crate::shown::ShownOutcomes;
use crate::stages::{ReadyStage, StageKind};

/// A recipe with everything that its calibration has found out.
pub(crate) struct CalibratedRecipe {
    pub kit: ResolvedRecipe,
    pub ready: Vec<ReadyStage>,
    pub calibration: Calibration,
    /// True if all configurations run on each valid variant, to find other bugs.
    pub slippage: bool,
    pub limits: ConfigurationLimits,
}

/// The configurations that run for an outcome.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Looks {
    /// No more than this number of them.
    pub most: usize,
    /// Whatever the first ones show.
    pub all: bool,
    pub depth: Depth,
}

impl CalibratedRecipe {
    /// The stages that are checks, in their order.
    pub(crate) fn checks(&self) -> impl Iterator<Item = StageName> {
        self.ready.iter().filter_map(|ready| ready.stage.check())
    }

    /// The plan by which variants are judged.
    pub(crate) fn plan(&self) -> RecipePlan {
        let may_glance = self.may_glance();
        // A check that computes the right result is asked about that of the suspected configuration.
        let is_asked = may_glance && self.calibration.computed;
        let step = |(at, ready): (usize, &ReadyStage)| {
            let (decides, cost) = match ready.stage.does {
                StageKind::Expected => return PlanStep::interpret(),
                StageKind::Command(_) => (Decides::Demand, Cost::Runs),
                StageKind::Check(_) if !ready.stage.is_costly() => {
                    (Decides::Reject, Cost::Compiles)
                }
                StageKind::Check(_) if is_asked => (Decides::Reject, Cost::Compares),
                StageKind::Check(_) => (Decides::Reject, Cost::Runs),
            };
            PlanStep::stage(&ready.stage.name, at, decides, cost)
        };
        let stages = self.ready.iter().enumerate().map(step);
        // Commands may be cheap, and sanitizers are not, as long as nothing is known of their rejections.
        let (costly, mut steps): (Vec<_>, Vec<_>) = stages.partition(|step| match step.work {
            StepWork::Stage(at) => self.ready[at].stage.is_costly(),
            _ => false,
        });
        steps.extend(may_glance.then(PlanStep::glance));
        steps.extend(costly);
        steps.push(PlanStep::outcome());
        RecipePlan::new(steps)
    }

    /// Returns true if a variant may run before it is known to be valid. An invalid kernel can at worst crash a process of
    /// ours on a CPU; on a GPU it can do more damage. One that hangs costs the whole limit.
    fn may_glance(&self) -> bool {
        let robust = |one: &RecipeConfiguration| {
            one.device().is_none_or(|at| self.kit.pools[at].device.is_robust())
        };
        let looked_at: Vec<&str> = self.names().take(2).collect();
        let mut configurations = self.kit.configurations.iter();
        !self.slippage
            && self.kit.preset != Preset::Hang
            && self.kit.confirm == RequiredRuns::ONCE
            && configurations.all(|one| robust(one) || !looked_at.contains(&one.name.as_str()))
    }

    /// Returns the names of the configurations that the outcome is about, the suspected one first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let pin = &self.calibration.pin;
        std::iter::once(&pin.accused).chain(&pin.witnesses).map(String::as_str)
    }

    /// Judges whether the suspected configuration still shows the bug, and the witnesses still agree. Outcomes in `known`
    /// are not run again. Results that are `right` are witnesses.
    pub(crate) fn outcome<'a>(
        &'a self,
        programs: &[VariantProgram<'_>],
        looks: Looks,
        right: &[&ShownOutcomes<'_>],
        known: &mut Vec<ShownOutcomes<'a>>,
        cancel: &Cancel,
    ) -> StageVerdict {
        let (kit, pin) = (&self.kit, &self.calibration.pin);
        let mut answers: Vec<StageVerdict> = Vec::new();
        for (index, name) in self.names().take(looks.most).enumerate() {
            let decided = answers.iter().any(|answer| *answer != StageVerdict::Passes);
            if decided && !looks.all {
                break;
            }
            let Some(one) = kit.configurations.iter().find(|one| one.name == name) else {
                return cancelled();
            };
            if known.len() <= index {
                let limit = self.limit_of(one, looks.depth);
                known.push(kit.run_on(one, programs, limit, cancel));
            }
            if cancel.is_cancelled() {
                return cancelled();
            }
            let accused = &known[0].outcomes;
            let answer = if index == 0 {
                pin.accused(kit.preset, &kit.demands, accused)
            } else {
                let expected = if index > 1 { known[1].success() } else { None };
                pin.witness(kit.preset, &kit.demands, accused, expected, &known[index])
            };
            answers.push(match answer {
                // Another run alone would take as long.
                StageVerdict::TimedOut(what) if one.is_timed_fairly() => {
                    StageVerdict::Rejects(what)
                }
                answer => answer,
            });
        }
        if let Some(accused) = known.first() {
            let mut others = known.get(1).and_then(ShownOutcomes::success);
            for right in right {
                let accused = &accused.outcomes;
                answers.push(pin.witness(kit.preset, &kit.demands, accused, others, right));
                others = others.or(right.success());
            }
        }
        // Another bug is a better reason than a missing one.
        let slip = || answers.iter().position(|answer| matches!(answer, StageVerdict::Slipped(_)));
        match answers.iter().position(|answer| *answer != StageVerdict::Passes) {
            Some(at) if matches!(answers[at], StageVerdict::Rejects(_)) => {
                answers.swap_remove(slip().unwrap_or(at))
            }
            Some(at) => answers.swap_remove(at),
            None => StageVerdict::Passes,
        }
    }

    /// Runs as many configurations as decide whether the outcome is the pinned one.
    pub(crate) fn decide<'a>(
        &'a self,
        programs: &[VariantProgram<'_>],
        known: &mut Vec<ShownOutcomes<'a>>,
        cancel: &Cancel,
    ) -> StageVerdict {
        confirmed(self.kit.confirm, cancel, || {
            known.clear();
            let looks = Looks { most: usize::MAX, all: false, depth: Depth::Confirmation };
            self.outcome(programs, looks, &[], known, cancel)
        })
    }

    /// The limit of a configuration. A variant that hangs is waited for as long as the original where that is confirmed.
    fn limit_of(&self, one: &RecipeConfiguration, depth: Depth) -> Duration {
        let is_hang = self.kit.preset == Preset::Hang && one.name == self.calibration.pin.accused;
        match depth {
            Depth::Verdict => self.limits.of(&one.name),
            _ if is_hang => self.calibration.limit_of(one),
            _ => self.limits.of(&one.name),
        }
    }
}

pub(crate) fn cancelled() -> StageVerdict {
    StageVerdict::Unresolved("cancelled".to_owned())
}
