//! `clreduce fuzz --target ptx` where there is no GPU: kernels are assembled alone, by an assembler with a planted crash.

#![cfg(target_os = "linux")]

use std::env;

use crate::support::{Bench, assert_mentions};

/// An assembler that crashes at one instruction, unless it is told not to optimise.
const FAULTY: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo 'Cuda compilation tools, release 13.0, V13.0.0'; exit; fi
case " $* " in *' -O0 '*) optimises=false ;; *) optimises=true ;; esac
while [ $# -gt 1 ]; do [ "$1" = -o ] && output=$2; shift; done
if $optimises && grep -q ' brev' kernel.ptx; then
  echo 'ptxas fatal : Internal error: brev of a constant' >&2
  kill -SEGV $$
fi
: > "$output"
"#;

#[test]
fn crashes_of_an_assembler_are_found_and_reduced() {
    let bench = Bench::new();
    bench.script("ptxas", FAULTY);
    let path = format!("{}:{}", bench.path("").display(), env::var("PATH").unwrap_or_default());
    let args = [
        "fuzz",
        "--plain",
        "--target",
        "ptx",
        "--out",
        "out",
        "-j2",
        "--seed",
        "30",
        "--count",
        "20",
        "--gate",
        "0",
        "--timeout",
        "120s",
        "--tokens",
        "300..700",
    ];
    let run = bench.command(&args).env("PATH", path).output().unwrap();
    let [said, warned] = [&run.stdout, &run.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(run.status.success(), "{warned}");
    assert_mentions(&warned, &["there is no GPU", "-O0", "-O3"]);
    assert_mentions(&said, &["crash", "ptx_brev"]);
    let bugs = bench.files_of_bugs("out");
    let kernel = bugs.iter().find(|(name, _)| name.ends_with("kernel.ptx"));
    let (_, text) = kernel.unwrap_or_else(|| panic!("no bug: {said}"));
    let is_instruction = |line: &&str| line.starts_with("    ") && !line.contains(".reg");
    assert!(text.contains("brev") && text.lines().filter(is_instruction).count() <= 3, "{text}");
    assert!(bugs.keys().all(|name| !name.contains("-o0-")), "{:?}", bugs.keys());
}
