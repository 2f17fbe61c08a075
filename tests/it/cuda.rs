//! CUDA C++ is reduced as C++ is: templates, classes and namespaces on both sides, with clang as the compiler.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::support::Bench;

#[test]
fn a_program_for_both_sides() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cuda");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let bench = Bench::new();
    bench.write("bug.cu", read("bug.cu"));
    bench.script("test.sh", &read("interesting.sh"));
    bench.reduce(&["bug.cu", "--test", "./test.sh", "--summary", "s", "-j2"]);
    let (summary, left) = (bench.json("s"), bench.read("bug.cu"));
    let [tokens, steps] = ["tokens", "steps"].map(|name| summary[name].as_u64().unwrap());
    assert!(left.contains("__builtin_popcount"), "{left}");
    assert!(tokens <= 70, "{tokens} tokens: {left}");
    assert!(steps <= 750, "{steps} steps");
    for gone in ["template", "class", "namespace", "virtual", "main", "<<<"] {
        assert!(!left.contains(gone), "{left}");
    }
    bench.assert_nothing_left();
}
