//! Confirmations: when they get a slot, and when they are taken.

use super::*;

#[test]
fn confirmations_take_slots_that_nothing_probable_wants_and_give_way() {
    let mut scheduler = Scheduler::new(Path::new(500), 1, Verdicts::default());
    let (started, _) = plan(&mut scheduler);
    scheduler.ended(started[0].0, Ok(Outcome::from(YES)));
    assert_eq!(steps(&mut scheduler), 1);
    scheduler.confirmations_mut().add(&variant(""), u64::MAX);
    let (next, _) = plan(&mut scheduler);
    assert_eq!(texts(&next), ["y"], "the candidate comes first");
    scheduler.kill_all();
    scheduler.ended(next[0].0, Ok(Outcome::from(YES)));
    let actions = scheduler.plan_confirmations(true);
    let [Action::Start(id, Occasion::Again, again)] = actions.as_slice() else {
        panic!("{actions:?}")
    };
    assert_eq!(*again, variant(""));
    scheduler.ended(*id, Ok(Outcome::from(NO)));
    assert_eq!(scheduler.take_confirmation().unwrap().outcome.verdict, NO);
    assert!(scheduler.is_confirmed());
}

#[test]
fn a_confirmation_that_is_due_comes_before_the_candidate() {
    let mut scheduler = scheduler(Path::new(500), 1);
    let mut asked = Vec::new();
    for _ in 0..4 {
        let (started, _) = plan(&mut scheduler);
        asked.push(started[0].1.clone());
        scheduler.ended(started[0].0, Ok(Outcome::from(NO)));
        if let SchedulerStep::Judged(judged) = scheduler.step()
            && asked.len() == 1
        {
            scheduler.confirmations_mut().add(&judged.candidate.variant, 3);
        }
    }
    assert_eq!(asked, ["", "n", "", "nn"]);
    let confirmed = scheduler.take_confirmation().unwrap();
    assert_eq!((confirmed.hash, confirmed.outcome.verdict), (variant("").hash(), NO));
    assert!(scheduler.take_confirmation().is_none());
}

#[test]
fn a_confirmation_that_times_out_beside_others_is_run_again_alone() {
    let mut scheduler = scheduler(Path::new(100), 2);
    let (candidates, _) = plan(&mut scheduler);
    assert_eq!(texts(&candidates), ["", "n"]);
    scheduler.ended(candidates[0].0, Ok(Outcome::from(NO)));
    let SchedulerStep::Judged(judged) = scheduler.step() else { panic!("it has ended") };
    scheduler.confirmations_mut().add(&judged.candidate.variant, 1);
    let (again, _) = plan(&mut scheduler);
    assert_eq!(texts(&again), [""]);
    scheduler.ended(again[0].0, Ok(Outcome::from(Verdict::TimedOut)));
    assert!(scheduler.take_confirmation().is_none(), "a busy machine explains it");
    assert!(plan(&mut scheduler).0.is_empty(), "until the other has ended");
    scheduler.ended(candidates[1].0, Ok(Outcome::from(NO)));
    let (alone, _) = plan(&mut scheduler);
    assert_eq!(texts(&alone), [""]);
    scheduler.ended(alone[0].0, Ok(Outcome::from(Verdict::TimedOut)));
    let confirmed = scheduler.take_confirmation().map(|it| it.outcome.verdict);
    assert_eq!(confirmed, Some(Verdict::TimedOut), "nothing else explains it now");
    assert!(!plan(&mut scheduler).0.is_empty());
}

#[test]
fn a_confirmation_that_ends_early_is_taken_when_it_is_due() {
    assert_eq!(verdicts_and_confirmations(["x", "", "n"]), [(0, false), (1, false), (1, true)]);
    assert_eq!(verdicts_and_confirmations(["", "x", "n"]), [(1, false), (0, false), (1, true)]);
}

#[test]
fn a_confirmation_that_ends_late_is_taken_at_the_same_place() {
    assert_eq!(verdicts_and_confirmations(["", "n", "x"]), [(1, false), (0, false), (1, true)]);
    // One slot: it is the last to begin as well.
    let mut scheduler = scheduler(Path::new(500), 1);
    scheduler.confirmations_mut().add(&variant("x"), 2);
    let mut taken = Vec::new();
    for text in ["", "x", "n"] {
        let (started, _) = plan(&mut scheduler);
        assert_eq!(texts(&started), [text]);
        scheduler.ended(started[0].0, Ok(Outcome::from(NO)));
        taken.push((steps(&mut scheduler), scheduler.take_confirmation().is_some()));
    }
    assert_eq!(taken, [(1, false), (0, false), (1, true)]);
}

fn verdicts_and_confirmations(ends: [&str; 3]) -> [(usize, bool); 3] {
    let mut scheduler = scheduler(Path::new(500), 32);
    scheduler.confirmations_mut().add(&variant("x"), 2);
    let (started, _) = plan(&mut scheduler);
    ends.map(|text| {
        let test = started.iter().find(|(_, started)| started == text).unwrap();
        scheduler.ended(test.0, Ok(Outcome::from(NO)));
        (steps(&mut scheduler), scheduler.take_confirmation().is_some())
    })
}

#[test]
fn a_confirmation_that_is_due_is_waited_for() {
    let mut scheduler = scheduler(Path::new(100), 2);
    let (started, _) = plan(&mut scheduler);
    assert_eq!(texts(&started), ["", "n"]);
    scheduler.confirmations_mut().add(&variant("x"), 2);
    for (id, _) in started {
        scheduler.ended(id, Ok(Outcome::from(NO)));
    }
    assert_eq!(steps(&mut scheduler), 1, "the second verdict is there");
    let (started, _) = plan(&mut scheduler);
    assert_eq!(texts(&started), ["x", "nn"]);
    assert_eq!(steps(&mut scheduler), 0);
    scheduler.ended(started[0].0, Ok(Outcome::from(NO)));
    assert_eq!(steps(&mut scheduler), 1);
}
