//! Which part of a compiler is wrong, as `clreduce init -- COMMAND` finds it: real compilers, and planted ones that behave like
//! clang with its tools.

#![cfg(target_os = "linux")]

use std::fs;

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// clang cannot copy between memories of other segments without SSE.
const SEGMENTS: &str = "\
typedef struct { long values[30]; } block;
typedef __attribute__((address_space(256))) block far;
static int unused(int n) { return n * n + 1; }
void copy(far *to, block *from) { *to = *from; }
int other(int n) { return unused(n) + n; }
";

/// Lists its passes as `-opt-bisect-limit` does, and crashes in the third on what contains `boom`. IR is the program itself.
const CLANG: &str = "#!/bin/sh
limit=-1
for word; do
  case $word in
    -E) cat \"$file\" p.c 2>/dev/null; exit;;
    -O0 | -fsyntax-only | -disable-llvm-passes) limit=0;;
    -opt-bisect-limit=*) [ $limit = 0 ] || limit=${word#*=}; list=1;;
    *.c | *.i | *.ll) file=$word;;
  esac
done
number=0
for pass in 'SROAPass on f' 'LoopSimplifyPass on f' 'LoopVectorizePass on <unnamed loop>' 'GVNPass on f'; do
  number=$((number + 1))
  [ $limit = -1 ] || [ $number -le $limit ] || break
  [ -z \"$list\" ] || echo \"BISECT: running pass ($number) $pass\" >&2
  if [ $number = 3 ] && grep -q boom \"$file\"; then
    echo \"clang: a.cpp:3: void f(): Assertion \\`planted' failed.
PLEASE submit a bug report\" >&2
    exit 134
  fi
done
case \"$*\" in *'-o -'*) cat \"$file\";; esac
";

/// Crashes in its pass `loop-vectorize`, and in no other.
const OPT: &str = "#!/bin/sh
for word; do
  case $word in
    -print-pipeline-passes) echo 'function(sroa,loop-vectorize<interleave>)'; exit;;
    -passes=loop-vectorize*) vectorizes=1;;
    *.ll) file=$word;;
  esac
done
[ -n \"$vectorizes\" ] && grep -q boom \"$file\" || exit 0
echo \"opt: a.cpp:3: void f(): Assertion \\`planted' failed.
PLEASE submit a bug report\" >&2
exit 134
";

const PLANTED: &str = "int a;\nint boom;\nint b;\n";

#[test]
fn the_part_of_a_real_compiler_and_its_command_are_found() {
    let bench = Bench::new();
    bench.write("seg.c", SEGMENTS);
    let args = ["init", "--", "clang", "-O1", "-mno-sse", "-c", "seg.c"];
    let found = stdout(&bench.run(&args).code(0));
    let parts = [
        "wrong part: back end, pass X86 DAG->DAG Instruction Selection, on copy",
        "the stage alone: llc -O1 seg.ll",
        "clreduce seg.ll --test seg.ll.toml",
    ];
    assert_mentions(&found, &parts);
    let component =
        "[component]\nstage = \"back-end\"\npass = \"X86 DAG->DAG Instruction Selection\"";
    assert_mentions(&bench.read("seg.toml"), &[component, "command = \"llc -O1 seg.ll\""]);
    bench.reduce(&["seg.ll", "--test", "seg.ll.toml", "-j2"]);
    let left = bench.read("seg.ll");
    let instructions = left.lines().filter(|line| line.starts_with("  ")).count();
    assert!(left.contains("addrspace(256)") && instructions <= 4, "{left}");
    bench.reduce(&["seg.c", "--test", "seg.toml", "--max-steps", "20"]);
    let title = "DAG Instruction Selection crashes in clang: ";
    assert_mentions(&bench.read("seg.c.report.md"), &[title, "## Component", "llc -O1 seg.ll"]);
    bench.assert_nothing_left();
}

#[test]
fn a_pass_is_found_by_leaving_out_the_later_ones() {
    let bench = Bench::new();
    let clang = bench.script("bin/clang-99", CLANG);
    bench.script("bin/opt-99", OPT);
    bench.write("p.c", PLANTED);
    let args = ["init", "--", clang.to_str().unwrap(), "-O2", "-c", "p.c"];
    let found = stdout(&bench.run(&args).code(0));
    let parts = [
        "wrong part: optimiser, pass LoopVectorize, on f",
        "-passes=loop-vectorize<interleave> p.ll",
    ];
    assert_mentions(&found, &parts);
    bench.reduce(&["p.ll", "--test", "p.ll.toml"]);
    assert_eq!(bench.read("p.ll").trim(), "boom");
    bench.reduce(&["p.c", "--test", "p.toml"]);
    let title = "/bin/clang-99: assertion planted";
    assert_mentions(
        &bench.read("p.c.report.md"),
        &["# LoopVectorize crashes in ", title, "-passes=loop-vectorize<interleave> p.ll"],
    );
}

#[test]
fn the_stage_to_reduce_can_be_chosen() {
    let bench = Bench::new();
    let clang = bench.script("bin/clang-99", CLANG);
    bench.script("bin/opt-99", OPT);
    bench.write("p.c", PLANTED);
    let init =
        |stage| ["init", "--stage", stage, "--", clang.to_str().unwrap(), "-O2", "-c", "p.c"];
    let found = stdout(&bench.run(&init("source")).code(0));
    assert!(found.contains("pass LoopVectorize") && !bench.path("p.ll").exists(), "{found}");
    fs::remove_file(bench.path("p.toml")).unwrap();
    let found = stdout(&bench.run(&init("ir")).code(0));
    assert_mentions(&found, &["clreduce p.ll --test p.toml"]);
    fs::remove_file(bench.path("p.toml")).unwrap();
    let said = stderr(&bench.run(&init("asm")).code(0));
    assert_mentions(&said, &["no such stage shows the bug alone, so the source is reduced"]);
}

#[test]
fn what_is_missing_is_said_in_a_line_and_the_program_is_reduced() {
    let bench = Bench::new();
    let clang = bench.script("bin/clang-99", CLANG);
    bench.write("p.c", PLANTED);
    let done = bench.run(&["init", "--", clang.to_str().unwrap(), "-O2", "-c", "p.c"]).code(0);
    assert_mentions(&stdout(&done), &["pass LoopVectorize, on f", "clreduce p.c --test p.toml"]);
    assert_mentions(&stderr(&done), &["there is no `opt-99`", "apt-get install llvm-99"]);
    assert!(!bench.path("p.ll").exists());
    fs::remove_file(bench.path("p.toml")).unwrap();
    // One that does not know the options of LLVM.
    let other = CLANG.replace("-opt-bisect-limit=*)", "-opt-bisect-limit=*) exit 1;; -unknown)");
    bench.script("bin/clang-99", &other);
    let done = bench.run(&["init", "--", clang.to_str().unwrap(), "-O2", "-c", "p.c"]).code(0);
    assert_mentions(&stderr(&done), &["which part of the compiler is wrong is not known"]);
    bench.reduce(&["p.c", "--test", "p.toml"]);
    assert_eq!(bench.read("p.c").trim(), "int boom;");
}

#[test]
fn the_first_pass_with_a_wrong_result_is_found_and_confirmed() {
    let bench = Bench::new();
    // The work of the 37th of 60 passes changes a number.
    let clang = bench.script(
        "bin/clang-99",
        "#!/bin/sh
limit=60
for word; do
  case $word in
    -E) exec clang \"$@\";;
    -O0) limit=0;;
    -opt-bisect-limit=-1) list=1;;
    -opt-bisect-limit=*) limit=${word#*=};;
    *.c | *.i) file=$word;;
  esac
done
for number in $(seq 60); do
  [ -z \"$list\" ] || echo \"BISECT: running pass ($number) Number${number}Pass on main\" >&2
done
[ $limit -ge 37 ] && wrong=2 || wrong=1
sed \"s/41 + 1/41 + $wrong/\" \"$file\" >edited.c
clang -w edited.c -o output
",
    );
    let program =
        "int printf(const char *, ...);\nint main(void) { printf(\"%d\\n\", 41 + 1); return 0; }\n";
    bench.write("p.c", program);
    let args = ["init", "--run", "--", clang.to_str().unwrap(), "-O2", "p.c"];
    let found = stdout(&bench.run(&args).code(0));
    assert_mentions(&found, &["optimiser, pass Number37, on main; first wrong at 37 of 60"]);
    assert_mentions(&bench.read("p.toml"), &["first-wrong = \"37 of 60\""]);
    bench.reduce(&["p.c", "--test", "p.toml", "--max-steps", "5"]);
    assert_mentions(
        &bench.read("p.c.report.md"),
        &["# Number37 of ", "clang-99 compiles a program wrongly: 43 instead of 42"],
    );
}
