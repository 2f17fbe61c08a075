//! Versions of compilers.

use std::path::Path;

use clreduce_process::query;

/// A compiler's own description: its version, and the machine for which it compiles.
pub(super) fn version_of(program: &str) -> Option<String> {
    let text = query(Path::new(program), &["--version"])?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    // nvcc prints its name and its copyright first.
    let version = lines.clone().find(|line| line.contains(|sign: char| sign.is_ascii_digit()))?;
    let target = lines.find(|line| line.starts_with("Target:"));
    Some(target.into_iter().fold(version.to_owned(), |text, target| text + "\n" + target))
}
