//! `--orders`: kernels in other orders of their groups, on the host, PoCL and Oclgrind.

#![cfg(target_os = "linux")]

use crate::support::{Bench, assert_mentions, stderr, stdout};
use serde_json::Value;

/// All numbers of a work-item in two dimensions; no number depends on the order.
const NUMBERS: &str = "// -g 12,6,1 -l 3,2,1
kernel void k(global uint *r) {
    uint at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    r[at] = get_group_id(0) * 1000 + get_group_id(1) * 100 + get_local_id(0) * 10 + get_local_id(1);
}
";

/// Each group takes the next number.
const NEXT_NUMBER: &str = "// -g 8,1,1 -l 1,1,1
kernel void k(global int *next, global int *r) { r[get_group_id(0)] = atomic_inc(next); }
";

#[test]
fn a_kernel_whose_result_depends_on_the_order_of_groups_is_told_from_one_whose_does_not() {
    let bench = Bench::new();
    bench.write("numbers.cl", NUMBERS);
    bench.write("next.cl", NEXT_NUMBER);
    let [host, pocl, oclgrind] = ["host", "pocl", "oclgrind"].map(|device| {
        let run = ["run", "numbers.cl", "--device-name", device, "--orders", "10"];
        let ran = bench.run(&run).code(0);
        assert_mentions(&stderr(&ran), &["note: the same result in 10 other orders of groups"]);
        stdout(&ran)
    });
    assert!(host == pocl && host == oclgrind && host.starts_with("0,0xa,0x14,0x3e8,"), "{host}");

    let run = ["run", "next.cl", "--device-name", "host", "--orders", "4"];
    let ran = bench.run(&run).code(23);
    assert_mentions(&stderr(&ran), &["depends on the order of groups", "4 of 4", "another result"]);
    let printed = stdout(&bench.run(&[&run[..], &["--json"]].concat()).code(23));
    let line: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((&line["class"], &line["orders"]["tried"]), (&"result".into(), &4.into()));
    assert_eq!(line["orders"]["different"].as_array().map(Vec::len), Some(4), "{line}");
    // The numbers of lines in the messages of compilers stay.
    bench.write(
        "wrong.cl",
        "// -g 2,1,1 -l 1,1,1\nkernel void k(global int *r) {\n  r[0] = 1 +;\n}\n",
    );
    let wrong = bench.run(&["run", "wrong.cl", "--device-name", "pocl", "--orders", "1"]).code(10);
    assert_mentions(&stderr(&wrong), &["3:"]);
}

#[test]
fn blocks_of_cuda_have_other_orders_too_but_whole_programs_have_none() {
    let bench = Bench::new();
    bench.write(
        "k.cu",
        "// -g 8,4,1 -l 2,2,1\n__global__ void k(unsigned *r) {\n\
         unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 2 + threadIdx.y;\n\
         r[y * 8 + x] = blockIdx.x * 10 + blockIdx.y; }\n",
    );
    let run = ["run", "k.cu", "--device-name", "host", "--orders", "5"];
    let ran = bench.run(&run).code(0);
    assert_mentions(&stderr(&ran), &["the same result in 5 other orders"]);
    assert!(stdout(&ran).starts_with("0,0,0xa,0xa,"), "{}", stdout(&ran));
    bench.write(
        "one.cu",
        "// -g 2,1,1 -l 2,1,1\n__global__ void k(int *r) { r[threadIdx.x] = 1; }\n",
    );
    let run = ["run", "one.cu", "--device-name", "host", "--orders", "2"];
    assert_mentions(&stderr(&bench.run(&run).code(0)), &["each launch has one group"]);
    assert_mentions(&stderr(&bench.run(&["run", "one.cu", "--orders", "11"]).code(2)), &["0..=10"]);
}

#[test]
fn a_mutant_that_is_noticed_in_some_orders_only_is_undecided() {
    let bench = Bench::new();
    bench.write(
        "k.cl",
        "// -g 4,1,1 -l 1,1,1\nkernel void k(global int *next, global int *r) {\n\
         int n = atomic_inc(next);\n\
         r[get_group_id(0)] = get_group_id(0) == 3 && n > 4;\n}\n",
    );
    let run = ["mutants", "k.cl", "--judge", "run", "--orders", "2", "--operator", "relational"];
    let printed = stdout(&bench.run(&[&run[..], &["--json"]].concat()).code(0));
    let lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let of_number = lines.filter(|line| line["before"] == ">");
    let fates: Vec<_> =
        of_number.map(|line| ["after", "fate", "details"].map(|key| text(&line, key))).collect();
    // Group 3 is the last one in the usual order and in the second of the others.
    assert_eq!(
        fates,
        [
            ["<", "undecided", "killed in 1 of 3 orders of groups"],
            ["<=", "killed", "another result"],
            [">=", "undecided", "killed in 2 of 3 orders of groups"],
        ]
    );
    let check = bench.run(&["mutants", "k.cl", "--orders", "2"]).code(2);
    assert_mentions(&stderr(&check), &["`--judge run`"]);
    bench.write("next.cl", NEXT_NUMBER);
    let own = bench.run(&["mutants", "next.cl", "--judge", "run", "--orders", "1"]).code(1);
    assert_mentions(&stderr(&own), &["another outcome in order 1"]);
}
