//! Ctrl-C, `kill -9`, and going on afterwards.

use std::process::Child;
#[cfg(unix)]
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{BUG, Bench, SCRIPT, SCRIPT_NAME, assert_mentions, slow, stderr};

const ARGS: [&str; 7] = ["bug.c", "--test", SCRIPT, "-j2", "--events", "e.jsonl", "--quiet"];

/// Every test takes a moment, so that there is time to interrupt.
fn slow_bench() -> Bench {
    let bench = Bench::with_bug();
    bench.script(SCRIPT_NAME, &slow(30));
    bench
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
}

/// Waits until something was committed.
fn wait_for_commit(bench: &Bench, child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while bench.read("bug.c") == BUG {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        assert!(Instant::now() < deadline, "nothing was committed");
        sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_best_and_the_next_run_goes_on() {
    let whole = slow_bench();
    whole.reduce(&ARGS);
    for name in ["-INT", "-TERM"] {
        let bench = slow_bench();
        let mut child = bench.start(&ARGS);
        wait_for_commit(&bench, &mut child);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(bench.is_interesting(&["bug.c"]));
        bench.assert_nothing_left();
        bench.reduce(&ARGS);
        assert_eq!(bench.read("bug.c"), whole.read("bug.c"));
        assert_eq!(bench.keys("e.jsonl"), whole.keys("e.jsonl"));
        assert_eq!(bench.read("bug.c.orig"), BUG);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_before_anything_was_asked() {
    let bench = Bench::with_bug();
    bench.script(SCRIPT_NAME, crate::support::HANGS);
    let mut child = bench.start(&ARGS);
    while std::fs::read_dir(bench.temporary()).unwrap().count() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        sleep(Duration::from_millis(10));
    }
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(bench.read("bug.c"), BUG);
    bench.assert_nothing_left();
    assert!(!bench.path("bug.c.clreduce").exists());
}

/// The number of kills of the two tests below; an environment variable asks for more.
fn kills() -> u32 {
    let asked = std::env::var("CLREDUCE_TEST_KILLS").ok();
    asked.map_or(5, |asked| asked.parse().expect("CLREDUCE_TEST_KILLS is a number"))
}

/// Kills at different instants, goes on after each, and compares with a run that nothing disturbed.
fn kill_and_resume(make: impl Fn() -> Bench, args: &[&str], names: &[&str]) {
    let whole = make();
    let began = Instant::now();
    whole.reduce(args);
    let time = began.elapsed();

    let bench = make();
    // Without a pattern, from at once to several times the mean; all together less than a whole run.
    let weights: Vec<u32> = (0..kills()).map(|round| round * 7 % 11).collect();
    let mut killed = 0;
    for weight in &weights {
        let mut child = bench.start(args);
        sleep(time * *weight / weights.iter().sum::<u32>().max(1) * 4 / 5);
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        bench.assert_nothing_left_after_kill();
        if names.len() == 1 {
            assert!(bench.is_interesting(names), "after kill {killed}");
        }
        if is_finished(&bench) {
            break;
        }
    }
    assert!(killed > 0, "there was nothing to kill");
    if !is_finished(&bench) {
        bench.reduce(args);
        bench.assert_nothing_left();
    }
    for name in names {
        assert_eq!(bench.read_if_there(name), whole.read_if_there(name), "{name}");
    }
    assert_eq!(bench.keys("e.jsonl"), whole.keys("e.jsonl"));
}

/// Returns true if a run came to its end: just before it was killed, or undisturbed.
fn is_finished(bench: &Bench) -> bool {
    match bench.read_if_there("bug.c.clreduce/journal") {
        Some(journal) => journal.ends_with(" finished\n"),
        None => bench.read("bug.c") != BUG,
    }
}

#[test]
fn killed_runs_end_like_undisturbed_ones() {
    kill_and_resume(slow_bench, &ARGS, &["bug.c"]);
}

#[test]
fn killed_runs_on_several_files_end_like_undisturbed_ones() {
    let make = || {
        let bench = slow_bench();
        bench.write("one.h", "int a;\nint needle(int);\nint b;\n");
        bench.write("two.h", "int c;\nint d;\n");
        bench
    };
    let args = [&ARGS[..], &["one.h", "two.h"]].concat();
    kill_and_resume(make, &args, &["bug.c", "one.h", "two.h"]);
}

#[test]
fn a_changed_file_is_put_aside_by_the_next_run() {
    let bench = slow_bench();
    let mut child = bench.start(&ARGS);
    wait_for_commit(&bench, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    bench.write("bug.c", "int mine;\n");
    let run = bench.reduce(&ARGS);
    assert_mentions(&stderr(&run), &["was edited", "bug.c.edited"]);
    assert!(bench.is_interesting(&["bug.c"]));
    bench.assert_nothing_left_after_kill();
}
