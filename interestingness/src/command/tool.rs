//! One run of a tool whose output is read: the same supervision as a test, another use of it.

use std::ffi::OsString;
use std::path::PathBuf;

use clreduce_testcase::TestCase;

use super::ended::{End, Ended};
use super::{Limits, Request, TestCommand, system};
use crate::Cancel;

/// Where and within what tools run.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    pub limits: Limits,
    /// Where the directories of the runs go.
    pub temporary: PathBuf,
    /// As in [`CommandOptions`](super::CommandOptions).
    pub worker: Option<PathBuf>,
}

/// What a tool did.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
}

impl Bench {
    /// Runs a program in a fresh directory that holds `files`, until it ends or a limit ends it.
    pub fn run(
        &self,
        program: &str,
        args: Vec<OsString>,
        files: &TestCase,
        cancel: &Cancel,
    ) -> Ran {
        self.run_command(&TestCommand::Program { path: program.into(), args }, files, cancel)
    }

    /// Runs a line of the shell in the same way.
    pub fn shell(&self, line: &str, files: &TestCase, cancel: &Cancel) -> Ran {
        self.run_command(&TestCommand::Shell(line.to_owned()), files, cancel)
    }

    fn run_command(&self, command: &TestCommand, files: &TestCase, cancel: &Cancel) -> Ran {
        let request =
            Request { limits: self.limits.clone(), whole_output: true, count_left: false };
        let runner = system::Runner::new(command, self.worker.clone(), self.temporary.clone());
        let ended = match runner {
            Ok(runner) => runner.run(&request, files, cancel, |_| {}),
            Err(error) => Ended::failed(error.to_string()),
        };
        let [stdout, stderr] = ended.streams;
        // Tools quote what they read: that need not be text.
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran { end: ended.end, stdout: text(stdout), stderr: text(stderr) }
    }
}

impl Ran {
    /// Why nothing can be concluded from the run, in words: the signal, the limit, the status and the
    /// last line of what it said.
    pub fn trouble(&self) -> String {
        let outcome = Ended { end: self.end.clone(), ..Ended::failed("") }.outcome();
        let reason = if outcome.reason.is_empty() { "ended".to_owned() } else { outcome.reason };
        match self.stderr.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("{reason}: {}", line.trim()),
            None => reason,
        }
    }
}
