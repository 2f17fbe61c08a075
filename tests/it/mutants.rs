//! `clreduce mutants`: what each judge notices, and the mutants that do not count.

#![cfg(target_os = "linux")]

use crate::support::{Bench, assert_mentions, stderr, stdout};
use serde_json::Value;

/// Two work-items exchange values.
const EXCHANGE: &str = "__kernel void k(__global int *r, __global int *q) {\n\
    size_t me = get_local_id(0);\n\
    q[me] = 7;\n\
    barrier(CLK_GLOBAL_MEM_FENCE);\n\
    r[me] = q[me ^ 1] + 0;\n\
    int unused = r[me] * 3;\n}\n";

/// The number of work-items, in the form that the launch comment has.
const LAUNCH: &str = "// -g 2,1,1 -l 2,1,1\n";

/// The operator, the text that was changed, the new text, the end and the reason.
type Row = (String, String, String, String, String);

fn judged(bench: &Bench, file: &str, args: &[&str]) -> Vec<Row> {
    let printed = stdout(&bench.run(&[&["mutants", file, "--json"], args].concat()).code(0));
    let lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let lines: Vec<Value> = lines.collect();
    let (counts, mutants) = lines.split_last().unwrap();
    assert_eq!(counts["mutants"], mutants.len());
    let row = |line: &Value| {
        let [operator, before, after, fate, details] =
            ["operator", "before", "after", "fate", "details"].map(|key| text(line, key));
        (operator, before, after, fate, details)
    };
    mutants.iter().map(row).collect()
}

fn fates(rows: &[Row], operator: &str) -> Vec<(String, String)> {
    let of_operator = rows.iter().filter(|row| row.0 == operator);
    of_operator.map(|row| (row.2.clone(), row.3.clone())).collect()
}

#[test]
fn checks_and_devices_notice_different_mutants() {
    let bench = Bench::new();
    bench.write("k.cl", [LAUNCH, EXCHANGE].concat());
    let chosen = ["--operator", "no-barrier,arithmetic", "-j", "2"];
    let by_check = judged(&bench, "k.cl", &chosen);
    let barrier = by_check.iter().find(|row| row.0 == "no-barrier").unwrap();
    assert!(barrier.3 == "killed" && barrier.4.contains("data-race"), "{barrier:?}");
    let plus = |text: &str, fate: &str| (text.to_owned(), fate.to_owned());
    // `+ 0` and `- 0` are the same program, and a value that is not used is no part of it.
    let arithmetic = fates(&by_check, "arithmetic");
    assert!(arithmetic.contains(&plus("-", "equivalent")), "{arithmetic:?}");
    assert_eq!(arithmetic.iter().filter(|(_, fate)| fate == "equivalent").count(), 4);
    assert!(arithmetic.iter().any(|(_, fate)| fate == "killed"), "{arithmetic:?}");

    let by_run = judged(&bench, "k.cl", &[&chosen[..], &["--judge", "run"]].concat());
    // In the host's order of work-items the missing barrier shows, and the sum of the neighbour's value does as well.
    let changed = fates(&by_run, "arithmetic");
    assert!(changed.contains(&plus("*", "killed")), "{changed:?}");
    // There is one order of work-items, so every mutant has one end.
    assert!(by_run.iter().all(|row| row.3 != "undecided"), "{by_run:?}");
    // The same seed gives the same sample.
    let sample = ["--count", "3", "--seed", "5"];
    assert_eq!(judged(&bench, "k.cl", &sample), judged(&bench, "k.cl", &sample));
    assert_eq!(judged(&bench, "k.cl", &sample).len(), 3);
}

#[test]
fn launches_that_a_file_describes_are_those_of_the_mutants() {
    let bench = Bench::new();
    // Without the file, there are many work-items, all of which write the same elements.
    bench.write("k.cl", SHIFTED);
    bench.write("k.args.toml", DESCRIBED);
    for (judge, reason) in [("check", "out-of-bounds"), ("run", "another result")] {
        let rows = judged(&bench, "k.cl", &["--judge", judge, "--operator", "loop-bound"]);
        let is_noticed = |row: &Row| row.3 == "killed" && row.4.contains(reason);
        assert!(rows.iter().any(is_noticed), "{judge}: {rows:?}");
    }
    let wrong = bench.run(&["mutants", "k.cl", "--args", "none.toml"]).code(2);
    assert_mentions(&stderr(&wrong), &["none.toml"]);
    std::fs::remove_file(bench.path("k.args.toml")).unwrap();
    let said = stderr(&bench.run(&["mutants", "k.cl"]).code(1));
    assert_mentions(&said, &["does not accept the program itself", "data-race"]);
}

const SHIFTED: &str = "__kernel void k(__global int *r, int offset) {\n\
    for (int i = 0; i < 3; i++)\n        r[offset + i] = i + 1;\n}\n";

const DESCRIBED: &str = r#"kernel = "k"
global = [1]
[[argument]]
buffer = "int"
elements = 7
[[argument]]
value = "int"
is = 4
"#;

#[test]
fn a_recipe_shows_what_it_does_not_check() {
    let bench = Bench::new();
    bench.write("bug.c", "int f(int a) { return (a << 2) < 7; }\n");
    bench.write("bug.toml", CRASH);
    let rows = judged(&bench, "bug.c", &["--judge", "bug.toml"]);
    assert_eq!(fates(&rows, "bitwise"), [(">>".to_owned(), "killed".to_owned())]);
    let compared = fates(&rows, "relational");
    assert_eq!(compared.len(), 3);
    assert!(compared.iter().all(|(_, fate)| fate == "survived"), "{rows:?}");
    bench.write("k.args.toml", DESCRIBED);
    let args = ["mutants", "bug.c", "--judge", "bug.toml", "--args", "k.args.toml"];
    assert_mentions(&stderr(&bench.run(&args).code(2)), &["`--args` has no effect"]);
}

/// A compiler that crashes on shifts.
const CRASH: &str = r#"preset = "crash"
[[configuration]]
build = """
if grep -q '<<' {file}; then echo 'shift.c:7: void shift(): Assertion `false` failed.' >&2; kill -ABRT $$; fi"""
"#;

#[test]
fn programs_without_mutants_and_with_faults() {
    let bench = Bench::new();
    bench.write("k.cl", "__kernel void k(__global int *r) { r[0] = 1; }\n");
    let said = stderr(&bench.run(&["mutants", "k.cl"]).code(1));
    assert_mentions(&said, &["no mutant of `k.cl`"]);
    bench.write("k.cl", "__kernel void k(__global int *r) { r[0] = r[9] + 1; }\n");
    let said = stderr(&bench.run(&["mutants", "k.cl"]).code(1));
    assert_mentions(&said, &["does not accept the program itself", "data-race"]);
    let said = stderr(&bench.run(&["mutants", "k.cl", "--operator", "typo"]).code(2));
    assert_mentions(&said, &["no-barrier", "loop-bound"]);
}
