//! `--prefer`: a command ranks interesting variants, and its answers are part of the reduction.

#![cfg(unix)]

use std::process::Command;
use std::thread::sleep;
use std::time::Instant;

use crate::support::{Bench, SCRIPT_NAME, assert_mentions, stderr, stdout};

const PROGRAM: &str = "#include <stddef.h>\n\
    static int unused_one(int x) { int y; return x; }\n\
    int counter = 3;\n\
    unsigned int mix(unsigned int a, int b) {\n\
      unsigned int unused;\n\
      for (int i = 0; i < b; i++) { a = a * 2654435761u + counter; }\n\
      if (a > 5) { counter++; }\n\
      return a;\n}\n\
    int key(void) { size_t n = sizeof(int); if (counter) { return 305419896; } return (int)n; }\n\
    int main(void) { return key() == (int)mix(1, 2); }\n";

/// The compiler puts a constant into a register. It says nothing of warnings.
const TEST: &str = "#!/bin/sh\ngcc -w -O1 -S bug.c -o out.s && grep -q '\\$305419896, *%e' out.s\n";

/// Counts warnings, and writes down that it was asked.
const WARNINGS: &str = "#!/bin/sh\nsha256sum \"$1\" >>LOG\n\
    gcc -std=c11 -Wall -Wextra -fsyntax-only \"$1\" 2>&1 | grep -c 'warning:'\n";

const ARGS: [&str; 7] = ["bug.c", "--test", "./test.sh", "--sandbox", "off", "--events", "e"];

fn bench(test: &str, rank: &str) -> Bench {
    let bench = Bench::new();
    bench.write("bug.c", PROGRAM);
    bench.script(SCRIPT_NAME, test);
    bench.script("rank.sh", &rank.replace("LOG", bench.path("asked").to_str().unwrap()));
    bench
}

fn preferring<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&ARGS[..], &["--prefer", "./rank.sh"], more].concat()
}

fn warnings(bench: &Bench) -> u32 {
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c11", "-Wall", "-Wextra", "-fsyntax-only"]).arg(bench.path("bug.c"));
    let said = gcc.env("LC_ALL", "C").output().unwrap().stderr;
    String::from_utf8_lossy(&said).matches("warning:").count() as u32
}

/// Two reductions with the same verdicts have the same text.
fn same(one: &Bench, other: &Bench, what: &str) {
    assert_eq!(one.keys("e"), other.keys("e"), "{what}");
    assert_eq!(one.read("bug.c"), other.read("bug.c"), "{what}");
}

#[test]
fn a_result_has_fewer_warnings_with_any_number_of_jobs_and_in_pieces() {
    let plain = bench(TEST, WARNINGS);
    assert!(warnings(&plain) > 1);
    plain.reduce(&[&ARGS[..], &["-q"]].concat());
    assert!(warnings(&plain) > 0, "{}", plain.read("bug.c"));

    let one = bench(TEST, WARNINGS);
    let said = stdout(&one.reduce(&preferring(&["-j1", "--keep-state"])));
    assert_mentions(&said, &["preferred: 0 of the result", "of the original"]);
    assert_eq!(warnings(&one), 0, "{}", one.read("bug.c"));
    assert!(one.read("bug.c").len() < plain.read("bug.c").len() + 40);
    let asked = one.read("asked").lines().count();
    let refused = |it: &serde_json::Value| {
        it["reason"].as_str().is_some_and(|reason| reason.starts_with("not preferred"))
    };
    assert!(one.events("e").iter().any(refused));
    assert_mentions(&stdout(&one.reduce(&["why", "bug.c"])), &["without it"]);
    assert_mentions(&stdout(&one.reduce(&["history", "bug.c"])), &["tokens"]);

    for jobs in ["-j4", "-j8"] {
        let other = bench(TEST, WARNINGS);
        other.reduce(&preferring(&[jobs]));
        same(&one, &other, jobs);
    }
    // The original is ranked at each start, and nothing else twice.
    let pieces = bench(TEST, WARNINGS);
    for steps in ["1", "4", "15", "30"] {
        pieces.reduce(&preferring(&["--max-steps", steps, "-j1"]));
    }
    let changed = stderr(&pieces.run(&ARGS).code(1));
    assert_mentions(&changed, &["--prefer", "--fresh"]);
    pieces.reduce(&preferring(&["-j1"]));
    same(&one, &pieces, "in pieces");
    assert!(pieces.read("asked").lines().count() <= asked + 4);
}

#[test]
fn killed_runs_with_a_preference_end_like_undisturbed_ones() {
    let make = || bench(&TEST.replace("\ngcc", "\nsleep 0.02\ngcc"), WARNINGS);
    let whole = make();
    let began = Instant::now();
    whole.reduce(&preferring(&["-j4"]));
    let time = began.elapsed();
    let bench = make();
    for part in 1..4 {
        let mut child = bench.start(&preferring(&["-j4"]));
        sleep(time * part / 8);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    if bench.path("bug.c.clreduce").exists() {
        bench.reduce(&preferring(&["-j4"]));
    }
    assert_eq!(whole.read("bug.c"), bench.read("bug.c"));
    assert_eq!(warnings(&bench), 0);
    bench.assert_nothing_left();
}

#[test]
fn answers_that_change_disturb_nothing() {
    // Each answer is worse than the one before; one in three is none.
    let worse = "#!/bin/sh\necho >>LOG\nwc -l <LOG\n[ $(( $(wc -l <LOG) % 3 )) != 0 ] || grep -q stddef bug.c || echo none\n";
    let whole = bench(TEST, worse);
    for steps in ["2", "7", "20", "40"] {
        whole.reduce(&preferring(&["--max-steps", steps, "-j3"]));
    }
    whole.reduce(&preferring(&["-j3"]));
    assert!(whole.read("bug.c").len() < PROGRAM.len() / 2, "{}", whole.read("bug.c"));
    assert!(whole.is_interesting(&["bug.c"]));
}

#[test]
fn a_command_that_fails_on_the_original_is_told() {
    for (rank, said) in [
        ("exit 3", "exit code 3"),
        ("echo many", "no number"),
        ("echo broken >&2; false", "broken"),
    ] {
        let bench = bench(TEST, &format!("#!/bin/sh\n{rank}\n"));
        let errors = stderr(&bench.run(&preferring(&[])).code(1));
        assert_mentions(&errors, &["--prefer", "original", said, "help:"]);
        assert_eq!(bench.read("bug.c"), PROGRAM);
    }
}
