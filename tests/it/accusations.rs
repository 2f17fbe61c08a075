//! Whose fault is it? `clreduce init --run` with real compilers, on programs whose wrong result is their own fault, and on
//! compilers that are really to blame.

#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// Programs whose result tells whether they were compiled with optimisation; each compiler takes them for valid.
const OPTIMISED: &str = "\
#include <stdio.h>
#include <stdlib.h>
static inline int is_known(int value) { return __builtin_constant_p(value); }
int main(void) { printf(\"%d %d\\n\", is_known(7), abs(-2)); return 0; }
";

/// The programs, each with its command in the first line.
fn programs() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/own-fault");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let with_text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(with_text).collect()
}

/// What `init` says about a program: its exit status, and standard error.
fn judged(path: &Path, text: &str) -> (i32, String) {
    let bench = Bench::new();
    let name = path.file_name().unwrap().to_str().unwrap();
    bench.write(name, text);
    let command = text.lines().next().unwrap().trim_start_matches("// ").split(' ');
    let args: Vec<&str> =
        ["init", "--run", "--"].into_iter().chain(command).chain([name, "-lm"]).collect();
    let done = bench.run(&args);
    let status = done.get_output().status.code().unwrap();
    let written = bench.names().iter().any(|name| name.ends_with(".toml"));
    assert_eq!(written, status == 0, "{name}: {}", stderr(&done));
    (status, stderr(&done))
}

#[test]
fn nobody_is_accused_of_the_programs_own_faults() {
    let programs = programs();
    assert!(programs.len() > 50);
    let next = Mutex::new(programs.iter());
    let said: Mutex<Vec<(String, i32, String)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((path, text)) = { next.lock().unwrap().next() } {
                    let (status, error) = judged(path, text);
                    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                    said.lock().unwrap().push((name, status, error));
                }
            });
        }
    });
    let said = said.into_inner().unwrap();
    let accused: Vec<_> = said.iter().filter(|(_, status, _)| *status == 0).collect();
    assert!(accused.len() <= 2, "{accused:#?}");
    assert!(accused.iter().all(|(.., error)| error.contains("not checked: ")), "{accused:#?}");
    let headlines = [
        ("aliasing.c", "the program has undefined behaviour: aliasing.c:4:"),
        ("union-pointers.c", "it accesses memory through pointers to unrelated types"),
        ("order-of-arguments.c", "only one other family of compilers disagrees"),
        ("unsequenced.c", "the program has undefined behaviour: unsequenced.c:3:"),
        ("pure.c", "the program breaks a promise of its own"),
        ("restrict.c", "the program breaks a promise of its own"),
        ("uninitialised-array.c", "the program has undefined behaviour: uninitialised-array.c:3:"),
        ("overflow.c", "the program has undefined behaviour: overflow.c:4:"),
        ("past-the-end.c", "the program has undefined behaviour: past-the-end.c:4:"),
        ("fast-math.c", "how exactly floating-point numbers are computed"),
        ("x87.c", "how exactly floating-point numbers are computed"),
        ("assembly-memory.c", "inline assembly"),
        ("setjmp.c", "`setjmp`"),
        ("race.c", "the program has undefined behaviour: race.c:"),
        ("address-hash.c", "` does not have the result of the others either"),
    ];
    for (name, headline) in headlines {
        let found = said.iter().find(|(own, ..)| own == name).unwrap();
        assert!(found.2.contains(headline), "{found:#?}");
    }
}

#[test]
fn a_witness_gets_the_program_and_not_what_another_compiler_made_of_its_headers() {
    let bench = Bench::new();
    bench.write("o.c", OPTIMISED);
    let args = ["init", "--run", "--also", "clang -O0 o.c", "--", "gcc", "-O2", "o.c"];
    let done = bench.run(&args).code(0);
    assert_mentions(&stdout(&done), &["wrong-code: gcc -O2: result", "clang -O0  result 0 2"]);
    bench.run(&["explain", "o.i", "--test", "o.toml"]).code(0);
    // Who does not witness is not left out in silence.
    let also = ["--also", "gcc -O0 p.c", "--also", "gcc -O1 p.c"];
    bench.write("p.c", OPTIMISED);
    let args = [&["init", "--run"], &also[..], &["--", "gcc", "-O2", "p.c"]].concat();
    assert_mentions(&stderr(&bench.run(&args).code(1)), &["`gcc -O1` is no witness: result 1 2"]);
    bench.write("p.c", format!("{OPTIMISED}#ifdef __clang__\n#error not for clang\n#endif\n"));
    let args = ["init", "--run", "--also", "clang -O0 p.c", "--", "gcc", "-O2", "p.c"];
    assert_mentions(&stdout(&bench.run(&args).code(0)), &["build-failure: clang -O0"]);
}

#[test]
fn campaigns_accuse_nobody_of_what_the_language_leaves_open() {
    let bench = Bench::new();
    let order = "int printf(const char *, ...);\nstatic int n;\nstatic int next(void) { return ++n; }\n\
        int main(void) { printf(\"%d %d\\n\", next(), next()); return 0; }\n";
    bench.write("programs/order.c", order);
    let devices = ["gcc:-O0", "gcc:-O2", "gcc:-O1", "clang-19:-O0"];
    let devices = devices.iter().flat_map(|device| ["--device", device]);
    let args = ["fuzz", "--plain", "--target", "c", "--out", "out", "--generator", "programs"];
    let args: Vec<&str> = args.into_iter().chain(["--gate", "0"]).chain(devices).collect();
    let done = bench.run(&args);
    let log = bench.read("out/campaign.jsonl");
    assert!(log.contains("\"end\":\"not_reduced\"") && log.contains("is not accused"), "{log}");
    let bugs = std::fs::read_dir(bench.path("out/bugs")).into_iter().flatten().count();
    assert_eq!(bugs, 0, "{}", stdout(&done));
}
