//! Nothing is left of a test, however it ends and whatever it does against that.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use clreduce_interestingness::{Cancel, Interestingness, Limits, Verdict};
use support::{Bench, HOST, benches, entries, eventually, processes_with, unique_sleep, variant};

/// Children that do not want to go: one ignores signals, one has a session of its own besides, one is
/// detached twice over, its parent gone and its streams closed. Five processes with `sleep` in their
/// command lines, and the test's own.
fn stubborn_children(sleep: &str) -> String {
    let script = "$TMPDIR/stubborn";
    format!(
        "cat > {script} <<'END'\n\
         trap '' TERM HUP INT; sleep $1; :\n\
         END\n\
         sh {script} {sleep} &\n\
         setsid sh {script} {sleep} &\n\
         (setsid sh -c 'sleep {sleep} & exit' </dev/null >/dev/null 2>&1 &)\n"
    )
}

#[test]
fn children_that_ignore_signals_or_detach_go_with_a_test_that_ends() {
    for bench in benches() {
        let sleep = unique_sleep();
        let go = tempfile::tempdir().unwrap();
        let go = go.path().join("go");
        let wait = format!("while [ ! -e {} ]; do sleep 0.02; done", go.display());
        let line = format!("{}{wait}; exit 1", stubborn_children(&sleep));
        let test = bench.shell_test(&line, Limits::default());
        thread::scope(|scope| {
            let judging = scope.spawn(|| test.judge(&variant(), &Cancel::new()).unwrap().verdict);
            eventually("the children run", || processes_with(&sleep) >= 6);
            fs::write(&go, b"").unwrap();
            assert_eq!(judging.join().unwrap(), Verdict::Uninteresting);
        });
        assert_eq!((processes_with(&sleep), bench.tests_on_disk()), (0, 0));
    }
}

#[test]
fn children_that_ignore_signals_or_detach_go_at_the_time_limit() {
    for bench in benches() {
        // The children must be there before the time is over; on a busy machine, that takes time.
        let all_ran = [1, 5, 25, 60].into_iter().any(|seconds| {
            let sleep = unique_sleep();
            let line = format!("{}sleep 1000", stubborn_children(&sleep));
            let time = Some(Duration::from_secs(seconds));
            let test = bench.shell_test(&line, Limits { time, ..Limits::default() });
            let mut most = 0;
            thread::scope(|scope| {
                let judging =
                    scope.spawn(|| test.judge(&variant(), &Cancel::new()).unwrap().verdict);
                while !judging.is_finished() {
                    most = most.max(processes_with(&sleep));
                    thread::sleep(Duration::from_millis(10));
                }
                assert_eq!(judging.join().unwrap(), Verdict::TimedOut);
            });
            assert_eq!((processes_with(&sleep), bench.tests_on_disk()), (0, 0));
            most >= 6
        });
        assert!(all_ran, "the children do not start");
    }
}

#[test]
fn a_supervisor_finds_daemons_without_environment() {
    let bench = Bench::with_supervisors();
    let sleep = unique_sleep();
    let daemon = format!("env -i setsid sh -c 'sleep {sleep} & exit' </dev/null >/dev/null 2>&1");
    let test = bench.shell_test(&daemon, Limits::default());
    let rehearsal = test.rehearse(&variant(), &Cancel::new()).unwrap();
    assert_eq!(rehearsal.outcome.verdict, Verdict::Interesting);
    assert_eq!((rehearsal.processes_left, processes_with(&sleep)), (1, 0));
}

#[test]
fn a_cancelled_test_ends_soon() {
    for bench in benches() {
        let sleep = unique_sleep();
        let test = bench.shell_test(&format!("sleep {sleep} & sleep {sleep}"), Limits::default());
        let cancel = Cancel::new();
        thread::scope(|scope| {
            let judging = scope.spawn(|| test.judge(&variant(), &cancel).unwrap());
            eventually("the test runs", || processes_with(&sleep) >= 3);
            cancel.cancel();
            let outcome = judging.join().unwrap();
            assert!(outcome.wall < Duration::from_secs(300), "{outcome:?}");
        });
        assert_eq!((processes_with(&sleep), bench.tests_on_disk()), (0, 0));
        // The place it ran in is fit for the next one.
        let outcome = test.judge(&variant(), &cancel).unwrap();
        assert_eq!(outcome.reason, "cancelled");
        assert_eq!(bench.tests_on_disk(), 0);
    }
}

#[test]
fn nothing_is_left_after_kill_9() {
    for jobs in ["1", "3"] {
        let base = tempfile::tempdir().unwrap();
        let sleep = unique_sleep();
        let daemon = format!("setsid sh -c 'sleep {sleep} & exit' >/dev/null 2>&1");
        let line = format!("{daemon}; touch left $TMPDIR/left; sleep {sleep}");
        let mut host = Command::new(HOST)
            .args(["judge", base.path().to_str().unwrap(), jobs, &line])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let jobs: usize = jobs.parse().unwrap();
        // The host's own command line, and a shell and two sleeps per test.
        eventually("the tests run", || processes_with(&sleep) > 3 * jobs);
        assert_eq!(entries(base.path()), 1);
        host.kill().unwrap();
        host.wait().unwrap();
        eventually("the processes end", || processes_with(&sleep) == 0);
        eventually("the directories go", || entries(base.path()) == 0);
    }
}

#[test]
fn a_test_that_kills_its_supervisor_has_no_verdict_and_is_cleaned_up() {
    let bench = Bench::with_supervisors();
    let sleep = unique_sleep();
    let line = format!("sleep {sleep} & kill -9 $PPID; sleep {sleep}");
    let test = bench.shell_test(&line, Limits::default());
    let not_run = test.judge(&variant(), &Cancel::new()).unwrap_err().to_string();
    assert!(not_run.contains("the supervisor of the test was lost"), "{not_run}");
    assert_eq!((processes_with(&sleep), bench.tests_on_disk()), (0, 0));
}

#[test]
fn a_supervisor_does_not_mind_signals_to_everybody() {
    let bench = Bench::with_supervisors();
    let test = bench.shell_test(
        "kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; exit 5",
        Limits::default(),
    );
    assert_eq!(test.judge(&variant(), &Cancel::new()).unwrap().exit_code, Some(5));
}

#[test]
fn a_worker_that_is_none_is_named() {
    let bench = Bench::with_supervisors();
    for worker in ["/bin/true", "/no/such/worker"] {
        let mut options = bench.options(Limits::default());
        options.worker = Some(worker.into());
        let command = clreduce_interestingness::TestCommand::Shell("true".into());
        let error = clreduce_interestingness::CommandTest::new(&command, options).unwrap_err();
        assert!(error.to_string().contains(worker), "{error}");
    }
    let mut options = bench.options(Limits::default());
    options.temporary = "/no/such/directory".into();
    let command = clreduce_interestingness::TestCommand::Shell("true".into());
    let error = clreduce_interestingness::CommandTest::new(&command, options).unwrap_err();
    assert!(error.to_string().contains("/no/such/directory"), "{error}");
}

#[test]
fn a_service_that_is_not_offered_is_named() {
    let output = Command::new(HOST).args(["--internal-worker", "nonsense"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("no service `nonsense`"), "{said}");
}
