//! Holds the code to `ARCHITECTURE.md`: which crate depends on which other, and that the map shows every folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::workspace::{packages, root, sources};
use regex::Regex;

/// Every crate of the workspace, and all the others that it depends on, for its tests as well. The compiler refuses
/// any other use, so that this table is the whole of the layers. `clreduce-` is left out in front of names. Add a
/// line for a new crate.
const CRATES: &str = "
    clreduce: batch campaign candidates cli devices engine generator interestingness journal kernel passes process recipe reducer remote report speculation testcase triage
    batch: engine files interestingness journal speculation testcase
    campaign: batch check crash devices engine files generator interestingness journal kernel language process recipe speculation splice testcase triage
    candidates: testcase
    capi: clreduce
    cli: batch campaign check compiler crash devices engine files generator interestingness journal kernel language passes process recipe remote report splice testcase tools triage
    engine: candidates interestingness journal reducer speculation testcase
    check: compiler host kernel language process testcase tools
    compiler: interestingness process testcase tools
    crash: testcase
    devices: host kernel process testcase tools
    host: compiler kernel language process testcase tools
    interestingness: crash process testcase
    interestingness-tests: check compiler devices host interestingness kernel process testcase
    kernel: language process testcase
    process: testcase
    files: process
    generator: testcase
    remote: interestingness process recipe testcase
    recipe: check crash devices generator interestingness kernel process testcase tools
    journal: files interestingness testcase
    language: testcase
    passes: language testcase
    reducer: candidates language passes testcase
    report: batch files testcase triage
    speculation: candidates interestingness testcase
    splice: generator language passes testcase
    testcase:
    tools:
    triage: crash language passes testcase
";

/// All that the pure crates may depend on, other than for tests. Somebody looked at each: no input or output, no
/// process, no thread, no clock, no randomness.
const PURE: &str = "
    clreduce-candidates: clreduce-testcase
    clreduce-crash: clreduce-testcase cpp_demangle regex rustc-demangle
    clreduce-generator: clreduce-testcase thiserror
    clreduce-language: clreduce-testcase serde thiserror tree-sitter tree-sitter-ada tree-sitter-c \
        tree-sitter-cuda tree-sitter-d tree-sitter-fortran tree-sitter-glsl tree-sitter-go tree-sitter-java \
        tree-sitter-javascript tree-sitter-json tree-sitter-llvm tree-sitter-mlir tree-sitter-python \
        tree-sitter-rust tree-sitter-typescript tree-sitter-vhdl tree-sitter-wgsl-bevy
    clreduce-passes: clreduce-language clreduce-testcase
    clreduce-reducer: clreduce-candidates clreduce-language clreduce-passes clreduce-testcase regex
    clreduce-splice: clreduce-generator clreduce-language clreduce-passes clreduce-testcase thiserror
    clreduce-testcase: blake3 serde thiserror
";

/// Crates that talk to a person: terminals, options, signals. Only the program may use them.
const FOR_PEOPLE: [&str; 8] =
    ["clap", "clap_complete", "clap_mangen", "console", "ctrlc", "dunce", "indicatif", "num_cpus"];

#[test]
#[cfg_attr(windows, ignore = "asks cargo about the sources: done on Linux")]
fn crates_depend_on_each_other_as_listed() {
    let packages = packages();
    let names: BTreeSet<&str> = packages.iter().map(|package| text(&package["name"])).collect();
    let short = |name| text(name).strip_prefix("clreduce-").unwrap_or(text(name));
    let found: BTreeMap<&str, BTreeSet<&str>> = packages
        .iter()
        .map(|package| {
            let used = dependencies(package).map(|dependency| &dependency["name"]);
            let used = used.filter(|name| names.contains(text(name))).map(short).collect();
            (short(&package["name"]), used)
        })
        .collect();
    let listed = lines_of(CRATES).collect();
    assert_eq!(found, listed, "CRATES in this file lists other dependencies");
}

#[test]
#[cfg_attr(windows, ignore = "asks cargo about the sources: done on Linux")]
fn pure_packages_use_nothing_that_is_not() {
    for package in packages() {
        let name = text(&package["name"]);
        let Some((_, allowed)) = lines_of(PURE).find(|(pure, _)| *pure == name) else { continue };
        for dependency in dependencies(&package) {
            let is_for_tests = dependency["kind"] == "dev";
            let used = text(&dependency["name"]);
            assert!(
                is_for_tests || allowed.contains(used),
                "{name} is pure: look whether {used} is too, then name it in this test"
            );
        }
    }
}

#[test]
#[cfg_attr(windows, ignore = "asks cargo about the sources: done on Linux")]
fn only_the_program_knows_terminals_and_options() {
    for package in packages() {
        let name = text(&package["name"]);
        if name == "clreduce-cli" {
            continue;
        }
        for dependency in dependencies(&package) {
            let used = text(&dependency["name"]);
            let is_left_out = dependency["kind"] == "dev" || dependency["optional"] == true;
            assert!(
                is_left_out || !FOR_PEOPLE.contains(&used),
                "{name} depends on {used}: what a person sees belongs to src/cli"
            );
        }
    }
}

/// A new folder of a package asks for a line in the map, and a line for something that is there.
#[test]
fn the_map_shows_what_there_is() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let named = Regex::new(r"`([a-z][\w.-]*/[\w./-]*)`").unwrap();
    let named: BTreeSet<&str> =
        named.captures_iter(&map).map(|found| found.get(1).unwrap().as_str()).collect();
    let gone: Vec<_> = named.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(gone.is_empty(), "ARCHITECTURE.md names what is not there: {gone:?}");

    let folder = Regex::new(r"^(?:\w+/)?src/(?:\w+/)?").unwrap();
    let sources = sources();
    let folders: BTreeSet<&str> =
        sources.iter().filter_map(|source| folder.find(&source.path)).map(|m| m.as_str()).collect();
    assert!(folders.contains("src/reducer/") && folders.contains("passes/src/"), "{folders:?}");
    let missing: Vec<_> = folders.difference(&named).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md lacks a line for {missing:?}");
}

/// The lines `name: used used` of a table.
fn lines_of(table: &str) -> impl Iterator<Item = (&str, BTreeSet<&str>)> {
    let lines = table.lines().filter_map(|line| line.trim().split_once(':'));
    lines.map(|(name, used)| (name, used.split_whitespace().collect()))
}

fn dependencies(package: &serde_json::Value) -> impl Iterator<Item = &serde_json::Value> {
    package["dependencies"].as_array().expect("cargo lists dependencies").iter()
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().expect("a text")
}
