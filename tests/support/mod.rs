//! A folder to reduce in, and the program.

#![allow(dead_code, missing_docs, reason = "each test program uses a part")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::assert::Assert;
use serde_json::Value;

/// A program with something to keep (`needle`) and much to remove.
pub const BUG: &str = "\
#include <stddef.h>
struct pair { int first; int second; };
static int twice(int a) { return a * 2; }
static int thrice(int a) { int b = twice(a); return a + b; }
int table[4] = { 1, 2, 3, 4 };
int needle(int a) { if (a > 3) { a += thrice(a); } return a; }
int main(void) {
  struct pair p = { 1, 2 };
  for (int i = 0; i < 4; i++) { p.first += table[i]; }
  while (p.second < 10) { p.second++; }
  return needle(p.first) + p.second;
}
";

/// Interesting is what calls `needle` and compiles.
pub const TEST: &str = "#!/bin/sh\ngrep -q 'needle(' bug.c && gcc -fsyntax-only -w bug.c\n";

pub struct Bench {
    root: tempfile::TempDir,
}

impl Bench {
    /// An empty folder to work in, and one for temporary files beside it.
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("work")).unwrap();
        fs::create_dir(root.path().join("tmp")).unwrap();
        Self { root }
    }

    /// With `bug.c` and `test.sh`.
    pub fn with_bug() -> Self {
        let bench = Self::new();
        bench.write("bug.c", BUG);
        bench.script("test.sh", TEST);
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    /// Where tests run and temporary files go.
    pub fn temporary(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The content of a file, if it is there.
    pub fn read_if_there(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// Names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("")).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<String> = entries.map(|entry| name(entry).unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clreduce"));
        command.args(args).current_dir(self.path("")).env("TMPDIR", self.temporary());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
        command
    }

    /// Runs to the end.
    pub fn run(&self, args: &[&str]) -> Assert {
        assert_cmd::Command::from_std(self.command(args)).assert()
    }

    /// Runs to the end, which must be a success.
    pub fn reduce(&self, args: &[&str]) -> Assert {
        self.run(args).code(0)
    }

    /// Starts it.
    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Whether `test.sh` finds what is on disk interesting.
    pub fn is_interesting(&self, names: &[&str]) -> bool {
        let copy = tempfile::tempdir().unwrap();
        for name in names {
            fs::copy(self.path(name), copy.path().join(name)).unwrap();
        }
        Command::new(self.path("test.sh")).current_dir(copy.path()).status().unwrap().success()
    }

    /// Nothing of any test is left: no directory, no process.
    pub fn assert_nothing_left(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let files = fs::read_dir(self.temporary()).unwrap().count();
            let processes = self.processes();
            if files == 0 && processes.is_empty() {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{files} files, and processes {processes:?} are left"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Processes that work below this folder.
    fn processes(&self) -> Vec<String> {
        let root = self.root.path().to_owned();
        let below = |path: &Path| path.starts_with(&root);
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let ours = |path: &PathBuf| fs::read_link(path.join("cwd")).is_ok_and(|cwd| below(&cwd));
        let name = |path: PathBuf| fs::read_to_string(path.join("cmdline")).unwrap_or_default();
        entries.map(|entry| entry.path()).filter(ours).map(name).collect()
    }

    /// The lines that `--events` wrote.
    pub fn events(&self, name: &str) -> Vec<Value> {
        self.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The keys of the questions that were asked, in order.
    pub fn keys(&self, name: &str) -> Vec<String> {
        let events = self.events(name);
        let answered = events.iter().filter(|event| event["event"] == "answered");
        answered.map(|event| event["key"].as_str().unwrap().to_owned()).collect()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }
}

pub fn stdout(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}

pub fn stderr(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

/// Every part is in the text.
#[track_caller]
pub fn assert_mentions(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}
