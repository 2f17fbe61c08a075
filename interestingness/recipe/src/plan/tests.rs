//! Judges scripted variants in random orders, again and again, on several threads, with kills, and under statistics that change
//! meanwhile.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use clreduce_interestingness::Verdict;

use super::*;
use crate::judgement::{Judgement, StageResult, outcome_of};
use crate::pin::StageVerdict;

const VARIANTS: u64 = 40;

/// The plans of recipes of every kind.
fn plans() -> Vec<RecipePlan> {
    use Decides::{Demand, Reject};
    let stage = PlanStep::stage;
    let stages = |cost| {
        let [one, two, three] = [("one", Reject), ("two", Demand), ("three", Reject)];
        [
            stage(one.0, 0, one.1, cost),
            stage(two.0, 1, two.1, cost),
            stage(three.0, 2, three.1, cost),
        ]
    };
    let (outcome, glance) = (PlanStep::outcome, PlanStep::glance);
    let kernel = |cost| {
        let cheap = [PlanStep::interpret(), stage("compile", 3, Reject, Cost::Compiles), glance()];
        cheap.into_iter().chain(stages(cost)).chain([outcome()]).collect()
    };
    let commands = stages(Cost::Runs).into_iter().chain([glance(), outcome()]).collect();
    let hang = stages(Cost::Runs).into_iter().chain([outcome()]).collect();
    [kernel(Cost::Compares), kernel(Cost::Runs), commands, hang].map(RecipePlan::new).into()
}

/// Any number that follows from others.
fn mixed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0xcbf2_9ce4_8422_2325, |hash, number| {
        let mixed = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    })
}

/// The findings of a step about a variant, and what follows: the script.
fn said(step: &PlanStep, variant: u64) -> (StageVerdict, AfterStep) {
    use StageVerdict::{NotRun, Passes, Rejects, Slipped, TimedOut, Unresolved};
    let name: Vec<u64> = step.name.bytes().map(u64::from).collect();
    let text = || format!("{} of {variant}", step.name);
    let number = mixed(&[&name[..], &[variant]].concat()) % 12;
    match (step.work, number) {
        (StepWork::Interpret, 0..3) => (Passes, AfterStep::Accepted),
        (StepWork::Interpret, 3..8) => (Passes, AfterStep::GoOn),
        (StepWork::Glance, 3) => (TimedOut(text()), AfterStep::GoOn),
        (_, 0) => (Rejects(text()), AfterStep::Rejected),
        (_, 1) => (Slipped(text()), AfterStep::Rejected),
        (_, 2 | 3) => (TimedOut(text()), AfterStep::Rejected),
        (_, 4) => (Unresolved(text()), AfterStep::GoOn),
        (_, 5) => (NotRun(text()), AfterStep::GoOn),
        _ => (Passes, AfterStep::GoOn),
    }
}

/// Judges a variant as a recipe does. One that is killed ends after the given number of steps.
fn judged(
    plan: &RecipePlan,
    depth: Depth,
    counts: &AllStageCounts,
    variant: u64,
    killed: u64,
) -> Judgement {
    let mut results: Vec<StageResult> = Vec::new();
    let mut left = killed;
    plan.follow(depth, counts, |step| {
        if left == 0 {
            return AfterStep::Rejected;
        }
        left -= 1;
        let is_open = results.iter().any(|result| result.verdict != StageVerdict::Passes);
        if step.work == StepWork::Outcome && is_open && depth != Depth::Everything {
            return AfterStep::Rejected;
        }
        let (verdict, next) = said(step, variant);
        let (stage, notes, wall) = (step.name.clone(), Vec::new(), Duration::ZERO);
        results.push(StageResult { stage, verdict, notes, wall });
        next
    });
    if left > 0 {
        counts.add(&results);
    }
    Judgement { outcome: outcome_of(&results, Duration::ZERO), results }
}

fn verdict(judgement: Judgement) -> Option<Verdict> {
    judgement.verdict().ok().map(|outcome| outcome.verdict)
}

/// The verdict by the words of a recipe's description, without a plan.
fn described(plan: &RecipePlan, depth: Depth, variant: u64) -> Option<Verdict> {
    use StageVerdict::{NotRun, Rejects, Slipped, TimedOut, Unresolved};
    let step = |step: &PlanStep| said(step, variant);
    let is_accepted = |one: &&PlanStep| step(one).1 == AfterStep::Accepted;
    let accepts = depth == Depth::Verdict && plan.0.iter().any(|one| is_accepted(&one));
    let asked = plan.0.iter().filter(|one| !accepts || one.decides != Decides::Reject);
    let (last, before): (Vec<_>, Vec<_>) = asked.partition(|one| one.cost == Cost::Last);
    for group in [before, last] {
        let answers: Vec<StageVerdict> = group.iter().map(|one| step(one).0).collect();
        if answers.iter().any(|one| matches!(one, Rejects(_) | Slipped(_) | TimedOut(_))) {
            return Some(Verdict::Uninteresting);
        }
        if answers.iter().any(|one| matches!(one, NotRun(_))) {
            return None;
        }
        if answers.iter().any(|one| matches!(one, Unresolved(_))) {
            return Some(Verdict::Unresolved);
        }
    }
    Some(Verdict::Interesting)
}

#[test]
fn ten_thousand_judgements_have_one_verdict_for_each_variant() {
    const JUDGEMENTS: u64 = 10_000;
    for (number, plan) in plans().iter().enumerate() {
        for jobs in [1, 2, 8] {
            let (counts, next) = (AllStageCounts::default(), AtomicU64::new(0));
            let orders = Mutex::new(std::collections::BTreeSet::new());
            let work = || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= JUDGEMENTS {
                        return;
                    }
                    let random = |what: u64| mixed(&[number as u64, jobs, at, what]);
                    let variant = random(0) % VARIANTS;
                    let depth =
                        if random(1) % 4 == 0 { Depth::Confirmation } else { Depth::Verdict };
                    if random(2) % 3 == 0 {
                        judged(plan, depth, &counts, variant, random(3) % 5);
                        continue;
                    }
                    let order: Vec<String> =
                        plan.order(&counts).iter().map(|step| step.name.clone()).collect();
                    orders.lock().unwrap().insert(order);
                    let judgement = judged(plan, depth, &counts, variant, u64::MAX);
                    let told = (verdict(judgement), variant, depth);
                    assert_eq!(told, (described(plan, depth, variant), variant, depth));
                }
            };
            thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
            assert!(orders.lock().unwrap().len() > 1, "the order never changed");
        }
    }
}

#[test]
fn what_rejects_most_comes_first_whatever_its_time() {
    let [.., commands, hang] = &plans()[..] else { panic!() };
    let names = |plan: &RecipePlan, counts: &AllStageCounts| -> Vec<String> {
        plan.order(counts).iter().map(|step| step.name.clone()).collect()
    };
    let counts = AllStageCounts::default();
    let begins = ["one", "two", "three", OUTCOME, OUTCOME];
    assert_eq!(names(commands, &counts), begins);
    // As in a reduction in which the memory sanitizer rejected none of 168, and the outcome 67.
    for number in 0..168 {
        let rejects =
            |is| if is { StageVerdict::Rejects("no".into()) } else { StageVerdict::Passes };
        let result = |stage: &str, is, seconds| StageResult {
            stage: stage.to_owned(),
            verdict: rejects(is),
            notes: Vec::new(),
            wall: Duration::from_secs(seconds),
        };
        counts.add(&[
            result("one", number % 20 == 0, 1),
            result("two", false, 1),
            result("three", number % 10 == 0, 100),
            result(OUTCOME, number % 5 < 2, 1000),
        ]);
    }
    assert_eq!(names(commands, &counts), [OUTCOME, "three", "one", "two", OUTCOME]);
    assert_eq!(names(hang, &counts), ["three", "one", "two", OUTCOME]);
}
