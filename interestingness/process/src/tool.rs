//! Tools: programs whose output is read, such as compilers.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clreduce_testcase::TestCase;
use tempfile::TempDir;

use crate::cancel::Cancel;
use crate::confinement::{Confinement, Permissions};
use crate::end::End;
use crate::launcher::{Launcher, Task};
use crate::limits::Limits;
use crate::system::LocalLauncher;
use crate::test_command::TestCommand;

/// Runs tools, each within the same limits.
#[derive(Clone, Debug)]
pub struct ToolRunner {
    /// The limits of one run of a tool.
    pub limits: Limits,
    permissions: Permissions,
    launcher: Arc<dyn Launcher>,
}

/// One run of a tool.
#[derive(Clone, Debug)]
pub struct ToolRun {
    /// The way in which it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl ToolRunner {
    /// Runs tools by a launcher.
    #[must_use]
    pub fn new(launcher: Arc<dyn Launcher>, limits: Limits) -> Self {
        Self { limits, permissions: Permissions::default(), launcher }
    }

    /// Runs tools on this machine, in folders below `temporary`. With a worker program, each has a supervisor.
    #[must_use]
    pub fn local(temporary: PathBuf, worker: Option<PathBuf>, limits: Limits) -> Self {
        Self::confined(temporary, worker, limits, Confinement::Unconfined)
    }

    /// The same, with the tools confined.
    #[must_use]
    pub fn confined(
        temporary: PathBuf,
        worker: Option<PathBuf>,
        limits: Limits,
        confinement: Confinement,
    ) -> Self {
        let launcher = LocalLauncher::new(temporary, worker).confined(confinement);
        Self::new(Arc::new(launcher), limits)
    }

    /// The same runner with another time limit.
    #[must_use]
    pub fn within(&self, time: Option<Duration>) -> Self {
        let mut runner = self.clone();
        runner.limits.time = time;
        runner
    }

    /// The same runner, whose tools may write a folder.
    #[must_use]
    pub fn with_writable(&self, folder: &Path) -> Self {
        let mut runner = self.clone();
        runner.permissions.writable.push(folder.to_owned());
        runner
    }

    /// The same runner, whose tools see a file or folder in every sandbox.
    #[must_use]
    pub fn with_readable(&self, path: &Path) -> Self {
        let mut runner = self.clone();
        runner.permissions.readable.push(path.to_owned());
        runner
    }

    /// The kind of sandbox in which tools run.
    #[must_use]
    pub fn sandbox(&self) -> &'static str {
        self.launcher.sandbox()
    }

    /// The folder for temporary files.
    #[must_use]
    pub fn temporary(&self) -> &Path {
        self.launcher.temporary()
    }

    /// Makes a folder for files that several runs need. Tools write there only by [`with_writable`](Self::with_writable).
    /// It must not outlive the runner. With a worker program, it is removed also if this process is killed.
    ///
    /// # Errors
    /// When the system cannot.
    pub fn folder(&self) -> io::Result<TempDir> {
        self.launcher.folder()
    }

    /// Runs a program in a fresh directory that holds `files`, until it ends or a limit ends it.
    #[must_use]
    pub fn run(
        &self,
        program: &str,
        args: Vec<OsString>,
        files: &TestCase,
        cancel: &Cancel,
    ) -> ToolRun {
        self.run_command(TestCommand::Program { path: program.into(), args }, files, cancel)
    }

    /// Runs a line of the shell in the same way.
    #[must_use]
    pub fn shell(&self, line: &str, files: &TestCase, cancel: &Cancel) -> ToolRun {
        self.run_command(TestCommand::Shell(line.to_owned()), files, cancel)
    }

    fn run_command(&self, command: TestCommand, files: &TestCase, cancel: &Cancel) -> ToolRun {
        let (limits, permissions) = (self.limits.clone(), self.permissions.clone());
        let (run, whole_output, count_left) = (None, true, false);
        let task = Task { command, limits, run, permissions, whole_output, count_left };
        let completed = self.launcher.run(&task, files, cancel, &mut |_| {});
        let [stdout, stderr] = completed.streams;
        // Tools quote what they read: that need not be text.
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        ToolRun { end: completed.end, stdout: text(stdout), stderr: text(stderr) }
    }
}

impl ToolRun {
    /// The reason why nothing can be concluded from the run: the signal, the limit or the status, and the first error on
    /// standard error.
    #[must_use]
    pub fn trouble(&self) -> String {
        let reason = self.end.reason();
        let reason = if reason.is_empty() { "ended".to_owned() } else { reason };
        match first_error(&self.stderr) {
            // A tool that was stopped has printed nothing about the reason.
            Some(line) if self.end != End::TimedOut => format!("{reason}: {line}"),
            _ => reason,
        }
    }
}

/// Finds the first line of a tool's messages that reports an error. Without one, the last line is the best guess.
fn first_error(messages: &str) -> Option<&str> {
    // "2 errors generated." counts what was said before.
    let is_summary = |line: &&str| line.ends_with(" generated.");
    let lines =
        || messages.lines().map(str::trim).filter(|line| !line.is_empty() && !is_summary(line));
    let is_error = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["error", "fatal", "cannot", "undefined reference", "assertion"]
            .iter()
            .any(|word| line.contains(word))
    };
    lines().find(is_error).or_else(|| lines().next_back())
}

/// The longest time that a program may take to tell about itself. A compiler that hangs may be a script that does so
/// whatever it is asked.
const QUERY_LIMIT: Duration = Duration::from_secs(10);

/// The standard output of a program that only tells about itself, as `clang --version` does. `None` where the program
/// is missing, fails or does not end.
#[must_use]
pub fn query(program: &Path, args: &[&str]) -> Option<String> {
    query_within(QUERY_LIMIT, program, args)
}

fn query_within(limit: Duration, program: &Path, args: &[&str]) -> Option<String> {
    let limits = Limits { time: Some(limit), ..Limits::default() };
    let tools = ToolRunner::local(env::temp_dir(), None, limits);
    // The program runs in a folder of its own, where a path that starts here leads nowhere.
    let is_path = program.components().count() > 1;
    let program = if is_path { path::absolute(program).ok()? } else { program.to_owned() };
    let args = args.iter().map(OsString::from).collect();
    let nothing = TestCase::new(Vec::new()).ok()?;
    let ran = tools.run(&program.to_string_lossy(), args, &nothing, &Cancel::new());
    (ran.end == End::Exited(0)).then_some(ran.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_explains_a_failure_and_not_the_last_line() {
        let run = |end, stderr: &str| {
            ToolRun { end, stdout: String::new(), stderr: stderr.to_owned() }.trouble()
        };
        let messages = "a.c:1:1: warning: w\na.c:2:1: error: first\na.c:3:1: error: second\n2 errors generated.\n";
        assert_eq!(run(End::Exited(1), messages), "exit code 1: a.c:2:1: error: first");
        let linker = "ld: cannot find -lx\nclang: error: linker command failed with exit code 1\n";
        assert_eq!(run(End::Exited(1), linker), "exit code 1: ld: cannot find -lx");
        assert_eq!(run(End::Exited(1), "usage: x\n"), "exit code 1: usage: x");
        let stopped = run(End::TimedOut, "120 warnings generated.\n");
        assert_eq!(stopped, "did not finish within the time limit");
    }
    #[cfg(unix)]
    #[test]
    fn a_program_that_tells_nothing_about_itself_is_not_waited_for() {
        let said = |script: &str| query("sh".as_ref(), &["-c", script]);
        assert_eq!(said("echo 1.2.3"), Some("1.2.3\n".to_owned()));
        assert_eq!(said("echo 1.2.3; exit 1"), None);
        let endless = ["-c", "echo 1.2.3; sleep 1000"];
        assert_eq!(query_within(Duration::from_secs(1), "sh".as_ref(), &endless), None);
        assert_eq!(query("no-such-program".as_ref(), &[]), None);
    }
}
