//! Holds every pass to its contract on real programs, as `scripts/corpus` fetches them:
//!
//! ```sh
//! find corpus -name '*.cl' -size -8k | xargs cargo run --release -p clreduce-passes --example corpus
//! ```
//!
//! It prints the passes that break their contract, each with the program and the reason. It takes most time on large
//! programs, as the contract includes that a pass comes to an end.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;

use clreduce_passes::TABLE;
use clreduce_passes::harness::check;
use clreduce_testcase::{Language, TestCase};

fn main() -> ExitCode {
    // The reason is printed once, below.
    panic::set_hook(Box::new(|_| {}));
    let (mut programs, mut broken) = (0, 0);
    for path in std::env::args().skip(1) {
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        };
        programs += 1;
        let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
        let language = match TestCase::single(&name, &bytes[..]) {
            Ok(case) => Language::detect(&case),
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        };
        for row in TABLE {
            let checked =
                panic::catch_unwind(AssertUnwindSafe(|| check(row.pass, &bytes, language)));
            if let Err(reason) = checked {
                broken += 1;
                let text = reason.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| reason.downcast_ref::<&str>().copied());
                println!("{}: {path}: {}", row.pass.info().name, text.unwrap_or("a panic"));
            }
        }
    }
    println!("{programs} programs, {} passes; the contract was broken {broken} times", TABLE.len());
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
