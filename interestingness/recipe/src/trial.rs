//! A variant on trial: what each step of a plan finds out about it.

use std::time::Instant;

use clreduce_check::{CollectedReports, HostKernel, Question, StageName};
use clreduce_interestingness::Cancel;

use crate::admission::Need;
use crate::calibrated::{CalibratedRecipe, Looks, cancelled};
use crate::configuration::VariantProgram;
use crate::confirm::confirmed;
use crate::expected::{self, EXPECTED, Expected};
use crate::format::RequiredRuns;
use crate::judgement::{OUTCOME, StageResult};
use crate::pin::StageVerdict;
use crate::plan::{AfterStep, Depth, PlanStep, StepWork};
use crate::shown::ShownOutcomes;
use crate::stages::{ReadyStage, StageInput, sum_up};

/// A file of the variant, and what the checks say about it.
struct CheckedFile<'a> {
    program: &'a VariantProgram<'a>,
    subject: Option<HostKernel>,
    gathered: CollectedReports,
}

/// A variant that is judged.
pub(crate) struct VariantTrial<'a> {
    recipe: &'a CalibratedRecipe,
    programs: &'a [VariantProgram<'a>],
    depth: Depth,
    cancel: &'a Cancel,
    files: Vec<CheckedFile<'a>>,
    /// A check computes the right result, and the recipe may rely on that.
    is_computed: bool,
    /// The checks that have not run.
    to_run: Vec<StageName>,
    /// The right result, as the interpreter knows it.
    expected: Option<ShownOutcomes<'static>>,
    /// The outcomes that are known, that of the suspected configuration first.
    pub known: Vec<ShownOutcomes<'a>>,
    pub results: Vec<StageResult>,
}

impl<'a> VariantTrial<'a> {
    pub(crate) fn new(
        recipe: &'a CalibratedRecipe,
        programs: &'a [VariantProgram<'a>],
        depth: Depth,
        cancel: &'a Cancel,
    ) -> Self {
        let (files, known, results) = (Vec::new(), Vec::new(), Vec::new());
        let to_run = recipe.checks().collect();
        let (is_computed, expected) = (false, None);
        Self {
            recipe,
            programs,
            depth,
            cancel,
            files,
            is_computed,
            to_run,
            expected,
            known,
            results,
        }
    }

    /// Does the work of a step.
    pub(crate) fn run(&mut self, step: &PlanStep) -> AfterStep {
        let next = match step.work {
            StepWork::Interpret => self.interpret(),
            StepWork::Stage(at) => {
                let ready: &'a ReadyStage = &self.recipe.ready[at];
                self.stage(ready)
            }
            StepWork::Glance => self.glance(),
            StepWork::Outcome => self.outcome(),
        };
        if self.cancel.is_cancelled() { AfterStep::Rejected } else { next }
    }

    fn interpret(&mut self) -> AfterStep {
        // Variants of one program are compared with each other.
        let [program] = self.programs else { return AfterStep::GoOn };
        let started = Instant::now();
        let (verdict, notes, next) =
            match expected::judge(program, &self.recipe.kit.check.build_options) {
                Expected::Outside(_) if self.depth != Depth::Everything => return AfterStep::GoOn,
                Expected::Outside(why) => {
                    let note = format!("left to the other stages: {why}");
                    (StageVerdict::Passes, vec![note], AfterStep::GoOn)
                }
                Expected::Invalid(why) => {
                    (StageVerdict::Rejects(why), Vec::new(), AfterStep::Rejected)
                }
                Expected::Right(outputs) => {
                    let right = ShownOutcomes::right(EXPECTED, outputs);
                    let notes = vec![right.describe()];
                    self.expected = Some(right);
                    (StageVerdict::Passes, notes, AfterStep::Accepted)
                }
            };
        let (stage, wall) = (EXPECTED.to_owned(), started.elapsed());
        self.results.push(StageResult { stage, verdict, notes, wall });
        next
    }

    /// Looks at each file of the variant for the checks, once.
    fn open_files(&mut self) {
        if !self.files.is_empty() {
            return;
        }
        for program in self.programs {
            if self.files.iter().all(|known| known.program.file != program.file) {
                let (subject, gathered) = (program.subject(), CollectedReports::default());
                self.files.push(CheckedFile { program, subject, gathered });
            }
        }
        let only = match &self.files[..] {
            [CheckedFile { subject: Some(subject), .. }] => Some(subject),
            _ => None,
        };
        self.is_computed =
            self.recipe.calibration.computed && only.is_some_and(HostKernel::has_one_result);
    }

    fn stage(&mut self, ready: &ReadyStage) -> AfterStep {
        let started = Instant::now();
        self.open_files();
        self.to_run.retain(|name| ready.stage.check() != Some(*name));
        let is_asked = self.is_computed && self.depth != Depth::Everything;
        let doubted = self.known.first().filter(|_| is_asked).and_then(ShownOutcomes::success);
        let question = Question { doubted, verdict_only: self.depth != Depth::Everything };
        let (tolerated, to_run) = (&self.recipe.calibration.tolerated, &self.to_run[..]);
        let mut verdict = StageVerdict::Passes;
        for CheckedFile { program, subject, gathered } in &mut self.files {
            if verdict == StageVerdict::Passes {
                let subject = subject.as_ref();
                let input = StageInput { program, subject, tolerated, question, to_run };
                let need = Need { memory: ready.stage.memory, device: None };
                verdict = confirmed(ready.stage.confirm, self.cancel, || {
                    match self.recipe.kit.admission.admit(need, self.cancel) {
                        Some(_held) => ready.run(input, gathered, self.cancel),
                        None => cancelled(),
                    }
                });
            }
        }
        let next = next(&verdict);
        let (stage, wall) = (ready.stage.name.clone(), started.elapsed());
        self.results.push(StageResult { stage, verdict, notes: Vec::new(), wall });
        next
    }

    /// Rejects a variant without the bug before it is known to be valid. What exceeds its limit may be invalid, and the checks
    /// find out sooner whether a kernel ends: it is left to them.
    fn glance(&mut self) -> AfterStep {
        let started = Instant::now();
        self.open_files();
        let most = if self.is_computed { 1 } else { 2 };
        let looks = Looks { most, all: false, depth: self.depth };
        let verdict = self.recipe.outcome(self.programs, looks, &[], &mut self.known, self.cancel);
        let is_left = matches!(verdict, StageVerdict::TimedOut(_))
            && self.recipe.ready.iter().any(|ready| {
                ready.stage.is_costly()
                    && ready.stage.check().is_some_and(|name| self.to_run.contains(&name))
            });
        let next = if is_left { AfterStep::GoOn } else { next(&verdict) };
        self.results.push(StageResult::of_outcome(verdict, started.elapsed()));
        next
    }

    /// The joint result of the checks, and then whether the outcome is the pinned one. A glance is a part of that.
    fn outcome(&mut self) -> AfterStep {
        let started = Instant::now();
        let computed = self.sum_up();
        let is_open = |result: &StageResult| result.verdict != StageVerdict::Passes;
        if self.depth != Depth::Everything && self.results.iter().any(is_open) {
            return AfterStep::Rejected;
        }
        let all = self.depth == Depth::Everything || self.recipe.slippage;
        let trusted = self.expected.as_ref().filter(|_| self.depth == Depth::Verdict);
        let is_known = computed.is_some() || trusted.is_some();
        let looks =
            Looks { most: if is_known && !all { 1 } else { usize::MAX }, all, depth: self.depth };
        let right: Vec<&ShownOutcomes<'_>> = self.expected.iter().chain(&computed).collect();
        let confirm = self.recipe.kit.confirm;
        let verdict = confirmed(confirm, self.cancel, || {
            if confirm != RequiredRuns::ONCE {
                self.known.clear();
            }
            self.recipe.outcome(self.programs, looks, &right, &mut self.known, self.cancel)
        });
        let next = next(&verdict);
        let notes = self.known.iter().chain(right).map(ShownOutcomes::describe).collect();
        let glanced = self.results.iter().position(|result| result.stage == OUTCOME);
        let before = glanced.map(|at| self.results.remove(at).wall).unwrap_or_default();
        let result = StageResult::of_outcome(verdict, before + started.elapsed());
        self.results.push(StageResult { notes, ..result });
        next
    }

    /// Adds to the last check what all of them say together. Returns the right result where they have computed it, and recipes
    /// may rely on that.
    fn sum_up(&mut self) -> Option<ShownOutcomes<'static>> {
        let right = match &self.files[..] {
            [file] if self.is_computed => file.gathered.result(),
            _ => None,
        };
        let right = right.filter(|right| right.is_only_right).map(ShownOutcomes::computed);
        let tolerated = &self.recipe.calibration.tolerated;
        let sums = self.files.drain(..).map(|file| sum_up(file.gathered, tolerated));
        let held = sums.into_iter().find(|answer| *answer != StageVerdict::Passes);
        let mut stages = self.results.iter_mut().rev().filter(|result| result.stage != OUTCOME);
        if let (Some(answer), Some(last)) = (held, stages.next())
            && last.verdict == StageVerdict::Passes
        {
            last.verdict = answer;
        }
        right
    }
}

/// The consequence of a verdict. A tool that failed has decided nothing: another step may still reject the variant.
fn next(verdict: &StageVerdict) -> AfterStep {
    match verdict {
        StageVerdict::Passes | StageVerdict::Unresolved(_) | StageVerdict::NotRun(_) => {
            AfterStep::GoOn
        }
        StageVerdict::Rejects(_) | StageVerdict::Slipped(_) | StageVerdict::TimedOut(_) => {
            AfterStep::Rejected
        }
    }
}
