//! Tests that measure: `--measure` reduces by the numbers that they print, and `clreduce measure` and `init` write them.

use std::fs;
use std::process::Command;

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// Prints ten times the number of lines that are needed, and up to ten more, as the number of the run decides.
const NOISY: &str = "#!/bin/sh\n\
    sum=$( (echo \"$CLREDUCE_RUN\"; cat bug.c) | cksum | cut -d ' ' -f 1)\n\
    needed=$(grep -c needed bug.c)\necho measured\necho $((needed * 10 + sum % 100 / 10)).$((sum % 10))\n";

const PROGRAM: &str = "int a;\nint needed1;\nint needed2;\nint b;\nint needed3;\nint needed4;\nint c;\n\
    int needed5;\nint needed6;\nint d;\n";

/// A table whose size is an option: gcc needs about 20 bytes of memory for each of its numbers.
const TABLE: &str = "int before(int x) { return x + 1; }\nstruct table { int numbers[N]; int used; };\n\
    struct table all = { .numbers = { [0 ... N - 1] = 3 }, .used = 1 };\n\
    int after(int y) { int z = before(y); return z * all.used; }\n";

/// The folder of the program comes first, where the test looks for it.
fn with_path(bench: &Bench, args: &[&str]) -> Command {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_clreduce")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    let mut command = bench.command(args);
    command.env("PATH", std::env::join_paths(folders).unwrap());
    command
}

#[test]
fn the_result_is_the_same_for_every_number_of_jobs_and_after_an_interruption() {
    let mut results = Vec::new();
    for words in [&["-j", "1"][..], &["-j", "2"], &["-j", "8"], &["-j", "2", "--max-steps", "5"]] {
        let bench = Bench::new();
        bench.write("bug.c", PROGRAM);
        bench.script("noisy.sh", NOISY);
        let args = ["bug.c", "--test", "./noisy.sh", "--measure", "--summary", "s.json"];
        let mut run = bench.run(&[&args[..], words].concat()).success();
        if words.len() > 2 {
            run = bench.run(&args).success();
        }
        assert_mentions(&stdout(&run), &["the test measures", "in 5 runs) for the result, and"]);
        let numbers = bench.json("s.json")["numbers"].clone();
        let measured = format!("{}, {}", numbers["original"], numbers["result"]);
        results.push((bench.read("bug.c"), measured));
        bench.assert_nothing_left();
    }
    // Half of what the original has, and more than chance above it.
    let lines = results[0].0.matches("needed").count();
    assert!(lines == 3 || lines == 4, "{results:?}");
    assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
}

#[test]
fn a_bound_may_be_above_or_below() {
    let bench = Bench::new();
    let reduced = |measure: &str, text: &str| {
        bench.write("bug.c", text);
        let test = "grep -q keep bug.c && wc -l < bug.c";
        let run = bench.run(&["bug.c", "--test", test, measure]).success();
        assert_mentions(&stderr(&run), &["a variant is interesting with"]);
        bench.read("bug.c")
    };
    let least = reduced("--measure=3", "a\nb\nkeep\nc\nd\ne\nf\ng\n");
    assert_eq!((least.matches('\n').count(), least.contains("keep")), (3, true), "{least}");
    assert_eq!(reduced("--measure=<=20", "a\nb\nkeep\nc\n").trim(), "keep");
}

#[test]
fn the_memory_of_a_compiler_is_reduced_by_the_test_that_init_writes() {
    let bench = Bench::new();
    bench.write("x.c", TABLE);
    let also = "gcc -DN=1000 -c x.c";
    let init = ["init", "--memory", "--also", also, "--", "gcc", "-DN=1000000", "-c", "x.c"];
    // The test calls clreduce by its name only if the name stands for it.
    assert_cmd::Command::from_std(with_path(&bench, &init)).assert().success();
    let test = bench.read("x.sh");
    assert_mentions(&test, &["exec clreduce measure memory 'gcc -DN=1000000 -c x.c"]);
    fs::remove_file(bench.path("x.sh")).unwrap();
    let run = bench.run(&init).success();
    assert_mentions(&stdout(&run), &["MiB", "written: x.sh", "--test ./x.sh --measure"]);
    let by_path = format!("exec {} measure memory", env!("CARGO_BIN_EXE_clreduce"));
    assert_mentions(&bench.read("x.sh"), &[&by_path]);
    bench.run(&["x.c", "--test", "./x.sh", "--measure"]).success();
    let result = bench.read("x.c");
    assert!(result.contains("[0") && result.contains('N'), "{result}");
    assert!(!result.contains("before") && !result.contains("used"), "{result}");
    let again = bench.run(&init).code(1);
    assert_mentions(&stderr(&again), &["`x.sh` already exists"]);
}

#[test]
fn processor_time_is_measured_and_not_that_of_waiting() {
    let bench = Bench::new();
    let number = |args: &[&str]| {
        let run = bench.run(&[&["measure", "time"], args].concat()).success();
        stdout(&run).trim().parse::<f64>().unwrap()
    };
    let count = |to: u32| format!("i=0; while [ $i -lt {to} ]; do i=$((i+1)); done; echo noise");
    assert!(number(&["sleep 1"]) < 0.5);
    assert!(number(&[&count(1_000_000), &count(50_000)]) > 3.0);
    assert!(number(&[&count(50_000), &count(1_000_000)]) < 0.5);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let bench = Bench::new();
    bench.write("bug.c", PROGRAM);
    bench.script("noisy.sh", NOISY);
    let refused = |args: &[&str], code: i32, parts: &[&str]| {
        assert_mentions(&stderr(&bench.run(args).code(code)), parts);
    };
    refused(&["measure", "time", "exit 3"], 1, &["`exit 3` failed", "3"]);
    refused(&["measure", "memory", "true", "false"], 1, &["`false` failed"]);
    let on = |test, measure, code, parts| refused(&["bug.c", "--test", test, measure], code, parts);
    on("true", "--measure", 1, &["not interesting", "is no number"]);
    on("echo 3; exit 1", "--measure", 1, &["not interesting", "exit code 1"]);
    on("echo 7", "--measure=7.1", 1, &["measures 7 (7 to 7 in 5 runs)", "at least 7.1"]);
    on("echo 7", "--measure=much", 2, &["a quantity is a decimal number"]);
    let flags = ["bug.c", "--test", "gcc -c bug.c", "--measure", "--reduce-flags"];
    refused(&flags, 2, &["--reduce-flags cannot be used with --measure"]);
    let slow = ["init", "--memory", "--also", "gcc -O1 -c bug.c", "--", "gcc", "-c", "bug.c"];
    refused(&slow, 1, &["no other command needs less than half", "gcc -O1"]);
    refused(&["init", "--slow", "bug.cl"], 1, &["are for commands of compilers"]);
    assert_eq!(bench.read("bug.c"), PROGRAM);
}
