//! Speculation comes close to the best that is possible, in virtual time; see `notes/speculation.md`.

#[allow(dead_code)]
mod common;
#[allow(dead_code)]
#[path = "../benches/simulator/mod.rs"]
mod simulator;

use common::{ListSource, Oracle};
use simulator::{Chances, Replay, Trace, bound_ms, simulate};

const JOBS: [usize; 3] = [2, 8, 16];

/// What speculation is held to.
const SHARE_OF_BOUND: f64 = 0.85;

fn check(trace: &Trace, chances: Chances) {
    for jobs in JOBS {
        let oracle = Replay::oracle(trace);
        let simulated = simulate(Replay::new(trace.clone(), chances), jobs, oracle);
        assert_eq!(simulated.trace.entries.len(), trace.entries.len());
        let share = bound_ms(trace, jobs) / simulated.wall_ms as f64;
        assert!(share >= SHARE_OF_BOUND, "{share} of the bound with {jobs} jobs");
    }
}

#[test]
fn a_recorded_reduction_is_near_the_bound() {
    let recorded = include_str!("../benches/traces/assembly.jsonl");
    check(&Trace::from_events(recorded).unwrap(), Chances::Recorded);
}

#[test]
fn made_up_conversations_are_near_the_bound() {
    for (seed, streaks) in [(1, 0), (2, 0), (3, 30), (4, 60)] {
        check(&Trace::random(seed, 3000, streaks), Chances::Learned);
    }
}

#[test]
fn one_slot_takes_the_time_of_its_tests_and_more_slots_say_the_same() {
    let oracle = Oracle { seed: 1, length: 300, bumpy: true, delay: Default::default() };
    let original = oracle.original();
    let answers = |jobs| {
        let simulated = simulate(ListSource::new(&original), jobs, |case| oracle.accepts(case));
        let entries = &simulated.trace.entries;
        let answers: Vec<_> = entries.iter().map(|entry| (entry.pass, entry.interesting)).collect();
        (simulated.wall_ms, simulated.counters, answers)
    };
    let (wall, counters, one) = answers(1);
    assert_eq!(wall, 100 * one.len() as u64);
    assert_eq!((counters.started, counters.killed), (one.len() as u64, 0));
    for jobs in JOBS {
        let (faster, _, several) = answers(jobs);
        assert_eq!(one, several);
        assert!(faster < wall);
    }
}
