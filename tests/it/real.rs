//! Reductions of the fixtures with real tools: gcc decides on each variant.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::support::Bench;

/// A bench with a copy of a fixture's sources and its test as `test.sh`.
fn fixture(name: &str) -> Bench {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        match path.file_name().unwrap().to_str().unwrap() {
            "interesting.sh" => bench.script("test.sh", &text),
            name => bench.write(&format!("src/{name}"), text),
        };
    }
    bench
}

#[test]
fn a_warning_of_gcc() {
    let bench = fixture("c-warning");
    bench.reduce(&["src/ledger.c", "--test", "./test.sh", "--summary", "s", "-j2"]);
    let tokens = bench.json("s")["tokens"].as_u64().unwrap();
    assert!(tokens <= 20, "{tokens} tokens: {}", bench.read("src/ledger.c"));
    assert!(bench.read("src/ledger.c").contains("return"));
    bench.assert_nothing_left();
}

#[test]
fn a_warning_in_a_header_of_a_project() {
    let bench = fixture("c-project");
    bench.reduce(&["src", "--test", "./test.sh", "--summary", "s", "-j2"]);
    let summary = bench.json("s");
    let tokens = |name: &str| summary[name].as_u64().unwrap();
    assert!(tokens("tokens") * 5 <= tokens("original_tokens"), "{summary}");
    assert!(bench.path("src/text.h").exists() && !bench.path("src/map.h").exists());
    assert_eq!(fs::read_dir(bench.path("src.orig")).unwrap().count(), 4);
    bench.assert_nothing_left();
}
