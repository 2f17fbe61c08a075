//! The interestingness test that is a program or a shell command.
//!
//! Each test runs in a fresh directory that holds only the variant's files, without input, with `TMPDIR` beside that
//! directory, and within [`Limits`]. When it ends, for whatever reason, all processes it started are killed and both
//! directories removed. On Linux a small supervisor process per concurrent test starts it, watches it and cleans up
//! after it, also when this process dies by `SIGKILL`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clreduce_process::{
    Cancel, Completed, Confinement, End, Launcher, Limits, LocalLauncher, Permissions, RunFolder,
    SetupError, Task, TestCommand,
};
use clreduce_testcase::{Clues, LEAST_COMPLAINING, TestCase};
use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use crate::looked_for::looked_for;
use crate::unchanged::TestFiles;
use crate::{Interestingness, NotRun, Occasion, Outcome, Quantity, Verdict};

/// Patterns for the output of a test, which decide instead of the exit code. Every pattern given must
/// be found.
#[derive(Clone, Debug, Default)]
pub struct OutputPattern {
    /// Looked for in standard output.
    pub stdout: Option<Regex>,
    /// Looked for in standard error.
    pub stderr: Option<Regex>,
}

/// Everything about a [`CommandTest`] but its command.
#[derive(Clone, Debug)]
pub struct CommandOptions {
    /// The limits of one test.
    pub limits: Limits,
    /// Where given, the output decides, and the exit code does not matter.
    pub pattern: Option<OutputPattern>,
    /// True if the test has to print a number as the last line of its standard output.
    pub prints_number: bool,
    /// A program that calls [`worker_main`](crate::worker_main) first thing, such as `clreduce` itself. Without it
    /// everything works but two things: after a `SIGKILL` of this process, tests go on running and
    /// their files stay; and a process that detaches itself *and* empties its environment escapes.
    /// Not used on Windows, where the system itself ties processes together.
    pub worker: Option<PathBuf>,
    /// The place for the directories of the tests.
    pub temporary: PathBuf,
    /// The confinement of the tests.
    pub confinement: Confinement,
    /// A folder on the same file system that tests' directories are moved to when they have ended,
    /// numbered, for somebody who wants to look at them; otherwise they are removed.
    pub save: Option<PathBuf>,
}

impl Default for CommandOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            pattern: None,
            prints_number: false,
            worker: None,
            temporary: std::env::temp_dir(),
            confinement: Confinement::default(),
            save: None,
        }
    }
}

/// A program or shell command as an interestingness test: exit code 0 means "interesting".
#[derive(Debug)]
pub struct CommandTest {
    command: TestCommand,
    files: TestFiles,
    launcher: Arc<dyn Launcher>,
    limits: Mutex<Limits>,
    save: Option<PathBuf>,
    pattern: Option<OutputPattern>,
    pub(crate) prints_number: bool,
}

/// A run of the test that is looked at more closely. What it did that others should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rehearsal {
    /// As [`Interestingness::judge`] gives it.
    pub outcome: Outcome,
    /// Files of the variant that the test changed or removed. It should work on a copy: later
    /// variants have their own directories, but what it judges is no longer what was asked.
    pub modified: Vec<String>,
    /// Files that it left in the variant's directory, such as `a.out`. They do no harm.
    pub added: Vec<OsString>,
    /// The newest text file among these, and its last bytes.
    pub log: Option<(String, Vec<u8>)>,
    /// The parts of the program that the output mentions.
    pub clues: Clues,
    /// Processes that were still running when the test's own had ended; they were killed.
    pub processes_left: u32,
}

impl CommandTest {
    /// A test by `command` on this machine. On Linux with a worker program, starts the first supervisor.
    ///
    /// # Errors
    /// When there is no place for the tests, or the worker program does not answer.
    pub fn new(command: &TestCommand, options: CommandOptions) -> Result<Self, SetupError> {
        let local = LocalLauncher::new(options.temporary.clone(), options.worker.clone());
        let local = local.confined(options.confinement.clone());
        Self::on(Arc::new(local), command, options)
    }

    /// A test by `command` that a launcher runs, on whichever machine. The places that `options` names are those of
    /// this machine, and the launcher knows its own.
    ///
    /// # Errors
    /// When the launcher cannot run anything.
    pub fn on(
        launcher: Arc<dyn Launcher>,
        command: &TestCommand,
        options: CommandOptions,
    ) -> Result<Self, SetupError> {
        launcher.prepare()?;
        let CommandOptions { limits, pattern, prints_number, save, .. } = options;
        let (command, files) = (command.clone(), TestFiles::of(command));
        let limits = Mutex::new(limits);
        Ok(Self { command, files, launcher, limits, save, pattern, prints_number })
    }

    /// Changes the limits of the tests to come.
    pub fn set_limits(&self, limits: Limits) {
        *self.lock_limits() = limits;
    }

    /// The limits in force.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.lock_limits().clone()
    }

    fn lock_limits(&self) -> MutexGuard<'_, Limits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the directories of an ended test, where that is wanted. That it fails shows in the folder.
    fn save(&self, folder: &RunFolder) {
        if let Some(save) = &self.save {
            let _ = folder.move_to(save);
        }
    }

    /// Runs the test once and looks at what it leaves; for the original, before a reduction.
    ///
    /// # Errors
    /// When it was not run.
    pub fn rehearse(&self, variant: &TestCase, cancel: &Cancel) -> Result<Rehearsal, NotRun> {
        let (mut modified, mut added, mut log) = (Vec::new(), Vec::new(), None);
        let mut outputs = Vec::new();
        let task = Task { count_left: true, ..self.task() };
        let completed = self.run(&task, variant, cancel, &mut |folder| {
            modified = folder.modified(variant);
            added = folder.added(variant);
            log = folder.newest_log(variant);
            outputs = folder.texts(variant);
            self.save(folder);
        })?;
        let processes_left = completed.processes_left;
        outputs.push(completed.tail.clone());
        // With a pattern all of it is there.
        outputs.extend(completed.streams.iter().cloned());
        let clues = self.clues(&outputs);
        let outcome = self.outcome(completed)?;
        Ok(Rehearsal { outcome, modified, added, log, clues, processes_left })
    }

    /// Judges a variant that is not part of the reduction, within a time limit of its own.
    ///
    /// # Errors
    /// When it was not run.
    pub fn judge_within(
        &self,
        variant: &TestCase,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let mut task = self.task();
        task.limits.time = Some(limit);
        self.outcome(self.run(&task, variant, cancel, &mut |_| {})?)
    }

    fn task(&self) -> Task {
        Task {
            run: None,
            command: self.command.clone(),
            limits: self.limits(),
            permissions: Permissions::default(),
            whole_output: self.pattern.is_some() || self.prints_number,
            count_left: false,
        }
    }

    /// The clues in what the test printed, and in the files that it wrote.
    fn clues(&self, outputs: &[Vec<u8>]) -> Clues {
        let given = self.pattern.iter().flat_map(|pattern| [&pattern.stdout, &pattern.stderr]);
        let given = given.flatten().filter_map(|regex| regex::Regex::new(regex.as_str()).ok());
        let patterns: Vec<regex::Regex> =
            looked_for(&self.command).into_iter().chain(given).collect();
        clreduce_crash::clues(&texts(outputs), &patterns)
    }

    fn run(
        &self,
        task: &Task,
        variant: &TestCase,
        cancel: &Cancel,
        inspect: &mut dyn FnMut(&RunFolder),
    ) -> Result<Completed, NotRun> {
        let run = || self.launcher.run(task, variant, cancel, inspect);
        self.files.unchanged(run)
    }

    fn judge_task(
        &self,
        task: &Task,
        variant: &TestCase,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let mut outputs = Vec::new();
        let completed = self.run(task, variant, cancel, &mut |folder| {
            if variant.total_bytes() >= LEAST_COMPLAINING {
                outputs = folder.texts(variant);
            }
            self.save(folder);
        })?;
        if variant.total_bytes() >= LEAST_COMPLAINING {
            outputs.push(completed.tail.clone());
            outputs.extend(completed.streams.iter().cloned());
        }
        let mut outcome = self.outcome(completed)?;
        if outcome.verdict == Verdict::Uninteresting {
            outcome.complaints = clreduce_crash::complaints(&texts(&outputs));
        }
        Ok(outcome)
    }

    fn outcome(&self, completed: Completed) -> Result<Outcome, NotRun> {
        let printed = self.prints_number.then(|| Quantity::printed_last(&completed.streams[0]));
        let outcome = match &self.pattern {
            Some(pattern) => pattern.decide(completed)?,
            None => Outcome::try_from(completed)?,
        };
        Ok(match printed {
            Some(number) => with_number(outcome, number),
            None => outcome,
        })
    }
}

impl Interestingness for CommandTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Result<Outcome, NotRun> {
        self.judge_on(variant, Occasion::Next, cancel)
    }

    fn judge_on(
        &self,
        variant: &TestCase,
        occasion: Occasion,
        cancel: &Cancel,
    ) -> Result<Outcome, NotRun> {
        let run = match occasion {
            Occasion::Run(run) => Some(run),
            _ => None,
        };
        self.judge_task(&Task { run, ..self.task() }, variant, cancel)
    }

    fn judge_original(
        &self,
        original: &TestCase,
        cancel: &Cancel,
    ) -> Result<(Outcome, Clues), NotRun> {
        let rehearsal = self.rehearse(original, cancel)?;
        Ok((rehearsal.outcome, rehearsal.clues))
    }

    fn set_time_limit(&self, limit: Duration) {
        self.lock_limits().time = Some(limit);
    }
}

/// A test that accepts the variant and prints no number does not measure it.
fn with_number(mut outcome: Outcome, number: Option<Quantity>) -> Outcome {
    if outcome.verdict == Verdict::Interesting {
        outcome.number = number;
        if number.is_none() {
            outcome.verdict = Verdict::Uninteresting;
            outcome.reason = "the last line of its standard output is no number".to_owned();
        }
    }
    outcome
}

fn texts(outputs: &[Vec<u8>]) -> Vec<String> {
    let text = |bytes: &Vec<u8>| {
        let bytes = &bytes[..bytes.len().min(4 << 20)];
        String::from_utf8_lossy(bytes).into_owned()
    };
    outputs.iter().map(text).collect()
}

impl OutputPattern {
    fn decide(&self, completed: Completed) -> Result<Outcome, NotRun> {
        let missing = self.missing(&completed.streams);
        let decided = matches!(completed.end, End::Exited(_) | End::Signalled(_));
        let mut outcome = Outcome::try_from(completed)?;
        if decided {
            (outcome.verdict, outcome.reason) = match missing {
                None => (Verdict::Interesting, String::new()),
                Some(reason) => (Verdict::Uninteresting, reason),
            };
        }
        Ok(outcome)
    }

    /// Which pattern is not found; `None` where all are.
    fn missing(&self, [stdout, stderr]: &[Vec<u8>; 2]) -> Option<String> {
        let streams = [(&self.stdout, stdout, "output"), (&self.stderr, stderr, "error")];
        let lacking = |(pattern, bytes, name): (&Option<Regex>, &Vec<u8>, &str)| {
            let pattern = pattern.as_ref().filter(|pattern| !pattern.is_match(bytes))?;
            Some(format!("the test's standard {name} does not match /{pattern}/"))
        };
        streams.into_iter().find_map(lacking)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Another machine, on which every task ends with the exit code that is the length of the first file.
    #[derive(Debug)]
    struct Elsewhere;

    impl Launcher for Elsewhere {
        fn run(
            &self,
            task: &Task,
            files: &TestCase,
            cancel: &Cancel,
            _inspect: &mut dyn FnMut(&RunFolder),
        ) -> Completed {
            if cancel.is_cancelled() {
                return Completed::cancelled();
            }
            let length = files.files()[0].bytes.len() as i32;
            let stdout = task.command.to_string().into_bytes();
            Completed {
                end: End::Exited(length),
                streams: [stdout, Vec::new()],
                ..Completed::cancelled()
            }
        }

        fn prepare(&self) -> Result<(), SetupError> {
            Ok(())
        }

        fn temporary(&self) -> &Path {
            Path::new("")
        }

        fn sandbox(&self) -> &'static str {
            "none"
        }
    }

    #[test]
    fn a_test_runs_wherever_its_launcher_runs_it() {
        let test = |options| {
            let command = TestCommand::Shell("judge it".to_owned());
            CommandTest::on(Arc::new(Elsewhere), &command, options).unwrap()
        };
        let plain = test(CommandOptions::default());
        let verdict = |test: &CommandTest, text: &[u8], cancel: &Cancel| {
            test.judge(&TestCase::single("a.c", text).unwrap(), cancel).unwrap().verdict
        };
        let cancelled = Cancel::new();
        cancelled.cancel();
        assert_eq!(verdict(&plain, b"", &Cancel::new()), Verdict::Interesting);
        assert_eq!(verdict(&plain, b"int x;", &Cancel::new()), Verdict::Uninteresting);
        assert_eq!(verdict(&plain, b"", &cancelled), Verdict::Unresolved);
        let pattern = OutputPattern { stdout: Regex::new("^judge").ok(), stderr: None };
        let options = CommandOptions { pattern: Some(pattern), ..CommandOptions::default() };
        assert_eq!(verdict(&test(options), b"int x;", &Cancel::new()), Verdict::Interesting);
    }
}
