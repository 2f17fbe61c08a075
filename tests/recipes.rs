//! Recipes: with compilers that crash, hang and lie on demand, and with the real PoCL, Oclgrind and clang.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::Path;

use clreduce_recipe::Recipe;
use regex::Regex;
use support::{Bench, assert_mentions, stderr, stdout};

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

/// A compiler that dies of `boom` and otherwise of `bang`, refuses what has no function, and hangs on `spin`.
const COMPILER: &str = "#!/bin/sh
[ -f \"$1\" ] || exit 1
grep -q '()' \"$1\" || { echo \"$1:1:1: error: no function\" >&2; exit 1; }
grep -q spin \"$1\" && sleep 1000
grep -q boom \"$1\" && { echo \"cc: x.c:7: f: Assertion \\`boom == 1' failed.\" >&2; kill -6 $$; }
grep -q bang \"$1\" && { echo \"cc: x.c:9: f: Assertion \\`bang == 2' failed.\" >&2; kill -6 $$; }
exit 0
";

const PROGRAM: &str = "int a;\nint bang;\nint boom;\nint b = 3;\nint main() { return b; }\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.script("cc.sh", COMPILER);
    bench.write("p.c", PROGRAM);
    bench
}

fn crash_recipe(bench: &Bench, more: &str) -> String {
    let compiler = bench.path("cc.sh");
    format!(
        "preset = \"crash\"\n[[configuration]]\nbuild = \"{} {{file}}\"\n{more}",
        compiler.display()
    )
}

#[test]
fn a_crash_is_reduced_and_does_not_slip() {
    let bench = bench();
    bench.write("r.toml", crash_recipe(&bench, ""));
    let done =
        bench.reduce(&["p.c", "--test", "r.toml", "--summary", "s.json", "--allow-slippage"]);
    assert_mentions(&stderr(&done), &["build crash", "assertion boom == 1"]);
    let result = bench.read("p.c");
    assert!(result.contains("boom") && !result.contains("bang"), "{result}");
    let stages = &bench.json("s.json")["stages"];
    assert_eq!(stages[0]["name"], "outcome");
    assert!(stages[0]["rejected"].as_u64().unwrap() > 0, "{stages}");
    // Without `boom` it dies of `bang`: another bug, kept for later.
    let slipped: Vec<String> = fs::read_dir(bench.path("p.c.slipped"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    assert!(
        !slipped.is_empty() && slipped.iter().all(|text| text.contains("bang == 2")),
        "{slipped:?}"
    );
    bench.assert_nothing_left();
}

/// A compiler that reads memory which nobody has written crashes in one place, now with a signal and now with a message.
#[test]
fn a_crash_that_ends_in_two_ways_is_one_bug() {
    const STACK: &str = "Stack dump:\n1.\tRunning pass 'X86 FP Stackifier' on function '@f'\n \
        #0 0x01 llvm::sys::PrintStackTrace() (/lib/cc.so+0x1)\n #1 0x02 runOnFunction() (/lib/cc.so+0x2)\n";
    let bench = Bench::with_bug();
    bench.write("stack", STACK);
    let (stack, turn) = (bench.path("stack"), bench.path("turn"));
    let compiler = bench.script(
        "cc.sh",
        &format!(
            "grep -q needle \"$1\" || exit 0\ncat {stack} >&2\n\
             if mkdir {turn} 2>/dev/null; then echo 'error: error in backend: Access past stack top!' >&2; exit 70; fi\n\
             rmdir {turn}\nkill -SEGV $$\n",
            stack = stack.display(),
            turn = turn.display()
        ),
    );
    let recipe = format!(
        "preset = \"crash\"\n[[configuration]]\nbuild = \"{} {{file}}\"\n",
        compiler.display()
    );
    bench.write("r.toml", recipe);
    let run = bench.reduce(&["bug.c", "--test", "r.toml"]).code(0);
    assert!(!stderr(&run).contains("flaky"), "{}", stderr(&run));
    assert_eq!(bench.read("bug.c").trim(), "needle");
}

#[test]
fn a_hang_is_reduced_to_what_hangs() {
    let bench = bench();
    bench.write("p.c", "int a;\nint spin;\nint main() { return 0; }\n");
    let recipe = crash_recipe(&bench, "timeout = \"500ms\"\n").replace("crash", "hang");
    bench.write("r.toml", recipe);
    bench.reduce(&["p.c", "--test", "r.toml", "-j", "4"]);
    let result = bench.read("p.c");
    assert!(result.contains("spin") && !result.contains("int a"), "{result}");
}

#[test]
fn wrong_code_of_a_compiler_keeps_its_witnesses() {
    let bench = bench();
    // The wrong one forgets a sign; both print nothing for what they do not understand.
    let compiler = |wrong: &str| {
        format!(
            "#!/bin/sh\nprintf '#!/bin/sh\\n%s\\n' \"grep -o 'print -*[0-9]' p.c {wrong}; true\" > out; chmod +x out\n"
        )
    };
    bench.script("right.sh", &compiler(""));
    bench.script("wrong.sh", &compiler("| tr -d -"));
    bench.write("p.c", "int a;\nint b;\nint c = 1;\nprint -1\n");
    let configuration = |name: &str, more: &str| {
        let path = bench.path(&format!("{name}.sh"));
        format!(
            "[[configuration]]\nname = \"{name}\"\nbuild = \"{}\"\nrun = \"./out\"\n{more}",
            path.display()
        )
    };
    let two = [configuration("wrong", "accused = true\n"), configuration("right", "")].concat();
    bench.write(
        "r.toml",
        format!(
            "preset = \"wrong-code\"\n{two}[[stage]]\ncommand = \"grep -q 'int b' {{file}}\"\n"
        ),
    );
    bench.reduce(&["p.c", "--test", "r.toml"]);
    let result = bench.read("p.c");
    assert!(result.contains("print -") && result.contains("int b"), "{result}");
    assert!(!result.contains("int c"), "{result}");
    // The other way round, the original does not show it.
    bench.write("p.c", "int a;\nprint 1\n");
    let refused = bench.run(&["p.c", "--test", "r.toml", "--output", "o.c"]).code(1);
    assert_mentions(&stderr(&refused), &["does not show `wrong-code`", "the same result as wrong"]);
}

#[test]
fn a_flaky_device_is_asked_again() {
    let bench = bench();
    bench.write("p.c", "int a;\nint rare;\nint boom;\nint b;\nint c;\nint main() { return b; }\n");
    let count = bench.path("count");
    // Every third time it forgets to die of `boom`, and dies of `rare`.
    let script = format!(
        "#!/bin/sh\necho x >> {count}\n\
         if [ $(( $(wc -l < {count}) % 3 )) -eq 0 ]; then word=rare; else word=boom; fi\n\
         grep -q $word \"$1\" || exit 0\necho \"Assertion \\`x' failed.\" >&2\nkill -6 $$\n",
        count = count.display()
    );
    bench.script("moody.sh", &script);
    let recipe = crash_recipe(&bench, "").replace("cc.sh", "moody.sh");
    bench.write("r.toml", format!("{recipe}[outcome]\nconfirm = \"2 of 3\"\n"));
    let done = bench.reduce(&["p.c", "--test", "r.toml", "-j", "1"]);
    // Without it, `rare` alone would have been interesting now and then, and now and then not.
    let result = bench.read("p.c");
    assert!(result.contains("boom") && !result.contains("rare"), "{result}");
    assert!(!stderr(&done).contains("flaky"), "{}", stderr(&done));
}

#[test]
fn variants_of_one_program_are_compared() {
    let bench = bench();
    let configuration = |name: &str, build: &str| {
        format!("[[configuration]]\nname = \"{name}\"\nbuild = \"{build}\"\nrun = \"cat out\"\n")
    };
    let recipe = [
        "preset = \"emi\"\n".to_owned(),
        configuration("wrong", "grep -q boom {file} && echo {options} > out || echo 1 > out"),
        configuration("right", "echo 1 > out"),
        "[[variant]]\noptions = \"one\"\n[[variant]]\noptions = \"two\"\n".to_owned(),
    ];
    bench.write("r.toml", recipe.concat());
    let done = bench.reduce(&["p.c", "--test", "r.toml"]);
    assert_mentions(
        &stderr(&done),
        &["pinned: wrong", "the programs must have the same result with right"],
    );
    let result = bench.read("p.c");
    assert!(result.contains("boom") && !result.contains("main"), "{result}");
}

#[test]
fn a_tool_that_crashes_says_nothing() {
    let bench = bench();
    let stage = "[[stage]]\nname = \"tool\"\ncommand = \"grep -q 'int a' {file} || kill -11 $$\"\n";
    bench.write("r.toml", crash_recipe(&bench, stage));
    bench.reduce(&["p.c", "--test", "r.toml", "--summary", "s.json"]);
    assert!(bench.read("p.c").contains("int a"), "unresolved is not interesting");
    let summary = bench.json("s.json");
    assert_eq!(summary["stages"][0]["name"], "tool");
    assert!(summary["stages"][0]["unresolved"].as_u64().unwrap() > 0, "{summary}");
    assert!(summary["unresolved"].as_u64().unwrap() > 0, "{summary}");
}

#[test]
fn an_interrupted_run_goes_on_with_what_it_found_out() {
    let bench = bench();
    bench.write("r.toml", crash_recipe(&bench, ""));
    let args = ["p.c", "--test", "r.toml", "--events", "e.jsonl"];
    bench.reduce(&[&args[..], &["--max-steps", "2"]].concat());
    let journal = bench.read("p.c.clreduce/journal");
    assert_mentions(&journal, &["the calibration of the recipe", "boom == 1"]);
    let again = bench.reduce(&args);
    assert!(!stderr(&again).contains("pinned"), "{}", stderr(&again));
    let result = bench.read("p.c");
    let keys = bench.keys("e.jsonl");
    bench.write("p.c", PROGRAM);
    bench.reduce(&args);
    assert_eq!((bench.read("p.c"), bench.keys("e.jsonl")), (result, keys));
}

#[test]
fn a_bad_recipe_is_refused_before_anything_happens() {
    let bench = bench();
    let crash = |more: &str| crash_recipe(&bench, more);
    let cases = [
        (crash("timeot = \"1s\"\n"), 2, &["line 4", "timeot", "`timeout`"][..]),
        (crash("[[stage]]\ncheck = \"sanitize\"\n"), 1, &["line 4", "OpenCL", "`command`"]),
        (
            crash("").replace(&*bench.path("cc.sh").to_string_lossy(), "clang-99"),
            1,
            &["line 3", "clang-99", "clang-"],
        ),
        (
            "preset = \"crash\"\n[[configuration]]\ndevice = \"no such\"\n".to_owned(),
            1,
            &["line 3", "no such", "Portable"],
        ),
        (crash("memory = \"9000G\"\n"), 1, &["memory"]),
        (
            crash("[[stage]]\ncommand = \"grep -q nothing {file}\"\n"),
            1,
            &["line 4", "rejects the original", "required = false"],
        ),
        (
            crash("").replace("crash", "build-failure"),
            1,
            &["does not show `build-failure`", "clreduce init"],
        ),
        (crash("[outcome]\nmessage = \"bang\"\n"), 1, &["a different build crash"]),
    ];
    for (recipe, code, parts) in cases {
        bench.write("r.toml", &recipe);
        let refused = stderr(&bench.run(&["p.c", "--test", "r.toml"]).code(code));
        assert_mentions(&refused, parts);
        assert_eq!(bench.read("p.c"), PROGRAM);
        assert_eq!(bench.names(), ["cc.sh", "p.c", "r.toml"], "{refused}");
    }
    bench.write("r.toml", crash(""));
    for option in
        ["--timeout=5", "--memory-limit=1G", "--interesting-stderr=x", "--also-interesting=3"]
    {
        let refused = stderr(&bench.run(&["p.c", "--test", "r.toml", option]).code(2));
        assert_mentions(&refused, &["cannot be used with a recipe", "help: "]);
    }
    bench.assert_nothing_left();
}

#[test]
fn cuda_is_read_by_clang_as_the_accused_reads_it() {
    const PROGRAM: &str = "#include <cuda_runtime.h>\n__device__ int f(int a) {\n#ifdef BUG\n  int boom = a;\n\
                           #endif\n  return a;\n}\n__global__ void g(int *p) { *p = f(1); }\n\
                           int main() { g<<<1, 1>>>(nullptr); }\n";
    let bench = bench();
    bench.write("p.cu", PROGRAM);
    bench.write("r.toml", crash_recipe(&bench, "").replace("{file}", "{file} -DBUG"));
    let explain = |code| stdout(&bench.run(&["explain", "--test", "r.toml", "p.cu"]).code(code));
    assert_mentions(&explain(0), &["compile", "holds", "\ninteresting\n"]);
    bench.write("p.cu.orig", PROGRAM);
    bench.write("p.cu", PROGRAM.replace("#endif\n  return a", "return a;\n#else\n#endif"));
    assert_mentions(&explain(0), &["\ninteresting\n"]);
    bench.write("p.cu", PROGRAM.replace("#endif\n  return", "#else\n  return a;\n#endif\n  a ="));
    assert_mentions(&explain(1), &["uninteresting: stage `compile`", "-Wreturn-type"]);
    // Clang does not judge in variants what it cannot read in the original.
    bench.write("p.cu.orig", PROGRAM.replace("cuda_runtime.h", "cuda_fp16.h"));
    let shown = bench.run(&["explain", "--test", "r.toml", "p.cu"]).code(0);
    assert!(!stdout(&shown).contains("compile"), "{}", stdout(&shown));
    assert_mentions(&stdout(&shown), &["\ninteresting\n"]);
}

#[test]
fn an_advisory_stage_that_rejects_the_original_is_switched_off() {
    let bench = bench();
    let stage = "[[stage]]\nname = \"mistaken\"\ncommand = \"exit 1\"\nrequired = false\n";
    bench.write("r.toml", crash_recipe(&bench, stage));
    let done = bench.reduce(&["p.c", "--test", "r.toml"]);
    assert_mentions(
        &stderr(&done),
        &["warning", "`mistaken` rejects the original and is switched off"],
    );
}

#[test]
fn explain_shows_every_stage() {
    let bench = bench();
    let stage = "[[stage]]\nname = \"has main\"\ncommand = \"grep -q main {file}\"\n";
    bench.write("r.toml", crash_recipe(&bench, stage));
    let shown = stdout(&bench.run(&["explain", "--test", "r.toml", "p.c"]).code(0));
    assert_mentions(&shown, &["has main", "holds", "outcome", "build crash", "\ninteresting\n"]);
    bench.write("p.c.orig", PROGRAM);
    bench.write("p.c", "int bang;\nint f() { return 0; }\n");
    let shown = stdout(&bench.run(&["explain", "--test", "r.toml", "p.c"]).code(1));
    assert_mentions(
        &shown,
        &["no: ", "another bug: ", "bang == 2", "uninteresting: stage `has main`"],
    );
}

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
    bench.write("r.toml", format!("{MAD_SAT_RECIPE}[[configuration]]\ndevice = \"host\"\n"));
    let (path, log) = logging_clang(&bench);
    let args = ["k.cl", "--test", "r.toml", "-j", "2", "--summary", "s.json"];
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
    // The sanitizers look for all that Oclgrind would, and are faster.
    assert!(!stdout(&done).contains("simulate"), "{}", stdout(&done));
    let result = bench.read("k.cl");
    assert!(result.contains("mad_sat") && !result.contains("twice"), "{result}");
    let run = |device: &str| stdout(&bench.run(&["run", "k.cl", "--device-name", device]).code(0));
    assert_ne!(run("oclgrind"), run("pocl"));
    bench.run(&["check", "k.cl"]).code(0);
    bench.assert_nothing_left();
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
    // One work-item has nobody to race with.
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
    for (option, script) in [("--shell", "k.sh"), ("--python", "k.py"), ("--powershell", "k.ps1")] {
        bench.run(&["init", "k.cl", option]).code(0);
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
}

#[test]
fn recipes_of_the_manual_are_recipes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/recipes.md");
    let page = fs::read_to_string(page).unwrap();
    let block = Regex::new(r"(?s)```toml\n(.*?)```").unwrap();
    let recipes: Vec<&str> =
        block.captures_iter(&page).map(|found| found.get(1).unwrap().as_str()).collect();
    assert!(recipes.len() >= 6, "{}", recipes.len());
    for recipe in recipes {
        let parsed = Recipe::parse("docs/recipes.md".as_ref(), recipe);
        assert!(parsed.is_ok(), "{}\n{recipe}", parsed.unwrap_err());
    }
}
