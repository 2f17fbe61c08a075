//! The published packages of all crates, and the archive with the program.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command to its success; its standard output.
fn run(command: &mut Command) -> String {
    let output = command.current_dir(root()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn names_in(archive: &Path) -> BTreeSet<String> {
    let list = run(Command::new("tar").arg("tzf").arg(archive));
    let inside = |line: &str| line.split_once('/').map(|(_, name)| name.to_owned());
    list.lines().filter_map(inside).collect()
}

#[test]
fn every_crate_can_be_packaged_and_brings_its_licences() {
    let target = tempfile::tempdir().unwrap();
    run(Command::new(root().join("scripts/package"))
        .args(["--no-verify", "--offline"])
        .env("CARGO_TARGET_DIR", target.path()));
    let metadata = run(Command::new(env!("CARGO")).args([
        "metadata",
        "--format-version=1",
        "--no-deps",
        "--offline",
    ]));
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    let mut count = 0;
    for package in metadata["packages"].as_array().unwrap() {
        // An empty list of registries: it is not published.
        if package["publish"].as_array().is_some_and(Vec::is_empty) {
            continue;
        }
        let (name, version) = (package["name"].as_str().unwrap(), &package["version"]);
        let file = format!("package/{name}-{}.crate", version.as_str().unwrap());
        let names = names_in(&target.path().join(file));
        for needed in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "Cargo.toml"] {
            assert!(names.contains(needed), "{needed} is not in {name}: {names:?}");
        }
        for key in ["keywords", "categories"] {
            assert!(!package[key].as_array().unwrap().is_empty(), "{name} has no {key}");
        }
        assert!(!names.iter().any(|name| name.starts_with("fixtures/cases")), "{names:?}");
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn the_archive_has_the_program_its_manual_pages_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("clreduce-x");
    run(Command::new(root().join("scripts/dist")).arg(env!("CARGO_BIN_EXE_clreduce")).arg(&place));
    let names = names_in(&folder.path().join("clreduce-x.tar.gz"));
    for needed in [
        "clreduce",
        "man/clreduce.1",
        "man/clreduce-batch.1",
        "completions/clreduce.bash",
        "completions/_clreduce",
        "completions/clreduce.fish",
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "CHANGELOG.md",
    ] {
        assert!(names.contains(needed), "{needed} is not in {names:?}");
    }
    let page = std::fs::read_to_string(place.join("man/clreduce-batch.1")).unwrap();
    assert!(
        page.starts_with(".ie") && page.contains("SYNOPSIS") && page.contains("clreduce batch"),
        "{page}"
    );
}
