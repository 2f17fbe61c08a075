//! `clreduce generate` on the real compiler and devices: kernels are valid, and give the results that come with them.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;

use crate::support::{Bench, assert_mentions, stderr, stdout};

const MODES: [&str; 7] =
    ["basic", "vector", "barrier", "atomic-section", "atomic-reduction", "all", "free"];

/// clang 14 must report none of these, which strict compilers reject.
const STRICT: [&str; 6] = [
    "-pedantic-errors",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-Werror=uninitialized",
    "-Werror=conditional-uninitialized",
    "-Werror=division-by-zero",
];

#[test]
fn kernels_compile_and_give_the_results_that_come_with_them() {
    let bench = Bench::new();
    for (seed, mode) in MODES.into_iter().enumerate() {
        let seed = (100 + seed).to_string();
        let args = [
            "generate", "--mode", mode, "--seed", &seed, "--count", "2", "--out", "k", "--tokens",
            "300..900",
        ];
        bench.run(&args).code(0);
        let kernel = format!("k/{mode}-{seed}.cl");
        let clang = Command::new("clang-14")
            .args([
                "-x",
                "cl",
                "-cl-std=CL1.2",
                "-fsyntax-only",
                "-Xclang",
                "-finclude-default-header",
            ])
            .args(STRICT)
            .arg(bench.path(&kernel))
            .output()
            .expect("clang-14 is installed: apt-get install clang-14");
        assert!(clang.status.success(), "{kernel}: {}", String::from_utf8_lossy(&clang.stderr));
        let run = bench.run(&["run", &kernel, "--device-name", "host"]).code(0);
        assert_eq!(
            stdout(&run),
            fs::read_to_string(bench.path(&kernel.replace(".cl", ".expected"))).unwrap()
        );
    }
    let check = bench.run(&["check", "k/free-106.cl"]);
    assert_mentions(&stdout(&check.code(0)), &["valid"]);
    bench.assert_nothing_left();
}

/// The kernels in CUDA C++: clang compiles them, and the host gives the expected results.
#[test]
fn kernels_in_cuda_give_the_results_that_come_with_them() {
    let bench = Bench::new();
    for (seed, mode) in MODES.into_iter().enumerate() {
        let seed = (200 + seed).to_string();
        let args = [
            "generate", "--target", "cuda", "--mode", mode, "--seed", &seed, "--count", "2",
            "--out", "k", "--tokens", "300..900",
        ];
        bench.run(&args).code(0);
        let kernel = format!("k/{mode}-{seed}.cu");
        let run = bench.run(&["run", &kernel, "--device-name", "host"]).code(0);
        let expected = fs::read_to_string(bench.path(&kernel.replace(".cu", ".expected"))).unwrap();
        assert_eq!(stdout(&run), expected, "{kernel}");
    }
    let check = bench.run(&["check", "k/free-206.cu"]);
    assert_mentions(&stdout(&check.code(0)), &["valid"]);
    bench.assert_nothing_left();
}

/// CUDA as far as the host code of a kernel uses it that checks itself.
const CUDA: &str = "
#include <cstring>
#include <math.h>
#define __global__
#define __device__
#define __constant__ static
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(threads)
struct dim3 { unsigned x, y, z; dim3(unsigned x, unsigned y, unsigned z) : x(x), y(y), z(z) {} };
static dim3 gridDim(1, 1, 1), blockDim(1, 1, 1), blockIdx(0, 0, 0), threadIdx(0, 0, 0);
typedef int cudaError_t;
enum { cudaSuccess, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
static const char *cudaGetErrorString(int) { return 0; }
static int cudaGetLastError() { return cudaSuccess; }
template <class T> static int cudaMalloc(T **p, size_t size) { *p = (T *)malloc(size); return cudaSuccess; }
static int cudaMemcpy(void *to, const void *from, size_t size, int) { memcpy(to, from, size); return cudaSuccess; }
template <class F> static void each(dim3 all, dim3 &at, F f) {
    for (at.z = 0; at.z < all.z; at.z++) for (at.y = 0; at.y < all.y; at.y++) for (at.x = 0; at.x < all.x; at.x++) f();
}
template <class F> static void launch(dim3 grid, dim3 block, F entry) {
    gridDim = grid;
    blockDim = block;
    each(grid, blockIdx, [&] { each(block, threadIdx, entry); });
}
";

/// The program for nvcc with a main function, with what the host code needs of CUDA in its place.
#[test]
fn kernels_in_cuda_that_check_themselves_are_programs() {
    let bench = Bench::new();
    let seed = (0..60).map(|seed| seed.to_string()).find(|seed| {
        let args = ["--target", "cuda", "--mode", "basic", "--self-check", "--seed", seed];
        let args = [&["generate", "--out", "k", "--tokens", "300..500"][..], &args].concat();
        bench.run(&args).code(0);
        let text = fs::read_to_string(bench.path(&format!("k/basic-{seed}.cu"))).unwrap();
        let names = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        names.filter(|name| name.starts_with("__")).all(|name| CUDA.contains(name))
    });
    let seed = seed.expect("one of sixty kernels uses no function of CUDA");
    let text = fs::read_to_string(bench.path(&format!("k/basic-{seed}.cu"))).unwrap();
    let expected = fs::read_to_string(bench.path(&format!("k/basic-{seed}.expected"))).unwrap();
    let (before, launch) = text.split_once("entry<<<").expect("a launch");
    let (sizes, rest) = launch.split_once(">>>(").expect("sizes");
    let (arguments, after) = rest.split_once(");").expect("arguments");
    let (headers, before) = before.split_once("#include <cstdlib>\n").expect("headers");
    let text = format!(
        "{headers}#include <cstdlib>\n{CUDA}{before}launch({sizes}, [&] {{ entry({arguments}); }});{after}"
    );
    let wrong = text.replacen("expected[] = {0x", "expected[] = {1 ^ 0x", 1);
    for (name, text, code) in [("right", text, 0), ("wrong", wrong, 1)] {
        bench.write(&format!("{name}.cpp"), &text);
        let program = bench.path(name);
        let clang = Command::new("clang++-14")
            .args(["-w", "-o"])
            .args([&program, &bench.path(&format!("{name}.cpp"))])
            .output()
            .expect("clang++-14 is installed: apt-get install clang-14");
        assert!(clang.status.success(), "{}", String::from_utf8_lossy(&clang.stderr));
        let run = Command::new(&program).output().unwrap();
        assert_eq!(run.status.code(), Some(code), "{name}");
        assert_eq!(String::from_utf8_lossy(&run.stdout), expected);
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert_eq!(stderr.contains("work-item 0: "), code == 1, "{stderr}");
    }
}

/// The variants of a kernel have its results, on a device that compiles with optimisation and on one that does not.
#[test]
fn variants_give_the_results_of_their_kernel() {
    let bench = Bench::new();
    let args =
        ["--mode", "vector", "--seed", "3", "--emi", "4", "--tokens", "300..500", "--out", "k"];
    bench.run(&[&["generate"][..], &args].concat()).code(0);
    let expected = fs::read_to_string(bench.path("k/vector-3.expected")).unwrap();
    for number in [1, 4] {
        let kernel = format!("k/vector-3-emi-{number}.cl");
        for (device, options) in [("host", &[][..]), ("pocl", &["--", "-cl-opt-disable"])] {
            let args = [&["run", &kernel, "--device-name", device], options].concat();
            assert_eq!(stdout(&bench.run(&args).code(0)), expected, "{kernel} {device}");
        }
        assert_eq!(
            fs::read_to_string(bench.path(&kernel.replace(".cl", ".expected"))).unwrap(),
            expected
        );
    }
    assert!(!bench.path("k/vector-3-emi-5.cl").exists());
    let alone = stdout(
        &bench
            .run(&[
                "generate", "--mode", "vector", "--seed", "3", "--emi", "2", "--tokens", "300..500",
            ])
            .code(0),
    );
    assert_eq!(alone, fs::read_to_string(bench.path("k/vector-3-emi-2.cl")).unwrap());
}

/// OpenCL leaves it open what a vote is that is not zero, and `clreduce check` finds where that matters.
#[test]
fn kernels_with_votes_of_work_groups_are_valid() {
    let bench = Bench::new();
    for (target, option) in [("opencl-2", "-cl-std=CL2.0"), ("opencl-3", "-cl-std=CL3.0")] {
        let args = ["--target", target, "--mode", "free", "--count", "120", "--tokens", "300..900"];
        bench.run(&[&["generate", "--out", target][..], &args].concat()).code(0);
        let mut kernels = (1..=120).map(|seed| format!("{target}/free-{seed}.cl"));
        let votes = |name: &String| {
            let text = fs::read_to_string(bench.path(name)).unwrap();
            text.contains(" = work_group_any(") || text.contains(" = work_group_all(")
        };
        let kernel = kernels.find(votes).expect("one of 120 kernels has a vote");
        let check = bench.run(&["check", &kernel, "--", option]).code(0);
        assert_mentions(&stdout(&check), &["valid"]);
    }
}

/// `ctz` came with OpenCL C 2.0, so the option for the version decides whether these kernels compile. The host has no
/// `vload` and `vstore` for the pointers of later versions.
#[test]
fn kernels_of_later_versions_compile_and_run_with_the_option_for_their_version() {
    let bench = Bench::new();
    for (target, option) in [("opencl-2", "-cl-std=CL2.0"), ("opencl-3", "-cl-std=CL3.0")] {
        let mut kernels = (0..40).map(|seed| {
            let seed = seed.to_string();
            let args = ["--target", target, "--mode", "vector", "--seed", &seed, "--out", "k"];
            bench.run(&[&["generate"][..], &args].concat()).code(0);
            format!("k/vector-{seed}.cl")
        });
        let uses = |name: &String| {
            let text = fs::read_to_string(bench.path(name)).unwrap();
            text.contains("ctz(") && !text.contains("vload") && !text.contains("vstore")
        };
        let kernel = kernels.find(uses).expect("one of forty kernels counts zeros");
        let run = bench.run(&["run", &kernel, "--device-name", "host", "--", option]).code(0);
        let expected = fs::read_to_string(bench.path(&kernel.replace(".cl", ".expected"))).unwrap();
        assert_eq!(stdout(&run), expected, "{target}");
    }
}

/// The second line of a kernel is the command that makes it.
#[test]
fn the_second_line_makes_the_kernel_again() {
    let bench = Bench::new();
    for args in [
        &["--seed", "8"][..],
        &["--mode", "all", "--self-check", "--tokens", "300..500"],
        &["--avoid", "mad_sat.long,vec3,add", "--mode", "vector", "--target", "opencl-2"],
        &["--doubles", "--mode", "vector"],
        &["--sub-groups", "--target", "opencl-3", "--mode", "barrier"],
        &["--emi", "3", "--tokens", "300..500"],
        &["--emi", "1", "--mode", "all", "--self-check", "--emi-edits", "guards"],
        &["--target", "cuda", "--self-check", "--avoid", "__dp4a,ptx_prmt,vec16"],
    ] {
        let text = stdout(&bench.run(&[&["generate"][..], args].concat()).code(0));
        let line = text.lines().nth(1).and_then(|line| line.strip_prefix("// clreduce "));
        let (command, _) = line.and_then(|line| line.split_once(", format ")).expect("a command");
        let words: Vec<&str> = command.split(' ').collect();
        assert!(stdout(&bench.run(&words).code(0)) == text, "{command}");
    }
}

#[test]
fn a_result_that_is_not_the_expected_one_is_an_outcome_of_its_own() {
    let bench = Bench::new();
    bench.write("k.cl", "// -g 2,1,1 -l 1,1,1\n__kernel void entry(__global ulong *result) { result[get_global_id(0)] = 5; }\n");
    bench.write("k.expected", "0x5,0x6,\n");
    let run = bench.run(&["run", "k.cl", "--device-name", "host"]).code(24);
    assert_eq!(stdout(&run), "0x5,0x5,\n");
    assert_mentions(
        &stderr(&run),
        &["`result[1]` is 0x5, and 0x6 is expected; 1 of 2 differ", "k.expected"],
    );
    let run = bench.run(&["run", "k.cl", "--device-name", "host", "--json"]).code(24);
    assert!(stdout(&run).contains("\"expected\":false"));
    bench.write("k.expected", "0x5,0x5,\n");
    let run = bench.run(&["run", "k.cl", "--device-name", "host", "--json"]).code(0);
    assert!(stdout(&run).contains("\"expected\":true"));
}

#[test]
fn kernels_do_not_depend_on_the_number_of_jobs() {
    let bench = Bench::new();
    for (jobs, folder) in [("1", "one"), ("8", "eight")] {
        bench.run(&["generate", "--count", "24", "-j", jobs, "--out", folder]).code(0);
    }
    let mut names: Vec<_> =
        fs::read_dir(bench.path("one")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names.len(), 48);
    for name in names {
        let [one, eight] =
            ["one", "eight"].map(|folder| fs::read(bench.path(folder).join(&name)).unwrap());
        assert!(one == eight, "{name:?}");
    }
    let shown = stdout(&bench.run(&["generate", "--seed", "7"]).code(0));
    assert_eq!(shown, fs::read_to_string(bench.path("one/free-7.cl")).unwrap());
}

#[test]
fn kernels_check_themselves_and_leave_out_what_is_to_be_avoided() {
    let bench = Bench::new();
    bench
        .run(&["generate", "--self-check", "--seed", "3", "--out", "k", "--tokens", "300..400"])
        .code(0);
    assert!(
        fs::read_to_string(bench.path("k/free-3.cl"))
            .unwrap()
            .contains("if (hash != expected[gid])")
    );
    bench.run(&["run", "k/free-3.cl", "--device-name", "host"]).code(0);
    for seed in 0..20 {
        let seed = seed.to_string();
        let text = stdout(
            &bench
                .run(&["generate", "--seed", &seed, "--avoid", "vec3,mad_sat,loop,divide"])
                .code(0),
        );
        let text: String = text.lines().filter(|line| !line.starts_with("//")).collect();
        for word in ["int3", "mad_sat", "vload3", " / "] {
            assert!(!text.contains(word), "seed {seed} has {word}");
        }
    }
}

#[test]
fn wrong_options_are_errors_that_say_what_would_do() {
    let bench = Bench::new();
    for (args, words) in [
        (&["--avoid", "mad_set"][..], &["`mad_set`", "rhadd", "barrier"][..]),
        (&["--tokens", "3..3"], &["300", "20000"]),
        (&["--tokens", "900..300"], &["A at most B"]),
        (&["--tokens", "many"], &["300..3000"]),
        (&["--tokens", "400.."], &["`400..`", "300..3000"]),
        (&["--tokens", "-5..5"], &["`-5..5`", "300..3000"]),
        (&["--avoid", "mad_sat."], &["`mad_sat.`", "mad_sat.long"]),
        (&["--avoid", "int"], &["no kernel can do without `int`"]),
        (&["--doubles", "--avoid", "double"], &["--doubles", "--avoid"]),
        (&["--sub-groups"], &["--sub-groups", "--target opencl-3"]),
        (&["--sub-groups", "--target", "opencl-3", "--avoid", "sub_group"], &["--avoid"]),
        (&["--sub-groups", "--target", "opencl-3", "--mode", "vector"], &["`vector`", "barrier"]),
        (&["--mode", "vector", "--avoid", "vec2,vec3,vec4,vec8,vec16"], &["vec8", "another mode"]),
        (&["--mode", "all", "--target", "cuda", "--avoid", "vec2,vec3,vec4"], &["vec3, vec4"]),
        (&["--mode", "barrier", "--avoid", "barrier"], &["mode `barrier`", "another mode"]),
        (&["--avoid", "long.short"], &["`long.short`", "comma"]),
        (&["--mode", "barrier", "--avoid", "remainder"], &["cannot do without `remainder`"]),
        (&["--mode", "barriers"], &["atomic-section"]),
        (&["--target", "metal"], &["opencl-1.2", "cuda"]),
        (&["--count", "2"], &["--out"]),
        (&["--emi", "41"], &["1..=40"]),
        (&["--emi", "2", "--avoid", "if"], &["cannot do without `if`", "--emi"]),
        (&["--emi", "2", "--avoid", "if", "--out", "k"], &["cannot do without `if`"]),
        (&["--emi-edits", "dead"], &["--emi"]),
    ] {
        let run = bench.run(&[&["generate"][..], args].concat()).code(2);
        assert_mentions(&stderr(&run), words);
    }
}
