//! The workspace as data: its packages, and its sources without comments and tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The packages of the workspace, as `cargo metadata` tells of them.
pub fn packages() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("cargo lists packages").clone()
}

/// A Rust file of the workspace.
pub struct Source {
    /// Path from the root of the workspace, with `/` between its parts.
    pub path: String,
    /// All of it.
    pub text: String,
}

impl Source {
    /// Its lines and their numbers from 1, without comments and without unit tests.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = ["#[cfg(test)]\nmod ", "#[cfg(all(test, unix))]\nmod "];
        let end = match tests.into_iter().find_map(|tests| self.text.find(tests)) {
            _ if self.path.ends_with("/tests.rs") => 0,
            Some(tests) => tests,
            None => self.text.len(),
        };
        let lines = self.text[..end].lines().enumerate();
        lines.map(|(index, line)| (index + 1, without_comment(line)))
    }

    /// Returns true if it lies in one of these folders (which end in `/`) or is one of these files.
    pub fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| {
            if place.ends_with('/') { self.path.starts_with(place) } else { self.path == *place }
        })
    }
}

/// Good enough here: `//` in a string cuts the line as well.
fn without_comment(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

/// Every Rust file of the workspace's packages, ordered by path.
pub fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    let mut pending = vec![root().to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace is readable") {
            let path = entry.expect("an entry is readable").path();
            let relative = relative(&path);
            if path.is_dir() {
                if !is_foreign(&path, &relative) {
                    pending.push(path);
                }
            } else if relative.ends_with(".rs") {
                let text = fs::read_to_string(&path).expect("a source is text");
                sources.push(Source { path: relative, text });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(sources.iter().any(|source| source.path == "src/lib.rs"), "sources are found");
    sources
}

/// Build outputs, version control, test cases, and workspaces of their own.
fn is_foreign(path: &Path, relative: &str) -> bool {
    let hidden = relative.split('/').any(|part| part.starts_with('.'));
    let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
    hidden
        || matches!(relative, "target" | "fixtures" | "passes/corpus" | "passes/fixtures")
        || manifest.contains("[workspace]")
}

/// The path from the root of the workspace, with `/` between its parts.
pub fn relative(path: &Path) -> String {
    let parts = path.strip_prefix(root()).unwrap_or(path).iter();
    parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The root files of the packages' libraries, programs, tests and benches.
pub fn crate_roots() -> Vec<PathBuf> {
    let path = |target: &Value| PathBuf::from(target["src_path"].as_str().expect("a path"));
    packages()
        .iter()
        .flat_map(|package| package["targets"].as_array().expect("targets").clone())
        .map(|target| path(&target))
        .collect()
}
