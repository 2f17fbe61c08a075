//! A calibrated recipe as an interestingness test: the checks, cheap ones first, then the outcome on the plain
//! source.

use std::time::{Duration, Instant};

use clreduce_check::{CollectedReports, Subject};
use clreduce_interestingness::{Cancel, Interestingness, Outcome, Verdict};
use clreduce_testcase::TestCase;

use crate::admission::Need;
use crate::calibration::Calibration;
use crate::configuration::{Configuration, Program};
use crate::counts::{Counts, StageCounts};
use crate::format::{Confirm, Preset};
use crate::kit::Kit;
use crate::pin::{Answer, Shown};
use crate::stages::{Ready, sum_up};

/// The name of the last stage.
pub(crate) const OUTCOME: &str = "outcome";

/// A recipe that knows the original.
pub struct RecipeTest {
    pub(crate) kit: Kit,
    pub(crate) ready: Vec<Ready>,
    pub(crate) calibration: Calibration,
    pub(crate) warnings: Vec<String>,
    /// Whether it is worth finding out what else a variant shows.
    slippage: bool,
    counts: Counts,
}

/// What one stage says of a variant.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name.
    pub stage: String,
    /// Its answer.
    pub answer: Answer,
    /// More for people: what each configuration shows.
    pub notes: Vec<String>,
    /// Wall time.
    pub wall: Duration,
}

/// The verdict on a variant and how it came about.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The verdict.
    pub outcome: Outcome,
    /// Every stage that ran.
    pub steps: Vec<Step>,
}

/// How much of the outcome is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// The accused and one witness, without much patience.
    Glance,
    /// As much as the answer needs.
    UntilDecided,
    /// Everything, for a person.
    All,
}

impl Step {
    fn of_outcome(answer: Answer, wall: Duration) -> Self {
        Self { stage: OUTCOME.to_owned(), answer, notes: Vec::new(), wall }
    }
}

impl Judgement {
    /// What other bug a valid variant shows.
    #[must_use]
    pub fn slipped(&self) -> Option<&str> {
        match &self.steps.last()?.answer {
            Answer::Slipped(what) => Some(what),
            _ => None,
        }
    }
}

impl RecipeTest {
    pub(crate) fn new(
        kit: Kit,
        ready: Vec<Ready>,
        calibration: Calibration,
        warnings: Vec<String>,
    ) -> Self {
        Self { kit, ready, calibration, warnings, slippage: false, counts: Counts::default() }
    }

    /// Has every configuration run on every valid variant, so that [`Judgement::slipped`] knows.
    #[must_use]
    pub fn watch_for_slippage(self) -> Self {
        Self { slippage: true, ..self }
    }

    /// What was found out about the original. To be kept: with it, another run judges alike.
    #[must_use]
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// What a person should know: stages that were switched off, what nobody looks for.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The stages that are on, before the outcome, in their order.
    pub fn stages(&self) -> impl Iterator<Item = &str> {
        self.ready.iter().map(|ready| ready.stage.name.as_str())
    }

    /// What the stages have done so far, in their order.
    #[must_use]
    pub fn counts(&self) -> Vec<(String, StageCounts)> {
        let names = self.ready.iter().map(|ready| ready.stage.name.as_str()).chain([OUTCOME]);
        names.filter_map(|name| Some((name.to_owned(), self.counts.of(name)?))).collect()
    }

    /// Judges a variant. With `explain`, every stage runs, whatever the earlier ones said.
    #[must_use]
    pub fn look(&self, variant: &TestCase, explain: bool, cancel: &Cancel) -> Judgement {
        let started = Instant::now();
        let mut steps = Vec::new();
        if let Some(programs) = self.kit.programs(variant) {
            let mut known = Vec::new();
            self.check(&programs, explain, &mut known, cancel, &mut steps);
            let goes_on = steps.iter().all(|step| step.answer == Answer::Holds) || explain;
            if goes_on && !cancel.is_cancelled() {
                let started = Instant::now();
                let extent =
                    if explain || self.slippage { Extent::All } else { Extent::UntilDecided };
                let answer = confirmed(self.kit.confirm, cancel, || {
                    if self.kit.confirm != Confirm::ONCE {
                        known.clear();
                    }
                    self.outcome(&programs, extent, &mut known, cancel)
                });
                let notes = known.iter().map(Shown::describe).collect();
                steps.push(Step { notes, ..Step::of_outcome(answer, started.elapsed()) });
            }
        } else {
            let answer = Answer::No("a file that the recipe needs was removed".to_owned());
            steps.push(Step::of_outcome(answer, Duration::ZERO));
        }
        if !cancel.is_cancelled() {
            self.counts.add(&steps);
        }
        Judgement { outcome: outcome_of(&steps, started.elapsed()), steps }
    }

    /// Runs the stages that reject.
    fn check<'a>(
        &'a self,
        programs: &[Program<'_>],
        explain: bool,
        known: &mut Vec<Shown<'a>>,
        cancel: &Cancel,
        steps: &mut Vec<Step>,
    ) {
        let mut files: Vec<(&Program<'_>, Option<Subject>, CollectedReports)> = Vec::new();
        for program in programs {
            if files.iter().all(|(known, ..)| known.file != program.file) {
                let subject = program.subject();
                files.push((program, subject, CollectedReports::default()));
            }
        }
        let tolerated = &self.calibration.tolerated;
        let order = self.counts.order(&self.ready);
        let first_costly = order.iter().position(|ready| ready.stage.is_costly());
        let glance_at = first_costly.filter(|_| !explain && self.may_glance());
        for (index, ready) in order.into_iter().enumerate() {
            if glance_at == Some(index)
                && let Some(step) = self.glance(programs, known, cancel)
            {
                steps.push(step);
                return;
            }
            let started = Instant::now();
            let mut answer = Answer::Holds;
            for (program, subject, gathered) in &mut files {
                if answer == Answer::Holds {
                    let run = || ready.run(program, subject.as_ref(), tolerated, gathered, cancel);
                    answer = self.admitted(ready, run, cancel);
                }
            }
            let decided = answer != Answer::Holds;
            let stage = ready.stage.name.clone();
            steps.push(Step { stage, answer, notes: Vec::new(), wall: started.elapsed() });
            if cancel.is_cancelled() || decided && !explain {
                return;
            }
        }
        let sums = files.into_iter().map(|(_, _, gathered)| sum_up(gathered, tolerated));
        let held = sums.into_iter().find(|answer| *answer != Answer::Holds);
        if let (Some(answer), Some(last)) = (held, steps.last_mut())
            && last.answer == Answer::Holds
        {
            last.answer = answer;
        }
    }

    fn admitted(&self, ready: &Ready, mut run: impl FnMut() -> Answer, cancel: &Cancel) -> Answer {
        let need = Need { memory: ready.stage.memory, device: None };
        confirmed(ready.stage.confirm, cancel, || match self.kit.admission.admit(need, cancel) {
            Some(_held) => run(),
            None => cancelled(),
        })
    }

    /// Whether the outcome may be looked at before it is known that the variant is valid. A CPU's driver that
    /// an invalid kernel damages is a process that can be replaced; a GPU is not.
    fn may_glance(&self) -> bool {
        let robust = |one: &Configuration| {
            one.device().is_none_or(|at| self.kit.pools[at].device.is_robust())
        };
        let looked_at: Vec<&str> = self.names(Extent::Glance).collect();
        let mut configurations = self.kit.configurations.iter();
        !self.slippage
            && self.kit.preset != Preset::Hang
            && self.kit.confirm == Confirm::ONCE
            && configurations.all(|one| robust(one) || !looked_at.contains(&one.name.as_str()))
    }

    /// The configurations that are asked, the accused first.
    fn names(&self, extent: Extent) -> impl Iterator<Item = &str> {
        let pin = &self.calibration.pin;
        let names = std::iter::once(&pin.accused).chain(&pin.witnesses).map(String::as_str);
        names.take(if extent == Extent::Glance { 2 } else { usize::MAX })
    }

    /// Rejects, before the costly checks, what plainly does not show the bug. Anything else, a time-out among
    /// it, is left for later: the variant may be invalid.
    fn glance<'a>(
        &'a self,
        programs: &[Program<'_>],
        known: &mut Vec<Shown<'a>>,
        cancel: &Cancel,
    ) -> Option<Step> {
        let started = Instant::now();
        let answer = self.outcome(programs, Extent::Glance, known, cancel);
        if matches!(answer, Answer::TimedOut(_) | Answer::Unresolved(_)) {
            known.clear();
        }
        matches!(answer, Answer::No(_) | Answer::Slipped(_))
            .then(|| Step::of_outcome(answer, started.elapsed()))
    }

    /// Whether the accused still shows the bug, and the witnesses still agree. What is known already is not
    /// run again.
    fn outcome<'a>(
        &'a self,
        programs: &[Program<'_>],
        extent: Extent,
        known: &mut Vec<Shown<'a>>,
        cancel: &Cancel,
    ) -> Answer {
        let (kit, pin) = (&self.kit, &self.calibration.pin);
        let mut answers: Vec<Answer> = Vec::new();
        for (index, name) in self.names(extent).enumerate() {
            let decided = answers.iter().any(|answer| *answer != Answer::Holds);
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
            let fair = one.device().is_some_and(|at| kit.pools[at].device.is_timed_fairly());
            answers.push(match answer {
                // With all of its time, it would take as long again.
                Answer::TimedOut(what) if fair && extent != Extent::Glance => Answer::No(what),
                answer => answer,
            });
        }
        // A slip says more than that the bug is gone.
        let slip = || answers.iter().position(|answer| matches!(answer, Answer::Slipped(_)));
        match answers.iter().position(|answer| *answer != Answer::Holds) {
            Some(at) if matches!(answers[at], Answer::No(_)) => {
                answers.swap_remove(slip().unwrap_or(at))
            }
            Some(at) => answers.swap_remove(at),
            None => Answer::Holds,
        }
    }

    fn show<'a>(
        &self,
        configuration: &'a Configuration,
        programs: &[Program<'_>],
        extent: Extent,
        cancel: &Cancel,
    ) -> Shown<'a> {
        let limit = self.calibration.limit_of(configuration);
        // What does not end is mostly invalid, and the checks find that out sooner.
        let limit = if extent == Extent::Glance { limit / 2 } else { limit };
        show(&self.kit, configuration, programs, limit, cancel).0
    }
}

/// Runs all programs on a configuration, and says how long the slowest took.
pub(crate) fn show<'a>(
    kit: &Kit,
    configuration: &'a Configuration,
    programs: &[Program<'_>],
    limit: Duration,
    cancel: &Cancel,
) -> (Shown<'a>, Duration) {
    let need = Need { memory: configuration.memory, device: configuration.device() };
    let mut slowest = Duration::ZERO;
    let outcomes = programs.iter().map_while(|program| {
        let _held = kit.admission.admit(need, cancel)?;
        let ended = configuration.run(program, &kit.pools, &kit.bench, limit, cancel);
        slowest = slowest.max(ended.wall);
        Some(ended.outcome)
    });
    let outcomes = outcomes.collect();
    let simulated = configuration.is_simulated();
    (Shown { name: &configuration.name, accused: false, simulated, outcomes }, slowest)
}

fn cancelled() -> Answer {
    Answer::Unresolved("cancelled".to_owned())
}

/// Asks until the answer is certain: "2 of 3" ends after two that hold, or two that do not.
fn confirmed(confirm: Confirm, cancel: &Cancel, mut ask: impl FnMut() -> Answer) -> Answer {
    let mut held = 0;
    for asked in 1..=confirm.of {
        let answer = ask();
        held += u32::from(answer == Answer::Holds);
        let missing = confirm.least - held;
        if missing == 0 {
            return Answer::Holds;
        }
        if missing > confirm.of - asked || cancel.is_cancelled() {
            return match answer {
                Answer::Holds => {
                    Answer::No(format!("the outcome appeared in {held} of {asked} runs"))
                }
                answer => answer,
            };
        }
    }
    Answer::Holds
}

fn outcome_of(steps: &[Step], wall: Duration) -> Outcome {
    let decides = steps.iter().find(|step| step.answer != Answer::Holds);
    let (verdict, text) = match decides.map(|step| &step.answer) {
        None | Some(Answer::Holds) => (Verdict::Interesting, ""),
        Some(Answer::No(text) | Answer::Slipped(text)) => (Verdict::Uninteresting, text.as_str()),
        Some(Answer::TimedOut(text)) => (Verdict::TimedOut, text.as_str()),
        Some(Answer::Unresolved(text)) => (Verdict::Unresolved, text.as_str()),
    };
    let reason = decides.map(|step| format!("stage `{}`: {text}", step.stage));
    Outcome { reason: reason.unwrap_or_default(), wall, ..Outcome::from(verdict) }
}

impl Interestingness for RecipeTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Outcome {
        self.look(variant, false, cancel).outcome
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_three_are_enough_for_both_answers() {
        let ask = |answers: &[bool]| {
            let mut left = answers.iter();
            let mut asked = 0;
            let answer = confirmed(Confirm { least: 2, of: 3 }, &Cancel::new(), || {
                asked += 1;
                if *left.next().unwrap() { Answer::Holds } else { Answer::No("no".into()) }
            });
            (answer == Answer::Holds, asked)
        };
        assert_eq!(ask(&[true, true]), (true, 2));
        assert_eq!(ask(&[false, true, true]), (true, 3));
        assert_eq!(ask(&[true, false, false]), (false, 3));
        assert_eq!(ask(&[false, false]), (false, 2));
    }
}
