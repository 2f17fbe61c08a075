//! The program of `--pass-command`. It runs like a test: in the sandbox, in a fresh directory with the current files.

use std::sync::Arc;
use std::time::Duration;

use clreduce_engine::PassCommand;
use clreduce_interestingness::{Cancel, CommandOptions, Limits, SetupError, test_files};
use clreduce_process::{Completed, End, Launcher, LocalLauncher, Permissions, Task, TestCommand};
use clreduce_testcase::TestCase;

use crate::settings::resolve::TestAndOptions;
use crate::settings::sandbox;

/// The time that it has without --timeout, and the most that it may print.
const TIME: Duration = Duration::from_secs(30);
const OUTPUT: u64 = 16 << 20;
/// The most characters of what it printed in a message.
const MOST_CHARACTERS: usize = 200;

/// Makes the program ready.
///
/// # Errors
/// When there is no place for it to run in.
pub(crate) fn ready(
    command: &TestCommand,
    how: &TestAndOptions,
) -> Result<Arc<PassCommand>, SetupError> {
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
    Ok(Arc::new(move |case: &TestCase, cancel: &Cancel| {
        printed(launcher.run(&task, case, cancel, &mut |_| {}))
    }))
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
