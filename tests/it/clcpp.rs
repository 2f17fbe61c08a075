//! C++ for OpenCL is reduced as C++ is: a crash of clang, in a program of classes, templates, address spaces, vectors and an image.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::support::Bench;

#[test]
fn a_crash_of_clang() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/clcpp");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let bench = Bench::new();
    bench.write("bug.clcpp", read("bug.clcpp"));
    bench.script("test.sh", &read("interesting.sh"));
    bench.reduce(&["bug.clcpp", "--test", "./test.sh", "--summary", "s", "-j2"]);
    let (summary, left) = (bench.json("s"), bench.read("bug.clcpp"));
    let [tokens, steps] = ["tokens", "steps"].map(|name| summary[name].as_u64().unwrap());
    assert!(left.contains("..."), "{left}");
    assert!(tokens <= 80, "{tokens} tokens: {left}");
    assert!(steps <= 450, "{steps} steps");
    for gone in ["kernel", "global", "local", "namespace", "image2d_t"] {
        assert!(!left.contains(gone), "{left}");
    }
    bench.assert_nothing_left();
}
