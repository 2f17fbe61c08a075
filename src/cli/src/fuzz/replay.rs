//! `clreduce fuzz --replay` runs the bugs of an earlier campaign again.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clreduce_campaign::{Class, Matrix, Replayed, replay as run};
use clreduce_devices::WorkerOptions;
use clreduce_interestingness::Cancel;
use clreduce_process::Limits;

use crate::failure::{CliError, FuzzError};

/// Runs the bugs and prints what each configuration makes of them.
///
/// # Errors
/// When there are no bugs, or the run is interrupted.
pub(super) fn replay(
    directory: &Path,
    matrix: Matrix,
    limits: (WorkerOptions, Duration, NonZeroUsize, Limits),
    cancel: &Cancel,
) -> Result<ExitCode, CliError> {
    let names = matrix.names();
    let found = run(directory, matrix, limits, cancel)?;
    let Some(bugs) = found else { return Err(CliError::Interrupted) };
    if bugs.is_empty() {
        return Err(FuzzError::NoBugs(directory.to_owned()).into());
    }
    let mut text = table(&names, &bugs);
    let left = bugs.iter().filter(|bug| !bug.is_gone()).count();
    text += &format!("{left} of {} bugs are still there\n", bugs.len());
    crate::terminal::printing::print(&text).map_err(CliError::Stdout)?;
    Ok(if left == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The bugs with a number each, and a line for each configuration with a column for each bug.
fn table(names: &[String], bugs: &[Replayed]) -> String {
    let mut text = String::new();
    for (index, bug) in bugs.iter().enumerate() {
        let gone = if bug.is_gone() { ", gone" } else { "" };
        text += &format!("bug {}: {}{gone}\n", index + 1, bug.name);
    }
    let first = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let width = Class::ALL.iter().map(|class| class.name().len()).max().unwrap_or_default();
    let heads = (1..=bugs.len()).map(|number| format!("  {number:<width$}"));
    text += format!("\n{:first$}{}", "", heads.collect::<String>()).trim_end();
    for (index, name) in names.iter().enumerate() {
        let word = |bug: &Replayed| match bug.classes[index] {
            Class::Right => format!("  {:<width$}", "-"),
            class => format!("  {:<width$}", class.name()),
        };
        let cells = bugs.iter().map(word).collect::<String>();
        text += format!("\n{name:<first$}{cells}").trim_end();
    }
    text + "\n\n"
}
