//! `--zoo`: installations beside those of the system, as devices and as versions for `clreduce bisect`. PoCL is the real
//! one; the compilers are made here.

#![cfg(target_os = "linux")]

use crate::support::{Bench, assert_mentions, stderr, stdout};
use serde_json::Value;

const KERNEL: &str = "\
// -g 2,1,1 -l 1,1,1
__kernel void entry(__global ulong *result) {
  result[get_global_id(0)] = get_global_id(0) + 7;
}
";

/// A zoo with an installation that is the PoCL of the system, and one without any device.
fn with_run_times() -> Bench {
    let bench = Bench::new();
    bench.write("kernel.cl", KERNEL);
    bench.write("kernel.expected", "0x7,0x8,\n");
    let vendors = bench.path("zoo/pocl-3.1/vendors").display().to_string();
    let icd = std::fs::read_to_string("/etc/OpenCL/vendors/pocl.icd").unwrap();
    bench.write("zoo/pocl-3.1/vendors/pocl.icd", icd);
    bench.write("zoo/pocl-3.1/zoo.toml", description("pocl", "3.1", &vendors));
    let empty = bench.path("zoo/pocl-3.0/vendors").display().to_string();
    bench.write("zoo/pocl-3.0/vendors/none", "");
    bench.write("zoo/pocl-3.0/zoo.toml", description("pocl", "3.0", &empty));
    bench
}

fn description(name: &str, version: &str, vendors: &str) -> String {
    format!(
        "name = \"{name}\"\nversion = \"{version}\"\nkind = \"opencl\"\n\n[environment]\n\
         OCL_ICD_VENDORS = \"{vendors}\"\n"
    )
}

#[test]
fn an_installation_is_a_device_in_an_environment_of_its_own() {
    let bench = with_run_times();
    let listed = bench.run(&["devices", "--json", "--zoo", "zoo"]).code(0);
    let labels: Vec<String> = stdout(&listed)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|device| device["zoo"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(labels, ["pocl-3.1"]);
    assert_mentions(&stderr(&listed), &["pocl-3.0: "]);
    let run = |name: &str| bench.run(&["run", "kernel.cl", "--zoo", "zoo", "--device-name", name]);
    assert_eq!(stdout(&run("pocl-3.1").code(0)), "0x7,0x8,\n");
    // Its label is not a part of the name of another device.
    assert_mentions(&stderr(&run("pocl-3.0").code(2)), &["pocl-3.0"]);
    let wrong = bench.run(&["devices", "--zoo", "nowhere"]).code(2);
    assert_mentions(&stderr(&wrong), &["nowhere", "No such file"]);
    bench.assert_nothing_left();
}

#[test]
fn a_kernel_with_its_right_result_is_compared_on_all_versions() {
    let bench = with_run_times();
    let args = ["bisect", "kernel.cl", "--zoo", "zoo", "--devices", "pocl"];
    let said = stdout(&bench.run(&args).code(1));
    assert_mentions(&said, &["pocl-3.1  does not show it", "pocl-3.0  not installed"]);
    bench.write("kernel.expected", "0x7,0x9,\n");
    let said = stdout(&bench.run(&args).code(0));
    assert_mentions(&said, &["pocl-3.1  shows the bug", "Only pocl-3.1 shows the bug, of 1"]);
    // What is not named needs a test.
    let refused = bench.run(&["bisect", "kernel.cl", "--zoo", "zoo"]).code(2);
    assert_mentions(&stderr(&refused), &["no compilers were given"]);
}

#[test]
fn a_script_gets_each_version_in_its_environment() {
    let bench = Bench::new();
    bench.write("p.c", "print 1\n");
    for version in 1..=12 {
        // Versions 3 to 10 are wrong, and 2 does not run.
        let text = match version {
            2 => "#!/bin/sh\nexit 3\n",
            3..=10 => "#!/bin/sh\necho wrong\n",
            _ => "#!/bin/sh\necho right\n",
        };
        bench.script(&format!("zoo/{version}/cc"), text);
        let program = bench.path(&format!("zoo/{version}/cc")).display().to_string();
        let text = format!(
            "name = \"toy\"\nversion = \"{version}\"\nkind = \"compiler\"\nprogram = \"{program}\"\n"
        );
        bench.write(&format!("zoo/{version}/zoo.toml"), text);
    }
    let lines = "#!/bin/sh\n[ -z \"$CC\" ] && exit 0\n[ \"$CLREDUCE_ZOO\" = toy-5 ] && exit 1\n\
                 said=$(\"$CC\" \"$1\") || exit 125\n[ \"$said\" = wrong ]\n";
    bench.script("t.sh", lines);
    let args = ["bisect", "p.c", "--test", "./t.sh", "--zoo", "zoo", "--compilers", "toy"];
    let said = stdout(&bench.run(&args).code(0));
    let expected = [
        "toy-2   exit code 125",
        "toy-3   shows the bug",
        "toy-5   does not show it",
        "toy-10  shows the bug",
        "7 of the 12 that ran show the bug: the first is toy-3, the last toy-10.",
        "It came between toy-1 and toy-3; toy-2 in between cannot tell. \
         It went between toy-4 and toy-5. \
         It came between toy-5 and toy-6.",
        "It went between toy-10 and toy-11.",
    ];
    assert_mentions(&said, &expected);
    bench.assert_nothing_left();
}
