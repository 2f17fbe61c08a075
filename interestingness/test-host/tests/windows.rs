//! Tests on Windows: who runs them, what they see, and that nothing is left of them.
#![cfg(windows)]

mod support;

use std::fs::{self, File};
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use clreduce_interestingness::{
    Cancel, CommandError, CommandTest, Interestingness, Limits, Outcome, TestCommand, Verdict,
};
use support::{Bench, HOST, PATIENCE, entries, eventually, variant};

/// The bench on Windows, where there are no supervisors.
fn bench() -> Bench {
    let [_, without] = support::benches();
    without
}

/// A folder for scripts, with a space in its name.
fn scripts() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("my tests");
    fs::create_dir(&folder).unwrap();
    (dir, folder)
}

fn judge(bench: &Bench, command: &TestCommand, limits: Limits) -> Outcome {
    let test = CommandTest::new(command, bench.options(limits)).unwrap();
    let outcome = test.judge(&variant(), &Cancel::new()).unwrap();
    assert_eq!(bench.tests_on_disk(), 0, "directories of a test are left: {outcome:?}");
    drop(test);
    assert_eq!(entries(bench.base.path()), 0, "the root directory is left");
    outcome
}

fn judge_script(name: &str, text: &str, limits: Limits) -> Outcome {
    let (_dir, folder) = scripts();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    judge(&bench(), &TestCommand::parse(path.to_str().unwrap()).unwrap(), limits)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

/// With its drive: to `start`, what begins with a slash is an option.
fn host() -> PathBuf {
    std::path::absolute(HOST).unwrap()
}

/// Returns true if somebody has the file open that `interestingness-test-host hold` opens.
fn is_held(path: &Path) -> bool {
    path.exists() && File::options().write(true).share_mode(0).open(path).is_err()
}

/// Long enough for whatever limit is meant to be hit first.
fn patient() -> Limits {
    Limits { time: Some(PATIENCE), ..Limits::default() }
}

#[test]
fn batch_files_decide_by_their_exit_code() {
    for name in ["test.bat", "TEST 1.CMD"] {
        let yes = judge_script(name, "@exit /b 0\r\n", Limits::default());
        assert_eq!((yes.verdict, yes.exit_code), (Verdict::Interesting, Some(0)), "{yes:?}");
        let lines = "@echo out\r\n@echo err>&2\r\n@echo out2\r\n@exit /b 42\r\n";
        let no = judge_script(name, lines, Limits::default());
        assert_eq!((no.verdict, no.exit_code), (Verdict::Uninteresting, Some(42)), "{no:?}");
        assert_eq!(text(&no.output_tail), "out\nerr\nout2\n");
    }
}

#[test]
fn a_batch_file_sees_the_variant_and_nothing_else() {
    let script = "@echo off\r\n\
        if not exist a.c exit /b 11\r\n\
        if not exist inc\\b.h exit /b 12\r\n\
        if not \"%TMP%\"==\"%TEMP%\" exit /b 13\r\n\
        if not \"%TMP%\"==\"%TMPDIR%\" exit /b 14\r\n\
        if not exist \"%TMP%\\..\\variant\\a.c\" exit /b 15\r\n\
        find \"int x\" a.c >nul\r\n\
        if errorlevel 1 exit /b 16\r\n\
        set /p line=\r\n\
        echo x>\"%TMP%\\file\"\r\n\
        echo x>read-only\r\n\
        attrib +r read-only\r\n";
    let outcome = judge_script("test.bat", script, patient());
    assert_eq!(outcome.verdict, Verdict::Interesting, "{outcome:?}");
}

#[test]
fn the_ending_may_be_left_out() {
    let (_dir, folder) = scripts();
    let path = folder.join("my-test.bat");
    fs::write(&path, "@exit /b 7\r\n").unwrap();
    let command = TestCommand::parse(folder.join("my-test").to_str().unwrap()).unwrap();
    assert_eq!(command, TestCommand::Program { path, args: Vec::new() });
    assert_eq!(judge(&bench(), &command, Limits::default()).exit_code, Some(7));
}

#[test]
fn programs_are_started_with_their_arguments() {
    let args =
        vec!["echo".into(), "two words".into(), "a\"quote".into(), "".into(), "%TMP%".into()];
    let command = TestCommand::Program { path: HOST.into(), args };
    let outcome = judge(&bench(), &command, Limits::default());
    assert_eq!(outcome.verdict, Verdict::Interesting, "{outcome:?}");
    assert_eq!(text(&outcome.output_tail), "[two words]\n[a\"quote]\n[]\n[%TMP%]\n");
}

#[test]
fn lines_for_the_shell_keep_their_quotes() {
    let (_dir, folder) = scripts();
    let path = folder.join("inner.bat");
    fs::write(&path, "@echo [%~1]\r\n@exit /b 5\r\n").unwrap();
    let line = format!("\"{}\" \"two words\"", path.display());
    let outcome = bench().judge(&line, Limits::default());
    assert_eq!((outcome.exit_code, &*text(&outcome.output_tail)), (Some(5), "[two words]\n"));
    let outcome = bench().judge("find \"int x\" a.c", Limits::default());
    assert_eq!(outcome.verdict, Verdict::Interesting, "{outcome:?}");
}

#[test]
fn what_nobody_could_run_is_said_before() {
    let (_dir, folder) = scripts();
    let parse = |name: &str| {
        let path = folder.join(name);
        fs::write(&path, "exit 0\r\n").unwrap();
        TestCommand::parse(path.to_str().unwrap()).unwrap_err()
    };
    assert!(matches!(parse("test.c"), CommandError::NoProgram { .. }));
    assert!(parse("test").to_string().contains(".bat"));
    let missing = folder.with_file_name("none.bat");
    let error = TestCommand::parse(missing.to_str().unwrap()).unwrap_err();
    assert!(matches!(error, CommandError::Missing { .. }), "{error}");
}

#[test]
fn what_cannot_be_started_is_unresolved() {
    let command = TestCommand::Program { path: r"C:\no\such.exe".into(), args: Vec::new() };
    let outcome = judge(&bench(), &command, Limits::default());
    assert_eq!(outcome.verdict, Verdict::Unresolved);
    assert!(outcome.reason.contains("could not be started"), "{outcome:?}");
}

#[test]
fn a_crash_is_a_no_with_its_status() {
    let command = TestCommand::Program { path: HOST.into(), args: vec!["crash".into()] };
    let outcome = judge(&bench(), &command, patient());
    assert_eq!(outcome.verdict, Verdict::Uninteresting);
    assert_eq!(outcome.reason, "exit code 0xC0000005 (access violation)", "{outcome:?}");
}

#[test]
fn processes_end_with_the_test_that_started_them() {
    let (_dir, folder) = scripts();
    let [held, started] = ["held", "started"].map(|name| folder.join(name));
    let test = folder.join("test.bat");
    // One in the background; the test itself ends when that one runs.
    let script = format!(
        "@start /b {} hold \"{}\" \"{}\"\r\n:again\r\n@if not exist \"{2}\" goto again\r\n@exit /b 3\r\n",
        host().display(),
        held.display(),
        started.display()
    );
    fs::write(&test, script).unwrap();
    let bench = bench();
    let test = CommandTest::new(&TestCommand::program(&test).unwrap(), bench.options(patient()));
    let test = test.unwrap();
    let rehearsal = test.rehearse(&variant(), &Cancel::new()).unwrap();
    assert_eq!(rehearsal.outcome.exit_code, Some(3), "{rehearsal:?}");
    assert!(started.exists() && !is_held(&held));
    assert!(rehearsal.processes_left > 0, "{rehearsal:?}");
    assert_eq!(bench.tests_on_disk(), 0);
}

#[test]
fn time() {
    let (_dir, folder) = scripts();
    let [held, started] = ["held", "started"].map(|name| folder.join(name));
    let line =
        format!("echo before& \"{HOST}\" hold \"{}\" \"{}\"", held.display(), started.display());
    let limits = Limits { time: Some(Duration::from_secs(4)), ..Limits::default() };
    let outcome = bench().judge(&line, limits);
    assert_eq!(outcome.verdict, Verdict::TimedOut);
    assert_eq!(text(&outcome.output_tail), "before\n");
    assert!(started.exists() && !is_held(&held));
}

#[test]
fn a_cancelled_test_ends_soon() {
    let (_dir, folder) = scripts();
    let [held, started] = ["held", "started"].map(|name| folder.join(name));
    let line = format!("\"{HOST}\" hold \"{}\" \"{}\"", held.display(), started.display());
    let bench = bench();
    let test = bench.shell_test(&line, Limits::default());
    let cancel = Cancel::new();
    thread::scope(|scope| {
        let judging = scope.spawn(|| test.judge(&variant(), &cancel).unwrap());
        eventually("the test runs", || started.exists());
        assert!(is_held(&held));
        cancel.cancel();
        assert_eq!(judging.join().unwrap().reason, "cancelled");
    });
    assert!(!is_held(&held));
    assert_eq!(bench.tests_on_disk(), 0);
}

#[test]
fn a_killed_clreduce_takes_its_tests_with_it_and_the_next_one_removes_their_files() {
    let (_dir, folder) = scripts();
    let [held, started] = ["held", "started"].map(|name| folder.join(name));
    let base = tempfile::tempdir().unwrap();
    let line = format!("\"{HOST}\" hold \"{}\" \"{}\"", held.display(), started.display());
    let mut host = Command::new(HOST)
        .args(["judge", base.path().to_str().unwrap(), "1", &line])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    eventually("the test runs", || started.exists());
    // A run that is alive keeps its files, whoever comes.
    let other = |base: &Path| {
        let options = bench().options(Limits::default());
        let options =
            clreduce_interestingness::CommandOptions { temporary: base.into(), ..options };
        drop(CommandTest::new(&TestCommand::Shell("exit 0".into()), options).unwrap());
    };
    other(base.path());
    assert_eq!(entries(base.path()), 1);
    host.kill().unwrap();
    host.wait().unwrap();
    eventually("the test ends", || !is_held(&held));
    eventually("the files go", || {
        other(base.path());
        entries(base.path()) == 0
    });
}

#[test]
fn output() {
    let limits = Limits { output_bytes: 1 << 20, ..patient() };
    let command = TestCommand::Program { path: HOST.into(), args: vec!["flood".into()] };
    let outcome = judge(&bench(), &command, limits);
    assert_eq!(outcome.verdict, Verdict::Unresolved);
    assert_eq!(outcome.reason, "printed more than 1 MiB");
}

#[test]
fn processes() {
    let script = format!(
        "@for /L %%i in (1,1,12) do @start /b {} hold \"%TMP%\\held%%i\" \"%TMP%\\started%%i\"\r\n\
         @ping -n 1000 127.0.0.1 >nul\r\n",
        host().display()
    );
    let outcome = judge_script("test.bat", &script, Limits { processes: 8, ..patient() });
    assert_eq!(outcome.verdict, Verdict::Unresolved);
    assert_eq!(outcome.reason, "ran more than 8 processes at a time");
}

#[test]
fn disk() {
    let script = ":again\r\n@type a.c >>big\r\n@type big >>\"%TMP%\\bigger\"\r\n@goto again\r\n";
    let outcome = judge_script("test.bat", script, Limits { disk_bytes: 20 << 10, ..patient() });
    assert_eq!(outcome.verdict, Verdict::Unresolved);
    assert_eq!(outcome.reason, "wrote more than 20 KiB to disk");
}

#[test]
#[ignore = "wine limits no memory; on Windows: cargo test -- --ignored"]
fn memory() {
    let limits = Limits { memory_bytes: Some(200 << 20), ..patient() };
    let hog = |bytes: usize| {
        let args = vec!["hog".into(), bytes.to_string().into()];
        judge(&bench(), &TestCommand::Program { path: HOST.into(), args }, limits.clone())
    };
    assert_eq!(hog(300 << 20).reason, "used more than 200 MiB of memory");
}

#[test]
#[ignore = "needs PowerShell, which wine has not; on Windows: cargo test -- --ignored"]
fn powershell() {
    let script = "Write-Output $PSScriptRoot.Length\r\nif (Test-Path a.c) { exit 9 }\r\nexit 1\r\n";
    assert_eq!(judge_script("test.ps1", script, patient()).exit_code, Some(9));
}

#[test]
#[ignore = "needs Python, which wine has not; on Windows: cargo test -- --ignored"]
fn python() {
    let script = "import os, sys\nsys.exit(9 if os.path.exists('a.c') else 1)\n";
    assert_eq!(judge_script("test.py", script, patient()).exit_code, Some(9));
}
