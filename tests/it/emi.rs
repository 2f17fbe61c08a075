//! `clreduce emi` with the real host: variants of a kernel that exists.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::support::{Bench, assert_mentions, stderr, stdout};

const KERNEL: &str = "#define T int\nkernel void k(global T *a, global const T *b, int n) {\n  int id = get_global_id(0);\n  \
    int sum = 0;\n  for (int i = 0; i < 4; i++) {\n    if (b[i] > 1)\n      sum += b[i] * i;\n    else\n      sum -= id;\n  }\n  \
    if (n < 0)\n    sum = 77;\n  if (id < n)\n    a[id] = sum;\n}\n";

#[test]
fn every_variant_has_the_result_of_the_kernel() {
    let bench = Bench::new();
    bench.write("k.cl", KERNEL);
    let done = bench.run(&["emi", "k.cl", "--count", "12", "--out", "variants"]).code(0);
    assert_mentions(&stdout(&done), &["variants: 12 variants with the result of k.cl on the host"]);
    assert!(!stderr(&done).contains("left out"), "{}", stderr(&done));
    let said = stdout(&done);
    let of_generated = said.trim_end().strip_suffix(" of generated ones");
    let of_generated = of_generated.and_then(|rest| rest.rsplit(' ').next());
    assert!(of_generated.is_some_and(|count| count.parse::<u32>().unwrap() > 0), "{said}");
    let variant = |number: u32| bench.read(&format!("variants/k-emi-{number}.cl"));
    let (base, first) = (variant(0), variant(1));
    assert!(!base.contains("emi_dead"), "{base}");
    assert_mentions(&first, &["__global const int *emi_dead)", "if (emi_dead["]);
    // Nothing is put where no launch comes to. Copies of it may stand in dead blocks.
    assert_mentions(&first, &["if (n < 0)\n    sum = 77;"]);
    let all: std::collections::BTreeSet<String> = (1..=12).map(variant).collect();
    assert_eq!(all.len(), 12);
    // `run` compares with the result beside the variant, on other devices too.
    for number in [1, 5, 12] {
        let file = format!("variants/k-emi-{number}.cl");
        bench.run(&["run", &file, "--device-name", "host"]).code(0);
        bench.run(&["check", &file, "--only", "compile,sanitize"]).code(0);
    }
    // The same seed gives the same variants, and another one others.
    bench.run(&["emi", "k.cl", "--count", "2", "--out", "again"]).code(0);
    assert_eq!(bench.read("again/k-emi-1.cl"), first);
    bench.run(&["emi", "k.cl", "--count", "2", "--seed", "2", "--out", "other"]).code(0);
    assert_ne!(bench.read("other/k-emi-1.cl"), first);
    bench.assert_nothing_left();
}

#[test]
fn what_cannot_get_edits_is_said() {
    let bench = Bench::new();
    let refused = |kernel: &str, code| {
        bench.write("odd.cl", kernel);
        stderr(&bench.run(&["emi", "odd.cl", "--out", "variants"]).code(code))
    };
    assert_mentions(&refused("kernel void k(global int *a) {}\n", 1), &["no place for an edit"]);
    assert_mentions(&refused("kernel void k(global int *a) { a[0] = gone(); }\n", 1), &["gone"]);
    assert_mentions(&refused("int x;\n", 1), &["no kernel"]);
    bench.run(&["emi", "odd.cl"]).code(2);
}
