//! `clreduce inputs` with the real clang: small kernels whose branches take one input each.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::support::{Bench, assert_mentions, stderr, stdout};

/// Looks for launches of a kernel. Returns the file that was written, and what was printed.
fn inputs(bench: &Bench, kernel: &str, more: &[&str]) -> (String, String, String) {
    bench.write("k.cl", kernel);
    let done = bench.run(&[&["inputs", "k.cl", "--output", "found.toml"], more].concat()).code(0);
    let found = bench.read("found.toml");
    std::fs::remove_file(bench.path("found.toml")).unwrap();
    (found, stdout(&done), stderr(&done))
}

fn launches(found: &str) -> usize {
    found.matches("[[launch]]").count()
}

/// I1: what the kernel waits for is in the first comparison. I5: the same seed, the same file.
#[test]
fn a_value_that_is_compared_takes_two_runs() {
    let bench = Bench::new();
    let kernel = "kernel void k(global int *r, int x) { if (x == -2987) r[0] = 1; }\n";
    let (found, out, _) = inputs(&bench, kernel, &[]);
    assert_mentions(&found, &["is = -2987\n", "value = \"int\""]);
    assert_eq!(launches(&found), 2, "{found}");
    assert_mentions(&out, &["covered: 2 of 2 branches", "2 launches of 2 that were run"]);
    let (again, ..) = inputs(&bench, kernel, &[]);
    assert_eq!(again, found);
    // Without --output, it is the file that other commands read, and it is not overwritten.
    bench.run(&["inputs", "k.cl"]).code(0);
    assert_eq!(bench.read("k.args.toml"), found);
    let refused = bench.run(&["inputs", "k.cl"]).code(1);
    assert_mentions(&stderr(&refused), &["k.args.toml` already exists", "--output"]);
    // `run` sums up all launches, and `check` reads the same file by the same rule.
    let run = ["run", "k.cl", "--device-name", "host", "--coverage"];
    assert_mentions(&stdout(&bench.run(&run).code(0)), &["0x1,", "covered: 2 of 2 branches"]);
    let check = ["check", "k.cl", "--only", "compile", "--coverage"];
    assert_mentions(&stdout(&bench.run(&check).code(0)), &["2 of 2 branches", "2 launches"]);
    bench.write("one.toml", found.rsplit_once("\n[[launch]]").unwrap().0);
    let one = [&run[..], &["--args", "one.toml"]].concat();
    assert_mentions(
        &stdout(&bench.run(&one).code(0)),
        &["k.cl:1:43: condition never true (1 work-item, 1 launch)"],
    );
    // Several files are summed up, too.
    let both = [&one[..], &["--args", "k.args.toml"]].concat();
    assert_mentions(&stdout(&bench.run(&both).code(0)), &["2 of 2 branches", "3 launches"]);
    bench.write("bad.toml", found.replace("is = ", "iss = "));
    let refused = bench.run(&["check", "k.cl", "--args", "bad.toml"]).code(2);
    assert_mentions(&stderr(&refused), &["bad.toml", "iss"]);
    let pocl = bench.run(&["run", "k.cl", "--device-name", "pocl", "--coverage"]).code(2);
    assert_mentions(&stderr(&pocl), &["--device-name host"]);
    bench.assert_nothing_left();
}

/// I2: the second check is seen once the first is passed.
#[test]
fn nested_checks_fall_one_after_the_other() {
    let bench = Bench::new();
    let kernel = "kernel void k(global int *r, int x, long y) {\n  if (x == 7) {\n    if (y == x * 3)\n      r[0] = 1;\n  }\n  \
        switch (r[0]) { case 1000: r[0] = 2; break; default: break; }\n}\n";
    let (found, out, _) = inputs(&bench, kernel, &[]);
    assert_mentions(&found, &["is = 7\n", "is = 21\n", "fill = [1000"]);
    assert_mentions(&out, &["covered: 6 of 6 branches"]);
}

/// I3: a launch under which the kernel reads beyond its buffer is left out, and said.
#[test]
fn invalid_launches_are_left_out() {
    let bench = Bench::new();
    let kernel = "kernel void k(global int *a, int n) {\n  size_t tid = get_global_id(0);\n  if (tid < n)\n    a[tid] = 3;\n}\n";
    let launch = |n: u32| {
        format!(
            "[[launch]]\nkernel = \"k\"\nglobal = [9]\nlocal = [3]\n[[launch.argument]]\nbuffer = \"int\"\nelements = 8\n\
             [[launch.argument]]\nvalue = \"int\"\nis = {n}\n"
        )
    };
    bench.write("given.toml", launch(9) + &launch(8));
    let (found, _, err) = inputs(&bench, kernel, &["--args", "given.toml"]);
    assert_mentions(
        &err,
        &[
            "left out: a launch of `k` with 9 work-items",
            "k.cl:4: out-of-bounds",
            "needs 9 elements in argument 1 instead of 8",
        ],
    );
    let values: Vec<i64> = found
        .lines()
        .filter_map(|line| line.strip_prefix("is = "))
        .map(|value| value.parse().unwrap())
        .collect();
    assert!(values.contains(&8) && values.contains(&0), "{values:?}");
    assert!(values.iter().all(|&n| n <= 8), "{values:?}");
    bench.write("valid.toml", found);
    bench.run(&["check", "k.cl", "--args", "valid.toml", "--only", "sanitize"]).code(0);
    // An argument that is fixed does not change.
    bench.write("given.toml", launch(8) + "fixed = true\n");
    let (found, ..) = inputs(&bench, kernel, &["--args", "given.toml"]);
    assert!(
        found.lines().filter(|line| line.starts_with("is = ")).all(|line| line == "is = 8"),
        "{found}"
    );
    assert_mentions(&found, &["fixed = true"]);
    // Buffers that clreduce made itself are enlarged.
    let twice = "kernel void k(global int *a, int n) { if (n == 77) a[get_global_id(0) * 2 + 1] = n; a[1] = n; }\n";
    let (found, out, _) = inputs(&bench, &format!("// -g 1,1,1 -l 1,1,1\n{twice}"), &[]);
    assert_mentions(&found, &["elements = 2\n", "is = 77\n"]);
    assert_mentions(&out, &["covered: 2 of 2 branches"]);
}

/// I4: the search ends, and says which branch is left. B: what cannot be launched is said.
#[test]
fn what_cannot_happen_is_said() {
    let bench = Bench::new();
    let kernel = "kernel void k(global int *r, int x) {\n  if (x != x)\n    r[0] = 1;\n}\n";
    let (found, out, _) = inputs(&bench, kernel, &[]);
    assert!(launches(&found) >= 1, "{found}");
    assert_mentions(&out, &["k.cl:2:7: condition never true", "k.cl:3:5: never executed"]);
    let refused = |kernel: &str, code| {
        bench.write("odd.cl", kernel);
        stderr(&bench.run(&["inputs", "odd.cl"]).code(code))
    };
    assert_mentions(&refused("int x;\n", 2), &["no kernel"]);
    assert_mentions(&refused("kernel void k(image2d_depth_t i) {}\n", 1), &["image2d_depth_t i"]);
    assert_mentions(&refused("kernel void k(global int *r) { r[0] = gone(); }\n", 1), &["gone"]);
    let wrong = refused(
        "// -g 4,1,1 -l 4,1,1\nkernel void k(global int *r) { r[0] = get_local_id(0); }\n",
        1,
    );
    assert_mentions(&wrong, &["odd.cl:2: data-race", "no launch of `odd.cl` is valid", "--args"]);
    bench.run(&["inputs", "gone.cl"]).code(2);
    bench.assert_nothing_left();
}

/// What arguments are computed with before they are compared: with a solver, and step by step without one.
#[test]
fn arithmetic_on_arguments_is_undone() {
    let bench = Bench::new();
    let kernel = "typedef struct { int n; float f; } S;\n\
        kernel void k(global int *r, int x, int y, float f, S s, global int *b) {\n\
          if (x * 3 + 1 == 3001) r[0] = 1;\n\
          if (y % 7 == 3 && x + y == 1500) r[1] = 2;\n\
          if (f > 100.5f) r[2] = 3;\n\
          if (s.n * 5 == 60 && s.f < -2.5f) r[3] = 4;\n\
          if (b[1] + b[0] == 91) r[4] = 5;\n}\n";
    // Solvers that fail stand before those of the system.
    for solver in ["z3", "cvc5"] {
        bench.script(&format!("failing/{solver}"), "#!/bin/sh\nexit 1\n");
    }
    let own = std::env::var_os("PATH").unwrap();
    let first = std::iter::once(bench.path("failing"));
    let failing = std::env::join_paths(first.chain(std::env::split_paths(&own))).unwrap();
    bench.write("k.cl", kernel);
    for programs in [own, failing] {
        let mut command = bench.command(&["inputs", "k.cl", "--output", "found.toml"]);
        let done = command.env("PATH", programs).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let out = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_mentions(&out, &["covered: 10 of 10 branches"]);
        assert_mentions(&bench.read("found.toml"), &["is = 1000\n"]);
        std::fs::remove_file(bench.path("found.toml")).unwrap();
    }
    bench.assert_nothing_left();
}

/// A branch that takes identifiers of the second dimension, and a buffer that a condition makes large.
#[test]
fn sizes_and_buffers_grow() {
    let bench = Bench::new();
    let kernel = "kernel void k(global int *a, int n) {\n  size_t x = get_global_id(0), y = get_global_id(1);\n  \
        if (y == 3 && x == 1 && n - 7 == 500) a[n * 3] = 1;\n}\n";
    let (found, out, _) = inputs(&bench, kernel, &[]);
    assert_mentions(&out, &["covered: 2 of 2 branches"]);
    assert_mentions(&found, &["is = 507\n", "elements = 1522\n"]);
}

/// No content of all buffers will do: an index must not be 0, and another one must be.
#[test]
fn indices_in_buffers_stay_within_bounds() {
    let bench = Bench::new();
    let kernel = "kernel void k(global int *r, global int *a, global int *b, global int *first, global int *second) {\n  \
        size_t id = get_global_id(0);\n  if (a[first[id] - 1] + b[second[id] * 1000000] > 0) r[id] = 1;\n}\n";
    let (found, out, _) = inputs(&bench, kernel, &[]);
    assert_mentions(&out, &["covered: 2 of 2 branches"]);
    bench.write("found.toml", found);
    bench.run(&["check", "k.cl", "--args", "found.toml", "--only", "sanitize"]).code(0);
}

/// Two elements far behind the beginning of a buffer, which must be different.
#[test]
fn elements_that_conditions_compare_are_found() {
    let bench = Bench::new();
    let kernel = "typedef struct { float f; int n; } S;\n\
        kernel void k(global int *r, global int *a, global S *s, int n) {\n  int i = 90 + (n & 1);\n  \
        if (a[i] * 3 == 1500) { if (a[2 * i] * 5 == 1000) r[0] = 1; }\n  \
        if (s[i].n * 7 == 707 && s[i].f < -2.5f) { if (s[1].n * 7 == 700) r[0] = 2; }\n}\n";
    let (found, out, _) = inputs(&bench, kernel, &[]);
    assert_mentions(&out, &["covered: 8 of 8 branches"]);
    assert_mentions(&found, &["500", "200"]);
}

/// Three values fit each other only in launches that are wide enough: with the usual ones, `x` is as large as `n`.
#[test]
fn conditions_over_identifiers_get_launches_in_more_groups() {
    let bench = Bench::new();
    let kernel = "kernel void k(global int *r, int n, int m, int x) {\n  int i = get_global_id(0), j = get_global_id(1);\n\
        \x20 if (x < n - 1 && j < m - 1 && i < n - 1 && x > 0 && j > 0 && i > 0)\n    r[(x * m + j) * n + i] = 1;\n\
        \x20 else\n    r[(x * m + j) * n + i] = 0;\n}\n";
    let (_, out, _) = inputs(&bench, kernel, &[]);
    assert_mentions(&out, &["covered: 2 of 2 branches"]);
}
