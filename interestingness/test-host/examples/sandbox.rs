//! Measures what each level of the sandbox costs: the time of a test that does nothing, side by side, so that all levels
//! meet the same load.
//!
//! ```sh
//! cargo run --release -p clreduce-interestingness-tests --example sandbox -- 200
//! ```

use std::time::{Duration, Instant};

use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Confinement, Interestingness, Permissions, TestCommand,
    worker_main,
};
use clreduce_testcase::TestCase;

/// Runs where none are asked for.
const RUNS: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if worker_main(&[]).is_some() {
        return Ok(());
    }
    let runs = std::env::args().nth(1).map_or(Ok(RUNS), |runs| runs.parse())?;
    let levels = [
        ("off", Confinement::Unconfined),
        ("auto", Confinement::landlock(Permissions::default())?),
        ("strict", Confinement::bubblewrap(Permissions::default())?),
    ];
    let command = TestCommand::Program { path: "/bin/true".into(), args: Vec::new() };
    let mut tests = Vec::new();
    for (name, confinement) in levels {
        let worker = Some(std::env::current_exe()?);
        let options = CommandOptions { worker, confinement, ..CommandOptions::default() };
        tests.push((name, CommandTest::new(&command, options)?, Vec::<Duration>::new()));
    }
    let case = TestCase::single("a.c", b"int a;".as_slice())?;
    for _ in 0..runs {
        for (_, test, times) in &mut tests {
            let started = Instant::now();
            test.judge(&case, &Cancel::new())?;
            times.push(started.elapsed());
        }
    }
    let off = tests[0].2.clone();
    for (name, _, times) in &tests {
        // Of the same round: the machine was as busy.
        let mut more: Vec<f64> =
            times.iter().zip(&off).map(|(time, off)| ms(*time) - ms(*off)).collect();
        let mut times: Vec<f64> = times.iter().map(|time| ms(*time)).collect();
        more.sort_by(f64::total_cmp);
        times.sort_by(f64::total_cmp);
        let (median, least, more) = (times[runs / 2], times[0], more[runs / 2]);
        println!(
            "{name:6}  median {median:6.2} ms  least {least:6.2} ms  median of differences {more:6.2} ms"
        );
    }
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
