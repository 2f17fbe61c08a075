//! The scheduler, driven by hand: no threads, no clock.

mod confirmations;

use clreduce_interestingness::Verdict;
use clreduce_testcase::{ContentHash, Size};

use super::*;
use crate::tally::WrongSuccesses;
use crate::verdicts::FlakyCounts;

/// Asks for the answers so far, or, where `merging`, only for their number.
#[derive(Clone, Debug)]
struct Path {
    answers: String,
    chance: u16,
    merging: bool,
    supposed_success: bool,
    /// States of this length are blocked behind a supposed success.
    boundary: usize,
    /// Which of the variants it asked about were retracted.
    retracted: Vec<String>,
}

impl Path {
    fn new(chance: u16) -> Self {
        let (answers, boundary) = (String::new(), usize::MAX);
        let retracted = Vec::new();
        Self { answers, chance, merging: false, supposed_success: false, boundary, retracted }
    }
}

fn variant(text: &str) -> TestCase {
    TestCase::single("path", text.as_bytes()).unwrap()
}

impl CandidateSource for Path {
    fn next(&mut self) -> Next {
        if self.supposed_success && self.answers.len() >= self.boundary {
            return Next::Blocked;
        }
        let text = if self.merging { "?".repeat(self.answers.len()) } else { self.answers.clone() };
        let variant = variant(&text);
        let size = Size { work_items: 1, tokens: 0, dense_bytes: 0 };
        let hash = variant.hash();
        Next::Candidate(Candidate { variant, hash, size, pass: "path", chance: self.chance })
    }

    fn take_verdict(&mut self, interesting: bool) -> Option<TestCase> {
        self.answers.push(if interesting { 'y' } else { 'n' });
        self.supposed_success |= interesting;
        None
    }

    fn retract(&mut self, is_retracted: &dyn Fn(&ContentHash) -> bool) {
        let asked = (0..self.answers.len()).map(|length| self.answers[..length].to_owned());
        self.retracted = asked.filter(|text| is_retracted(&variant(text).hash())).collect();
    }

    fn mark_supposed(&mut self) {}

    fn confirm(&mut self) {
        self.supposed_success = false;
    }
}

fn scheduler(source: Path, slots: usize) -> Scheduler<Path> {
    Scheduler::new(source, slots, Verdicts::default())
}

/// Plans to the end: what was started, as text, and what was killed.
fn plan(scheduler: &mut Scheduler<Path>) -> (Vec<(TestId, String)>, Vec<TestId>) {
    let (mut started, mut killed) = (Vec::new(), Vec::new());
    loop {
        let actions = scheduler.plan(true);
        if actions.is_empty() {
            return (started, killed);
        }
        for action in actions {
            match action {
                Action::Start(id, _, variant) => {
                    let text = String::from_utf8(variant.files()[0].bytes.to_vec()).unwrap();
                    started.push((id, text));
                }
                Action::Filter(id, variant) => {
                    let text = String::from_utf8(variant.files()[0].bytes.to_vec()).unwrap();
                    started.push((id, format!("look at {text}")));
                }
                Action::Kill(id) => killed.push(id),
            }
        }
    }
}

fn texts(started: &[(TestId, String)]) -> Vec<&str> {
    started.iter().map(|(_, text)| text.as_str()).collect()
}

fn steps(scheduler: &mut Scheduler<Path>) -> usize {
    std::iter::from_fn(|| matches!(scheduler.step(), SchedulerStep::Judged(_)).then_some(()))
        .count()
}

const NO: Verdict = Verdict::Uninteresting;
const YES: Verdict = Verdict::Interesting;

#[test]
fn the_most_probable_questions_run_on_both_branches() {
    let mut scheduler = scheduler(Path::new(600), 5);
    let (started, _) = plan(&mut scheduler);
    assert_eq!(texts(&started), ["", "y", "n", "yy", "yn"]);
}

#[test]
fn an_answer_kills_what_it_rules_out_and_keeps_the_rest() {
    let mut scheduler = scheduler(Path::new(300), 4);
    let (started, _) = plan(&mut scheduler);
    assert_eq!(texts(&started), ["", "n", "nn", "nnn"]);
    // Out of order: nothing is consumed before the first answer is there.
    scheduler.ended(started[1].0, Ok(Outcome::from(YES)));
    assert_eq!(steps(&mut scheduler), 0);
    let (more, killed) = plan(&mut scheduler);
    assert_eq!(killed, [started[2].0, started[3].0]);
    assert_eq!(texts(&more), ["ny"], "a slot is free again only when its test has ended");
    scheduler.ended(killed[0], Ok(Outcome::from(YES)));
    scheduler.ended(started[0].0, Ok(Outcome::from(NO)));
    assert_eq!(steps(&mut scheduler), 2);
    let Next::Candidate(next) = scheduler.tree.next() else { panic!() };
    assert_eq!(next.variant, variant("ny"));
    assert_eq!(scheduler.counters().killed, 1);
}

#[test]
fn a_variant_on_two_paths_is_tested_once_and_survives_either_answer() {
    let source = Path { merging: true, ..Path::new(500) };
    let mut scheduler = scheduler(source, 3);
    let (started, _) = plan(&mut scheduler);
    assert_eq!(texts(&started), ["", "?", "??"]);
    scheduler.ended(started[0].0, Ok(Outcome::from(YES)));
    assert_eq!(steps(&mut scheduler), 1);
    let (more, killed) = plan(&mut scheduler);
    assert_eq!((texts(&more), killed.len()), (vec!["???"], 0));
}

#[test]
fn what_timed_out_beside_others_is_run_alone() {
    let mut scheduler = scheduler(Path::new(100), 2);
    let (started, _) = plan(&mut scheduler);
    scheduler.ended(started[0].0, Ok(Outcome::from(Verdict::TimedOut)));
    assert_eq!(steps(&mut scheduler), 0);
    assert_eq!(plan(&mut scheduler), (vec![], vec![]), "another test still runs");
    scheduler.ended(started[1].0, Ok(Outcome::from(NO)));
    let (again, _) = plan(&mut scheduler);
    assert_eq!(texts(&again), [""]);
    scheduler.ended(again[0].0, Ok(Outcome::from(Verdict::TimedOut)));
    assert_eq!(steps(&mut scheduler), 2);
}

#[test]
fn a_blocked_state_goes_on_once_the_success_before_it_is_real() {
    let source = Path { boundary: 2, ..Path::new(450) };
    let mut scheduler = scheduler(source, 8);
    let (started, _) = plan(&mut scheduler);
    assert_eq!(texts(&started), ["", "n", "y", "nn", "nnn", "nnnn", "nnnnn", "nnnnnn"]);
    scheduler.ended(started[0].0, Ok(Outcome::from(YES)));
    assert_eq!(steps(&mut scheduler), 1);
    let (more, killed) = plan(&mut scheduler);
    // "yy" rests on a success still to come; "yn" on none any more.
    assert_eq!(texts(&more), ["yn"]);
    assert_eq!(killed.len(), 6);
}

#[test]
fn a_blocked_state_goes_on_where_it_is_likely_to_come() {
    let source = Path { boundary: 1, ..Path::new(700) };
    let (started, _) = plan(&mut scheduler(source, 8));
    // 0.7 to the third is more than a quarter, to the fourth less, as is "ny".
    assert_eq!(texts(&started), ["", "y", "yy", "yyy", "n", "yn", "yyn", "yyyn"]);
}

/// A confirmation "x" that is due after two verdicts, and the tests of the first two candidates, which end in this order.
/// After each end: how many verdicts the source takes, and whether the confirmation can be taken.
#[test]
fn tests_ahead_that_are_dropped_run_again() {
    let mut scheduler = scheduler(Path::new(100), 3);
    let (started, _) = plan(&mut scheduler);
    assert_eq!(texts(&started), ["", "n", "nn"]);
    scheduler.ended(started[1].0, Ok(Outcome::from(YES)));
    let killed = scheduler.drop_tests_ahead();
    assert!(matches!(killed[..], [Action::Kill(first), Action::Kill(third)]
        if (first, third) == (started[0].0, started[2].0)));
    for test in [&started[0], &started[2]] {
        scheduler.ended(test.0, Ok(Outcome::from(YES)));
    }
    assert_eq!(steps(&mut scheduler), 0);
    assert_eq!(texts(&plan(&mut scheduler).0), ["", "n", "nn"]);
}

#[test]
fn a_success_that_is_not_trusted_is_tested_again_until_the_results_decide() {
    let mut verdicts = Verdicts::default();
    let seen = WrongSuccesses { refuted: 0, rejected: 1 << 40 };
    verdicts.distrust(seen);
    assert_eq!(seen.lead(), 3);
    let mut scheduler = Scheduler::new(Path::new(500), 1, verdicts);
    let mut judge = |results: &[Verdict]| {
        for (number, result) in results.iter().enumerate() {
            let actions = scheduler.plan(true);
            let [Action::Start(id, Occasion::Again, _)] = actions[..] else {
                panic!("{actions:?}")
            };
            scheduler.ended(id, Ok(Outcome::from(*result)));
            if number + 1 < results.len() {
                assert!(matches!(scheduler.step(), SchedulerStep::Waiting));
            }
        }
        let SchedulerStep::Judged(judged) = scheduler.step() else { panic!("{results:?} decide") };
        judged.outcome.verdict
    };
    assert_eq!(judge(&[NO]), NO);
    assert_eq!(judge(&[YES, YES, YES, YES]), YES);
    assert_eq!(judge(&[YES, NO, NO]), NO);
    assert_eq!(judge(&[YES, NO, YES, YES, YES, YES]), YES);
    let counts = scheduler.verdicts().flaky_counts();
    let expected = FlakyCounts { repeated: 3, wrongly_interesting: 1, wrongly_rejected: 1 };
    assert_eq!(counts, expected);
}

#[test]
fn mistakes_of_a_flaky_test_count_once_the_source_has_taken_the_verdict() {
    let mut verdicts = Verdicts::default();
    verdicts.distrust(WrongSuccesses::default());
    let mut scheduler = Scheduler::new(Path::new(500), 4, verdicts);
    let rejected = |rejected| Some(WrongSuccesses { refuted: 0, rejected });
    for _ in 0..2 {
        // Everything ends but the candidate.
        for _ in 0..10 {
            let (started, _) = plan(&mut scheduler);
            for (id, _) in started.iter().filter(|(_, text)| !text.is_empty()) {
                scheduler.ended(*id, Ok(Outcome::from(NO)));
            }
        }
        assert!(scheduler.verdicts.expected(&variant("n").hash()).is_some());
        assert_eq!(scheduler.verdicts().wrong_successes(), rejected(0));
        // A dropped variant is tested again.
        scheduler.drop_tests_ahead();
        let candidate = scheduler.running.iter().next().unwrap().id;
        scheduler.ended(candidate, Ok(Outcome::from(NO)));
    }
    for number in 1..=2 {
        plan(&mut scheduler);
        let awaited = scheduler.awaited().unwrap().hash;
        let is_awaited = |test: &&RunningTest| test.hash == awaited;
        let test = scheduler.running.iter().find(is_awaited).unwrap().id;
        scheduler.ended(test, Ok(Outcome::from(NO)));
        assert_eq!(steps(&mut scheduler), 1);
        assert_eq!(scheduler.verdicts().wrong_successes(), rejected(number));
    }
}

#[test]
fn a_success_is_repeated_as_often_as_the_mistakes_until_its_step_ask_for() {
    // The mistakes that were seen before the source takes the verdict, and the leads before and after them.
    for (rejected, refuted, leads) in [(40, 0, [13, 5]), (0, 5, [13, 24])] {
        let results = [false, true].map(|is_early| {
            let mut verdicts = Verdicts::default();
            let mut seen = WrongSuccesses::default();
            verdicts.distrust(seen);
            assert_eq!(seen.lead(), leads[0]);
            let hash = variant("success").hash();
            let run = |verdicts: &mut Verdicts, from: usize| {
                let mut runs = from;
                while verdicts.expected(&hash).is_none() {
                    // One in nine is contrary.
                    let verdict = if runs % 9 == 8 { NO } else { YES };
                    verdicts.insert(hash, Outcome::from(verdict));
                    runs += 1;
                }
                runs
            };
            let runs = if is_early { run(&mut verdicts, 0) } else { 0 };
            for number in 0..rejected + refuted {
                let other = variant(&number.to_string()).hash();
                let results = if number < rejected { &[NO][..] } else { &[YES, NO, NO] };
                for result in results {
                    verdicts.insert(other, Outcome::from(*result));
                }
                assert!(verdicts.take(&other, false, |_| {}).is_some());
            }
            seen = verdicts.wrong_successes().unwrap();
            assert_eq!((seen.refuted, seen.rejected, seen.lead()), (refuted, rejected, leads[1]));
            run(&mut verdicts, runs);
            (verdicts.take(&hash, false, |_| {}).unwrap().outcome, verdicts.flaky_counts())
        });
        assert_eq!(results[0], results[1]);
        assert!(results[0].0.verdict == YES);
    }
}

/// A compile filter that rejects everything, and tests that find a variant interesting after `interesting` answers.
fn judge_with_filter(interesting: usize) -> (Vec<Filtered>, Scheduler<Path>) {
    let mut verdicts = Verdicts::default();
    verdicts.use_filter();
    let mut scheduler = Scheduler::new(Path::new(500), 1, verdicts);
    let mut filtered = Vec::new();
    loop {
        while let SchedulerStep::Judged(answered) = scheduler.step() {
            filtered.push(answered.filtered);
        }
        if filtered.len() >= 200 || !scheduler.verdicts.uses_filter() {
            return (filtered, scheduler);
        }
        let (started, _) = plan(&mut scheduler);
        let [(id, text)] = &started[..] else { panic!("{started:?}") };
        if text.starts_with("look") {
            scheduler.filtered(*id, Some(false));
        } else {
            let verdict = if filtered.len() >= interesting { YES } else { NO };
            scheduler.ended(*id, Ok(Outcome::from(verdict)));
        }
    }
}

#[test]
fn a_compile_filter_looks_first_and_is_trusted_after_its_probation() {
    let (filtered, scheduler) = judge_with_filter(usize::MAX);
    assert!(filtered[..20].iter().all(|filtered| *filtered == Filtered::Doubted));
    let later = filtered[20..].iter().filter(|filtered| **filtered == Filtered::Rejected).count();
    assert!((150..180).contains(&later), "all but one in sixteen: {later}");
    let Counters { filtered: looks, started, .. } = scheduler.counters();
    assert_eq!((looks, started + later as u64), (filtered.len() as u64, filtered.len() as u64));
}

#[test]
fn a_contradiction_retracts_what_was_not_tested() {
    let (filtered, mut scheduler) = judge_with_filter(21);
    assert_eq!(filtered.last(), Some(&Filtered::Doubted));
    let refused: Vec<String> = (0..filtered.len())
        .filter(|at| filtered[*at] == Filtered::Rejected)
        .map(|at| "n".repeat(at))
        .collect();
    assert!(!refused.is_empty());
    assert_eq!(scheduler.tree.root().retracted, refused);
    // From now on everything is tested.
    let (started, _) = plan(&mut scheduler);
    assert!(!started[0].1.starts_with("look"));
}

#[test]
fn a_test_that_was_not_run_is_run_alone_and_then_given_up() {
    let mut scheduler = scheduler(Path::new(100), 2);
    let broken = || Err(NotRun::Failed("the disk is full".to_owned()));
    let (started, _) = plan(&mut scheduler);
    scheduler.ended(started[0].0, broken());
    assert_eq!((steps(&mut scheduler), scheduler.not_run()), (0, None));
    scheduler.ended(started[1].0, broken());
    let (alone, _) = plan(&mut scheduler);
    assert_eq!(texts(&alone), [""], "nothing runs beside it");
    scheduler.ended(alone[0].0, Ok(Outcome::from(NO)));
    assert_eq!(steps(&mut scheduler), 1);
    let (next, _) = plan(&mut scheduler);
    assert_eq!(texts(&next), ["n"]);
    scheduler.ended(next[0].0, broken());
    assert_eq!(scheduler.not_run(), broken().err().as_ref());
    assert_eq!(steps(&mut scheduler), 0, "that is no verdict");
}
