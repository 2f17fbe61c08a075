//! How close speculation comes to the best that is possible, in virtual time.
//!
//! - `cargo bench --bench speculation`: the recorded conversations in `benches/traces` and made-up ones. What was
//!   never tried in a recorded one is made up.
//! - `cargo bench --bench speculation -- TRACE...`: other recorded conversations.
//! - `cargo bench --bench speculation -- --record FILE TEST`: records the conversation of a reduction.
//! - `cargo bench --bench speculation -- --real FILE TEST`: the reducer on a file; a real test judges
//!   whatever is tried, each variant once.
//!
//! Prints wall times beside the bound, and the log loss of the chances; see `notes/speculation.md`.

#[allow(dead_code)]
mod simulator;

use std::error::Error;
use std::path::Path;

use simulator::real::Real;
use simulator::{ChanceSource, RECORDED, Replay, Simulated, Trace, bound_ms, simulate};

const JOBS: [usize; 6] = [1, 2, 4, 8, 16, 64];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    println!("conversation, steps, jobs: wall s, bound s, bound/wall, consumed, states");
    match &arguments[..] {
        [] => {
            for (name, recorded) in RECORDED {
                replay(name, &Trace::recorded(recorded)?);
            }
            for (seed, streaks) in [(1, 0), (2, 0), (3, 30), (4, 60)] {
                let name = format!("random {seed}, streaks {streaks} %");
                replay(&name, &Trace::random(seed, 4000, streaks));
            }
        }
        [mode, file, test] if mode == "--record" => {
            print!("{}", Real::new(Path::new(file), Path::new(test))?.record());
        }
        [mode, file, test] if mode == "--real" => reduce(Path::new(file), Path::new(test))?,
        files => {
            for file in files {
                replay(file, &Trace::recorded(&std::fs::read_to_string(file)?)?);
            }
        }
    }
    Ok(())
}

fn replay(name: &str, trace: &Trace) {
    let bits = Replay::new(trace.clone(), ChanceSource::Reducer).log_loss();
    println!("{name}: {bits:.3} bits for each verdict");
    for chances in [ChanceSource::Reducer, ChanceSource::Learned, ChanceSource::Known] {
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
