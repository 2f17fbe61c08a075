//! Writes kernels with one wrong operation, and the right results of the kernels without it, as a host for CLsmith
//! kernels reads them: `planted FIRST COUNT FOLDER`. Every one has to give other results.

#[path = "../tests/support/planted.rs"]
mod planted;

use std::path::Path;

use clreduce_generator::print::{self, Extras};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, count, folder] = &arguments[..] else { panic!("planted FIRST COUNT FOLDER") };
    let first: u64 = first.parse().expect("a number");
    std::fs::create_dir_all(folder).expect("a folder");
    for bug in planted::planted(first).take(count.parse().expect("a number")) {
        let path = Path::new(folder).join(format!("{}.cl", bug.seed));
        let extras = Extras { origin: &format!("wrong: {}", bug.expression), expected: None };
        std::fs::write(&path, print::opencl(&bug.program, &extras)).expect("writable");
        std::fs::write(path.with_extension("expected"), bug.kernel.expected_text())
            .expect("writable");
    }
}
