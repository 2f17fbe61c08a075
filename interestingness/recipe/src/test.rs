//! A calibrated recipe as an interestingness test: first the stages that reject, cheap ones first, then the outcome.

use std::time::{Duration, Instant};

use clreduce_check::{CollectedReports, HostKernel, Question, StageName};
use clreduce_interestingness::{Cancel, Interestingness, NotRun, Outcome, TimeLimits};
use clreduce_testcase::{Clues, TestCase};

use crate::admission::Need;
use crate::calibration::Calibration;
use crate::configuration::{Configuration, Program};
use crate::confirm::confirmed;
use crate::counts::{Counts, StageCounts};
use crate::expected::{self, EXPECTED, Expected, Interpreted, JudgedBy};
use crate::format::{Preset, RequiredRuns};
use crate::judgement::{Judgement, OUTCOME, StageResult, outcome_of};
use crate::limits::{ConfigurationLimits, fitting};
use crate::pin::StageVerdict;
use crate::resolved::ResolvedRecipe;
use crate::shown::ShownOutcomes;
use crate::stages::{ReadyStage, StageInput, names_of, sum_up};

/// A recipe that was calibrated on the original.
pub struct RecipeTest {
    pub(crate) kit: ResolvedRecipe,
    pub(crate) ready: Vec<ReadyStage>,
    pub(crate) calibration: Calibration,
    pub(crate) warnings: Vec<String>,
    /// True if all configurations run on each valid variant, to find other bugs.
    slippage: bool,
    counts: Counts,
    limits: ConfigurationLimits,
    interpreted: Interpreted,
}

/// The part of the interpreter in a judgement.
enum Interpretation {
    /// It has decided: this is the right result, or there is none.
    Decided(Option<ShownOutcomes<'static>>),
    /// The other stages decide; true if that is to be remembered.
    Open(bool),
}

/// The configurations that run for an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// The suspected configuration, with half the time limit if that is of wall time, and one witness where no check computes the right result.
    Glance { is_computed: bool },
    /// As many as decide the verdict.
    UntilDecided,
    /// All of them.
    All,
}

impl Extent {
    fn is_glance(self) -> bool {
        matches!(self, Self::Glance { .. })
    }
}

impl RecipeTest {
    pub(crate) fn new(
        kit: ResolvedRecipe,
        ready: Vec<ReadyStage>,
        calibration: Calibration,
        warnings: Vec<String>,
    ) -> Self {
        let limits = ConfigurationLimits::new(&calibration);
        let counts = Counts::default();
        let interpreted = Interpreted::default();
        Self { kit, ready, calibration, warnings, slippage: false, counts, limits, interpreted }
    }

    /// Runs every configuration on every valid variant, which [`Judgement::slipped`] needs.
    #[must_use]
    pub fn watch_for_slippage(self) -> Self {
        Self { slippage: true, ..self }
    }

    /// Returns the results of calibration. A later run that resumes with them judges alike.
    #[must_use]
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Returns the parts of the original that the compiler mentioned, and those that were not executed.
    #[must_use]
    pub fn clues(&self) -> &Clues {
        &self.calibration.clues
    }

    /// Returns warnings for people: stages that were switched off, and kinds that no stage checks.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns a remark on a result: the kinds of errors that no stage could look for.
    #[must_use]
    pub fn unchecked(&self) -> Option<String> {
        let kinds = &self.calibration.tolerated.unchecked;
        let names = names_of(kinds);
        (!kinds.is_empty()).then(|| {
            format!("No stage of the recipe looked for these errors in the program: {names}.")
        })
    }

    /// Returns the stages that `clreduce check` has as well, in their order.
    pub fn checks(&self) -> impl Iterator<Item = StageName> {
        self.ready.iter().filter_map(|ready| ready.stage.check())
    }

    /// Returns the devices that the configurations use, with their drivers.
    #[must_use]
    pub fn devices(&self) -> Vec<String> {
        let facts = self.kit.pools.iter().map(|pool| &pool.device.facts);
        facts.map(|facts| format!("{}: {}, {}", facts.platform, facts.name, facts.driver)).collect()
    }

    /// Returns the statistics of the stages, in their order.
    #[must_use]
    pub fn counts(&self) -> Vec<(String, StageCounts)> {
        let names = self.ready.iter().map(|ready| ready.stage.name.as_str()).chain([OUTCOME]);
        names.filter_map(|name| Some((name.to_owned(), self.counts.of(name)?))).collect()
    }

    /// Judges a variant. With `explain`, every stage runs, whatever the earlier ones said.
    #[must_use]
    pub fn look(&self, variant: &TestCase, explain: bool, cancel: &Cancel) -> Judgement {
        let started = Instant::now();
        let (mut results, mut part_limits) = (Vec::new(), TimeLimits::new());
        if let Some(programs) = self.kit.programs(variant) {
            let mut known = Vec::new();
            let interpretation = self.interpret(&programs, variant, explain, &mut results);
            let right = match interpretation {
                Interpretation::Decided(right) => right,
                Interpretation::Open(is_kept) => {
                    let before = results.len();
                    let right = self.check(&programs, explain, &mut known, cancel, &mut results);
                    if is_kept && !cancel.is_cancelled() {
                        self.interpreted.keep(variant.hash(), &results[before..]);
                    }
                    right
                }
            };
            let goes_on =
                results.iter().all(|result| result.verdict == StageVerdict::Passes) || explain;
            if goes_on && !cancel.is_cancelled() {
                let started = Instant::now();
                let extent =
                    if explain || self.slippage { Extent::All } else { Extent::UntilDecided };
                let answer = confirmed(self.kit.confirm, cancel, || {
                    if self.kit.confirm != RequiredRuns::ONCE {
                        known.clear();
                    }
                    self.outcome(&programs, extent, right.as_ref(), &mut known, cancel)
                });
                let notes = known.iter().chain(&right).map(ShownOutcomes::describe).collect();
                part_limits = fitting(&self.kit, &self.calibration.pin.accused, &known);
                results.push(StageResult {
                    notes,
                    ..StageResult::of_outcome(answer, started.elapsed())
                });
            }
        } else {
            let answer =
                StageVerdict::Rejects("a file that the recipe needs was removed".to_owned());
            results.push(StageResult::of_outcome(answer, Duration::ZERO));
        }
        if !cancel.is_cancelled() {
            self.counts.add(&results);
        }
        let outcome = outcome_of(&results, started.elapsed());
        Judgement { outcome: Outcome { part_limits, ..outcome }, results }
    }

    /// Asks the interpreter, if the recipe has it. A variant that is tested again is left to the other stages, once.
    fn interpret(
        &self,
        programs: &[Program<'_>],
        variant: &TestCase,
        explain: bool,
        results: &mut Vec<StageResult>,
    ) -> Interpretation {
        let is_asked = self.ready.iter().any(|ready| ready.stage.is_expected());
        let ([program], true) = (programs, is_asked) else { return Interpretation::Open(false) };
        let started = Instant::now();
        let judged = expected::judge(program, &self.kit.check.build_options);
        let mut say = |verdict: StageVerdict, notes: Vec<String>| {
            let (stage, wall) = (EXPECTED.to_owned(), started.elapsed());
            results.push(StageResult { stage, verdict, notes, wall });
        };
        match judged {
            Expected::Outside(why) => {
                if explain {
                    say(StageVerdict::Passes, vec![format!("left to the other stages: {why}")]);
                }
                Interpretation::Open(false)
            }
            Expected::Invalid(why) => {
                say(StageVerdict::Rejects(why), Vec::new());
                if explain { Interpretation::Open(false) } else { Interpretation::Decided(None) }
            }
            Expected::Right(outputs) => {
                let right = ShownOutcomes::right(EXPECTED, outputs);
                say(StageVerdict::Passes, vec![right.describe()]);
                if explain {
                    return Interpretation::Open(false);
                }
                match self.interpreted.judge_of(variant.hash()) {
                    JudgedBy::Interpreter => Interpretation::Decided(Some(right)),
                    JudgedBy::Stages => Interpretation::Open(true),
                    JudgedBy::Before(None) => Interpretation::Decided(Some(right)),
                    JudgedBy::Before(Some((stage, why))) => {
                        let (verdict, wall) = (StageVerdict::Rejects(why), Duration::ZERO);
                        results.push(StageResult { stage, verdict, notes: Vec::new(), wall });
                        Interpretation::Decided(None)
                    }
                }
            }
        }
    }

    /// Runs the stages before the outcome. Returns the right result where a stage has computed it, and recipes may rely
    /// on that.
    fn check<'a>(
        &'a self,
        programs: &[Program<'_>],
        explain: bool,
        known: &mut Vec<ShownOutcomes<'a>>,
        cancel: &Cancel,
        results: &mut Vec<StageResult>,
    ) -> Option<ShownOutcomes<'static>> {
        let mut files: Vec<(&Program<'_>, Option<HostKernel>, CollectedReports)> = Vec::new();
        for program in programs {
            if files.iter().all(|(known, ..)| known.file != program.file) {
                let subject = program.subject();
                files.push((program, subject, CollectedReports::default()));
            }
        }
        let tolerated = &self.calibration.tolerated;
        let order = self.counts.order(&self.ready);
        let is_computed = self.calibration.computed
            && matches!(&files[..], [(_, Some(subject), _)] if subject.has_one_result());
        let glance = Extent::Glance { is_computed };
        let first_costly = order.iter().position(|ready| ready.stage.is_costly());
        let glance_at = first_costly.filter(|_| !explain && self.may_glance(glance));
        let checks: Vec<Option<StageName>> =
            order.iter().map(|ready| ready.stage.check()).collect();
        for (index, ready) in order.into_iter().enumerate() {
            if ready.stage.is_expected() {
                continue;
            }
            if glance_at == Some(index)
                && let Some(result) = self.glance(glance, programs, known, cancel)
            {
                results.push(result);
                return None;
            }
            let started = Instant::now();
            let mut answer = StageVerdict::Passes;
            let doubted = known.first().filter(|_| is_computed && !explain);
            let doubted = doubted.and_then(ShownOutcomes::success);
            let question = Question { doubted, verdict_only: !explain };
            let to_run: Vec<StageName> = checks[index + 1..].iter().copied().flatten().collect();
            for (program, subject, gathered) in &mut files {
                if answer == StageVerdict::Passes {
                    let (subject, to_run) = (subject.as_ref(), &to_run[..]);
                    let input = StageInput { program, subject, tolerated, question, to_run };
                    let run = || ready.run(input, gathered, cancel);
                    answer = self.admitted(ready, run, cancel);
                }
            }
            let decided = answer != StageVerdict::Passes;
            let stage = ready.stage.name.clone();
            results.push(StageResult {
                stage,
                verdict: answer,
                notes: Vec::new(),
                wall: started.elapsed(),
            });
            if cancel.is_cancelled() || decided && !explain {
                return None;
            }
        }
        let right = match &files[..] {
            [(_, _, gathered)] if is_computed => gathered.result(),
            _ => None,
        };
        let right = right.filter(|right| right.is_only_right);
        let right = right.map(ShownOutcomes::computed);
        let sums = files.into_iter().map(|(_, _, gathered)| sum_up(gathered, tolerated));
        let held = sums.into_iter().find(|answer| *answer != StageVerdict::Passes);
        if let (Some(answer), Some(last)) = (held, results.last_mut())
            && last.verdict == StageVerdict::Passes
        {
            last.verdict = answer;
        }
        right
    }

    fn admitted(
        &self,
        ready: &ReadyStage,
        mut run: impl FnMut() -> StageVerdict,
        cancel: &Cancel,
    ) -> StageVerdict {
        let need = Need { memory: ready.stage.memory, device: None };
        confirmed(ready.stage.confirm, cancel, || match self.kit.admission.admit(need, cancel) {
            Some(_held) => run(),
            None => cancelled(),
        })
    }

    /// Returns true if a variant may run before it is known to be valid. An invalid kernel can at worst crash a process
    /// of ours on a CPU; on a GPU it can do more damage.
    fn may_glance(&self, glance: Extent) -> bool {
        let robust = |one: &Configuration| {
            one.device().is_none_or(|at| self.kit.pools[at].device.is_robust())
        };
        let looked_at: Vec<&str> = self.names(glance).collect();
        let mut configurations = self.kit.configurations.iter();
        !self.slippage
            && self.kit.preset != Preset::Hang
            && self.kit.confirm == RequiredRuns::ONCE
            && configurations.all(|one| robust(one) || !looked_at.contains(&one.name.as_str()))
    }

    /// Returns the names of the configurations that run, the suspected one first. It alone runs before a check that
    /// computes the right result.
    fn names(&self, extent: Extent) -> impl Iterator<Item = &str> {
        let pin = &self.calibration.pin;
        let names = std::iter::once(&pin.accused).chain(&pin.witnesses).map(String::as_str);
        names.take(match extent {
            Extent::Glance { is_computed: true } => 1,
            Extent::Glance { is_computed: false } => 2,
            Extent::UntilDecided | Extent::All => usize::MAX,
        })
    }

    /// Rejects a variant without the bug before the costly checks. A time-out that another run might not have is left for
    /// later, because the variant may be invalid.
    fn glance<'a>(
        &'a self,
        glance: Extent,
        programs: &[Program<'_>],
        known: &mut Vec<ShownOutcomes<'a>>,
        cancel: &Cancel,
    ) -> Option<StageResult> {
        let started = Instant::now();
        let answer = self.outcome(programs, glance, None, known, cancel);
        let is_open = matches!(
            answer,
            StageVerdict::TimedOut(_) | StageVerdict::Unresolved(_) | StageVerdict::NotRun(_)
        );
        if is_open {
            known.clear();
        }
        matches!(answer, StageVerdict::Rejects(_) | StageVerdict::Slipped(_))
            .then(|| StageResult::of_outcome(answer, started.elapsed()))
    }

    /// Judges whether the suspected configuration still shows the bug, and the witnesses still agree. Outcomes in `known`
    /// are not run again. A computed result that is `right` is witness enough.
    fn outcome<'a>(
        &'a self,
        programs: &[Program<'_>],
        extent: Extent,
        right: Option<&ShownOutcomes<'_>>,
        known: &mut Vec<ShownOutcomes<'a>>,
        cancel: &Cancel,
    ) -> StageVerdict {
        let (kit, pin) = (&self.kit, &self.calibration.pin);
        let mut answers: Vec<StageVerdict> = Vec::new();
        let most = if right.is_some() && extent != Extent::All { 1 } else { usize::MAX };
        for (index, name) in self.names(extent).take(most).enumerate() {
            let decided = answers.iter().any(|answer| *answer != StageVerdict::Passes);
            if decided && extent != Extent::All {
                break;
            }
            let Some(one) = kit.configurations.iter().find(|one| one.name == name) else {
                return cancelled();
            };
            if known.len() <= index {
                known.push(self.show(one, programs, extent, cancel));
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
        if let (Some(right), Some(accused)) = (right, known.first()) {
            let others = known.get(1).and_then(ShownOutcomes::success);
            let accused = &accused.outcomes;
            answers.push(pin.witness(kit.preset, &kit.demands, accused, others, right));
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
        programs: &[Program<'_>],
        known: &mut Vec<ShownOutcomes<'a>>,
        cancel: &Cancel,
    ) -> StageVerdict {
        confirmed(self.kit.confirm, cancel, || {
            known.clear();
            self.outcome(programs, Extent::UntilDecided, None, known, cancel)
        })
    }

    fn show<'a>(
        &self,
        configuration: &'a Configuration,
        programs: &[Program<'_>],
        extent: Extent,
        cancel: &Cancel,
    ) -> ShownOutcomes<'a> {
        let limit = self.limits.of(&configuration.name);
        // A kernel without an end is mostly invalid, and the checks find that sooner. A limit of computing decides at once.
        let is_half = extent.is_glance() && !configuration.is_timed_fairly();
        let limit = if is_half { limit / 2 } else { limit };
        self.kit.run_on(configuration, programs, limit, cancel)
    }
}

fn cancelled() -> StageVerdict {
    StageVerdict::Unresolved("cancelled".to_owned())
}

impl Interestingness for RecipeTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.look(variant, false, cancel).verdict()
    }

    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        Ok((self.judge(original, cancel)?, self.calibration.clues.clone()))
    }

    fn part_limits(&self) -> TimeLimits {
        self.limits.all()
    }

    fn set_part_limits(&self, limits: &TimeLimits) {
        self.limits.set(limits);
    }
}

impl std::fmt::Debug for RecipeTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let preset: Preset = self.kit.preset;
        f.debug_struct("RecipeTest")
            .field("preset", &preset)
            .field("calibration", &self.calibration)
            .finish_non_exhaustive()
    }
}
