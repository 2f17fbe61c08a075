//! The plan of a recipe: the steps by which it judges a variant, each with what it may decide and its class of cost.
//!
//! The answer of a step depends on the variant alone, and one "no" is as good as another. So the steps of one class may change
//! places: those that reject most come first. The verdict does not depend on their order, on what was judged before, or on
//! tests that were killed; only the reason that is told does.

use std::cmp::Reverse;

use clreduce_interestingness::Occasion;

use crate::counts::AllStageCounts;
use crate::expected::EXPECTED;
use crate::judgement::OUTCOME;

/// How far a plan is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Until the verdict is decided: by a step that rejects, or by one that needs no other to accept.
    Verdict,
    /// Until a step rejects. No step accepts alone.
    Confirmation,
    /// To the end, for people.
    Everything,
}

impl Depth {
    /// The depth that decides on an occasion.
    #[must_use]
    pub fn on(occasion: Occasion) -> Self {
        if occasion == Occasion::Again { Self::Confirmation } else { Self::Verdict }
    }
}

/// The work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepWork {
    /// The interpreter reads the variant.
    Interpret,
    /// A stage of the recipe, by its place.
    Stage(usize),
    /// As many configurations run as mostly show whether the bug is gone.
    Glance,
    /// The configurations run that the outcome depends on.
    Outcome,
}

/// The decisions that a step may take. All may reject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decides {
    /// It rejects what is not valid, or what a later step rejects as well: no variant that another step accepts.
    Reject,
    /// It rejects for reasons of its own, whatever other steps say.
    Demand,
    /// It also accepts variants as valid.
    Both,
}

/// The class of a step's cost. Cheaper ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cost {
    /// The text is read.
    Reads,
    /// The program is compiled.
    Compiles,
    /// The program may be run.
    Runs,
    /// The program is run, and its result is compared with that of a step that costs less.
    Compares,
    /// Everything else is known to be in order.
    Last,
}

#[derive(Clone, Debug)]
pub(crate) struct PlanStep {
    /// The name of its statistics.
    pub name: String,
    pub work: StepWork,
    pub decides: Decides,
    pub cost: Cost,
}

impl PlanStep {
    pub(crate) fn interpret() -> Self {
        let (name, work) = (EXPECTED.to_owned(), StepWork::Interpret);
        Self { name, work, decides: Decides::Both, cost: Cost::Reads }
    }

    pub(crate) fn stage(name: &str, at: usize, decides: Decides, cost: Cost) -> Self {
        Self { name: name.to_owned(), work: StepWork::Stage(at), decides, cost }
    }

    pub(crate) fn glance() -> Self {
        let (name, work) = (OUTCOME.to_owned(), StepWork::Glance);
        Self { name, work, decides: Decides::Reject, cost: Cost::Runs }
    }

    pub(crate) fn outcome() -> Self {
        let (name, work) = (OUTCOME.to_owned(), StepWork::Outcome);
        Self { name, work, decides: Decides::Both, cost: Cost::Last }
    }
}

/// The consequence of the answer of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterStep {
    /// The next step is taken.
    GoOn,
    /// The variant is valid: no step is needed that finds out nothing else.
    Accepted,
    /// It is rejected, or the verdict is no longer needed.
    Rejected,
}

#[derive(Clone, Debug)]
pub(crate) struct RecipePlan(Vec<PlanStep>);

impl RecipePlan {
    /// Makes a plan of steps in the order in which those of one class begin.
    pub(crate) fn new(steps: Vec<PlanStep>) -> Self {
        Self(steps)
    }

    /// The steps in their order: by cost, and then those first that rejected most of the variants that they saw.
    pub(crate) fn order(&self, counts: &AllStageCounts) -> Vec<&PlanStep> {
        let mut order: Vec<&PlanStep> = self.0.iter().collect();
        order.sort_by_cached_key(|step| (step.cost, Reverse(counts.rejections(&step.name))));
        order
    }

    /// Follows the plan: has each step done by `run`.
    pub(crate) fn follow(
        &self,
        depth: Depth,
        counts: &AllStageCounts,
        mut run: impl FnMut(&PlanStep) -> AfterStep,
    ) {
        let mut is_accepted = false;
        for step in self.order(counts) {
            if is_accepted && step.decides == Decides::Reject {
                continue;
            }
            match (run(step), depth) {
                (AfterStep::Rejected, Depth::Verdict | Depth::Confirmation) => return,
                (AfterStep::Accepted, Depth::Verdict) => is_accepted = true,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
