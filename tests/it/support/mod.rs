//! A folder to reduce in, and the program.

#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "some subjects are tested on Linux alone")
)]

pub mod lists;
pub mod planted;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
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

/// The test as a person names it.
pub const SCRIPT: &str = if cfg!(windows) { r".\test.bat" } else { "./test.sh" };
/// Its name in the folder.
pub const SCRIPT_NAME: &str = if cfg!(windows) { "test.bat" } else { "test.sh" };

/// Interesting is what calls `needle` and compiles; on Windows, where there may be no compiler, what calls `needle`.
pub const TEST: &str = if cfg!(windows) {
    "@echo off\r\nfind \"needle(\" bug.c >nul\r\nif errorlevel 1 exit /b 1\r\n"
} else {
    "#!/bin/sh\ngrep -q 'needle(' bug.c && gcc -fsyntax-only -w bug.c\n"
};

/// Commands that are always there, and find everything interesting or nothing.
pub const YES: &str = if cfg!(windows) { "exit 0" } else { "true" };
pub const NO: &str = if cfg!(windows) { "exit 1" } else { "false" };

/// A test that never ends.
pub const HANGS: &str =
    if cfg!(windows) { "@ping -n 1000 127.0.0.1 >nul\r\n" } else { "#!/bin/sh\nsleep 1000\n" };

/// The same, but it takes about so long.
pub fn slow(milliseconds: u32) -> String {
    if cfg!(windows) {
        // There is no command that waits without input; counting to 400 takes about a millisecond.
        format!("@for /L %%i in (1,1,{}) do @rem\r\n{TEST}", milliseconds * 400)
    } else {
        TEST.replace("\ngrep", &format!("\nsleep {}\ngrep", f64::from(milliseconds) / 1000.0))
    }
}

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

    /// With `bug.c` and the test.
    pub fn with_bug() -> Self {
        let bench = Self::new();
        bench.write("bug.c", BUG);
        bench.script(SCRIPT_NAME, TEST);
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    /// The folder in which tests run and temporary files lie.
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
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The content of a file, if it is there.
    pub fn read_if_there(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// The files of the bugs of a campaign, by their path in its folder.
    pub fn files_of_bugs(&self, out: &str) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut pending = vec![self.path(out).join("bugs")];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    pending.push(path);
                } else {
                    let name = path.strip_prefix(self.path(out)).unwrap();
                    let text = fs::read_to_string(&path).unwrap();
                    files.insert(name.to_string_lossy().into_owned(), text);
                }
            }
        }
        files
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
        command.args(args).current_dir(self.path(""));
        command.envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, self.temporary())));
        // No defaults of the person who runs the tests.
        command.envs(["XDG_CONFIG_HOME", "APPDATA"].map(|name| (name, self.path("config"))));
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

    /// Returns true if the test finds what is on disk interesting.
    pub fn is_interesting(&self, names: &[&str]) -> bool {
        let copy = tempfile::tempdir().unwrap();
        for name in names {
            fs::copy(self.path(name), copy.path().join(name)).unwrap();
        }
        Command::new(self.path(SCRIPT_NAME)).current_dir(copy.path()).status().unwrap().success()
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

    /// The same, of a clreduce that was killed. On Windows the next run removes the directories: nobody else is
    /// there to do it.
    pub fn assert_nothing_left_after_kill(&self) {
        if cfg!(unix) {
            self.assert_nothing_left();
        }
    }

    /// Processes that work below this folder. On Windows they show as a folder that cannot be removed.
    #[cfg(windows)]
    fn processes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Processes that work below this folder.
    #[cfg(unix)]
    pub fn processes(&self) -> Vec<String> {
        let root = self.root.path().to_owned();
        let below = |path: &std::path::Path| path.starts_with(&root);
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
        let answered = events.iter().filter(|event| event["event"] == "judged");
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
