//! The pinned outcome, that is, the outcome of the original that variants have to show, too: the same class on the
//! suspected configuration, with the same messages, while the witnesses still agree. A witness is a configuration with
//! which the suspected one is compared.

mod variant;

use clreduce_kernel::{
    Ballot, BallotRole, EmiAgreement, OutcomeClass, Output, Rule, RunOutcome, VoteResult, emi, vote,
};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::configuration::show;
use crate::error::{Problem, ProblemKind};
use crate::format::Preset;
use crate::shown::{ShownOutcomes, from_match, signature_of};
use variant::errors_before;

/// The pinned outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The suspected configuration.
    pub accused: String,
    /// The class of its outcome.
    pub class: OutcomeClass,
    /// The messages of its crash or of its compiler, without the parts that differ between programs.
    pub signature: Vec<String>,
    /// The witnesses: they have the same result for the original, and must agree on variants.
    pub witnesses: Vec<String>,
    /// The errors that the suspected compiler reports in the original before it crashes. It must report no others in variants.
    #[serde(default)]
    pub errors: Vec<String>,
}

/// The verdict of a stage on a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StageVerdict {
    /// The variant passes.
    Passes,
    /// The variant is invalid, or does not show the bug.
    Rejects(String),
    /// The variant shows another bug.
    Slipped(String),
    /// The variant exceeded a time limit.
    TimedOut(String),
    /// A tool failed.
    Unresolved(String),
    /// A tool was not run, which says nothing about the variant.
    NotRun(String),
}

/// The demands of the recipe on the outcome, besides its preset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demands {
    pub class: Option<OutcomeClass>,
    pub message: Option<Regex>,
    pub reference: Option<String>,
}

/// Pins the outcome of the original.
pub(crate) fn pin(
    preset: Preset,
    demands: &Demands,
    shown: &[ShownOutcomes<'_>],
) -> Result<Pin, Problem> {
    let accused = accused(preset, demands, shown)?;
    let others = || shown.iter().filter(|other| other.name != accused.name && !other.simulated);
    let support =
        |result: &[Output]| others().filter(|other| other.success() == Some(result)).count();
    let best = others().filter_map(|other| Some((support(other.success()?), other.success()?)));
    // Of several, the first: the order is the recipe's.
    let best = best.fold(None, |best: Option<(usize, &[Output])>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    let witnesses: Vec<String> = match best {
        None => Vec::new(),
        Some((_, result)) => others()
            .filter(|other| match preset {
                Preset::Emi => other.success().is_some(),
                _ => other.success() == Some(result),
            })
            .map(|other| other.name.to_owned())
            .collect(),
    };
    let class = accused.outcomes.first().map_or(OutcomeClass::Unresolved, RunOutcome::class);
    let signature = match &demands.message {
        None => accused.outcomes.first().map(signature_of).unwrap_or_default(),
        // The line that the recipe asks for; the first error may be another one.
        Some(message) => {
            let said = accused.outcomes.first().map(RunOutcome::details).unwrap_or_default();
            let line = from_match(&said, message).and_then(|text| text.lines().next());
            line.and_then(clreduce_crash::of_failure).into_iter().collect()
        }
    };
    let errors = accused.outcomes.first().map(errors_before).unwrap_or_default();
    let pin = Pin { accused: accused.name.to_owned(), class, signature, witnesses, errors };
    let mut verdict = pin.accused(preset, demands, &accused.outcomes);
    for other in others().filter(|other| pin.witnesses.iter().any(|name| name == other.name)) {
        if verdict == StageVerdict::Passes {
            let first = best.map(|(_, result)| result);
            verdict = pin.witness(preset, demands, &accused.outcomes, first, other);
        }
    }
    let alone =
        pin.witnesses.is_empty() && preset == Preset::WrongCode && demands.reference.is_none();
    match verdict {
        StageVerdict::Passes if alone => {
            Err(not_shown(preset, shown, "no other configuration has a result"))
        }
        StageVerdict::Passes => Ok(pin),
        StageVerdict::Rejects(reason)
        | StageVerdict::Slipped(reason)
        | StageVerdict::TimedOut(reason)
        | StageVerdict::Unresolved(reason)
        | StageVerdict::NotRun(reason) => Err(not_shown(preset, shown, &reason)),
    }
}

fn not_shown(preset: Preset, shown: &[ShownOutcomes<'_>], why: &str) -> Problem {
    let all: Vec<String> = shown.iter().map(|one| format!("\n    {}", one.describe())).collect();
    Problem::new(
        format!("the original does not show `{}`: {why}{}", preset.name(), all.concat()),
        "choose another preset or other configurations; if the outcome differs from run to run, write `confirm = \"1 of 5\"` in \
         [outcome]",
    )
    .of(ProblemKind::NotShown)
}

fn accused<'a, 's>(
    preset: Preset,
    demands: &Demands,
    shown: &'a [ShownOutcomes<'s>],
) -> Result<&'a ShownOutcomes<'s>, Problem> {
    if let Some(named) = shown.iter().find(|one| one.accused) {
        return Ok(named);
    }
    let guilty: Vec<&ShownOutcomes<'_>> = match (preset, shown) {
        (_, [one]) => vec![one],
        (Preset::WrongCode, _) => wrong(demands, shown),
        (Preset::Emi, _) => {
            let differs =
                |one: &&ShownOutcomes<'_>| matches!(emi(&one.outcomes), EmiAgreement::Differ(..));
            shown.iter().filter(differs).collect()
        }
        _ => {
            let shows = |one: &&ShownOutcomes<'_>| {
                one.outcomes.iter().any(|outcome| preset.classes().contains(&outcome.class()))
            };
            shown.iter().filter(shows).collect()
        }
    };
    match guilty[..] {
        [one] => Ok(one),
        [] => Err(not_shown(preset, shown, "no configuration stands out as wrong")),
        _ => Err(Problem {
            help: "write `accused = true` in the [[configuration]] that this recipe is about"
                .to_owned(),
            ..not_shown(preset, shown, "more than one configuration shows it")
        }),
    }
}

/// Returns the configurations whose result is not that of the majority, or not the correct one.
fn wrong<'a, 's>(demands: &Demands, shown: &'a [ShownOutcomes<'s>]) -> Vec<&'a ShownOutcomes<'s>> {
    if let Some(reference) = &demands.reference {
        let differs = |one: &&ShownOutcomes<'_>| {
            one.outcomes
                .first()
                .and_then(RunOutcome::result)
                .is_some_and(|result| show(result) != reference.trim())
        };
        return shown.iter().filter(differs).collect();
    }
    let role = |one: &ShownOutcomes<'_>| {
        if one.simulated { BallotRole::Accused } else { BallotRole::Voter }
    };
    let ballots: Vec<Ballot<'_>> = shown
        .iter()
        .filter_map(|one| Some(Ballot { role: role(one), outcome: one.outcomes.first()? }))
        .collect();
    let findings = vote(&ballots, Rule::AtLeastThree).findings;
    let pairs = shown.iter().zip(findings);
    pairs.filter(|(_, finding)| *finding == VoteResult::WrongCode).map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clreduce_kernel::{Crash, Output, Scalar};

    use super::*;

    /// The result of a kernel that wrote one byte.
    fn result(value: u8) -> RunOutcome {
        let (kernel, name) = ("k".into(), "r".into());
        let output = Output { kernel, name, scalar: Scalar::Uchar, bytes: vec![value] };
        RunOutcome::Results(vec![vec![output]])
    }

    fn crash(text: &str) -> RunOutcome {
        RunOutcome::BuildCrash(Crash { how: "SIGABRT".into(), output: text.into() })
    }

    fn shown(outcomes: &[RunOutcome]) -> Vec<ShownOutcomes<'static>> {
        let names = ["a", "b", "c", "d", "simulator"];
        let shown = outcomes.iter().zip(names).map(|(outcome, name)| ShownOutcomes {
            name,
            accused: false,
            simulated: name == "simulator",
            outcomes: vec![outcome.clone()],
            time: Duration::ZERO,
        });
        shown.collect()
    }

    fn pinned(preset: Preset, outcomes: &[RunOutcome]) -> Result<Pin, Problem> {
        pin(preset, &Demands::default(), &shown(outcomes))
    }

    #[test]
    fn the_majority_names_the_accused() {
        let all = [result(2), result(1), result(1), result(1), result(3)];
        let error = pinned(Preset::WrongCode, &all).unwrap_err().what;
        assert!(error.contains("more than one"), "{error}");
        let pin = pinned(Preset::WrongCode, &all[..4]).unwrap();
        assert_eq!(
            (pin.accused.as_str(), &pin.witnesses[..]),
            ("a", &["b", "c", "d"].map(String::from)[..])
        );
        let error = pinned(Preset::WrongCode, &all[..3]).unwrap_err().what;
        assert!(
            error.contains("no configuration stands out as wrong")
                && error.contains("a: result 0x2"),
            "{error}"
        );
        let none = [result(1), result(1), result(1), result(1), result(2)];
        assert_eq!(pinned(Preset::WrongCode, &none).unwrap().accused, "simulator");
    }

    #[test]
    fn a_crash_comes_with_no_new_error() {
        let ice = "a.c:3:1: internal compiler error: in f, at x.cc:1\n";
        let error = |text: &str| crash(&format!("a.c:1:1: error: {text}\n{ice}"));
        let verdict = |original: RunOutcome, variant: RunOutcome| {
            let pin = pinned(Preset::Crash, &[original]).unwrap();
            pin.accused(Preset::Crash, &Demands::default(), &[variant])
        };
        assert_eq!(verdict(crash(ice), crash(ice)), StageVerdict::Passes);
        assert!(matches!(verdict(crash(ice), error("no")), StageVerdict::Rejects(_)));
        assert_eq!(verdict(error("no 'x'"), error("no 'y'")), StageVerdict::Passes);
        assert_eq!(verdict(error("no"), crash(ice)), StageVerdict::Passes);
    }

    #[test]
    fn two_are_enough_when_one_is_accused() {
        let mut two = shown(&[result(1), result(2)]);
        two[1].accused = true;
        let pin = pin(Preset::WrongCode, &Demands::default(), &two).unwrap();
        assert_eq!((pin.accused.as_str(), pin.witnesses.len()), ("b", 1));
        two[0].outcomes = vec![result(2)];
        let error = super::pin(Preset::WrongCode, &Demands::default(), &two).unwrap_err();
        assert!(error.what.contains("the same result as b"), "{}", error.what);
    }

    #[test]
    fn nothing_slips() {
        let demands = Demands::default();
        let first = crash("x: Assertion `N > 1' failed.");
        let pin = pinned(Preset::Crash, &[first.clone(), result(1)]).unwrap();
        assert_eq!(pin.witnesses, ["b"]);
        let accused = |outcome: RunOutcome| pin.accused(Preset::Crash, &demands, &[outcome]);
        assert_eq!(accused(first), StageVerdict::Passes);
        assert!(matches!(accused(crash("x: Assertion `N > 2' failed.")), StageVerdict::Slipped(_)));
        assert!(matches!(accused(result(1)), StageVerdict::Rejects(_)));
        assert!(matches!(accused(RunOutcome::BuildTimeout), StageVerdict::TimedOut(_)));
        assert!(matches!(accused(RunOutcome::Unresolved("x".into())), StageVerdict::Unresolved(_)));

        let [_, witness] = &shown(&[result(1), crash("")])[..] else { panic!() };
        let answer = pin.witness(Preset::Crash, &demands, &[], None, witness);
        assert!(matches!(answer, StageVerdict::Slipped(_)), "{answer:?}");
    }

    /// A bug that reads what was not written: the stack is the same, the end is not.
    #[test]
    fn a_crash_may_end_with_a_signal_or_with_a_message_in_the_same_place() {
        let stack = "Stack dump:\n0.\tProgram arguments: cc\n1.\tRunning pass 'X86 FP Stackifier' on function '@f'\n\
                     #0 0x1 llvm::sys::PrintStackTrace() (/lib/cc.so+0x1)\n#1 0x2 runOnFunction(llvm::Function&) (/lib/cc.so+0x2)\n";
        let signal = crash(stack);
        let message =
            crash(&format!("fatal error: error in backend: Access past stack top!\n{stack}"));
        let elsewhere = crash(&stack.replace("FP Stackifier", "Assembly Printer"));
        let demands = Demands::default();
        let pin = pinned(Preset::Crash, &[signal.clone(), result(1)]).unwrap();
        let accused = |outcome| pin.accused(Preset::Crash, &demands, &[outcome]);
        assert_eq!(accused(message.clone()), StageVerdict::Passes);
        assert!(matches!(accused(elsewhere.clone()), StageVerdict::Slipped(_)));
        let common = crate::shown::common_signature(&[&message, &signal]).unwrap();
        assert_eq!(common, pin.signature);
        assert!(crate::shown::common_signature(&[&message, &crash("")]).is_none());
        assert_eq!(pin.signature.len(), 2, "{:?}", pin.signature);
    }

    #[test]
    fn a_reference_stands_for_witnesses() {
        let demands = Demands { reference: Some("0x7,".into()), ..Demands::default() };
        let wrong = pin(Preset::WrongCode, &demands, &shown(&[result(1)])).unwrap();
        assert_eq!(wrong.accused, "a");
        let right = pin(Preset::WrongCode, &demands, &shown(&[result(7)])).unwrap_err();
        assert!(right.what.contains("the result is correct"), "{}", right.what);
    }

    #[test]
    fn variants_of_one_base_are_compared_on_one_configuration() {
        let time = Duration::ZERO;
        let variants = |name, outcomes| ShownOutcomes {
            name,
            accused: false,
            simulated: false,
            outcomes,
            time,
        };
        let both =
            [variants("a", vec![result(1), result(1)]), variants("b", vec![result(1), result(2)])];
        let pin = pin(Preset::Emi, &Demands::default(), &both).unwrap();
        assert_eq!((pin.accused.as_str(), &pin.witnesses[..]), ("b", &["a".to_owned()][..]));
    }
}
