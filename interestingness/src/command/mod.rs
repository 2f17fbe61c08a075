//! An interestingness test that is a program or a shell command.
//!
//! Each test runs in a fresh directory that holds only the variant's files, without input, with
//! `TMPDIR` beside that directory, and within [`Limits`]. When it ends, for whatever reason, all
//! processes it started are killed and both directories removed. On Linux a small guardian process
//! per concurrent test starts it, watches it and cleans up after it, also when this process dies by
//! `SIGKILL`.

pub(crate) mod capture;
mod diagnose;
pub(crate) mod ended;
mod hints;
#[cfg(any(windows, test))]
mod interpreter;
mod limits;
pub(crate) mod place;
mod sharing;
mod test_command;
mod tool;

#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;
#[cfg(not(any(target_os = "linux", windows)))]
compile_error!("tests as programs are supported on Linux and Windows");

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clreduce_testcase::TestCase;
use regex::bytes::Regex;
use thiserror::Error;

use crate::{Cancel, Interestingness, Outcome, Verdict};
use ended::Ended;

pub use diagnose::CommandError;
pub use hints::Hint;
pub use limits::Limits;
pub use sharing::when_free;
pub use system::guardian_main;
pub use test_command::TestCommand;

pub(crate) use ended::End;
pub(crate) use test_command::quoted;
pub(crate) use tool::{Bench, Ran};

#[cfg(windows)]
pub(crate) use system::Job;

/// What the output of a test must look like, instead of an exit code of 0. Every pattern given must
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
    /// What a test may use.
    pub limits: Limits,
    /// Where given, the output decides, and the exit code does not matter.
    pub pattern: Option<OutputPattern>,
    /// A program that calls [`guardian_main`] first thing, such as `clreduce` itself. Without it
    /// everything works but two things: after a `SIGKILL` of this process, tests go on running and
    /// their files stay; and a process that detaches itself *and* empties its environment escapes.
    /// Not used on Windows, where the system itself ties processes together.
    pub worker: Option<PathBuf>,
    /// Where the directories of the tests go.
    pub temporary: PathBuf,
    /// A folder on the same file system that tests' directories are moved to when they have ended,
    /// numbered, for somebody who wants to look at them; otherwise they are removed.
    pub save: Option<PathBuf>,
}

impl Default for CommandOptions {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            pattern: None,
            worker: None,
            temporary: std::env::temp_dir(),
            save: None,
        }
    }
}

/// Why tests cannot be run at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// No directory for tests.
    #[error("no directory for tests can be made in `{}`; is the disk full or read-only?", .path.display())]
    Directory {
        /// Where it was tried.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The worker program does not do what it should.
    #[error("`{}` cannot be used to run tests", .path.display())]
    Worker {
        /// The worker program.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

/// A program or shell command as an interestingness test: exit code 0 means "interesting".
#[derive(Debug)]
pub struct CommandTest {
    runner: system::Runner,
    limits: Mutex<Limits>,
    save: Option<PathBuf>,
    pattern: Option<OutputPattern>,
}

/// A run of the test that is looked at more closely. What it did that others should know.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// As [`Interestingness::judge`] gives it.
    pub outcome: Outcome,
    /// Files of the variant that the test changed or removed. It should work on a copy: later
    /// variants have their own directories, but what it judges is no longer what was asked.
    pub modified: Vec<String>,
    /// What it left in the variant's directory, such as `a.out`. No reason to worry.
    pub added: Vec<OsString>,
    /// Processes that were still running when the test's own had ended; they were killed.
    pub processes_left: u32,
}

impl CommandTest {
    /// A test by `command`. On Linux with a worker program, starts the first guardian.
    ///
    /// # Errors
    /// When there is no place for the tests, or the worker program does not answer.
    pub fn new(command: &TestCommand, options: CommandOptions) -> Result<Self, SetupError> {
        let runner = system::Runner::new(command, options.worker, options.temporary)?;
        let CommandOptions { limits, pattern, save, .. } = options;
        Ok(Self { runner, limits: Mutex::new(limits), save, pattern })
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
    fn save(&self, place: &place::Place) {
        if let Some(folder) = &self.save {
            let _ = place.move_to(folder);
        }
    }

    /// Runs the test once and looks at what it leaves; for the original, before a reduction.
    #[must_use]
    pub fn rehearse(&self, variant: &TestCase, cancel: &Cancel) -> Rehearsal {
        let (mut modified, mut added) = (Vec::new(), Vec::new());
        let ended = self.runner.run(&self.request(true), variant, cancel, |place| {
            modified = place.modified(variant);
            added = place.added(variant);
            self.save(place);
        });
        let processes_left = ended.processes_left;
        Rehearsal { outcome: self.outcome(ended), modified, added, processes_left }
    }

    fn request(&self, count_left: bool) -> Request {
        Request { limits: self.limits(), whole_output: self.pattern.is_some(), count_left }
    }

    fn outcome(&self, ended: Ended) -> Outcome {
        let Some(pattern) = &self.pattern else { return ended.outcome() };
        let missing = pattern.missing(&ended.streams);
        let decided = matches!(ended.end, End::Exited(_) | End::Signalled(_));
        let mut outcome = ended.outcome();
        if decided {
            (outcome.verdict, outcome.reason) = match missing {
                None => (Verdict::Interesting, String::new()),
                Some(reason) => (Verdict::Uninteresting, reason),
            };
        }
        outcome
    }
}

impl Interestingness for CommandTest {
    fn judge(&self, variant: &TestCase, cancel: &Cancel) -> Outcome {
        self.outcome(self.runner.run(&self.request(false), variant, cancel, |place| {
            self.save(place);
        }))
    }

    fn set_time_limit(&self, limit: Duration) {
        self.lock_limits().time = Some(limit);
    }
}

impl OutputPattern {
    /// Which pattern is not found; `None` where all are.
    fn missing(&self, [stdout, stderr]: &[Vec<u8>; 2]) -> Option<String> {
        let streams = [(&self.stdout, stdout, "output"), (&self.stderr, stderr, "error")];
        let lacking = |(pattern, bytes, name): (&Option<Regex>, &Vec<u8>, &str)| {
            let pattern = pattern.as_ref().filter(|pattern| !pattern.is_match(bytes))?;
            Some(format!("`{pattern}` is not in standard {name}"))
        };
        streams.into_iter().find_map(lacking)
    }
}

/// What one test is to be run with.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Request {
    limits: Limits,
    whole_output: bool,
    count_left: bool,
}

impl Request {
    /// The reason for a person when a limit was hit.
    fn too_much_output(&self) -> End {
        let limit = ended::show_bytes(self.limits.output_bytes);
        End::Failed(format!("printed more than {limit}"))
    }

    fn too_much_disk(&self) -> End {
        let limit = ended::show_bytes(self.limits.disk_bytes);
        End::Failed(format!("wrote more than {limit} to disk"))
    }

    fn too_much_memory(&self) -> End {
        let limit = ended::show_bytes(self.limits.memory_bytes.unwrap_or_default());
        End::Failed(format!("used more than {limit} of memory"))
    }

    fn too_many_processes(&self) -> End {
        End::Failed(format!("ran more than {} processes at a time", self.limits.processes))
    }
}
