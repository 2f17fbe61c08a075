//! Speculation comes close to the best that is possible, in virtual time; see `notes/speculation.md`.

#[allow(dead_code)]
#[path = "../../benches/simulator/mod.rs"]
mod simulator;

use crate::support::lists::{ListSource, Oracle};
use simulator::{ChanceSource, RECORDED, Replay, Trace, bound_ms, possible, simulate};

const JOBS: [usize; 3] = [2, 8, 16];

/// The bounds to which speculation is held.
const SHARE_OF_BOUND: f64 = 0.85;

/// A conversation of so many tests is held to it by itself. A shorter one depends on luck: each wrong guess costs the
/// time of a test.
const LONG: usize = 300;

/// The most log loss of the reducer's chances on the mean of the recorded conversations, in bits for each verdict.
const MOST_BITS: f64 = 0.66;

/// The distance of the conversation from the bound.
fn share_of_bound(trace: &Trace, source: ChanceSource, jobs: usize) -> f64 {
    let simulated = simulate(Replay::new(trace.clone(), source), jobs, Replay::oracle(trace));
    assert_eq!(simulated.trace.entries.len(), trace.tests());
    bound_ms(&simulated.trace, jobs) / simulated.wall_ms as f64
}

fn recorded() -> Vec<(&'static str, Trace)> {
    RECORDED.map(|(name, text)| (name, Trace::recorded(text).unwrap())).into()
}

/// The chances are those that the reducer itself estimates while the recorded verdicts come in.
#[test]
fn recorded_reductions_are_near_the_bound() {
    let recorded = recorded();
    for jobs in JOBS {
        let mut product = 1.0;
        for (name, trace) in &recorded {
            let share = share_of_bound(trace, ChanceSource::Reducer, jobs);
            let is_near = share >= SHARE_OF_BOUND || trace.tests() < LONG;
            assert!(is_near, "{name}: {share} of the bound with {jobs} jobs");
            product *= share;
        }
        let mean = product.powf(1.0 / recorded.len() as f64);
        assert!(
            mean >= SHARE_OF_BOUND,
            "{mean} of the bound in the geometric mean with {jobs} jobs"
        );
    }
}

/// With so many slots, the bound is out of reach even for one who knows the rates of all passes. What such a one has is not.
#[test]
fn many_slots_are_used_nearly_as_well_as_by_one_who_knows_the_rates() {
    let recorded = recorded();
    for slots in [10, 100, 1000] {
        let logs = recorded.iter().map(|(_, trace)| {
            let share = share_of_bound(trace, ChanceSource::Reducer, slots);
            (share / possible(trace, slots, 3)).ln()
        });
        let mean = (logs.sum::<f64>() / recorded.len() as f64).exp();
        assert!(
            mean >= SHARE_OF_BOUND,
            "{mean} of what is possible in the geometric mean with {slots} slots"
        );
    }
}

/// A guess of one in two loses one bit for each verdict.
#[test]
fn the_chances_of_the_reducer_tell_more_than_a_coin() {
    let mut sum = 0.0;
    let recorded = recorded();
    let count = recorded.len() as f64;
    for (name, trace) in recorded {
        let bits = Replay::new(trace, ChanceSource::Reducer).log_loss();
        assert!(bits < 1.0, "{name}: {bits} bits for each verdict");
        sum += bits;
    }
    assert!(sum / count <= MOST_BITS, "{} bits for each verdict on the mean", sum / count);
}

#[test]
fn made_up_conversations_are_near_the_bound() {
    for (seed, streaks) in [(1, 0), (2, 0), (3, 30), (4, 60)] {
        let trace = Trace::random(seed, 3000, streaks);
        for jobs in JOBS {
            let share = share_of_bound(&trace, ChanceSource::Learned, jobs);
            assert!(share >= SHARE_OF_BOUND, "seed {seed}: {share} of the bound with {jobs} jobs");
        }
    }
}

#[test]
fn one_slot_takes_the_time_of_its_tests_and_more_slots_say_the_same() {
    let oracle = Oracle { seed: 1, length: 300, bumpy: true, delay: Default::default() };
    let original = oracle.original();
    let verdicts = |jobs| {
        let simulated = simulate(ListSource::new(&original), jobs, |case| oracle.accepts(case));
        let entries = &simulated.trace.entries;
        let verdicts: Vec<_> =
            entries.iter().map(|entry| (entry.pass, entry.interesting)).collect();
        (simulated.wall_ms, simulated.counters, verdicts)
    };
    let (wall, counters, one) = verdicts(1);
    assert_eq!(wall, 100 * one.len() as u64);
    assert_eq!((counters.started, counters.killed), (one.len() as u64, 0));
    for jobs in JOBS {
        let (faster, _, several) = verdicts(jobs);
        assert_eq!(one, several);
        assert!(faster < wall);
    }
}
