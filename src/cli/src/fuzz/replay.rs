//! `clreduce fuzz --replay` runs the bugs of an earlier campaign again.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clreduce_campaign::{Class, Matrix, Replayed, replay as run};
use clreduce_devices::WorkerOptions;
use clreduce_interestingness::Cancel;

use crate::failure::{CliError, FuzzError};

/// Runs the bugs and prints what each configuration makes of them.
///
/// # Errors
/// When there are no bugs, or the run is interrupted.
pub(super) fn replay(
    directory: &Path,
    matrix: Matrix,
    (worker, limit, jobs): (WorkerOptions, Duration, NonZeroUsize),
    cancel: &Cancel,
) -> Result<ExitCode, CliError> {
    let names = matrix.names();
    let found = run(directory, matrix, (worker, limit, jobs), cancel)?;
    let Some(bugs) = found else { return Err(CliError::Interrupted) };
    if bugs.is_empty() {
        return Err(FuzzError::NoBugs(directory.to_owned()).into());
    }
    let mut text = String::new();
    for Replayed { name, classes } in &bugs {
        let shown = names.iter().zip(classes).filter(|(_, class)| **class != Class::Right);
        let shown: Vec<String> =
            shown.map(|(name, class)| format!("{name}: {}", class.name())).collect();
        let shown = if shown.is_empty() { "gone".to_owned() } else { shown.join(", ") };
        text += &format!("{name}: {shown}\n");
    }
    let is_there = |bug: &&Replayed| bug.classes.iter().any(|class| *class != Class::Right);
    let left = bugs.iter().filter(is_there).count();
    text += &format!("{left} of {} bugs are still there\n", bugs.len());
    crate::print(&text)?;
    Ok(if left == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
