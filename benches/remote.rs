//! The time of a reduction whose tests run on other machines, in virtual time.
//!
//! `cargo bench --bench remote [-- SLOTS...]` prints, for numbers of slots and latencies of a service, how close speculation comes to
//! the bound of `benches/speculation.rs`, and from which length of tests on these slots are faster than the cores of one
//! machine. A test on another machine takes its own time and the latency; a test that is not wanted any more occupies its
//! slot for the latency, or to its own end if the service cannot cancel.
//!
//! `cargo bench --bench remote -- why [SLOTS...]` prints where the rest of the bound is lost.

#[allow(dead_code)]
mod simulator;

use std::error::Error;
use std::thread;

use simulator::{
    ChanceSource, RECORDED, Replay, TEST_MS, Times, Trace, bound_ms, possible, share_of_bound,
    simulate_with,
};

const SLOTS: [usize; 5] = [10, 30, 100, 300, 1000];
const LATENCIES_MS: [u64; 4] = [5, 50, 100, 500];
/// Cores of a machine that tests could run on instead.
const CORES: [usize; 2] = [2, 8];
/// Conversations that are drawn for each recorded one.
const DRAWN: u64 = 10;

/// Geometric means over the recorded conversations.
struct Mean {
    /// Of the bound that the conversation allows.
    share: f64,
    /// Rounds: the wall time by that of one test.
    rounds: f64,
}

/// The geometric mean of what a function says of each conversation, each on a thread of its own.
fn means<const N: usize>(traces: &[Trace], of: impl Fn(&Trace) -> [f64; N] + Sync) -> [f64; N] {
    let of = &of;
    let logs: Vec<[f64; N]> = thread::scope(|scope| {
        let threads: Vec<_> =
            traces.iter().map(|trace| scope.spawn(move || of(trace).map(f64::ln))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    std::array::from_fn(|at| {
        let sum: f64 = logs.iter().map(|logs| logs[at]).sum();
        (sum / traces.len() as f64).exp()
    })
}

fn mean(traces: &[Trace], slots: usize, times: Times) -> Mean {
    let [share, rounds] = means(traces, |trace| {
        let replay = Replay::new(trace.clone(), ChanceSource::Reducer);
        let simulated = simulate_with(replay, slots, times, Replay::oracle(trace));
        let rounds = simulated.wall_ms as f64 / times.test_ms as f64;
        [bound_ms(&simulated.trace, slots) / TEST_MS as f64 / rounds, rounds]
    });
    Mean { share, rounds }
}

/// Prints how near the scheduler comes to the bound, and how near one can come that knows the rate of each pass and no more.
fn why(traces: &[Trace], slots: &[usize]) {
    println!(
        "| slots | of the bound | looking ahead costs nothing | and the rates are known | possible | of what is possible |"
    );
    println!("|---|---|---|---|---|---|");
    for slots in slots.iter().copied() {
        let [share, free, known, possible] = means(traces, |trace| {
            let new = |source| Replay::new(trace.clone(), source);
            let share = |replay| share_of_bound(replay, trace, slots);
            [
                share(new(ChanceSource::Reducer)),
                share(new(ChanceSource::Reducer).never_blocked()),
                share(new(ChanceSource::Known).never_blocked()),
                possible(trace, slots, DRAWN),
            ]
        });
        let of_possible = share / possible;
        println!(
            "| {slots} | {share:.2} | {free:.2} | {known:.2} | {possible:.2} | {of_possible:.2} |"
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let asks_why = words.first().is_some_and(|word| word == "why");
    words.drain(..usize::from(asks_why));
    let asked = words.iter().map(|text| text.parse()).collect::<Result<Vec<usize>, _>>()?;
    let slots = if asked.is_empty() { SLOTS.to_vec() } else { asked };
    let traces = RECORDED.map(|(_, text)| Trace::recorded(text)).into_iter();
    let traces = traces.collect::<Result<Vec<Trace>, _>>()?;
    if asks_why {
        why(&traces, &slots);
        return Ok(());
    }
    let here = CORES.map(|cores| mean(&traces, cores, Times::HERE).rounds);
    println!(
        "| slots | latency | of the bound | without cancellation | pays from, beside 2 cores | beside 8 cores |"
    );
    println!("|---|---|---|---|---|---|");
    for slots in slots {
        for latency in LATENCIES_MS {
            let test_ms = TEST_MS + latency;
            let there = mean(&traces, slots, Times { test_ms, kill_ms: latency.min(test_ms) });
            let stuck = mean(&traces, slots, Times { test_ms, kill_ms: test_ms });
            // A test of t takes there.rounds * (t + latency) there, and here.rounds * t here.
            let pays = here.map(|here| match here - there.rounds {
                gain if gain > 0.0 => format!("{:.0} ms", there.rounds * latency as f64 / gain),
                _ => "never".to_owned(),
            });
            println!(
                "| {slots} | {latency} ms | {:.2} | {:.2} | {} | {} |",
                there.share, stuck.share, pays[0], pays[1]
            );
        }
    }
    Ok(())
}
