//! The programs and the memory of this machine.

use std::fs;

use clreduce_tools::{install_of, is_installed, search_path};
use toml::Spanned;

use crate::error::Problem;
use crate::naming::unversioned;

/// Rejects a command whose program is not installed.
pub(crate) fn require_program(command: &Spanned<String>) -> Result<(), Problem> {
    let words = shlex::split(command.get_ref()).unwrap_or_default();
    let is_assignment =
        |word: &&String| word.split_once('=').is_some_and(|(name, _)| is_name(name));
    let Some(program) = words.iter().find(|word| !is_assignment(word)) else { return Ok(()) };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_+./".contains(c);
    const SHELL: [&str; 16] = [
        "if", "for", "while", "case", "until", "cd", "test", "export", "set", "ulimit", "exit",
        "true", "false", "echo", "exec", "kill",
    ];
    if !program.chars().all(plain) || SHELL.contains(&program.as_str()) || on_path(program) {
        return Ok(());
    }
    let similar = similar(program);
    let install = install_of(program).map(|install| format!(" ({install})")).unwrap_or_default();
    let help = if similar.is_empty() {
        format!("install it{install}, or write the name of an installed one")
    } else {
        format!("install it{install}, or write one of these: {}", similar.join(", "))
    };
    Err(Problem::new(format!("the program `{program}` is not installed"), help)
        .at(command.span().start))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns true if a command can be run. One in the directory of the variant is not there yet.
fn on_path(program: &str) -> bool {
    program.starts_with("./") || is_installed(program)
}

/// Returns the installed programs with the same name and another version.
fn similar(program: &str) -> Vec<String> {
    let stem = unversioned(program);
    let is_version = |name: &str| {
        let rest = name.strip_prefix(stem)?;
        rest.chars().all(|c| c.is_ascii_digit() || "-.".contains(c)).then_some(())
    };
    let entries = search_path().into_iter().flat_map(fs::read_dir).flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_version(name).is_some()).collect();
    names.sort();
    names.dedup();
    names
}

/// Three quarters of the machine's memory, in bytes, or of what the process may use.
pub(crate) fn memory() -> u64 {
    let of_file = |path: &str| fs::read_to_string(path).ok();
    let total = of_file("/proc/meminfo").and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?.to_owned();
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes << 10)
    });
    let group = of_file("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    // Where the system does not tell, 16 GiB are assumed.
    let total = total.unwrap_or(16 << 30).min(group.unwrap_or(u64::MAX));
    total / 4 * 3
}
