//! The wall time of perfect best-first speculation.

use std::collections::{BTreeMap, BinaryHeap};

use super::{Replay, TEST_MS, Times, Trace, simulate_with};

/// Wall time in milliseconds that `slots` tests at a time need at least on average for a conversation
/// with the rates of success of this one.
pub fn bound_ms(trace: &Trace, slots: usize) -> f64 {
    let rates = trace.rates();
    let per_round: BTreeMap<_, _> =
        rates.iter().map(|(pass, rate)| (pass, consumed_per_round(*rate, slots))).collect();
    trace.entries.iter().map(|entry| TEST_MS as f64 / per_round[&entry.pass]).sum()
}

/// The bound of a conversation by its wall time.
pub fn share_of_bound(replay: Replay, trace: &Trace, slots: usize) -> f64 {
    let simulated = simulate_with(replay, slots, Times::IDEAL, Replay::oracle(trace));
    bound_ms(&simulated.trace, slots) / simulated.wall_ms as f64
}

/// The share of the bound that is possible on average for one who knows how often variants of each pass are interesting, and
/// for whom looking ahead costs nothing: the geometric mean over conversations of the same passes whose verdicts are drawn with
/// these rates. It is below 1, since the bound knows the rates of the very verdicts that were drawn, and rounds begin and
/// end with passes.
pub fn possible(trace: &Trace, slots: usize, drawn: u64) -> f64 {
    let tested = trace.tested();
    let rates = tested.rates();
    let logs = (0..drawn).map(|seed| {
        let drawn = tested.drawn(&rates, seed);
        let replay = Replay::with_rates(drawn.clone(), &rates).never_blocked();
        share_of_bound(replay, &drawn, slots).ln()
    });
    (logs.sum::<f64>() / drawn as f64).exp()
}

/// Of the variants that may come, the `slots` most probable are tested at the same time; how many of
/// them are consumed on average. Each is consumed with the probability that the conversation comes to it.
fn consumed_per_round(rate: f64, slots: usize) -> f64 {
    // Thousandths of a millionth, since floating-point numbers have no order.
    let scaled = |probability: f64| (probability * 1e15) as u64;
    let mut open = BinaryHeap::from([scaled(1.0)]);
    let mut sum = 0.0;
    for _ in 0..slots {
        let Some(probability) = open.pop() else { break };
        let probability = probability as f64 / 1e15;
        sum += probability;
        open.extend([scaled(probability * rate), scaled(probability * (1.0 - rate))]);
    }
    sum
}

#[test]
fn a_certain_answer_keeps_every_slot_busy_and_a_coin_the_logarithm() {
    assert!((consumed_per_round(0.0, 8) - 8.0).abs() < 1e-6);
    // 1 + 2/2 + 4/4
    assert!((consumed_per_round(0.5, 7) - 3.0).abs() < 1e-6);
}
