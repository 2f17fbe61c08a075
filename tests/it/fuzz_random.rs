//! `clreduce fuzz` on programs in C with options at random: each program draws its own, a bug keeps those that it needs, and its
//! recipe and a replay have them.

#![cfg(target_os = "linux")]

use std::fs;

use crate::support::{Bench, assert_mentions, stdout};

/// A program for each seed, which divides.
const GENERATOR: &str = r#"#!/bin/sh
cat <<EOF
extern int printf(const char *, ...);
int main(void) {
  int x = $1;
  x = x * 31 / 7;
  printf("%d\n", x);
}
EOF
"#;

/// gcc that divides wrongly where it is told to leave out a part of the work on trees.
const FAULTY: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo 'faulty 1.0'; exit; fi
case "$*" in
*-fno-tree-*) [ -f program.c ] && sed -i 's|/ 7|/ 3|' program.c ;;
esac
exec gcc "$@"
"#;

#[test]
fn a_bug_keeps_the_options_at_random_that_it_needs() {
    let bench = Bench::new();
    bench.script("generator", GENERATOR);
    bench.script("faulty", FAULTY);
    let generator = format!("{} {{seed}}", bench.path("generator").display());
    let faulty = format!("{}:-O1 random", bench.path("faulty").display());
    let settings = ["fuzz", "--plain", "--out", "out", "--target", "c", "-j2", "--count", "5"];
    let more = ["--timeout", "60s", "--generator", &generator, "--device", &faulty];
    let voters = ["--device", "gcc:-O0", "--device", "gcc:-O1", "--device", "gcc:-O2 random"];
    bench.reduce(&[&settings[..], &more, &voters].concat());
    // Some programs draw none of the options that matter.
    let log = bench.read("out/campaign.jsonl");
    assert_mentions(&log, &["{\"faulty -O1 random\":\"outvoted\"}", "\"outcomes\":{}"]);
    let bugs: Vec<_> = fs::read_dir(bench.path("out/bugs")).unwrap().map(Result::unwrap).collect();
    assert!(!bugs.is_empty());
    for bug in &bugs {
        let text = |name: &str| fs::read_to_string(bug.path().join(name)).unwrap();
        let needed = text("random-options");
        let words: Vec<&str> = needed.split_whitespace().collect();
        let is_one = matches!(words[..], ["gcc", one] if one.starts_with("-fno-tree-"));
        assert!(is_one, "{needed}");
        assert_mentions(&text("recipe.toml"), &["-O1", words[1]]);
        assert_mentions(&text("report.md"), &words[1..]);
        assert!(!text("report.md").contains("random"), "{}", text("report.md"));
    }
    let replay = ["fuzz", "--replay", "out", "--target", "c", "--device"];
    let run =
        |device: &str, code: i32| stdout(&bench.run(&[&replay[..], &[device]].concat()).code(code));
    let all = bugs.len();
    assert_mentions(&run(&faulty, 1), &[&format!("{all} of {all} bugs")]);
    assert_mentions(&run(&faulty.replace(" random", ""), 0), &[&format!("0 of {all} bugs")]);
}
