//! Tests on a real remote execution service on this machine: `buildbox-casd`, which `scripts/setup remote` installs. Without it
//! these tests fail, and say so.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use super::casd::Casd;
use super::steps::steps;
use crate::support::{Bench, SCRIPT, SCRIPT_NAME, assert_mentions, stderr};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Reduces `file` here with one slot and there with four, in the same way.
#[track_caller]
fn assert_same(bench: &Bench, file: &str, test: &str, url: &str) {
    let here = ["-j", "1", "-o", "here", "--events", "here.jsonl"];
    bench.reduce(&[&[file, "--test", test], &here[..]].concat());
    let there = ["-j", "4", "-o", "there", "--events", "there.jsonl", "--remote", url];
    bench.reduce(&[&[file, "--test", test], &there[..]].concat());
    assert_eq!(bench.read("here"), bench.read("there"));
    assert_eq!(steps(bench, "here.jsonl"), steps(bench, "there.jsonl"));
}

#[test]
fn a_real_service_gives_the_bytes_and_the_sequence_of_one_local_slot() {
    let casd = Casd::start();
    let bench = Bench::with_bug();
    assert_same(&bench, "bug.c", SCRIPT, &casd.url());
    for (name, file) in [("c-warning", "ledger.c"), ("c-crash", "scheduler.c")] {
        let bench = Bench::new();
        let text = fs::read_to_string(fixture(name).join("interesting.sh")).unwrap();
        bench.script(SCRIPT_NAME, &text);
        bench.write(file, fs::read(fixture(name).join(file)).unwrap());
        assert_same(&bench, file, SCRIPT, &casd.url());
    }
}

/// A compiler that dies of `boom`.
const COMPILER: &str = "#!/bin/sh
[ -f \"$1\" ] || exit 1
grep -q '()' \"$1\" || { echo \"$1:1:1: error: no function\" >&2; exit 1; }
grep -q boom \"$1\" && { echo \"cc: x.c:7: f: Assertion \\`boom == 1' failed.\" >&2; kill -6 $$; }
exit 0
";

#[test]
fn a_real_service_judges_by_a_recipe_and_many_cases() {
    let casd = Casd::start();
    let bench = Bench::new();
    let compiler = bench.script("cc.sh", COMPILER);
    let recipe = format!(
        "preset = \"crash\"\n[[configuration]]\nname = \"cc\"\nbuild = \"{} {{file}}\"\n",
        compiler.display()
    );
    bench.write("r.toml", recipe);
    bench.write("p.c", "int a;\nint bang;\nint boom;\nint b = 3;\nint main() { return b; }\n");
    assert_same(&bench, "p.c", "r.toml", &casd.url());

    for (number, name) in ["third", "boom"].iter().enumerate() {
        let text = crate::support::BUG.replace("thrice", name);
        bench.write(&format!("cases/{number}.c"), text);
    }
    bench.script("t.sh", "#!/bin/sh\ngrep -q 'needle(' *.c && gcc -fsyntax-only -w *.c\n");
    let batch = ["batch", "cases", "--test", "./t.sh"];
    bench.reduce(&[&batch[..], &["--out", "cases-here", "-j1"]].concat());
    bench.reduce(&[&batch[..], &["--out", "cases-there", "-j4", "--remote", &casd.url()]].concat());
    for number in 0..2 {
        let result = |out: &str| bench.read(&format!("{out}/cases/{number}.c/reduced/{number}.c"));
        assert_eq!(result("cases-here"), result("cases-there"));
    }
}

/// Oclgrind 21.10 gives another result than the standard says; PoCL and the host do not.
const MAD_SAT: &str = "\
// -g 2,1,1 -l 1,1,1
int twice(int x) { return x * 2; }
__kernel void entry(__global ulong *result) {
  long a = 1L, b = -1L;
  int unused = twice(21);
  result[get_global_id(0)] = mad_sat(a, b, 0L);
}
";

const MAD_SAT_RECIPE: &str = "\
preset = \"wrong-code\"
[[configuration]]
device = \"oclgrind\"
accused = true
[[configuration]]
device = \"pocl\"
[[configuration]]
device = \"host\"
";

/// The devices are those of the machine that runs the action: Oclgrind and PoCL by their libraries, and the host by a compiler,
/// a linker and a run-time that is compiled there.
#[test]
fn the_devices_of_a_real_service_judge_a_kernel() {
    let casd = Casd::start();
    let bench = Bench::new();
    bench.write("k.cl", MAD_SAT);
    // The interpreter judges alone here and there, but for what a command demands, and the other stages confirm.
    let stage = |line: &str| format!("[[stage]]\n{line}\n");
    let checks =
        ["expected", "compile", "sanitize"].map(|name| stage(&format!("check = \"{name}\"")));
    let demand = stage("command = \"grep -q get_global_id {file}\"");
    bench.write("r.toml", format!("{MAD_SAT_RECIPE}{}{demand}", checks.concat()));
    assert_same(&bench, "k.cl", "r.toml", &casd.url());
    assert!(bench.read("there").contains("get_global_id"));
    bench.write("r.toml", MAD_SAT_RECIPE);
    assert_same(&bench, "k.cl", "r.toml", &casd.url());
    let kernel = bench.read("there");
    assert!(kernel.contains("mad_sat") && !kernel.contains("twice"), "{kernel}");
    // A device that the machine lacks is named, and nothing is taken for a verdict.
    bench.write("r.toml", MAD_SAT_RECIPE.replace("\"pocl\"", "\"no-such-device\""));
    let run = bench.run(&["k.cl", "--test", "r.toml", "--remote", &casd.url()]).code(1);
    assert_mentions(&stderr(&run), &["no-such-device"]);
}

/// The program of this seed has `mad_sat` on `long`.
const CAMPAIGN: [&str; 13] = [
    "fuzz",
    "--device",
    "oclgrind",
    "--mode",
    "vector",
    "--tokens",
    "300..320",
    "--seed",
    "790",
    "--count",
    "2",
    "--plain",
    "--timeout=60s",
];

/// Kernels run on the devices of this machine, and the tests of reductions on those of the service.
#[test]
#[ignore = "takes minutes: each action compiles what the host needs for a kernel, as no folder outlasts it"]
fn a_campaign_reduces_its_bugs_on_a_real_service() {
    let casd = Casd::start();
    let bench = Bench::new();
    bench.reduce(&[&CAMPAIGN[..], &["--out", "here", "-j2"]].concat());
    let url = casd.url();
    let there = [&CAMPAIGN[..], &["--out", "there", "-j1", "--remote", &url, "--remote-jobs", "4"]]
        .concat();
    bench.reduce(&there);
    assert_eq!(bench.files_of_bugs("here"), bench.files_of_bugs("there"));
    assert_eq!(bench.read("here/campaign.jsonl"), bench.read("there/campaign.jsonl"));
    assert!(casd.blobs() > 60, "{} blobs", casd.blobs());
    // It does not go on with verdicts of other machines.
    let other = bench.run(&[&CAMPAIGN[..], &["--out", "there", "-j1"]].concat()).code(1);
    assert_mentions(&stderr(&other), &["--remote", "undo the change"]);
}
