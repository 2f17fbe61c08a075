//! Campaigns on kernels from a folder, whose right results are not known: which configuration is outvoted, and which is not
//! accused.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::support::planted::{Fault, Planted, Told, campaign, run_with};
use clreduce_campaign::{Class, End, ExternalPrograms, Programs, SourceKind};
use clreduce_kernel::{KernelRun, ProgramKind, Rule, RunLimits, RunReport};
use clreduce_process::{Cancel, ToolRunner};

static COMPILERS: [Planted; 4] = [
    Planted { name: "first", faults: &[], run: run::<0> },
    Planted { name: "second", faults: &[], run: run::<1> },
    Planted { name: "third", faults: &[], run: run::<2> },
    Planted {
        name: "faulty",
        faults: &[
            Fault::Wrong("clz"),
            Fault::Wrong("popcount"),
            Fault::WrongForFirstInputs("hadd"),
            Fault::LastBit,
            Fault::Crash("rotate", "width > 0"),
        ],
        run: run::<3>,
    },
];

fn run<const N: usize>(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    run_with(COMPILERS[N].faults, run)
}

/// A kernel that computes with its inputs.
fn kernel(value: &str) -> String {
    format!(
        "kernel void k(global int *a, global int *b) {{ int i = get_global_id(0); a[i] = {value} + 1; }}\n"
    )
}

fn folder(programs: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in programs {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn told(out: &Path, folder: &Path, rule: Rule) -> Told {
    let kind = SourceKind::Kernels(ProgramKind::OpenCl);
    let programs = ExternalPrograms::of_folder(folder, kind, rule).unwrap();
    campaign(out, (Programs::External(programs), 100), &COMPILERS, 2)
}

#[test]
fn who_differs_is_accused_unless_there_is_another_reason() {
    let float = "kernel void k(global float *a) { a[0] = a[0] / 3; }\n";
    let race = "kernel void race(global int *a) { a[0] = popcount((int)get_global_id(0)); }\n";
    let addresses = "kernel void addresses(global ulong *a) { int x = popcount(1); a[get_global_id(0)] = (ulong)&x; }\n";
    let folder = folder(&[
        ("a-outvoted.cl", kernel("clz(b[i])")),
        ("b-depends.cl", kernel("hadd(b[i], 3)")),
        ("c-float.cl", float.to_owned()),
        ("d-float-crash.cl", float.replace("a[0] /", "rotate(2, 1) * a[0] /")),
        ("e-agrees.cl", kernel("b[i]")),
        ("f-race.cl", race.to_owned()),
        ("g-no-kernel.cl", "int x;\n".to_owned()),
        ("h-addresses.cl", addresses.to_owned()),
    ]);
    let out = tempfile::tempdir().unwrap();
    let told = told(out.path(), folder.path(), Rule::AtLeastThree);
    let of = |program: u64| -> Vec<Class> {
        let mine =
            told.outcomes.iter().filter(|(one, name, _)| (*one, &**name) == (program, "faulty"));
        mine.map(|(_, _, class)| *class).collect()
    };
    assert_eq!(of(0), [Class::Outvoted], "{told:#?}");
    assert_eq!(of(1), [Class::DependsOnInputs]);
    assert_eq!(of(2), [Class::Inexact]);
    assert_eq!(of(3), [Class::Crash]);
    assert!(of(4).is_empty() && of(6).is_empty());
    assert!(told.outcomes.iter().all(|(_, name, _)| name == "faulty"), "{:?}", told.outcomes);
    let end = |program: u64| {
        let mine = told.conclusions.iter().find(|found| found.program == program);
        mine.map(|found| (found.end, found.reason.clone()))
    };
    assert_eq!(end(0), Some((End::Bug, String::new())), "{:#?}", told.conclusions);
    assert_eq!(end(3).unwrap().0, End::Bug);
    for (program, what) in [(5, "data-race"), (7, "where variables lie")] {
        let (end, reason) = end(program).unwrap();
        assert_eq!(end, End::Invalid, "{reason}");
        assert!(reason.contains(what), "{reason}");
    }
    assert_eq!(told.conclusions.iter().filter(|found| found.end == End::Bug).count(), 2);
    let log = fs::read_to_string(out.path().join("campaign.jsonl")).unwrap();
    assert!(log.contains("there is no kernel in the program"), "{log}");
    let bug = out.path().join("bugs/faulty-outvoted-a-outvoted");
    assert!(fs::read_to_string(bug.join("kernel.cl")).unwrap().contains("clz"));
}

#[test]
fn a_right_result_beside_a_program_needs_no_vote() {
    let folder = folder(&[(
        "k.cl",
        "// -g 1 -l 1\nkernel void entry(global ulong *r) { r[0] = clz(1u); }\n".into(),
    )]);
    fs::write(folder.path().join("k.expected"), "0x1f,\n").unwrap();
    let out = tempfile::tempdir().unwrap();
    let told = told(out.path(), folder.path(), Rule::TwoThirds);
    let found: Vec<(&str, Class)> =
        told.outcomes.iter().map(|(_, name, class)| (&**name, *class)).collect();
    assert_eq!(found, [("faulty", Class::Wrong)]);
    assert_eq!(told.conclusions[0].end, End::Bug, "{:#?}", told.conclusions);
}
