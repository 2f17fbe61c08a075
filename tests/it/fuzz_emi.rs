//! Campaigns with variants: programs and their variants, which have one result, raise one alarm on a configuration.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;

use crate::support::planted::{Fault, Planted, campaign, run_with};
use crate::support::{Bench, assert_mentions, stderr, stdout};
use clreduce_campaign::{Class, Conclusion, End, GeneratedPrograms, Programs};
use clreduce_generator::{Mode, Profile, TokenRange};
use clreduce_kernel::{KernelRun, RunLimits, RunReport};
use clreduce_process::{Cancel, ToolRunner};

static COMPILERS: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run::<0> },
    Planted {
        name: "faulty",
        faults: &[Fault::Wrong("clz"), Fault::Crash("rotate", "width > 0")],
        run: run::<1>,
    },
];

fn run<const N: usize>(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    run_with(COMPILERS[N].faults, run)
}

fn generated(variants: u32) -> Programs {
    let profile = Profile {
        mode: Mode::Vector,
        tokens: TokenRange::new(300, 500).unwrap(),
        avoid: "float,procedure,comma,assignment,increment".parse().unwrap(),
        ..Profile::default()
    };
    Programs::Generated(GeneratedPrograms { profile, first: 1, variants })
}

#[test]
fn variants_show_what_their_programs_do_not() {
    let found = |variants, jobs| {
        let out = tempfile::tempdir().unwrap();
        let told = campaign(out.path(), (generated(variants), 12), &COMPILERS, jobs);
        let log = fs::read_to_string(out.path().join("campaign.jsonl")).unwrap();
        let bugs = fs::read_dir(out.path().join("bugs")).into_iter().flatten();
        let texts = bugs.map(|bug| fs::read_to_string(bug.unwrap().path().join("kernel.cl")));
        (told, log, texts.map(Result::unwrap).collect::<Vec<String>>())
    };
    let (alone, ..) = found(0, 2);
    let (told, log, texts) = found(6, 2);
    let alarms = |outcomes: &[(u64, String, Class)]| -> BTreeSet<u64> {
        outcomes.iter().filter(|(_, name, _)| name == "faulty").map(|one| one.0).collect()
    };
    let (without, with) = (alarms(&alone.outcomes), alarms(&told.outcomes));
    assert!(with.is_superset(&without) && with.len() > without.len(), "{without:?} {with:?}");
    // One alarm for a program, whatever its variants show.
    assert_eq!(told.conclusions.len(), with.len(), "{:#?}", told.conclusions);
    let of_variant = |one: &&Conclusion| one.variant > 0;
    let shown: Vec<&Conclusion> = told.conclusions.iter().filter(of_variant).collect();
    assert!(shown.iter().all(|one| !without.contains(&one.program)), "{shown:#?}");
    assert_eq!(shown.len(), with.len() - without.len(), "{shown:#?}");
    assert!(log.contains(r#""variants":{"faulty":"#), "{log}");
    assert!(!log.contains(r#""outcomes":{},"variants""#), "{log}");
    let is_settled = |one: &Conclusion| matches!(one.end, End::Bug | End::Known | End::Duplicate);
    assert!(told.conclusions.iter().all(is_settled), "{:#?}", told.conclusions);
    assert!(!texts.is_empty());
    for text in texts {
        assert!(text.contains("clz") || text.contains("rotate"), "{text}");
        assert!(text.lines().count() <= 15, "{text}");
    }
    assert_eq!(log, found(6, 1).1);
}

const KERNEL: &str = "#define T int\nkernel void k(global T *a, global const T *b, int n) {\n  int id = get_global_id(0);\n  \
    int sum = 0;\n  for (int i = 0; i < 4; i++) {\n    if (b[i] > 1)\n      sum += b[i] * i;\n    else\n      sum -= id;\n  }\n  \
    if (id < n)\n    a[id] = sum;\n}\n";

/// One configuration is enough: the host says what is right.
#[test]
fn kernels_of_a_folder_run_with_variants_and_without_votes() {
    let bench = Bench::new();
    bench.write("bases/a.cl", KERNEL);
    bench.write("bases/b.cl", "kernel void k(global int *a) {}\n");
    bench.write("bases/c.cl", KERNEL.replace("sum = 0", "sum = 7"));
    bench.write("bases/c.expected", "0x1,\n");
    let args = ["fuzz", "--generator", "bases", "--device", "host", "--plain", "--out"];
    let run = |out, more: &[&str]| bench.run(&[&args[..], &[out], more].concat());
    let told = stdout(&run("c", &["--emi", "3"]).code(0));
    let row = |name: &str| -> Vec<String> {
        let line = told.lines().rfind(|line| line.starts_with(name)).expect("a row");
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_mentions(&told, &["base fails", "stable", "1 seeds or files gave no program"]);
    assert_eq!(row("host"), ["host", "1", "1"], "{told}");
    assert_mentions(&stderr(&run("d", &[]).code(2)), &["too few for a vote"]);
    bench.assert_nothing_left();
}
