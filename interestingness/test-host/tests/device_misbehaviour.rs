//! Workers whose driver crashes, hangs, floods and lies: a driver that does so on demand, and
//! programs that are no workers at all.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use clreduce_devices::{DeviceWorker, Devices, OpenClLoader, WorkerOptions};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{KernelRun, OutcomeClass, Output, RunLimits, RunOutcome, RunReport, plan};
use support::{HOST, PATIENCE, entries, eventually, processes_whose};
use tempfile::TempDir;

/// The driver, compiled once.
static DRIVER: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libfake.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake-driver/driver.c");
    let compiler = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .args([&library, &source])
        .status()
        .expect("these tests need a C compiler as `cc`");
    assert!(compiler.success());
    (folder, library)
});

struct Bench {
    temporary: TempDir,
    worker: DeviceWorker,
}

fn options(temporary: &TempDir) -> WorkerOptions {
    let mut options = WorkerOptions::new(HOST.into());
    options.temporary = temporary.path().to_owned();
    options.environment.push(("LD_PRELOAD".into(), DRIVER.1.clone().into()));
    options
}

impl Bench {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let options = options(&temporary);
        let found = Devices::of(&OpenClLoader, &options);
        let device = found.devices.into_iter().find(|device| device.is_called("FAKE"));
        let device = device.unwrap_or_else(|| panic!("{:?}", found.problems));
        Self { temporary, worker: DeviceWorker::new(options, device) }
    }

    /// Runs a source that begins with a word for the driver.
    fn run(&mut self, word: &str) -> RunReport {
        self.run_within(word, PATIENCE)
    }

    fn run_within(&mut self, word: &str, limit: Duration) -> RunReport {
        let limits = RunLimits { build: limit, run: limit };
        self.worker.run(&kernel(word), limits, &Cancel::new())
    }

    fn started(&self) -> u32 {
        self.worker.statistics().started
    }
}

fn kernel(word: &str) -> KernelRun {
    let source = format!("{word}\n__kernel void k(__global uint *out) {{}}").into_bytes();
    let launches = plan(&source, None).unwrap().launches;
    KernelRun { source, options: String::new(), launches, repeat: 1 }
}

fn is_right(outcome: &RunOutcome) -> bool {
    let counts = |output: &Output| {
        let numbers = output.bytes.chunks(4).map(|bytes| bytes.try_into().unwrap());
        numbers.map(u32::from_ne_bytes).eq(1..=output.bytes.len() as u32 / 4)
    };
    outcome.result().is_some_and(|outputs| outputs.len() == 2 && outputs.iter().all(counts))
}

#[test]
fn what_goes_wrong_has_a_class() {
    let mut bench = Bench::new();
    let class = |bench: &mut Bench, word| bench.run(word).outcome.class();
    assert!(is_right(&bench.run("good").outcome));
    assert_eq!(class(&mut bench, "build-fail"), OutcomeClass::BuildFailure);
    assert_eq!(class(&mut bench, "run-fail"), OutcomeClass::RunFailure);
    assert!(is_right(&bench.run("print").outcome), "printing disturbs the replies");
    assert_eq!(bench.started(), 1, "none of this is a reason for a fresh worker");
    let RunOutcome::BuildCrash(crash) = bench.run("build-crash").outcome else { panic!() };
    assert_eq!(crash.how, "killed by signal 11 (SIGSEGV)");
    assert!(crash.output.contains("assertion `never' failed"), "{crash:?}");
    let RunOutcome::RunCrash(crash) = bench.run("run-crash").outcome else { panic!() };
    assert!(crash.how.contains("SIGABRT"), "{crash:?}");
    let RunOutcome::BuildCrash(crash) = bench.run("exit").outcome else { panic!() };
    assert_eq!(crash.how, "exit code 3");
    let RunOutcome::Unresolved(reason) = bench.run("flood").outcome else { panic!() };
    assert!(reason.contains("does not stop printing"), "{reason}");
    assert!(is_right(&bench.run("good").outcome), "life goes on");
}

#[test]
fn who_hangs_is_killed_and_replaced() {
    let mut bench = Bench::new();
    let limit = Duration::from_millis(300);
    assert_eq!(bench.run_within("build-hang", limit).outcome, RunOutcome::BuildTimeout);
    assert_eq!(bench.run_within("run-hang", limit).outcome, RunOutcome::RunTimeout);
    assert!(is_right(&bench.run("good").outcome));
    assert_eq!(bench.started(), 3);
    let folder = bench.temporary.path().to_owned();
    assert_eq!(entries(&folder), 1, "the folders of dead workers stay");
    drop(bench.worker);
    assert_eq!(entries(&folder), 0);
}

#[test]
fn a_cancelled_run_ends_at_once() {
    let mut bench = Bench::new();
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            cancel.cancel();
        });
        let limits = RunLimits { build: PATIENCE * 100, run: PATIENCE * 100 };
        let report = bench.worker.run(&kernel("run-hang"), limits, &cancel);
        assert_eq!(report.outcome.class(), OutcomeClass::Unresolved);
    });
    assert!(is_right(&bench.run("good").outcome));
    assert_eq!(bench.started(), 2);
}

/// To end a worker and start another takes longer than most kernels.
#[test]
fn a_worker_may_finish_a_kernel_that_nobody_waits_for_any_more() {
    let mut bench = Bench::new();
    bench.run("good");
    let cancel = Cancel::new();
    cancel.cancel();
    let limits = RunLimits { build: PATIENCE, run: PATIENCE };
    bench.worker.run(&kernel("good"), limits, &cancel);
    assert!(is_right(&bench.run("good").outcome));
    assert_eq!(bench.started(), 1);
}

#[test]
fn crashes_are_tried_again_without_a_past() {
    let mut bench = Bench::new();
    bench.run("build-crash");
    assert_eq!(bench.started(), 1, "a fresh worker is believed");
    bench.run("good");
    assert_eq!(bench.run("build-crash").outcome.class(), OutcomeClass::BuildCrash);
    assert_eq!(bench.started(), 3);
    assert_eq!(bench.worker.statistics().damaged, 0, "it was the kernel");
}

#[test]
fn a_damaged_worker_is_found_out() {
    let mut bench = Bench::new();
    // The result is wrong, and no sign tells it: a worker without a past is believed.
    assert!(!is_right(&bench.run("damage").outcome));
    // Its failure to build what follows is due to the damage.
    assert!(is_right(&bench.run("good").outcome));
    let statistics = bench.worker.statistics();
    assert_eq!((statistics.started, statistics.damaged), (2, 1));
}

#[test]
fn a_worker_goes_when_its_owner_is_gone() {
    let mut bench = Bench::new();
    let folder = bench.temporary.path().to_str().unwrap().to_owned();
    // One worker lists the devices and goes, another one starts; with the last owner, its kernel runs.
    for pause in (0..160).map(|n| n % 40).chain([1000]) {
        let mut command = Command::new(HOST);
        command.args(["run-kernel", &folder, "run-hang"]).env("LD_PRELOAD", &DRIVER.1);
        let mut owner = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        owner.kill().unwrap();
        owner.wait().unwrap();
        // Before it is a worker, a process still has its owner's command line; then, the folder in its environment.
        // In the middle of execve(2) it shows neither, and it makes its folder later: all three are asked together.
        let what = format!("nothing is left of an owner that was killed after {pause} ms");
        eventually(&what, || {
            ["cmdline", "environ"].iter().all(|file| processes_whose(file, &folder) == 0)
                && entries(Path::new(&folder)) == 0
        });
    }
    assert!(is_right(&bench.run("good").outcome));
}

#[test]
fn who_is_no_worker_is_told_apart() {
    let temporary = tempfile::tempdir().unwrap();
    let lies: &[(&str, &str)] = &[
        ("exit 7", "exit code 7"),
        ("kill -11 $$", "SIGSEGV"),
        ("head -c 100000 /dev/zero | tr '\\0' '\\377'; sleep 1000", "sent an invalid message"),
        ("printf '\\1\\0\\0\\0\\2'; sleep 1000", "replied to another order"),
        ("yes >&2", "does not stop printing"),
        ("sleep 1000", "did not become ready"),
        ("exec >&-; sleep 1000", "stayed"),
    ];
    for (script, expected) in lies {
        let program = temporary.path().join("fake-worker");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let mut options = WorkerOptions::new(program);
        let folders = tempfile::tempdir().unwrap();
        options.temporary = folders.path().to_owned();
        options.start_limit =
            Duration::from_secs(if *expected == "did not become ready" { 1 } else { 60 });
        let found = Devices::of(&OpenClLoader, &options);
        assert!(found.devices.is_empty());
        assert!(found.problems[0].contains(expected), "{script}: {:?}", found.problems);
        assert_eq!(entries(folders.path()), 0);
    }
}

#[test]
fn a_worker_that_is_missing_runs_nothing() {
    let mut bench = Bench::new();
    let gone = WorkerOptions::new("/nonexistent/worker".into());
    let mut worker = DeviceWorker::new(gone, bench.worker.device().clone());
    let limits = RunLimits { build: PATIENCE, run: PATIENCE };
    let report = worker.run(&kernel("good"), limits, &Cancel::new());
    let RunOutcome::NotRun(reason) = report.outcome else { panic!() };
    assert!(reason.contains("/nonexistent/worker"), "{reason}");
    bench.worker.restart();
}
