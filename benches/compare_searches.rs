//! The reducer's search beside others, on one file: `cargo bench --bench compare_searches -- FILE TEST`.
//!
//! Prints for each search how many tests a reduction takes without speculation and without a compile filter, and how
//! many tokens are left. `notes/measurements/search-strategies.md` has such a table.

mod searches;
#[allow(dead_code, unused_imports)]
mod simulator;

use std::error::Error;
use std::path::Path;

use clreduce_candidates::{CandidateSource, Next};
use clreduce_reducer::search::{Groups, ProposalSearch};
use clreduce_testcase::Size;
use searches::{Ddmin, Linear, Probdd};
use simulator::real::Real;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [file, test] = &arguments[..] else {
        println!("give a file and its test: cargo bench --bench compare_searches -- FILE TEST");
        return Ok(());
    };
    println!("search: tests, tokens");
    let (file, test) = (Path::new(file), Path::new(test));
    reduce::<Groups>("groups", file, test)?;
    reduce::<Ddmin>("ddmin", file, test)?;
    reduce::<Probdd>("ProbDD", file, test)?;
    reduce::<Linear>("one by one", file, test)
}

fn reduce<S: ProposalSearch>(name: &str, file: &Path, test: &Path) -> Result<(), Box<dyn Error>> {
    let real = Real::new(file, test)?;
    let mut reducer = real.reducer_with::<S>();
    while let Next::Candidate(candidate) = reducer.next() {
        reducer.take_verdict(real.judge(&candidate.variant));
    }
    println!("{name}: {}, {}", real.tests(), Size::of(reducer.current()).tokens);
    Ok(())
}
