//! The published packages of all crates, and the archive with the program.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

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

/// Packs every crate into `package/` in a folder.
fn package(target: &Path) {
    run(Command::new(root().join("scripts/package"))
        .args(["--no-verify", "--offline"])
        .env("CARGO_TARGET_DIR", target));
}

#[test]
fn every_crate_can_be_packaged_and_brings_its_licences() {
    let target = tempfile::tempdir().unwrap();
    package(target.path());
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
#[ignore = "compiles everything: ten minutes on two cores"]
fn cargo_installs_the_program_from_the_packages() {
    let folder = tempfile::tempdir().unwrap();
    package(folder.path());
    // A folder of unpacked packages stands for crates.io: those of others, and those of this project.
    let registry = folder.path().join("registry");
    run(Command::new(env!("CARGO"))
        .args(["vendor", "--locked", "--versioned-dirs"])
        .arg(&registry));
    for file in std::fs::read_dir(folder.path().join("package")).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "crate") {
            continue;
        }
        run(Command::new("tar").arg("xzf").arg(&file).arg("-C").arg(&registry));
        let hash = Sha256::digest(std::fs::read(&file).unwrap());
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let sums = serde_json::json!({ "files": {}, "package": hash });
        let unpacked = registry.join(file.file_stem().unwrap());
        std::fs::write(unpacked.join(".cargo-checksum.json"), sums.to_string()).unwrap();
    }
    run(Command::new(env!("CARGO"))
        .args([
            "install",
            "--locked",
            "--debug",
            "--config",
            "source.crates-io.replace-with='packed'",
        ])
        .args(["--config", &format!("source.packed.directory='{}'", registry.display())])
        .arg("--target-dir")
        .arg(folder.path().join("target"))
        .arg("--root")
        .arg(folder.path())
        .arg("clreduce"));
    let version = run(Command::new(folder.path().join("bin/clreduce")).arg("--version"));
    assert!(version.starts_with(&format!("clreduce {}", env!("CARGO_PKG_VERSION"))), "{version}");
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
