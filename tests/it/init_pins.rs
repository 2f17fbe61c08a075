//! What `clreduce init -- COMMAND` pins, and that it always writes a recipe where the compiler fails: real compilers with bugs of
//! their own.

#![cfg(target_os = "linux")]

use std::fs;

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// clang 13 to 19 cannot make code of one of two blocks.
const BLOCKS: &str = "\
kernel void launch(global int *out, int which) {
    void (^one)(void) = ^{ out[0] = VALUE; };
    void (^two)(void) = ^{ out[0] = 2; };
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), which ? one : two);
}
";

/// gcc 12 without names of its functions dies in the pass `ssa`.
const NESTED: &str = "\
int main(void)
{
    int i, j;
    void inner(void)
    {
#pragma omp for simd collapse(2)
        for (i = 0; i < 4; i++)
            for (j = 0; j < 4; j++)
                ;
    }
    inner();
    return 0;
}
";

/// clang 19 dies of the sum in its front end. The macro is that of clang's own tests.
const NO_HEADERS: &str = "\
#define __global__ __attribute__((global))
#define READ(x) ({ x; })
typedef _Atomic unsigned char level_t;
static level_t users;
__global__ void scale(float *v, float by) { v[0] *= by; }
int next_user() { return READ(users) + 1; }
";

/// clang 19 compares the type of the constant with itself without end.
const ENDLESS: &str = "\
#include <stddef.h>
struct device {
    device();
};
constexpr struct device spare;
static size_t unused(size_t n) { return n + 1; }
";

/// Runs `init` on a file, and returns what it prints on standard output and standard error.
fn init(bench: &Bench, more: &[&str], command: &[&str]) -> [String; 2] {
    let done = bench.run(&[&["init"], more, &["--"], command].concat()).code(0);
    [stdout(&done), stderr(&done)]
}

#[test]
fn the_checks_of_a_kernel_read_it_as_the_command_does() {
    let bench = Bench::new();
    bench.write("inc/value.h", "#define VALUE ONE\n");
    bench.write("launch.cl", format!("#include \"value.h\"\n{BLOCKS}"));
    let command = ["clang-19", "-cl-std=CL2.0", "-target", "spir64", "-Xclang"];
    let more = ["-finclude-default-header", "-Iinc", "-D", "ONE=1", "-c", "launch.cl"];
    let [found, said] = init(&bench, &[], &[&command[..], &more].concat());
    assert_mentions(&found, &["crash: clang-19", "clreduce launch", "launch.toml"]);
    assert!(!said.contains("switched off"), "{said}");
    let name = found.lines().find_map(|line| line.strip_prefix("reduce:  clreduce ")).unwrap();
    let name = name.split(' ').next().unwrap().to_owned();
    let done = bench.reduce(&[&name, "--test", "launch.toml"]);
    assert_mentions(&stdout(&done), &["compile"]);
    let result = bench.read(&name);
    assert!(result.contains("enqueue_kernel") && result.len() < 300, "{result}");
}

#[test]
fn functions_that_start_a_program_are_not_pinned() {
    let bench = Bench::new();
    bench.write("t.c", NESTED);
    let [found, _] = init(&bench, &[], &["gcc-12", "-O2", "-fopenmp", "-c", "t.c"]);
    assert_mentions(&found, &["internal compiler error: Segmentation fault; pass ssa\n"]);
    assert!(!found.contains("libc_start"), "{found}");
    bench.reduce(&["t.c", "--test", "t.toml", "--max-steps", "20"]);
    let report = bench.read("t.c.report.md");
    assert_mentions(
        &report,
        &["# ssa crashes in gcc-12: internal compiler error: Segmentation fault\n"],
    );
    assert!(!report.contains("libc_start"), "{report}");
}

#[test]
fn a_program_without_a_kernel_needs_none() {
    let bench = Bench::new();
    bench.write("next.cu", NO_HEADERS);
    let command = ["clang++-19", "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-host-only"];
    let [found, _] = init(&bench, &[], &[&command[..], &["-fsyntax-only", "next.cu"]].concat());
    assert_mentions(&found, &["crash: clang++-19", "next.toml"]);
    let name = found.lines().find_map(|line| line.strip_prefix("reduce:  clreduce ")).unwrap();
    let name = name.split(' ').next().unwrap().to_owned();
    bench.reduce(&[&name, "--test", "next.toml"]);
    let result = bench.read(&name);
    assert!(!result.contains("scale") && result.contains("_Atomic"), "{result}");
}

#[test]
fn an_endless_recursion_is_known_wherever_it_stops() {
    let bench = Bench::new();
    bench.write("conf.c", ENDLESS);
    let command = ["clang-19", "-cc1", "-fsyntax-only", "-std=c23", "-internal-isystem"];
    let headers =
        ["/usr/lib/llvm-19/lib/clang/19/include", "-internal-externc-isystem", "/usr/include"];
    let [found, said] = init(&bench, &[], &[&command[..], &headers, &["conf.c"]].concat());
    assert_mentions(&found, &["crash: clang-19", "endless recursion"]);
    assert!(!said.contains("is gone"), "{said}");
    bench.reduce(&["conf.c", "--test", "conf.toml"]);
    let result = bench.read("conf.c");
    assert!(!result.contains("unused") && result.contains("constexpr"), "{result}");
}

#[test]
fn a_warning_is_named_as_the_compiler_prints_it() {
    let bench = Bench::new();
    // An error in the front end would keep the other warning from being printed.
    let program = "int *where(int x)\n{\n    int here = x, unused;\n    return &here;\n}\n";
    bench.write("local.c", program);
    for asked in [
        "Wreturn-local-addr",
        "-Wreturn-local-addr",
        "[-Wreturn-local-addr]",
        r"\[-Wreturn-local-addr\]",
        "warning: function returns",
        "local.c:4:12: warning: function returns address of local variable [-Wreturn-local-addr]",
    ] {
        let command = ["gcc-12", "-Wall", "-c", "local.c"];
        let [found, _] = init(&bench, &["--message", asked], &command);
        assert_mentions(&found, &["build-failure: gcc-12", "function returns address"]);
        assert_mentions(&bench.read("local.toml"), &["-Werror=return-local-addr"]);
        if !asked.starts_with("local.c") {
            fs::remove_file(bench.path("local.toml")).unwrap();
            let _ = fs::remove_file(bench.path("local.i"));
        }
    }
    let input = if bench.path("local.i").exists() { "local.i" } else { "local.c" };
    bench.reduce(&[input, "--test", "local.toml"]);
    let result = bench.read(input);
    assert!(result.contains('&') && !result.contains("unused"), "{result}");
    let report = bench.read(&format!("{input}.report.md"));
    assert_mentions(&report, &["prints a wrong warning: function returns address"]);
}
