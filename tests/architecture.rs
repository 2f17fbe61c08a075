//! Holds the code to `ARCHITECTURE.md`: which crate and which floor knows which other.

mod workspace;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use regex::Regex;
use workspace::{packages, root, sources};

/// The arrows of the house: what each package may use of the others.
const ARROWS: &[(&str, &[&str])] = &[
    ("clreduce-testcase", &[]),
    ("clreduce-language", &["clreduce-testcase"]),
    ("clreduce-passes", &["clreduce-language", "clreduce-testcase"]),
    ("clreduce-candidates", &["clreduce-testcase"]),
    ("clreduce-reducer", &["clreduce-candidates", "clreduce-passes", "clreduce-testcase"]),
    ("clreduce-interestingness", &["clreduce-testcase"]),
    ("clreduce-capi", &["clreduce"]),
    (
        "clreduce",
        &[
            "clreduce-candidates",
            "clreduce-interestingness",
            "clreduce-passes",
            "clreduce-reducer",
            "clreduce-testcase",
        ],
    ),
];

/// All that the pure packages may use, each looked at: no I/O, no processes, no threads, no clock, no
/// randomness behind any of them.
const PURE: &[(&str, &[&str])] = &[
    ("clreduce-testcase", &["blake3", "thiserror"]),
    (
        "clreduce-language",
        &["clreduce-testcase", "tree-sitter", "tree-sitter-c", "tree-sitter-cuda"],
    ),
    ("clreduce-passes", &["clreduce-language", "clreduce-testcase"]),
    ("clreduce-candidates", &["clreduce-testcase"]),
    ("clreduce-reducer", &["clreduce-candidates", "clreduce-passes", "clreduce-testcase", "regex"]),
];

/// Which floors of the engine and which packages a floor of the engine does not know.
const FLOORS: &[(&str, &[&str])] = &[
    (
        "src/speculation/",
        &["crate::cli", "crate::events", "crate::journal", "crate::reduction", "clreduce_passes"],
    ),
    (
        "src/journal/",
        &[
            "clreduce_reducer",
            "crate::events",
            "crate::reduction",
            "crate::speculation",
            "clreduce_passes",
        ],
    ),
    (
        "src/events.rs",
        &[
            "clreduce_reducer",
            "crate::journal",
            "crate::reduction",
            "crate::speculation",
            "clreduce_passes",
        ],
    ),
    ("src/reduction/", &["clreduce_passes", "crate::batch", "crate::report", "crate::triage"]),
    ("src/batch/", &["clreduce_passes", "clreduce_reducer", "crate::report", "crate::triage"]),
    (
        "src/triage/",
        &[
            "clreduce_interestingness",
            "clreduce_reducer",
            "crate::batch",
            "crate::reduction",
            "crate::report",
        ],
    ),
    (
        "src/report/",
        &["clreduce_passes", "clreduce_interestingness", "clreduce_reducer", "crate::reduction"],
    ),
    ("interestingness/", &["clreduce_passes"]),
    ("passes/", &["clreduce_interestingness"]),
];

#[test]
#[cfg_attr(windows, ignore = "asks cargo about the sources: done on Linux")]
fn packages_stand_on_each_other_as_drawn() {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let packages = packages();
    let names: BTreeSet<&str> = packages.iter().map(|package| text(&package["name"])).collect();
    for package in &packages {
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let used = dependencies.iter().map(|dependency| text(&dependency["name"]));
        let used = used.filter(|name| names.contains(name)).map(str::to_owned).collect();
        found.insert(text(&package["name"]).to_owned(), used);
    }
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let drawn: BTreeMap<_, _> =
        ARROWS.iter().map(|(name, used)| ((*name).to_owned(), owned(used))).collect();
    assert_eq!(found, drawn, "the packages do not use each other as the house is drawn");
}

#[test]
#[cfg_attr(windows, ignore = "asks cargo about the sources: done on Linux")]
fn pure_packages_use_nothing_that_is_not() {
    for package in packages() {
        let name = text(&package["name"]);
        let Some((_, allowed)) = PURE.iter().find(|(pure, _)| *pure == name) else { continue };
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let is_for_tests = dependency["kind"] == "dev";
            let used = text(&dependency["name"]);
            assert!(
                is_for_tests || allowed.contains(&used),
                "{name} is pure: look whether {used} is too, then name it in this test"
            );
        }
    }
}

#[test]
fn floors_of_the_engine_know_only_what_is_below_them() {
    let sources = sources();
    let mut wrong = Vec::new();
    for &(floor, unknown) in FLOORS {
        let files: Vec<_> = sources.iter().filter(|source| source.is_in(&[floor])).collect();
        assert!(!files.is_empty(), "{floor} is gone: take it out of this test");
        for source in files {
            for (line, code) in source.code() {
                for name in unknown.iter().filter(|name| code.contains(**name)) {
                    wrong.push(format!("{}:{line}: {floor} does not know {name}", source.path));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_command_line_knows_terminals_and_options() {
    let names =
        Regex::new(r"\b(clap|clap_complete|clap_mangen|console|ctrlc|indicatif)::").unwrap();
    let mut users = BTreeSet::new();
    for source in sources().iter().filter(|source| !source.is_in(&["tests/", "benches/"])) {
        if source.code().any(|(_, code)| names.is_match(code)) {
            users.insert(source.path.clone());
        }
    }
    assert!(users.contains("src/cli/args.rs"), "{users:?}");
    users.retain(|path| !path.starts_with("src/cli/"));
    assert!(users.is_empty(), "what a person sees belongs to src/cli: {users:?}");
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

fn text(value: &serde_json::Value) -> &str {
    value.as_str().expect("a text")
}
