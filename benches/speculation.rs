//! How close speculation comes to the best that is possible, in virtual time.
//!
//! - `cargo bench --bench speculation`: a recorded conversation of a real reduction and made-up ones.
//! - `cargo bench --bench speculation -- EVENTS...`: recorded conversations (`--events` files). What the
//!   recorded one never asked is made up.
//! - `cargo bench --bench speculation -- --real FILE TEST`: the reducer on a file; a real test answers
//!   whatever is asked, each variant once.
//!
//! Prints wall times beside the bound; see `notes/speculation.md`.

#[allow(dead_code)]
mod simulator;

use std::error::Error;
use std::path::Path;

use simulator::real::Real;
use simulator::{Chances, Replay, Simulated, Trace, bound_ms, simulate};

const JOBS: [usize; 6] = [1, 2, 4, 8, 16, 64];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    println!("conversation, questions, jobs: wall s, bound s, bound/wall, consumed, states");
    match &arguments[..] {
        [] => {
            let recorded = include_str!("traces/assembly.jsonl");
            replay("assembly", &Trace::from_events(recorded)?);
            for (seed, streaks) in [(1, 0), (2, 0), (3, 30), (4, 60)] {
                let name = format!("random {seed}, streaks {streaks} %");
                replay(&name, &Trace::random(seed, 4000, streaks));
            }
        }
        [mode, file, test] if mode == "--real" => reduce(Path::new(file), Path::new(test))?,
        files => {
            for file in files {
                replay(file, &Trace::from_events(&std::fs::read_to_string(file)?)?);
            }
        }
    }
    Ok(())
}

fn replay(name: &str, trace: &Trace) {
    for chances in [Chances::Recorded, Chances::Learned, Chances::Known] {
        for jobs in JOBS {
            let oracle = Replay::oracle(trace);
            let simulated = simulate(Replay::new(trace.clone(), chances), jobs, oracle);
            print(&format!("{name}, {chances:?}"), &simulated, jobs);
        }
    }
}

fn reduce(file: &Path, test: &Path) -> Result<(), Box<dyn Error>> {
    let real = Real::new(file, test)?;
    for jobs in JOBS {
        let simulated = simulate(real.reducer(), jobs, |variant| real.judge(variant));
        print(&file.display().to_string(), &simulated, jobs);
    }
    Ok(())
}

fn print(name: &str, simulated: &Simulated, jobs: usize) {
    let (wall, bound) = (simulated.wall_ms as f64, bound_ms(&simulated.trace, jobs));
    println!(
        "{name}, {}, {jobs}: {:.1}, {:.1}, {:.3}, {:.2}, {}",
        simulated.trace.entries.len(),
        wall / 1000.0,
        bound / 1000.0,
        bound / wall,
        simulated.counters.consumed as f64 / simulated.counters.finished as f64,
        simulated.states,
    );
}
