//! The programs of `--pass-command` and `--prefer`. They run like a test: in the sandbox, in a fresh directory with the current files.

use std::sync::Arc;
use std::time::Duration;

use clreduce_engine::{PassCommand, RankCommand};
use clreduce_interestingness::{Cancel, CommandOptions, Limits, Quantity, SetupError, test_files};
use clreduce_process::{Completed, End, Launcher, LocalLauncher, Permissions, Task, TestCommand};
use clreduce_testcase::TestCase;

use crate::settings::resolve::TestAndOptions;
use crate::settings::sandbox;

/// The time that it has without --timeout, and the most that it may print.
const TIME: Duration = Duration::from_secs(30);
const OUTPUT: u64 = 16 << 20;
/// The most characters of what it printed in a message.
const MOST_CHARACTERS: usize = 200;

/// Makes the program of `--pass-command` ready.
///
/// # Errors
/// When there is no place for it to run in.
pub(crate) fn ready(
    command: &TestCommand,
    how: &TestAndOptions,
) -> Result<Arc<PassCommand>, SetupError> {
    let run = runner(command, how)?;
    Ok(Arc::new(move |case: &TestCase, cancel: &Cancel| printed(run(case, cancel))))
}

/// Makes the program of `--prefer` ready.
///
/// # Errors
/// As [`ready`].
pub(crate) fn ready_to_rank(
    command: &TestCommand,
    how: &TestAndOptions,
) -> Result<Arc<RankCommand>, SetupError> {
    let run = runner(command, how)?;
    Ok(Arc::new(move |case: &TestCase, cancel: &Cancel| ranked(run(case, cancel))))
}

fn runner(
    command: &TestCommand,
    how: &TestAndOptions,
) -> Result<impl Fn(&TestCase, &Cancel) -> Completed + Send + Sync + use<>, SetupError> {
    let time = Some(how.options.timeout.unwrap_or(TIME));
    let limits = Limits { time, output_bytes: OUTPUT, ..how.options.test_limits() };
    let files = test_files(command).into_iter().map(|(path, _)| path);
    let CommandOptions { temporary, worker, .. } = how.command_options();
    let launcher =
        LocalLauncher::new(temporary, worker).confined(sandbox::confinement().with_readable(files));
    launcher.prepare()?;
    let task = Task {
        command: command.clone(),
        limits,
        permissions: Permissions::default(),
        whole_output: true,
        count_left: false,
        run: None,
    };
    Ok(move |case: &TestCase, cancel: &Cancel| launcher.run(&task, case, cancel, &mut |_| {}))
}

/// The number that the program printed, whatever its exit status: `grep -c` has 1 where it counts none. Otherwise the reason that
/// it failed.
fn ranked(completed: Completed) -> Result<Quantity, String> {
    let has_ended = matches!(completed.end, End::Exited(_));
    match Quantity::printed_last(&completed.streams[0]).filter(|_| has_ended) {
        Some(rank) => Ok(rank),
        None => Err(printed(completed)
            .map_or_else(|error| error, |_| "its last line is no number".to_owned())),
    }
}

/// What the program printed, or the reason that it failed.
fn printed(completed: Completed) -> Result<Vec<u8>, String> {
    let Completed { end, streams: [printed, _], tail, .. } = completed;
    if end == End::Exited(0) {
        return Ok(printed);
    }
    let tail = String::from_utf8_lossy(&tail);
    let last = tail.lines().rfind(|line| !line.trim().is_empty());
    Err(last.map_or_else(
        || end.reason(),
        |last| {
            let last: String = last.chars().take(MOST_CHARACTERS).collect();
            format!("{} ({last})", end.reason())
        },
    ))
}
