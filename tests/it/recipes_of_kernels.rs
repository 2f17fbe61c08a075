//! Recipes for kernels, with the real PoCL, Oclgrind and clang.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// Oclgrind 21.10 gives another result than the standard says; PoCL does not.
const MAD_SAT: &str = "\
// -g 2,1,1 -l 1,1,1
int twice(int x) { return x * 2; }
__kernel void entry(__global ulong *result) {
  long a = 1L, b = -1L;
  int unused = twice(21);
  ulong sum = get_global_id(0);
  for (int i = 0; i < 3; i++) sum += i;
  result[get_global_id(0)] = mad_sat(a, b, 0L) + (sum - sum);
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
device = \"pocl\"
options = \"-cl-opt-disable\"
";

/// A `PATH` with a clang that logs how it is called, and the log.
fn logging_clang(bench: &Bench) -> (String, std::path::PathBuf) {
    let path = std::env::var("PATH").unwrap();
    let names: Vec<String> = (14..20).rev().map(|version| format!("clang-{version}")).collect();
    let find = |name: &String| {
        path.split(':').map(|at| Path::new(at).join(name)).find(|file| file.exists())
    };
    let real = names.iter().find_map(find).expect("this test needs clang: apt install clang-19");
    let log = bench.path("clang.log");
    fs::create_dir(bench.path("bin")).unwrap();
    let name = real.file_name().unwrap().to_string_lossy();
    let text = format!(
        "#!/bin/sh\nhas=$(grep -sq mul24 kernel.cl && echo with mul24)\necho \"$@ $has\" >> {}\nexec {} \"$@\"\n",
        log.display(),
        real.display()
    );
    bench.script(&format!("bin/{name}"), &text);
    (format!("{}:{path}", bench.path("bin").display()), log)
}

/// With the real tools, from end to end.
#[test]
fn oclgrind_is_found_wrong_and_the_kernel_stays_valid() {
    let bench = Bench::new();
    // OpenCL leaves some results of `mul24` to the device, so where it stays, witnesses are asked.
    bench.write("k.cl", format!("{MAD_SAT}int far(int x) {{ return mul24(x, x); }}\n"));
    // The interpreter leaves builds with macros to the other stages.
    let recipe = format!("options = \"-DUNUSED\"\n{MAD_SAT_RECIPE}");
    bench.write("r.toml", format!("{recipe}[[configuration]]\ndevice = \"host\"\n"));
    let (path, log) = logging_clang(&bench);
    // The log lies outside the folders of the tests.
    let args =
        ["k.cl", "--test", "r.toml", "-j", "2", "--summary", "s.json", "--writable", "clang.log"];
    fs::write(&log, "").unwrap();
    let mut command = bench.command(&args);
    command.env("PATH", path);
    let done = assert_cmd::Command::from_std(command).assert().code(0);
    // The sanitizers compute the right result, so a witness builds no variants but the few with `mul24`, the original and the
    // result. Only the witness optimises.
    let log = fs::read_to_string(log).unwrap();
    let builds = |option: &str| log.lines().filter(|line| line.contains(option)).count();
    let of_witness = log.lines().filter(|line| line.contains("-O2 "));
    let (with, without): (Vec<&str>, Vec<&str>) =
        of_witness.partition(|line| line.ends_with("with mul24"));
    assert!(!with.is_empty(), "{log}");
    assert_eq!(without.len(), 1, "{log}");
    // A clang that compiles variants for the sanitizers starts once, and forks for each.
    assert!(builds("-fsanitize=memory") > 2 && builds("-o -") > 0, "{log}");
    assert_mentions(&stdout(&done), &["compile", "sanitize", "outcome"]);
    // The sanitizers look for everything that Oclgrind would, and are faster.
    assert!(!stdout(&done).contains("simulate"), "{}", stdout(&done));
    let result = bench.read("k.cl");
    assert!(result.contains("mad_sat") && !result.contains("twice"), "{result}");
    let run = |device: &str| stdout(&bench.run(&["run", "k.cl", "--device-name", device]).code(0));
    assert_ne!(run("oclgrind"), run("pocl"));
    bench.run(&["check", "k.cl"]).code(0);
    bench.assert_nothing_left();
}

/// The interpreter knows whether these variants are valid, and their right results. The result is checked by the others, too.
#[test]
fn what_the_interpreter_reads_needs_no_other_stage() {
    let bench = Bench::new();
    bench.write("k.cl", MAD_SAT);
    bench.write("r.toml", MAD_SAT_RECIPE);
    bench.reduce(&["k.cl", "--test", "r.toml", "-j", "2", "--summary", "s.json"]);
    let summary = bench.json("s.json");
    let stages = summary["stages"].as_array().unwrap();
    let looked = |name: &str| {
        let stage = stages.iter().find(|stage| stage["name"] == name);
        stage.map_or(0, |stage| stage["looked"].as_u64().unwrap())
    };
    assert!(looked("expected") > looked("sanitize") && looked("sanitize") > 0, "{summary}");
    let result = bench.read("k.cl");
    assert!(result.contains("mad_sat") && !result.contains("twice"), "{result}");
    bench.run(&["check", "k.cl"]).code(0);
}

/// The stages of a recipe that the interpreter is one of, and a command that it knows nothing of.
const STAGES: &str = "\
[[stage]]
check = \"expected\"
[[stage]]
check = \"compile\"
timeout = \"60s\"
[[stage]]
check = \"sanitize\"
timeout = \"60s\"
[[stage]]
command = \"grep -q twice {file}\"
timeout = \"60s\"
";

/// Judged in any order, again and again, beside others, and after tests that were killed.
#[test]
fn a_verdict_depends_on_the_variant_alone() {
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use clreduce::TestCase;
    use clreduce_interestingness::{Cancel, Interestingness, Occasion};

    let case = |text: String| TestCase::single("k.cl", text.into_bytes()).unwrap();
    let changed = |from: &str, to: &str| case(MAD_SAT.replace(from, to));
    let variants = [
        (case(MAD_SAT.to_owned()), true),
        (changed("  int unused = twice(21);\n", ""), true),
        (changed("mad_sat(a, b, 0L)", "mad_sat(a, b, 0L) + (long)1.5f"), true),
        (changed("twice", "thrice"), false),
        (changed("result[get_global_id(0)]", "result[0]"), false),
        (changed("mad_sat(a, b, 0L)", "a * b"), false),
        (changed("i < 3", "i < 1 / (i - i)"), false),
        (changed("i < 3; i++", "1;"), false),
        (changed("long a", "long z"), false),
    ];
    let recipe = MAD_SAT_RECIPE.split("[[configuration]]\ndevice = \"pocl\"\n").next().unwrap();
    let recipe =
        format!("{recipe}[[configuration]]\ndevice = \"host\"\ntimeout = \"60s\"\n{STAGES}");
    let worker = Some(env!("CARGO_BIN_EXE_clreduce").into());
    for jobs in [1, 2, 8] {
        let options =
            clreduce_recipe::RecipeOptions { worker: worker.clone(), ..Default::default() };
        let recipe = clreduce_recipe::Recipe::parse("r.toml".as_ref(), recipe.as_str()).unwrap();
        let test = recipe.options(options).calibrate(&variants[0].0).unwrap();
        let (next, told) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        if at >= 60 {
                            return;
                        }
                        let random = (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20);
                        let (number, kind) = (random % variants.len(), random / 64 % 5);
                        let (variant, cancel) = (&variants[number].0, Cancel::new());
                        if kind == 0 {
                            std::thread::scope(|scope| {
                                let moment = std::time::Duration::from_millis(random as u64 % 50);
                                let killed = scope.spawn(|| test.judge(variant, &cancel));
                                std::thread::sleep(moment);
                                cancel.cancel();
                                let _ = killed.join().unwrap();
                            });
                            continue;
                        }
                        let occasion = if kind == 1 { Occasion::Again } else { Occasion::Next };
                        let outcome = test.judge_on(variant, occasion, &cancel).unwrap();
                        let mut told = told.lock().unwrap();
                        let first = *told.entry(number).or_insert(outcome.verdict);
                        assert_eq!(
                            outcome.verdict, first,
                            "{number}, -j {jobs}: {}",
                            outcome.reason
                        );
                    }
                });
            }
        });
        for (number, verdict) in told.into_inner().unwrap() {
            let is_interesting = verdict == clreduce::Verdict::Interesting;
            assert_eq!(is_interesting, variants[number].1, "{number}, -j {jobs}: {verdict:?}");
        }
    }
}

/// The host and `sanitize` agree on the original and on each variant. Only the bug report has all witnesses.
#[test]
fn a_witness_that_nothing_depends_on_does_not_run() {
    let bench = Bench::new();
    let ran = bench.path("ran");
    let more = format!("[[configuration]]\nbuild = \"echo {{file}} >> {}\"\n", ran.display());
    bench.write("r.toml", MAD_SAT_RECIPE.replacen("pocl", "host", 1) + &more);
    for jobs in ["1", "2"] {
        bench.write("kernel.cl", MAD_SAT);
        let args = ["kernel.cl", "--test", "r.toml", "--fresh", "-j", jobs, "--sandbox", "off"];
        let done = bench.reduce(&args);
        assert_mentions(&stderr(&done), &["another result with host, pocl -cl-opt-disable, echo"]);
        assert_eq!(fs::read_to_string(&ran).unwrap(), "kernel.cl\n");
        fs::remove_file(&ran).unwrap();
    }
}

#[test]
fn without_a_stage_that_sees_races_there_is_no_wrong_code() {
    let bench = Bench::new();
    bench.write("k.cl", MAD_SAT);
    let recipe = format!("{MAD_SAT_RECIPE}[[stage]]\ncheck = \"compile\"\n");
    bench.write("r.toml", &recipe);
    let args = ["k.cl", "--test", "r.toml", "--max-steps", "1"];
    let refused = stderr(&bench.run(&args).code(1));
    assert_mentions(&refused, &["can look for `data-race`", "allow-unchecked", "`sanitize`"]);
    bench.write("r.toml", format!("allow-unchecked = [\"data-race\"]\n{recipe}"));
    let done = stderr(&bench.reduce(&args));
    assert_mentions(
        &done,
        &[
            "cannot be checked in the original",
            "looked for these errors in the program: uninitialised",
        ],
    );
    assert_mentions(&bench.read("k.cl.report.md"), &["looked for these errors", "data-race"]);
    // One work-item alone cannot race.
    bench.write("one.cl", MAD_SAT.replace("-g 2", "-g 1"));
    bench.write("r.toml", &recipe);
    bench.run(&["explain", "--test", "r.toml", "one.cl"]).code(0);
}

#[test]
fn init_names_the_wrong_one_and_writes_a_test_that_works() {
    let bench = Bench::new();
    bench.write("k.cl", MAD_SAT);
    let found = stdout(&bench.run(&["init", "k.cl", "--allow-unchecked", "data-race"]).code(0));
    assert_mentions(&found, &["wrong-code: oclgrind", "pocl -cl-opt-disable", "agrees"]);
    let recipe = bench.read("k.toml");
    assert_mentions(&recipe, &["preset = \"wrong-code\"", "device = \"oclgrind\"\naccused = true"]);
    assert_mentions(&recipe, &["allow-unchecked = [\"data-race\"]"]);
    bench.run(&["explain", "--test", "k.toml", "k.cl"]).code(0);
    assert_mentions(&stderr(&bench.run(&["init", "k.cl"]).code(1)), &["k.toml", "already exists"]);

    let folder = Path::new(env!("CARGO_BIN_EXE_clreduce")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    for (language, script) in [("shell", "k.sh"), ("python", "k.py"), ("powershell", "k.ps1")] {
        bench.run(&["init", "k.cl", "--script", language]).code(0);
        if script == "k.ps1" {
            assert_mentions(&bench.read(script), &["& clreduce 'run' 'k.cl'", "$LASTEXITCODE"]);
            continue;
        }
        let judge = |kernel: &str| {
            bench.write("k.cl", kernel);
            let mut command = std::process::Command::new(bench.path(script));
            command.current_dir(bench.path("")).env("PATH", &path).env("TMPDIR", bench.temporary());
            command.status().unwrap().success()
        };
        assert!(!judge(&MAD_SAT.replace("mad_sat(a, b, 0L)", "a * b")), "{script} judges");
        assert!(judge(MAD_SAT), "{script} finds the kernel interesting");
    }
}

#[test]
fn a_result_that_depends_on_the_order_of_work_items_is_never_wrong() {
    let bench = Bench::new();
    bench.write(
        "k.cl",
        "// -g 8,1,1 -l 2,1,1\n__kernel void entry(__global ulong *result) {\n  \
         volatile __global uint *r = (volatile __global uint *)result;\n  \
         atomic_xchg(&r[1 + atomic_inc(&r[0])], get_global_id(0));\n}\n",
    );
    let unresolved = bench.run(&["check", "k.cl", "--only", "sanitize"]).code(3);
    assert_mentions(&stdout(&unresolved), &["order-dependence: `result[0]` is 0x8 if"]);
    assert_mentions(&stderr(&unresolved), &["the result depends on the order", "is legal"]);
    bench.write(
        "r.toml",
        "preset = \"wrong-code\"\n[[configuration]]\ndevice = \"host\"\n[outcome]\nreference = \"0x7,\"\n",
    );
    let refused = stderr(&bench.run(&["k.cl", "--test", "r.toml"]).code(1));
    assert_mentions(&refused, &["`sanitize` rejects the original", "order-dependence"]);
    bench.assert_nothing_left();
}

#[test]
fn init_does_not_offer_to_reduce_the_crash_of_a_kernel_that_is_not_valid() {
    let bench = Bench::new();
    let kernel = "// -g 16,16 -l 16,16\nkernel void image(global float *out, int height) {\n  \
                  out[-1 - (int)(height * 4096 * get_global_id(0) + height * get_global_id(1))] = 1;\n}\n";
    bench.write("image.cl", kernel);
    let refused = stderr(&bench.run(&["init", "image.cl"]).code(1));
    let parts = [
        "not valid with these arguments, which clreduce has chosen",
        "image.cl:3: out-of-bounds",
        "image.args.toml",
    ];
    assert_mentions(&refused, &parts);
    assert!(!refused.contains("let its message be the test"), "{refused}");
}

#[test]
fn init_says_when_nothing_is_wrong() {
    let bench = Bench::new();
    bench.write("k.cl", MAD_SAT.replace("mad_sat(a, b, 0L)", "7"));
    let refused = stderr(&bench.run(&["init", "k.cl"]).code(1));
    assert_mentions(&refused, &["no bug was found", "configurations agree on its result", "all "]);
    // PoCL does not launch a kernel with this name.
    bench.write("k.cl", MAD_SAT.replace("mad_sat(a, b, 0L)", "7").replace("entry", "mix"));
    let refused = stderr(&bench.run(&["init", "k.cl"]).code(1));
    let parts = [
        "configurations fail, and",
        "agree on its result",
        "named like the built-in function `mix`",
        "--interesting-stderr",
    ];
    assert_mentions(&refused, &parts);
    assert_eq!(bench.names(), ["k.cl"]);
    let pattern = refused.split("--interesting-stderr ").nth(1).unwrap().trim();
    let clreduce = env!("CARGO_BIN_EXE_clreduce");
    let test = format!("{clreduce} run {{file}} --device-name pocl");
    bench.reduce(&[
        "k.cl",
        "--test",
        &test,
        "--interesting-stderr",
        pattern.trim_matches('\''),
        "--max-steps",
        "1",
    ]);
}

#[test]
fn prepare_makes_one_small_file() {
    let bench = Bench::new();
    let kernel = MAD_SAT.replace("-g 2,1,1 -l 1,1,1", "-g 12,1,1 -l 3,1,1");
    let kernel =
        kernel.replacen('\n', "\n#include \"types.h\"\n", 1).replace("long a = 1L", "big a = ONE");
    bench.write("types.h", "typedef long big;\n#define ONE 1L\n#define __unused_here 1\n");
    // Compilers of devices do not find the header beside the kernel by themselves.
    let options = ["--", &format!("-I{}", bench.path("").display())];
    bench.write("k.cl", &kernel);
    let done = bench.run(&[&["prepare", "k.cl"][..], &options].concat()).code(0);
    assert_mentions(&stdout(&done), &["preprocessed", "work-items: 12 -> 1", "written: k.cl"]);
    let prepared = bench.read("k.cl");
    assert!(!prepared.contains('#') && prepared.starts_with("// -g 1"), "{prepared}");
    assert_mentions(&prepared, &["typedef long big;", "big a = 1L"]);
    assert_eq!(bench.read("k.cl.orig"), kernel);

    let again = bench.run(&[&["prepare", "k.cl"][..], &options].concat()).code(0);
    assert_mentions(&stdout(&again), &["nothing to prepare"]);
    assert_eq!(bench.read("k.cl"), prepared);
}

/// The host stands for a device with a bug: with `BUG`, its result is wrong.
const FOR_A_DEVICE: &str = "\
__device__ unsigned low_on_host(unsigned a) { return a & 255; }
__device__ unsigned low(unsigned a) {
#ifdef __CUDA_ARCH__
  unsigned r;
  asm(\"bfe.u32 %0, %1, 0, 8;\" : \"=r\"(r) : \"r\"(a));
  return r;
#else
  return low_on_host(a);
#endif
}
__global__ void k(unsigned *p) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  p[id] = low(p[id]);
#ifdef BUG
  p[id] = 7;
#endif
}
";

#[test]
fn what_only_a_device_executes_stays_as_it_is_or_goes() {
    let bench = Bench::new();
    bench.write("k.cu.orig", FOR_A_DEVICE);
    let host = "[[configuration]]\ndevice = \"host\"\n";
    bench.write(
        "r.toml",
        format!("preset = \"wrong-code\"\n{host}{host}options = \"-DBUG\"\naccused = true\n"),
    );
    let explain = |from: &str, to: &str, code: i32| {
        let variant = FOR_A_DEVICE.replace(from, to);
        assert!(from.is_empty() || variant != FOR_A_DEVICE);
        bench.write("k.cu", variant);
        stdout(&bench.run(&["explain", "--test", "r.toml", "k.cu"]).code(code))
    };
    assert_mentions(&explain("", "", 0), &["\ninteresting\n"]);
    let changed = explain("\"r\"(a)", "\"r\"(1)", 1);
    assert_mentions(&changed, &["uninteresting: stage `sanitize`", "only a device executes this"]);
    explain("  return r;\n", "", 1);
    explain("#else\n", "", 1);
    let emptied = explain("{ return a & 255; }", "{ return 0; }", 1);
    assert_mentions(&emptied, &["uninteresting: stage `sanitize`", "only a device executes this"]);
    // All of it may go, and what a host executes may change.
    let start = FOR_A_DEVICE.find("#ifdef").unwrap()..FOR_A_DEVICE.find("#endif\n}").unwrap();
    explain(&FOR_A_DEVICE[start], "return a & 15;\n#if 1\n", 0);
    explain("low(p[id])", "low(1)", 0);
}

#[test]
fn a_kernel_that_crashes_when_it_runs_has_to_be_valid() {
    let bench = Bench::new();
    bench.write("k.cl", "kernel void k(global int *p) { global int *q = 0; *q = p[0]; }\n");
    let crash = "preset = \"crash\"\n[[configuration]]\ndevice = \"pocl\"\naccused = true\n";
    bench.write("r.toml", crash);
    let explain = |code: i32| bench.run(&["explain", "--test", "r.toml", "k.cl"]).code(code);
    explain(0);
    bench.write("r.toml", format!("{crash}[outcome]\nclass = \"run_crash\"\n"));
    assert_mentions(&stderr(&explain(1)), &["the stage `sanitize` rejects the original", "null"]);
}
