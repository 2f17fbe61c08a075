//! The example that embeds the library: it finds planted bugs in compilers, and writes each down once.

#![cfg(unix)]

#[allow(dead_code)]
#[path = "../../examples/fuzz_driver.rs"]
mod driver;

use std::fs;

use crate::support::{Bench, assert_mentions};

/// A different program for each seed. One in three shifts to the left, one to the right.
const GENERATOR: &str = r#"
case $((SEED % 3)) in
    0) value='(x << 2) + noise(x)' ;;
    1) value='noise(x) ^ (x >> 3)' ;;
    2) value='x - noise(x)' ;;
esac
cat <<END
#include <stdio.h>
static int table[4] = { 1, 2, 3, $SEED };
static int noise(int y) { return table[1] * y + table[y & 3]; }
int main(void) { int x = $((1000 + SEED)); x += noise(3); printf("%d\n", $value); return 0; }
END
"#;

/// A compiler that is afraid of one operator, and one that gets another wrong.
const CRASHES: &str = "#!/bin/sh
if grep -q '<<' program.c; then
    echo 'program.c:5: internal compiler error: in shift_left, at expmed.c:2403'
    exit 4
fi
exec gcc -w program.c
";
const WRONG: &str = "#!/bin/sh
sed 's/>> *3/>> 2/' program.c >changed.c && exec gcc -w changed.c
";

#[test]
fn finds_and_reduces_each_planted_bug_once() {
    let bench = Bench::new();
    let config = |name: &str, compiler: &str| format!("{name}={compiler} && ./a.out");
    let script = |name: &str, text| bench.script(name, text).display().to_string();
    let (crashes, wrong) = (script("crashes", CRASHES), script("wrong", WRONG));
    let out = bench.path("bugs").display().to_string();
    let arguments = [
        ["--generate", GENERATOR],
        ["--count", "6"],
        ["--out", &out],
        ["--config", &config("good", "gcc -w program.c")],
        ["--config", &config("afraid", &crashes)],
        ["--config", &config("wrong", &wrong)],
        ["--check", "gcc -O1 -Wall -Werror=uninitialized -Werror=return-type program.c && ./a.out"],
    ];
    driver::run(arguments.concat().into_iter().map(str::to_owned)).unwrap();

    let mut bugs: Vec<String> = fs::read_dir(bench.path("bugs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    bugs.sort_by_key(|name| name[4..].to_owned());
    assert_eq!(bugs.iter().map(|name| &name[4..]).collect::<Vec<_>>(), ["afraid", "wrong"]);
    let read = |bug: &str, file: &str| bench.read(&format!("bugs/{bug}/{file}"));
    assert_mentions(&read(&bugs[0], "bug.txt"), &["crash", "in shift_left, at expmed.c:…"]);
    assert_mentions(&read(&bugs[1], "bug.txt"), &["wrong: wrong result", "found in seed 1"]);
    for (bug, operator) in bugs.iter().zip(["<<", ">> 3"]) {
        let (before, after) = (read(bug, "original/program.c"), read(bug, "reduced/program.c"));
        assert!(after.contains(operator) && after.len() * 3 < before.len(), "{after}");
        assert!(!after.contains("table"), "{after}");
    }
}
