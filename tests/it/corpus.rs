//! `clreduce normalize` and `clreduce splice` with real compilers: the normal form compiles and is stable, and spliced kernels
//! compile, run, and depend on the seed alone.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// Kernels as people write them: macros, comments, structures, vectors, barriers, functions, names of built-in functions.
const KERNELS: [&str; 14] = [
    "#define N 4\n/* sum */ kernel void sum(global const float *in, global float *out) {\n float s = 0; // sum\n \
     for (int i = 0; i < N; i++) s += in[get_global_id(0) * N + i]; out[get_global_id(0)] = s; }",
    "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint largest(int4 v) { return MAX(MAX(v.x, v.y), MAX(v.z, v.w)); }\n\
     kernel void large(global int4 *in, global int *out) { int gid = get_global_id(0); out[gid] = largest(in[gid]); }",
    "typedef struct { float x, y; int count; } point;\nkernel void points(global float *out, float step) {\n \
     point p = { 1, 2, 3 }; p.x += step; out[get_global_id(0)] = p.x + p.y * p.count; }",
    "kernel void halves(global ushort *out, global const uint *in) { size_t i = get_global_id(0);\n \
     ushort lo = in[i] & 0xffff, hi = in[i] >> 16; if (lo > hi) { ushort t = lo; lo = hi; hi = t; } out[i] = lo ^ hi; }",
    "kernel void reduce(global int *data, local int *scratch) { int lid = get_local_id(0); scratch[lid] = data[get_global_id(0)];\n \
     barrier(CLK_LOCAL_MEM_FENCE); for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {\n \
     if (lid < s) scratch[lid] += scratch[lid + s]; barrier(CLK_LOCAL_MEM_FENCE); }\n \
     if (lid == 0) data[get_global_id(0)] = scratch[0]; }",
    "float blend(float step, float edge) { return step * edge; }\n\
     kernel void steps(global float *v) { size_t i = get_global_id(0); v[i] = blend(step(0.5f, v[i]), 2.0f); }",
    "enum { RED = 1, GREEN };\nkernel void colours(global uchar4 *image, int width) { int x = get_global_id(0), y = get_global_id(1);\n \
     uchar4 p = image[y * width + x]; if (p.x > RED) p.yz = p.zy; image[y * width + x] = p + (uchar4)(GREEN); }",
    "constant int table[4] = { 3, 1, 4, 1 };\nkernel void look(global int *out) { out[get_global_id(0)] = table[get_global_id(0) & 3]; }",
    "kernel void jumps(global int *out) { int i = 0;\nagain: i++; if (i < 5) goto again; out[get_global_id(0)] = i; }",
    "#if defined(cl_khr_fp64)\ntypedef double real;\n#else\ntypedef float real;\n#endif\n\
     real twice(real x);\nreal twice(real x) { return 2 * x; }\nkernel void doubles(global float *out) { out[get_global_id(0)] = twice(1.5f); }",
    "union bits { float f; uint u; };\nkernel void bits(global uint *out, float start) { union bits b; b.f = start;\n \
     do { b.u >>= 1; } while (b.u > 1000u); out[get_global_id(0)] = b.u; }",
    "kernel void both(global long *a, global const long *b) { int i = get_global_id(0);\n switch (b[i] & 3) {\n \
     case 0: a[i] = 1; break;\n case 1: case 2: a[i] += b[i]; break;\n default: a[i] = max(a[i], b[i]); } }",
    "kernel void two(global int *a) { a[get_global_id(0)] = 2; }\nkernel void three(global int *a) { a[get_global_id(0)] = 3; }",
    "// -g 4 -l 2\nkernel void entry(global ulong *result) { result[get_global_id(0)] = 1; }",
];

/// Writes 14 kernels of people and 16 generated ones into the folder `in`.
fn thirty_kernels(bench: &Bench) {
    for (number, source) in KERNELS.iter().enumerate() {
        bench.write(&format!("in/people/{number}.cl"), source);
    }
    let args =
        ["generate", "--count", "16", "--tokens", "300..600", "--seed", "40", "--out", "in/made"];
    bench.run(&args).code(0);
}

fn compiles(bench: &Bench, path: &str, standard: &str) -> Result<(), String> {
    let clang = Command::new("clang-19")
        .args(["-x", "cl", "-target", "x86_64-linux-gnu", "-fsyntax-only", "-w", standard])
        .arg(bench.path(path))
        .output()
        .expect("clang-19 is installed");
    let errors = String::from_utf8_lossy(&clang.stderr).into_owned();
    if clang.status.success() { Ok(()) } else { Err(format!("{path}: {errors}")) }
}

fn files(bench: &Bench, folder: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(bench.path(folder)).unwrap() {
        let name = format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap());
        if name.ends_with(".cl") {
            names.push(name);
        }
    }
    names.sort();
    names
}

#[test]
fn the_normal_form_compiles_says_the_same_and_is_stable() {
    let bench = Bench::new();
    thirty_kernels(&bench);
    assert_mentions(
        &stdout(&bench.run(&["normalize", "in", "--out", "one"]).code(0)),
        &["30 written"],
    );
    bench.run(&["normalize", "one", "--out", "two", "-j", "1"]).code(0);
    for folder in ["people", "made"] {
        for name in files(&bench, &format!("one/{folder}")) {
            let text = bench.read(&name);
            assert_eq!(text, bench.read(&name.replacen("one", "two", 1)), "{name}");
            assert!(!text.contains("#define") && !text.contains("/*"), "{name}: {text}");
            compiles(&bench, &name, "-cl-std=CL1.2").unwrap();
        }
    }
    // The generated kernels come with their results, which do not depend on names.
    let made = files(&bench, "one/made");
    for name in &made[..2] {
        fs::copy(
            bench.path(&name.replacen("one", "in", 1).replace(".cl", ".expected")),
            bench.path(&name.replace(".cl", ".expected")),
        )
        .unwrap();
        bench.run(&["run", name, "--device-name", "host"]).code(0);
    }
    let text = bench.read("one/people/5.cl");
    assert_mentions(&text, &["float A(float a, float b)", "kernel void B(", "A(step(0.5f"]);
    bench.assert_nothing_left();
}

#[test]
fn names_tell_roles_and_build_options_count() {
    let bench = Bench::new();
    bench.write(
        "a.cl",
        "int foo(int bar) { return bar + N; }\nkernel void k(global int *r) { r[0] = foo(X); }",
    );
    bench.write("include/x.h", "#define X 7\n");
    let args = ["normalize", "a.cl", "--", "-DN=4", "-I", "include", "-include", "x.h"];
    let text = stdout(&bench.run(&args).code(0));
    assert_mentions(
        &text,
        &["int A(int a) {\n    return a + 4;\n}", "kernel void B(global int *b)", "A(7)"],
    );

    let failed = bench.run(&["normalize", "a.cl", "--out", "n", "--", "-include", "gone.h"]);
    assert_mentions(&stderr(&failed.code(1)), &["a.cl", "gone.h"]);
    bench.write("b.cl", "kernel void k(global int *r) { r[0] = UNKNOWN; }");
    let both = bench.run(&[
        "normalize",
        "a.cl",
        "b.cl",
        "--compilable",
        "--out",
        "n",
        "--",
        "-DN=4",
        "-DX=1",
    ]);
    assert_mentions(&stdout(&both.code(0)), &["1 written, 1 left out"]);
    assert_mentions(&stderr(&bench.run(&["normalize", "a.cl", "b.cl"]).code(2)), &["--out"]);
}

#[test]
fn each_kernel_gets_a_file_of_its_own() {
    let bench = Bench::new();
    thirty_kernels(&bench);
    let copy = bench.read("in/people/0.cl").replace("in[", "data[").replace("*in", "*data");
    bench.write("in/people/copy.cl", copy);
    let summary =
        stdout(&bench.run(&["normalize", "in", "--kernels", "--compilable", "--out", "k"]).code(0));
    assert_mentions(&summary, &["31 written, 1 equal to others"]);
    assert_eq!(bench.read("k/people/12-2.cl"), bench.read("k/people/12-1.cl").replace('2', "3"));
}

#[test]
fn spliced_kernels_compile_run_and_depend_on_the_seed_alone() {
    let bench = Bench::new();
    thirty_kernels(&bench);
    bench.run(&["normalize", "in", "--kernels", "--compilable", "--out", "k"]).code(0);
    bench.run(&["splice", "k/people", "--count", "40", "--out", "s"]).code(0);
    let failed = |standard: &str| {
        let all = files(&bench, "s").into_iter();
        all.filter_map(|name| compiles(&bench, &name, standard).err()).collect::<Vec<_>>()
    };
    for standard in ["-cl-std=CL1.2", "-cl-std=CL2.0"] {
        let failed = failed(standard);
        assert!(failed.len() <= 4, "{}", failed.join("\n"));
    }
    let seven = stdout(&bench.run(&["splice", "k/people", "--seed", "7"]).code(0));
    assert_eq!(seven, bench.read("s/splice-7.cl"));
    assert!(seven.starts_with("// -g "), "{seven}");
    assert_mentions(&seven, &["--elements 8192\n// seed 7: "]);
    assert_ne!(
        seven.split_once('\n').unwrap().1,
        bench.read("s/splice-8.cl").split_once('\n').unwrap().1
    );

    let mut ran = 0;
    for name in &files(&bench, "s")[..12] {
        let run = bench.run(&["run", name, "--device-name", "host", "--timeout", "20s"]);
        ran += u32::from(run.get_output().status.code() == Some(0));
    }
    assert!(ran >= 6, "only {ran} of 12 kernels give a result");
    assert_mentions(
        &stderr(&bench.run(&["splice", "s/none"]).code(2)),
        &["s/none", "does not exist"],
    );
    bench.write("empty/a.cl", "int x;");
    assert_mentions(&stderr(&bench.run(&["splice", "empty"]).code(1)), &["no file has a kernel"]);
    bench.assert_nothing_left();
}
