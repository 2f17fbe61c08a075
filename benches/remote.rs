//! The time of a reduction whose tests run on other machines, in virtual time.
//!
//! `cargo bench --bench remote [-- SLOTS...]` prints, for numbers of slots and latencies of a service, how close speculation comes to
//! the bound of `benches/speculation.rs`, and from which length of tests on these slots are faster than the cores of one
//! machine. A test on another machine takes its own time and the latency; a test that is not wanted any more occupies its
//! slot for the latency, or to its own end if the service cannot cancel.

#[allow(dead_code)]
mod simulator;

use std::error::Error;

use simulator::{ChanceSource, RECORDED, Replay, TEST_MS, Times, Trace, bound_ms, simulate_with};

const SLOTS: [usize; 3] = [10, 30, 100];
const LATENCIES_MS: [u64; 4] = [5, 50, 100, 500];
/// Cores of a machine that tests could run on instead.
const CORES: [usize; 2] = [2, 8];

/// Geometric means over the recorded conversations.
struct Mean {
    /// Of the bound that the conversation allows.
    share: f64,
    /// Rounds: the wall time by that of one test.
    rounds: f64,
}

fn mean(traces: &[Trace], slots: usize, times: Times) -> Mean {
    let mut logs = [0.0; 2];
    for trace in traces {
        let replay = Replay::new(trace.clone(), ChanceSource::Reducer);
        let simulated = simulate_with(replay, slots, times, Replay::oracle(trace));
        let rounds = simulated.wall_ms as f64 / times.test_ms as f64;
        let bound = bound_ms(&simulated.trace, slots) / TEST_MS as f64;
        logs[0] += (bound / rounds).ln();
        logs[1] += rounds.ln();
    }
    let [share, rounds] = logs.map(|log| (log / traces.len() as f64).exp());
    Mean { share, rounds }
}

fn main() -> Result<(), Box<dyn Error>> {
    let numbers = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let asked = numbers.map(|text| text.parse()).collect::<Result<Vec<usize>, _>>()?;
    let slots = if asked.is_empty() { SLOTS.to_vec() } else { asked };
    let traces = RECORDED.map(|(_, text)| Trace::recorded(text)).into_iter();
    let traces = traces.collect::<Result<Vec<Trace>, _>>()?;
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
