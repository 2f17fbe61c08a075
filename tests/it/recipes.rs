//! Recipes: with compilers that crash, hang and lie on demand, and with the real PoCL, Oclgrind and clang.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::support::{Bench, assert_mentions, stderr, stdout};
use clreduce_recipe::Recipe;
use regex::Regex;

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

/// A compiler that reads memory which was not written crashes in one place, now with a signal and now with a message.
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
    let done = bench.reduce(&["p.c", "--test", "r.toml", "-j", "1", "--writable", "."]);
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

/// The compiler and the stage wait for each other, so that one after the other they would never end.
#[test]
fn the_original_goes_through_checks_and_configurations_side_by_side() {
    let bench = bench();
    let folder = bench.path("met").display().to_string();
    fs::create_dir(&folder).unwrap();
    let meet = |own: &str, other: &str| {
        format!("touch {folder}/{own}; until [ -e {folder}/{other} ]; do sleep 0.01; done")
    };
    let recipe = |build: &str, stage: &str| {
        format!(
            "preset = \"crash\"\n[[configuration]]\nbuild = \"{build}\"\n[[stage]]\ncommand = \"{stage}\"\n"
        )
    };
    let compiler = bench.path("cc.sh").display().to_string();
    let build = format!("{}; {compiler} {{file}}", meet("build", "stage"));
    bench.write("r.toml", recipe(&build, &meet("stage", "build")));
    bench.reduce(&["p.c", "--test", "r.toml", "-j", "2", "--sandbox", "off"]);
    assert!(bench.read("p.c").contains("boom"));
    // An outcome without the bug ends the stage.
    bench.write("p.c", PROGRAM);
    fs::remove_file(bench.path("met/stage")).unwrap();
    let stage = format!("touch {folder}/stage; sleep 50; touch {folder}/ended");
    bench.write("r.toml", recipe(&meet("build", "stage"), &stage));
    let args = ["p.c", "--test", "r.toml", "-j", "2", "--sandbox", "off", "--fresh"];
    let refused = stderr(&bench.run(&args).code(1));
    assert_mentions(&refused, &["does not show `crash`"]);
    assert!(!bench.path("met/ended").exists());
}

#[test]
fn the_language_that_the_user_says_reaches_recipes_explanations_and_reports() {
    let bench = bench();
    bench.write(
        "k.txt",
        "int unused() { return 2; }\nint f() { int boom = 3; return boom; }\nkernel void k(global int *p) { *p = f(); }\n",
    );
    bench.write("r.toml", crash_recipe(&bench, "[[stage]]\ncheck = \"compile\"\n"));
    let args = ["k.txt", "--test", "r.toml"];
    let refused = bench.run(&args).code(1);
    assert_mentions(&stderr(&refused), &["`compile`", "kernels in OpenCL and CUDA"]);
    let said = [&args[..], &["--lang", "opencl"]].concat();
    bench.reduce(&said);
    // What is left is a program, because the stage reads every variant; as a text it would lose more.
    let result = bench.read("k.txt");
    assert!(result.contains("boom") && result.contains("()") && result.contains('}'), "{result}");
    assert!(!result.contains("unused"), "{result}");
    for command in ["explain", "report"] {
        assert_mentions(
            &stderr(&bench.run(&[&[command], &args[..]].concat()).code(1)),
            &["kernels in"],
        );
        bench.reduce(&[&[command], &said[..]].concat());
    }
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
            &["does not show `build-failure`", "choose another preset"],
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
    bench.write("p.cu.orig", PROGRAM.replace("cuda_runtime.h", "cuda_bf16.h"));
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
