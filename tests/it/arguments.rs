//! Arguments of kernels, with the real tools: those that fit a kernel, and those that a file describes.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::support::{Bench, assert_mentions, stderr, stdout};

const RUN: [&str; 4] = ["run", "k.cl", "--device-name", "host"];
const CHECK: [&str; 4] = ["check", "k.cl", "--only", "compile,sanitize"];

/// The arguments that clreduce chooses.
fn shown(bench: &Bench, more: &[&str]) -> String {
    stdout(&bench.run(&[&["run", "k.cl", "--show-arguments"][..], more].concat()).code(0))
}

#[test]
fn buffers_are_as_large_as_the_kernel_needs() {
    let bench = Bench::new();
    bench.write(
        "k.cl",
        "kernel void k(global float *a, global const float *b, int n) {\n  int j = get_global_id(0);\n  \
         if (j < n)\n    for (int i = 0; i < n; i++)\n      a[j] += b[i * n + j];\n}\n",
    );
    assert_mentions(&stdout(&bench.run(&CHECK).code(0)), &["k.cl: valid"]);
    let first = stdout(&bench.run(&RUN).code(0));
    let text = shown(&bench, &[]);
    assert_mentions(&text, &["elements = 4096\n", "is = 64\n"]);
    bench.write("k.args.toml", text);
    assert_eq!(stdout(&bench.run(&RUN).code(0)), first);
    bench.run(&CHECK).code(0);
}

#[test]
fn numbers_with_which_a_kernel_ends_are_found() {
    let bench = Bench::new();
    for (body, value) in [
        // The barrier is not reached by all.
        (
            "if (get_global_id(0) < n / 100) barrier(CLK_LOCAL_MEM_FENCE); r[get_global_id(0)] = n;",
            "is = 64\n",
        ),
        ("for (int i = n; i > 8; i = i) {} r[get_global_id(0)] = n;", "is = 8\n"),
        (
            "local int l[64]; if (get_local_id(0) == 0) l[n - 1] = 1; r[get_global_id(0)] = n;",
            "is = 64\n",
        ),
        ("r[get_global_id(0)] = 1000 / (n < 9);", "is = 8\n"),
    ] {
        bench.write("k.cl", format!("kernel void k(global int *r, int n) {{ {body} }}\n"));
        let text = shown(&bench, &[]);
        let many = text.rsplit("[[launch]]").next().unwrap();
        assert_mentions(many, &["global = [2048]", value]);
        bench.run(&RUN).code(0);
    }
    // Sizes and contents of buffers are chosen as well.
    bench.write(
        "k.cl",
        "kernel void k(global int *r) { local int l[16]; int i = get_local_id(0); l[i] = i; r[r[get_global_id(0)] * 3] = l[i]; }\n",
    );
    let text = shown(&bench, &[]);
    assert_mentions(text.rsplit("[[launch]]").next().unwrap(), &["local = [16]"]);
}

#[test]
fn a_kernel_that_no_arguments_fit_is_invalid_with_those_that_clreduce_has_chosen() {
    let bench = Bench::new();
    bench
        .write("k.cl", "kernel void k(global int *r) {\n  r[-1 - (int)get_global_id(0)] = 1;\n}\n");
    let done = bench.run(&CHECK).code(4);
    assert_mentions(&stdout(&done), &["k.cl:2: out-of-bounds", "which clreduce has chosen"]);
    let parts =
        ["no arguments were found for `k` with 2048 work-items", "before the beginning of `r`"];
    assert_mentions(&stderr(&done), &parts);
}

#[test]
fn types_are_those_that_the_compiler_sees() {
    let bench = Bench::new();
    bench.write("t.h", "#define SIZE 2\ntypedef struct { char c; short s[SIZE * 2 + 1]; } item;\n");
    bench.write(
        "k.cl",
        "#include \"t.h\"\n#if defined(cl_khr_fp64) && SIZE > 1\ntypedef double real;\n#else\ntypedef int real;\n#endif\n\
         #define ARRAY(T) global T *\nkernel void k(ARRAY(item) a, ARRAY(real) r, real x) { r[get_global_id(0)] = x + a[0].s[4]; }\n",
    );
    let folder = bench.path("");
    let include = format!("-I{}", folder.display());
    let text = shown(&bench, &["--", &include]);
    assert_mentions(
        &text,
        &["buffer = \"item\"", "buffer = \"double\"", "\"s[4]\" = 1\n", "value = \"double\""],
    );
    let out = stdout(&bench.run(&[&RUN[..], &["--", &include]].concat()).code(0));
    assert_mentions(&out, &["0x4000000000000000,"]);
}

#[test]
fn members_and_contents_of_files_are_described() {
    let bench = Bench::new();
    bench.write(
        "k.cl",
        "typedef struct { int n; float w[2]; } box;\nkernel void k(global int *r, box b, global const box *c, global const short *d) {\n  \
         r[0] = b.n; r[1] = (int)b.w[1]; r[2] = c[1].n; r[3] = d[2];\n}\n",
    );
    bench.write("data.bin", "\u{1}\0\u{2}\0\u{7}\0");
    bench.write(
        "k.args.toml",
        "kernel = \"k\"\nglobal = [1]\n[[argument]]\nbuffer = \"int\"\nelements = 4\n\
         [[argument]]\nvalue = \"box\"\nis = { n = 3, \"w[1]\" = 4.5 }\n\
         [[argument]]\nbuffer = \"box\"\nelements = 2\nfill = [{ n = 5 }, { n = 6 }]\noutput = false\n\
         [[argument]]\nbuffer = \"short\"\nelements = 3\ncontent = \"data.bin\"\noutput = false\n",
    );
    assert_eq!(stdout(&bench.run(&RUN).code(0)), "0x3,0x4,0x6,0x7,\n");
    bench.run(&CHECK).code(0);
    let text = shown(&bench, &[]);
    std::fs::remove_file(bench.path("data.bin")).unwrap();
    assert_mentions(&stderr(&bench.run(&RUN).code(1)), &["data.bin"]);
    bench.write("k.args.toml", text);
    assert_eq!(stdout(&bench.run(&RUN).code(0)), "0x3,0x4,0x6,0x7,\n");
}

#[test]
fn a_race_with_the_first_arguments_is_said() {
    let bench = Bench::new();
    let body = "int i = get_global_id(0); if (n > 8) r[0] = i; else r[i] = n;";
    bench.write("k.cl", format!("kernel void k(global int *r, int n) {{ {body} }}\n"));
    let said = stderr(&bench.run(&CHECK).code(0));
    assert_mentions(&said, &["`k` has a data race"]);
}

#[test]
fn a_kernel_may_be_a_macro() {
    let bench = Bench::new();
    let makes = "#define KERNEL(name) __kernel void name\n";
    let body = "(__global __const int *a, __global int *r) { int i = get_global_id(0); r[i] = a[i] + 1; }\n";
    bench.write("k.cl", format!("{makes}KERNEL(add){body}"));
    assert!(stdout(&bench.run(&RUN).code(0)).starts_with("0x2,\n0x2,0x3,"));
    bench.run(&CHECK).code(0);
    bench.run(&[&RUN[..], &["--coverage"]].concat()).code(0);
    bench.write("k.cl", format!("K void add{body}"));
    let run = [&RUN[..], &["--", "-DK=__kernel"]].concat();
    assert!(stdout(&bench.run(&run).code(0)).starts_with("0x2,\n0x2,0x3,"));
}

/// An image has a pixel for each work-item, of the numbers that the kernel reads.
#[test]
fn images_are_described_and_given() {
    let bench = Bench::new();
    bench.write(
        "k.cl",
        "kernel void k(read_only image2d_t i, sampler_t s, write_only image2d_t o) {\n\
         int2 at = (int2)(get_global_id(0), get_global_id(1));\n\
         write_imagei(o, at, read_imagei(i, s, at - 1) * 2);\n}\n",
    );
    bench.run(&CHECK).code(0);
    let chosen = shown(&bench, &[]);
    assert_mentions(
        &chosen,
        &["image = \"int4\"", "size = [64, 32]", "sampler = \"clamp_to_edge\""],
    );
    bench.write(
        "k.args.toml",
        "kernel = \"k\"\nglobal = [4, 2]\nlocal = [2, 2]\n\
         [[argument]]\nimage = \"char\"\nsize = [4, 2]\nfill = { first = 1, step = 1 }\noutput = false\n\
         [[argument]]\nsampler = \"clamp\"\n\
         [[argument]]\nimage = \"short\"\nsize = [4, 2]\n",
    );
    assert_eq!(stdout(&bench.run(&RUN).code(0)), "0,0,0,0,0,0x2,0x4,0x6,\n");
    bench.write("k.args.toml", "kernel = \"k\"\nglobal = [4, 2]\n[[argument]]\nimage = \"char\"\n");
    assert_mentions(&stderr(&bench.run(&RUN).code(1)), &["argument 1 of `k`", "`size` is needed"]);
}

#[test]
fn one_kernel_of_several_is_launched() {
    let bench = Bench::new();
    bench.write(
        "k.cl",
        "kernel void a(image2d_depth_t i) {}\nkernel void b(global int *r) { r[get_global_id(0)] = 5; }\n\
         kernel __attribute__((work_group_size_hint(8, 2, 1))) void c(image2d_depth_t s) {}\n\
         kernel __attribute__((work_group_size_hint(8, 2, 1))) void d(global int *r) \
         { r[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 6; }\n",
    );
    let only = |kernel| stdout(&bench.run(&[&RUN[..], &["--kernel", kernel]].concat()).code(0));
    assert!(only("b").starts_with("0x5,\n0x5,0x5,"));
    assert!(only("d").starts_with("0x6,"));
    assert_mentions(&shown(&bench, &["--kernel", "d"]), &["local = [8, 2, 1]"]);
    let refused = |words: &[&str], code| stderr(&bench.run(&[&RUN[..], words].concat()).code(code));
    assert_mentions(&refused(&[], 13), &["image2d_depth_t i", "images of depths"]);
    assert_mentions(&refused(&["--kernel", "c"], 13), &["image2d_depth_t s"]);
    assert_mentions(&refused(&["--kernel", "e"], 1), &["no kernel `e`", "a, b, c, d"]);
}

#[test]
fn macros_and_headers_that_a_kernel_needs_are_chosen_and_said() {
    let bench = Bench::new();
    bench.write("main.h", "#define HALF (BLOCK / 2)\n");
    bench.write(
        "kernels/k.cl",
        "#include \"./main.h\"\nkernel void k(global REAL *r) {\n  local REAL l[BLOCK];\n\
         \x20 int i = get_local_id(0);\n  if (i < HALF) { l[i] = HALF; r[get_global_id(0)] = l[i]; }\n}\n",
    );
    let run = ["run", "kernels/k.cl", "--device-name", "host"];
    let done = bench.run(&run).code(0);
    assert!(stdout(&done).starts_with("0x41000000,\n"), "{}", stdout(&done));
    let notes = ["-DBLOCK=16", "-DREAL=float", "note: headers are included from "];
    assert_mentions(&stderr(&done), &notes);
    let check = bench.run(&["check", "kernels/k.cl", "--only", "compile,sanitize"]).code(0);
    assert_mentions(&stderr(&check), &notes);
    // What is given is not chosen.
    let given = bench.run(&[&run[..], &["--", "-DBLOCK=4", "-DREAL=int"]].concat()).code(0);
    assert!(stdout(&given).starts_with("0x2,\n"), "{}", stdout(&given));
    assert!(!stderr(&given).contains("-D"), "{}", stderr(&given));
    // A name that looks like no macro is a mistake.
    bench.write("kernels/k.cl", "kernel void k(global int *r) { r[0] = half_of_it; }\n");
    assert_mentions(&stderr(&bench.run(&run).code(10)), &["undeclared identifier 'half_of_it'"]);
}
