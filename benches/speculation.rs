//! How close speculation comes to the best that is possible, in virtual time.
//!
//! `cargo bench --bench speculation [-- EVENTS...]`: replays recorded conversations (`--events` files),
//! or one of a real reduction and made-up ones where none is given, and prints wall times beside the
//! bound.

#[allow(dead_code)]
mod simulator;

use std::error::Error;

use simulator::{Chances, Replay, Trace, bound_ms, simulate};

fn main() -> Result<(), Box<dyn Error>> {
    let mut traces = Vec::new();
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        traces.push((path.clone(), Trace::from_events(&std::fs::read_to_string(path)?)?));
    }
    if traces.is_empty() {
        let recorded = include_str!("traces/assembly.jsonl");
        traces.push(("assembly".to_owned(), Trace::from_events(recorded)?));
        for (seed, streaks) in [(1, 0), (2, 0), (3, 30), (4, 60)] {
            let name = format!("random {seed}, streaks {streaks} %");
            traces.push((name, Trace::random(seed, 4000, streaks)));
        }
    }
    println!(
        "conversation, chances, questions, jobs: wall s, bound s, bound/wall, consumed, states"
    );
    for (name, trace) in traces {
        for chances in [Chances::Recorded, Chances::Learned, Chances::Known] {
            for jobs in [1, 2, 4, 8, 16, 64] {
                let oracle = Replay::oracle(&trace);
                let simulated = simulate(Replay::new(trace.clone(), chances), jobs, oracle);
                assert_eq!(simulated.trace.entries.len(), trace.entries.len());
                let (wall, bound) = (simulated.wall_ms as f64, bound_ms(&trace, jobs));
                let counters = simulated.counters;
                println!(
                    "{name}, {chances:?}, {}, {jobs}: {:.1}, {:.1}, {:.3}, {:.2}, {}",
                    trace.entries.len(),
                    wall / 1000.0,
                    bound / 1000.0,
                    bound / wall,
                    counters.consumed as f64 / counters.finished as f64,
                    simulated.states,
                );
            }
        }
    }
    Ok(())
}
