//! The text of the recipe for a bug of a compiler.

use std::fmt::Write;
use std::time::Duration;

use super::sanity::{SPELLINGS, SanityChecks};
use super::{BugSearch, CompilerRun};
use crate::format::Preset;
use crate::resolved::USUAL_MEMORY;
use crate::shown::{describe, on_one_line};
use crate::toml_text::in_toml;

/// The limit of a compiler that hangs where nothing shows how long it should take.
const LIMIT_ALONE: &str = "10s";

/// Writes the recipe. Of a program of several files, `{file}` could be any: the source is named.
pub(super) fn write(
    search: &BugSearch<'_>,
    preset: Preset,
    accused: &CompilerRun,
    witnesses: &[CompilerRun],
    checks: &SanityChecks,
    file: Option<&str>,
) -> String {
    let named = |line: &str| match file {
        Some(file) => in_toml(&line.replace("{file}", &clreduce_process::quoted(file.as_ref()))),
        None => in_toml(line),
    };
    let mut text = String::from("# The bug that `clreduce init` found:\n");
    let all = || std::iter::once(accused).chain(witnesses);
    let width = all().map(|one| one.name.len()).max().unwrap_or_default();
    // Writing to a string cannot fail, here and below.
    for one in all() {
        let _ =
            writeln!(text, "#   {:<width$}  {}", one.name, on_one_line(&describe(&one.outcome)));
    }
    let _ = writeln!(text, "preset = \"{}\"", preset.name());
    let unchecked = checks.unchecked();
    if !unchecked.is_empty() {
        let kinds: Vec<&str> = unchecked.iter().map(|kind| kind.name()).collect();
        let _ = writeln!(text, "allow-unchecked = {kinds:?}");
    }
    for (index, one) in all().enumerate() {
        let (name, build) = (named(&one.name), named(&one.build));
        let _ = write!(text, "\n[[configuration]]\nname = {name}\nbuild = {build}\n");
        if let Some(run) = one.run {
            let _ = writeln!(text, "run = {}", in_toml(run));
        }
        if one.memory != USUAL_MEMORY {
            let _ = writeln!(text, "memory = \"{}GiB\"", one.memory >> 30);
        }
        if index == 0 {
            text.push_str("accused = true\n");
        }
        if index == 0 && preset == Preset::Hang {
            text.push_str(&timeout(search.query.timeout, witnesses.is_empty()));
        }
    }
    if checks.stages.iter().any(|stage| stage.command.contains(SPELLINGS)) {
        text.push_str("\n# The options -x and -D let clang read the headers of gcc.");
    }
    for stage in &checks.stages {
        let (name, command) = (in_toml(stage.name), named(&stage.command));
        let _ = write!(text, "\n[[stage]]\nname = {name}\ncommand = {command}\n");
    }
    if let Some(message) = &search.message {
        let _ = write!(text, "\n[outcome]\nmessage = {}\n", in_toml(message.as_str()));
    }
    text
}

/// The line with the time limit of a compiler that hangs, if there is one.
fn timeout(given: Option<Duration>, is_alone: bool) -> String {
    match given {
        Some(limit) => format!("timeout = \"{}s\"\n", limit.as_secs_f64()),
        None if is_alone => format!("timeout = \"{LIMIT_ALONE}\"\n"),
        None => String::new(),
    }
}
