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
    bench.write("known", "reversed: brev\nshifted: brev shf.l\n");
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
        "--known",
        "known",
    ];
    let run = bench.command(&args).env("PATH", &path).output().unwrap();
    let [said, warned] = [&run.stdout, &run.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(run.status.success(), "{warned}");
    assert_mentions(&warned, &["there is no GPU", "-O0", "-O3"]);
    assert_mentions(&said, &["crash", "ptx_brev", "known as reversed"]);
    let bugs = bench.files_of_bugs("out");
    let kernel = bugs.iter().find(|(name, _)| name.ends_with("kernel.ptx"));
    let (_, text) = kernel.unwrap_or_else(|| panic!("no bug: {said}"));
    let is_instruction = |line: &&str| line.starts_with("    ") && !line.contains(".reg");
    assert!(text.contains("brev") && text.lines().filter(is_instruction).count() <= 3, "{text}");
    assert!(bugs.keys().all(|name| !name.contains("-o0-")), "{:?}", bugs.keys());
    // One version in a zoo has the bug, and one that always says that it has assembled the kernel has none.
    let right = FAULTY.replace("if $optimises", "if false");
    for (version, script) in [("12.0.0", &*right), ("13.0.0", FAULTY)] {
        let program = bench.script(&format!("zoo/ptxas-{version}/ptxas"), script);
        let described = format!(
            "name = 'ptxas'\nversion = '{version}'\nkind = 'compiler'\nprogram = '{}'\n[environment]\n",
            program.display()
        );
        bench.write(&format!("zoo/ptxas-{version}/zoo.toml"), described);
    }
    let name = bugs.keys().find_map(|path| path.strip_suffix("/kernel.ptx")).unwrap();
    let folder = format!("out/{name}");
    let bisect = bench.command(&["bisect", &folder, "--zoo", "zoo"]);
    let told = { bisect }.env("PATH", &path).output().unwrap();
    let said = String::from_utf8_lossy(&told.stdout);
    assert_mentions(&said, &["Only ptxas-13.0.0 shows the bug, of 2 that ran"]);
}
