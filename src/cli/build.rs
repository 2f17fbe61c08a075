//! Finds the commit that a release is built from, for `--version`. A debug build says none, so that it is not built anew
//! after each commit.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return;
    }
    let folder = env::var("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    if let Some(commit) = packaged(&folder).or_else(|| checked_out(&folder)) {
        let short = commit.get(..12).unwrap_or(&commit);
        println!("cargo::rustc-env=CLREDUCE_COMMIT={short}");
    }
}

/// The commit that cargo wrote into a package.
fn packaged(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The commit of the working tree.
fn checked_out(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = if git.is_file() {
        // A worktree: the file names the folder.
        PathBuf::from(fs::read_to_string(&git).ok()?.strip_prefix("gitdir: ")?.trim())
    } else {
        git
    };
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        println!("cargo::rerun-if-changed={}", path.display());
        Some(text)
    };
    let head = read(git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ").map(str::trim) else {
        return Some(head.trim().to_owned());
    };
    let common = read(git.join("commondir")).map_or(git.clone(), |common| git.join(common.trim()));
    let packed = || {
        let all = read(common.join("packed-refs"))?;
        let line = all.lines().find(|line| line.ends_with(&format!(" {name}")))?;
        line.split(' ').next().map(str::to_owned)
    };
    read(common.join(name)).map(|commit| commit.trim().to_owned()).or_else(packed)
}
