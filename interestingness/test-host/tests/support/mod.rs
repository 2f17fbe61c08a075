//! What the tests share: tests made of one line of shell, and a view of the process table.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code)]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use clreduce_interestingness::{
    Cancel, CommandOptions, CommandTest, Interestingness, Limits, Outcome, TestCommand,
};
use clreduce_testcase::{SourceFile, TestCase};
use tempfile::TempDir;

/// The program that makes supervisors and misbehaves in other ways.
pub const HOST: &str = env!("CARGO_BIN_EXE_interestingness-test-host");

/// The time that the slowest machine may take for what should happen at once.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A base directory of its own, with and without a supervisor.
pub struct Bench {
    pub base: TempDir,
    worker: Option<PathBuf>,
}

/// One bench with supervisors and one without: nearly everything must work with both.
pub fn benches() -> [Bench; 2] {
    [Some(HOST.into()), None].map(|worker| Bench { base: tempfile::tempdir().unwrap(), worker })
}

impl Bench {
    pub fn with_supervisors() -> Self {
        let [with, _] = benches();
        with
    }

    pub fn options(&self, limits: Limits) -> CommandOptions {
        CommandOptions {
            limits,
            worker: self.worker.clone(),
            temporary: self.base.path().to_owned(),
            ..CommandOptions::default()
        }
    }

    /// A test that is one line of shell.
    pub fn shell_test(&self, line: &str, limits: Limits) -> CommandTest {
        CommandTest::new(&TestCommand::Shell(line.to_owned()), self.options(limits)).unwrap()
    }

    /// Judges one small variant by one line of shell; nothing may be left of it.
    pub fn judge(&self, line: &str, limits: Limits) -> Outcome {
        let test = self.shell_test(line, limits);
        let outcome = test.judge(&variant(), &Cancel::new()).unwrap();
        assert_eq!(self.tests_on_disk(), 0, "directories of a test are left");
        drop(test);
        assert_eq!(entries(self.base.path()), 0, "the root directory is left");
        outcome
    }

    /// The number of tests that have directories.
    pub fn tests_on_disk(&self) -> usize {
        let children = |path: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect()
        };
        let slots = children(self.base.path()).into_iter().flat_map(|root| children(&root));
        slots.map(|slot| children(&slot).len()).sum()
    }
}

pub fn variant() -> TestCase {
    let file = |path: &str, bytes: &[u8]| SourceFile { path: path.into(), bytes: bytes.into() };
    TestCase::new(vec![file("a.c", b"int x;\n"), file("inc/b.h", b"#pragma once\n")]).unwrap()
}

pub fn entries(directory: &Path) -> usize {
    fs::read_dir(directory).unwrap().count()
}

/// A number of seconds for `sleep` that no other process of this machine sleeps.
pub fn unique_sleep() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("1000.{}{count:03}", std::process::id())
}

/// Processes with `word` in their command line, but for zombies.
pub fn processes_with(word: &str) -> usize {
    processes_whose("cmdline", word)
}

/// Processes with `word` in a file of theirs below `/proc`.
pub fn processes_whose(file: &str, word: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let texts = processes.filter_map(|entry| fs::read(entry.path().join(file)).ok());
    let has_word = |text: &Vec<u8>| text.windows(word.len()).any(|part| part == word.as_bytes());
    texts.filter(has_word).count()
}

/// Waits until something is so.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
