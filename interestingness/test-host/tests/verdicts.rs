//! What the end of a test says of the variant, and what the test finds around it.
#![cfg(target_os = "linux")]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::thread;

use clreduce_interestingness::{
    Cancel, CommandTest, Interestingness, Limits, Occasion, OutputPattern, TestCommand, Verdict,
};
use regex::bytes::Regex;
use support::{Bench, benches, variant};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_exit_code_decides() {
    for bench in benches() {
        let yes = bench.judge("exit 0", Limits::default());
        assert_eq!((yes.verdict, yes.exit_code), (Verdict::Interesting, Some(0)));
        let no = bench.judge("echo out; echo err >&2; echo out2; exit 42", Limits::default());
        assert_eq!((no.verdict, no.exit_code), (Verdict::Uninteresting, Some(42)));
        assert_eq!(no.reason, "exit code 42");
        assert_eq!(text(&no.output_tail), "out\nerr\nout2\n");
    }
}

#[test]
fn a_signal_is_a_no_with_its_name() {
    for bench in benches() {
        let outcome = bench.judge("kill -SEGV $$", Limits::default());
        assert_eq!((outcome.verdict, outcome.exit_code), (Verdict::Uninteresting, None));
        assert_eq!(outcome.reason, "killed by signal 11 (SIGSEGV)");
    }
}

#[test]
fn a_test_sees_the_variant_and_nothing_else() {
    let script = "
        set -e
        test \"$(find . -type f | sort | tr '\\n' ' ')\" = './a.c ./inc/b.h '
        grep -q 'int x' a.c
        test \"$PWD\" = \"$(pwd -P)\"
        test \"$TMPDIR\" = \"$TMP\" && test \"$TMPDIR\" = \"$TEMP\"
        test -d \"$TMPDIR\" && test -z \"$(ls -A \"$TMPDIR\")\"
        test \"$(dirname \"$TMPDIR\")\" = \"$(dirname \"$PWD\")\"
        test \"$(ls -A .. | sort | tr '\\n' ' ')\" = 'tmp variant '
        ! read line
        mkdir locked; touch locked/file \"$TMPDIR/file\"; chmod 000 locked";
    for bench in benches() {
        let outcome = bench.judge(script, Limits::default());
        assert_eq!(outcome.verdict, Verdict::Interesting, "{outcome:?}");
    }
}

#[test]
fn tests_have_the_same_addresses_in_every_run() {
    // A container may forbid it.
    let script = "setarch -R true || exit 0; test $(cat /proc/self/personality) = 00040000";
    let bench = Bench::with_supervisors();
    let outcome = bench.judge(script, Limits::default());
    assert_eq!(outcome.verdict, Verdict::Interesting, "{outcome:?}");

    // Unless a run has a number. A supervisor runs both kinds.
    let command = TestCommand::Shell("exec cat /proc/self/personality".into());
    let mut options = bench.options(Limits::default());
    options.pattern =
        Some(OutputPattern { stdout: Some(Regex::new("^00000000").unwrap()), stderr: None });
    let test = CommandTest::new(&command, options).unwrap();
    for occasion in [Occasion::Run(1), Occasion::Run(2)] {
        let outcome = test.judge_on(&variant(), occasion, &Cancel::new()).unwrap();
        assert_eq!(outcome.verdict, Verdict::Interesting, "{outcome:?}");
    }
}

#[test]
fn output_can_decide_instead_of_the_exit_code() {
    let judge = |bench: &Bench, line: &str, pattern: &OutputPattern| {
        let mut options = bench.options(Limits::default());
        options.pattern = Some(pattern.clone());
        let test = CommandTest::new(&TestCommand::Shell(line.into()), options).unwrap();
        test.judge(&variant(), &Cancel::new()).unwrap()
    };
    let error = Some(Regex::new("LLVM ERROR: .* lowering").unwrap());
    let on_stderr = OutputPattern { stdout: None, stderr: error.clone() };
    let on_both = OutputPattern { stdout: Some(Regex::new("(?m)^0$").unwrap()), stderr: error };
    for bench in benches() {
        let crash = "echo LLVM ERROR: no lowering >&2; exit 70";
        assert_eq!(judge(&bench, crash, &on_stderr).verdict, Verdict::Interesting);
        let both = judge(&bench, crash, &on_both);
        assert_eq!(both.verdict, Verdict::Uninteresting);
        assert_eq!(
            (both.exit_code, &*both.reason),
            (Some(70), "the test's standard output does not match /(?m)^0$/")
        );
        let wrong_stream = judge(&bench, "echo LLVM ERROR: no lowering", &on_stderr);
        assert_eq!(wrong_stream.verdict, Verdict::Uninteresting);
        // More than a pipe or the tail holds, with the pattern at the very beginning.
        let long = "echo 0; echo LLVM ERROR: bad lowering >&2; seq 100000; seq 100000 >&2";
        assert_eq!(judge(&bench, long, &on_both).verdict, Verdict::Interesting);
    }
}

#[test]
fn what_cannot_be_started_has_no_verdict() {
    for bench in benches() {
        let command = TestCommand::Program { path: "/no/such/program".into(), args: Vec::new() };
        let test = CommandTest::new(&command, bench.options(Limits::default())).unwrap();
        let Err(not_run) = test.judge(&variant(), &Cancel::new()) else { panic!("it ran") };
        assert!(
            not_run.to_string().starts_with("`/no/such/program` could not be started"),
            "{not_run}"
        );
    }
}

#[test]
fn a_test_whose_place_is_taken_away_has_no_verdict_and_the_next_finds_another() {
    for bench in benches() {
        let base = bench.base.path().display().to_string();
        // The first test removes all folders of tests, its own as well, as a cleaner of /tmp does.
        let flag = bench.base.path().with_extension("flag");
        let line =
            format!("test -e {0} && exit 0; touch {0}; rm -rf {base}/*; exit 1", flag.display());
        let test = bench.shell_test(&line, Limits::default());
        let Err(not_run) = test.judge(&variant(), &Cancel::new()) else {
            panic!("that is no verdict")
        };
        assert!(not_run.to_string().contains("somebody removed"), "{not_run}");
        let outcomes = [(); 2].map(|()| test.judge(&variant(), &Cancel::new()));
        std::fs::remove_file(&flag).unwrap();
        assert_eq!(outcomes[1].as_ref().unwrap().verdict, Verdict::Interesting, "{outcomes:?}");
        drop(test);
        std::fs::remove_dir(bench.base.path()).unwrap();
        let test =
            CommandTest::new(&TestCommand::Shell("true".into()), bench.options(Limits::default()));
        assert!(test.is_err());
    }
}

#[test]
fn a_test_that_removes_its_file_is_believed_the_second_time() {
    for bench in benches() {
        let log = bench.base.path().with_extension("log");
        let line = format!("rm a.c; echo run >> {}; exit 3", log.display());
        assert_eq!(bench.judge(&line, Limits::default()).exit_code, Some(3));
        assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), 2);
        std::fs::remove_file(log).unwrap();
    }
}

#[test]
fn a_script_without_first_line_is_run_by_the_shell() {
    for bench in benches() {
        let scripts = tempfile::tempdir().unwrap();
        let script = scripts.path().join("test.sh");
        std::fs::write(&script, "grep -q 'int x' a.c && exit 7\n").unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let command = TestCommand::program(&script).unwrap();
        let test = CommandTest::new(&command, bench.options(Limits::default())).unwrap();
        assert_eq!(test.judge(&variant(), &Cancel::new()).unwrap().exit_code, Some(7));
    }
}

#[test]
fn a_rehearsal_tells_what_the_test_does_besides() {
    for bench in benches() {
        // The pause lets the process left behind become what it is: one just being started may not be counted.
        let line = "echo 'int y;' > a.c; touch a.out; sleep 1000 & sleep 0.3; exit 3";
        let test = bench.shell_test(line, Limits::default());
        let rehearsal = test.rehearse(&variant(), &Cancel::new()).unwrap();
        assert_eq!(rehearsal.outcome.exit_code, Some(3));
        assert_eq!(
            (&*rehearsal.modified, &*rehearsal.added),
            (&["a.c".into()][..], &["a.out".into()][..])
        );
        assert_eq!(rehearsal.processes_left, 1);
        assert_eq!(bench.tests_on_disk(), 0);

        let tidy = bench.shell_test("exit 0", Limits::default());
        let rehearsal = tidy.rehearse(&variant(), &Cancel::new()).unwrap();
        assert!(rehearsal.modified.is_empty() && rehearsal.added.is_empty());
        assert_eq!(rehearsal.processes_left, 0);
    }
}

#[test]
fn many_threads_judge_at_once() {
    for bench in benches() {
        // Each test sees only its own variant, also in the files it writes.
        let line =
            "n=$(cat n); echo $n > $TMPDIR/n; cp n out; sleep 0.01; cmp -s out $TMPDIR/n; exit $n";
        let test = bench.shell_test(line, Limits::default());
        thread::scope(|scope| {
            for thread in 0..8 {
                let test = &test;
                scope.spawn(move || {
                    for round in 0..5 {
                        let n = thread * 5 + round;
                        let bytes = format!("{n}\n").into_bytes();
                        let variant = clreduce_testcase::TestCase::single("n", bytes).unwrap();
                        assert_eq!(
                            test.judge(&variant, &Cancel::new()).unwrap().exit_code,
                            Some(n)
                        );
                    }
                });
            }
        });
        assert_eq!(bench.tests_on_disk(), 0);
        drop(test);
        assert_eq!(support::entries(bench.base.path()), 0);
    }
}
