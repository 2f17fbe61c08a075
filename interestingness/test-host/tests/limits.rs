//! Tests without restraint are ended, and say so.
#![cfg(target_os = "linux")]

mod support;

use std::time::Duration;

use clreduce_interestingness::{Cancel, Interestingness, Limits, Verdict};
use clreduce_testcase::TestCase;
use support::{HOST, benches, processes_with, unique_sleep};

/// Long enough for whatever limit is meant to be hit first.
fn patient() -> Limits {
    Limits { time: Some(support::PATIENCE), ..Limits::default() }
}

#[test]
fn time() {
    for bench in benches() {
        let sleep = unique_sleep();
        let limits = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
        let outcome = bench.judge(&format!("echo before; sleep {sleep}"), limits);
        assert_eq!(outcome.verdict, Verdict::TimedOut);
        assert_eq!(outcome.output_tail, b"before\n");
        assert!(outcome.wall >= Duration::from_millis(300));
        assert_eq!(processes_with(&sleep), 0);
    }
}

#[test]
fn a_time_limit_set_later_takes_the_place_of_the_first() {
    for bench in benches() {
        let test = bench.shell_test("sleep 30", patient());
        test.set_time_limit(Duration::from_millis(300));
        let variant = TestCase::single("a.c", b"int a;".as_slice()).unwrap();
        assert_eq!(test.judge(&variant, &Cancel::new()).unwrap().verdict, Verdict::TimedOut);
    }
}

#[test]
fn output() {
    for bench in benches() {
        let limits = Limits { output_bytes: 1 << 20, ..patient() };
        let outcome = bench.judge("exec yes flood", limits);
        assert_eq!(outcome.verdict, Verdict::Unresolved);
        assert_eq!(outcome.reason, "printed more than 1 MiB");
        assert_eq!(outcome.output_tail.len(), 16 << 10);
        // Much, but not too much.
        let outcome = bench.judge("seq 200000", patient());
        assert_eq!(outcome.verdict, Verdict::Interesting);
        assert!(outcome.output_tail.ends_with(b"\n199999\n200000\n"));
    }
}

#[test]
fn processes() {
    for bench in benches() {
        let limits = Limits { processes: 64, ..patient() };
        // A tree of doublings that would come to 512 leaves, once with and once without the branches.
        for then in ["wait", "exit"] {
            let sleep = unique_sleep();
            let bomb = format!(
                "cat > $TMPDIR/bomb <<'END'\n\
                 [ $1 -eq 0 ] && exec sleep {sleep}\n\
                 sh $0 $(($1 - 1)) & sh $0 $(($1 - 1)) & {then}\n\
                 END\n\
                 sh $TMPDIR/bomb 9; sleep 1000"
            );
            let outcome = bench.judge(&bomb, limits.clone());
            assert_eq!(outcome.verdict, Verdict::Unresolved);
            assert_eq!(outcome.reason, "ran more than 64 processes at a time");
            assert_eq!(processes_with(&sleep), 0);
        }
    }
}

#[test]
fn memory() {
    for bench in benches() {
        let limits = Limits { memory_bytes: Some(200 << 20), ..patient() };
        let outcome = bench.judge(&format!("{HOST} hog {}", 300 << 20), limits.clone());
        assert_eq!(outcome.verdict, Verdict::Unresolved);
        assert_eq!(outcome.reason, "used more than 200 MiB of memory");
        // Half of it in each of two processes is too much as well.
        let half = format!("{HOST} hog {}", 120 << 20);
        let outcome = bench.judge(&format!("{half} & {half}"), limits.clone());
        assert_eq!(outcome.reason, "used more than 200 MiB of memory");
        let limits = Limits { time: Some(Duration::from_millis(1500)), ..limits };
        assert_eq!(bench.judge(&half, limits).verdict, Verdict::TimedOut);
    }
}

#[test]
fn disk() {
    for bench in benches() {
        let limits = Limits { disk_bytes: 20 << 20, ..patient() };
        for directory in [".", "$TMPDIR"] {
            let filler = format!("head -c 40000000 /dev/zero > {directory}/big; exec sleep 1000");
            let outcome = bench.judge(&filler, limits.clone());
            assert_eq!(outcome.verdict, Verdict::Unresolved);
            assert_eq!(outcome.reason, "wrote more than 20 MiB to disk");
        }
        let limits = Limits { time: Some(Duration::from_millis(500)), ..limits };
        let modest = "head -c 1000000 /dev/zero > big; exec sleep 1000";
        assert_eq!(bench.judge(modest, limits).verdict, Verdict::TimedOut);
    }
}
