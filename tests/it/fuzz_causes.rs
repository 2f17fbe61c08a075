//! What a campaign says about the cause of a bug: a reduction that has lost it is not published, the construct at fault is named and
//! not its neighbour, and a bug that nothing cures is reduced once.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::support::planted::{Fault, Planted, Told, campaign_with_gate, run_with};
use clreduce_campaign::{Conclusion, End, GeneratedPrograms, Programs};
use clreduce_generator::{Avoid, Mode, Profile, TokenRange};
use clreduce_kernel::{KernelRun, RunLimits, RunReport};
use clreduce_process::{Cancel, ToolRunner};

fn programs() -> Programs {
    let profile = Profile {
        mode: Mode::Vector,
        tokens: TokenRange::new(300, 900).unwrap(),
        avoid: "float,procedure,comma,assignment,increment".parse().unwrap(),
        ..Profile::default()
    };
    Programs::Generated(GeneratedPrograms { profile, first: 1, variants: 0 })
}

/// The generator's functions are in the text of every program, until that is reduced.
static DRIFTING: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run::<0> },
    Planted {
        name: "drifting",
        faults: &[Fault::Wrong("clz"), Fault::WrongWithout("note")],
        run: run::<1>,
    },
];

fn run<const N: usize>(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    run_with(DRIFTING[N].faults, run)
}

#[test]
fn what_is_wrong_without_its_cause_is_not_published() {
    let out = tempfile::tempdir().unwrap();
    let told = campaign_with_gate(out.path(), (programs(), 40), &DRIFTING, (2, 0));
    assert!(!told.conclusions.is_empty());
    for found in &told.conclusions {
        assert_eq!(found.end, End::NotReduced, "{found:#?}");
        assert!(found.reason.contains("clz"), "{}", found.reason);
    }
    assert!(!out.path().join("bugs").exists());
}

/// What is wrong with every program, and goes with nothing that can be left out.
static FREQUENT: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_frequent::<0> },
    Planted { name: "frequent", faults: &[Fault::Wrong("note")], run: run_frequent::<1> },
];

fn run_frequent<const N: usize>(
    _: &ToolRunner,
    run: &KernelRun,
    _: RunLimits,
    _: &Cancel,
) -> RunReport {
    run_with(FREQUENT[N].faults, run)
}

#[test]
fn a_frequent_bug_that_nothing_cures_is_reduced_once() {
    let out = tempfile::tempdir().unwrap();
    let told = campaign_with_gate(out.path(), (programs(), 6), &FREQUENT, (2, 0));
    let ends: Vec<End> = told.conclusions.iter().map(|found| found.end).collect();
    assert_eq!(ends[0], End::Bug, "{:#?}", told.conclusions);
    assert!(ends.len() > 3 && ends[1..].iter().all(|end| *end == End::Duplicate), "{ends:?}");
    assert_eq!(reduced_texts(out.path()), 1);
}

/// The number of cases of a campaign that were reduced as texts.
fn reduced_texts(out: &Path) -> usize {
    let cases = fs::read_dir(out.join("cases")).unwrap();
    cases.filter(|case| case.as_ref().unwrap().path().join("reduced").exists()).count()
}

/// Whatever is around the call of a faulty function carries the wrong value to the result, so that it cures the program as well.
static CARRIED: [Planted; 3] = [
    Planted { name: "sound", faults: &[], run: run_carried::<0> },
    Planted {
        name: "one",
        faults: &[
            Fault::WrongWithin("clz"),
            Fault::WrongWithin("popcount"),
            Fault::WrongWithin("rotate"),
            Fault::WrongWithin("max"),
            Fault::WrongWithin("mad_hi"),
        ],
        run: run_carried::<1>,
    },
    Planted {
        name: "other",
        faults: &[
            Fault::WrongWithin("sub_sat"),
            Fault::WrongWithin("rhadd"),
            Fault::WrongWithin("hadd"),
            Fault::WrongWithin("mul_hi"),
            Fault::WrongWithin("bitselect"),
        ],
        run: run_carried::<2>,
    },
];

fn run_carried<const N: usize>(
    _: &ToolRunner,
    run: &KernelRun,
    _: RunLimits,
    _: &Cancel,
) -> RunReport {
    run_with(CARRIED[N].faults, run)
}

#[test]
fn the_construct_at_fault_is_named_and_not_what_carries_its_value() {
    let out = tempfile::tempdir().unwrap();
    let told = campaign_with_gate(out.path(), (programs(), 400), &CARRIED, (2, 0));
    for of in &CARRIED[1..] {
        let bugs = told
            .conclusions
            .iter()
            .filter(|found| (found.end, found.configuration.as_str()) == (End::Bug, of.name));
        let mut named: Vec<&str> = bugs.filter_map(|bug| bug.construct.as_deref()).collect();
        named.sort_unstable();
        let mut planted: Vec<&str> = Vec::new();
        for fault in of.faults {
            if let Fault::WrongWithin(name) = fault {
                planted.push(name);
            }
        }
        planted.sort_unstable();
        assert_eq!(named, planted, "{}", of.name);
    }
}

/// A frequent bug that no construct cures: what is wrong is the size of a type.
static THREE_LANES: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_lanes::<0> },
    Planted { name: "lanes", faults: &[Fault::WrongInitialiser], run: run_lanes::<1> },
];

fn run_lanes<const N: usize>(
    _: &ToolRunner,
    run: &KernelRun,
    _: RunLimits,
    _: &Cancel,
) -> RunReport {
    run_with(THREE_LANES[N].faults, run)
}

/// Frequent bugs that no construct cures: what is wrong is how a list of initialisers is laid out.
static LISTS: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_lists::<0> },
    Planted { name: "lists", faults: &[Fault::WrongList], run: run_lists::<1> },
];

fn run_lists<const N: usize>(
    _: &ToolRunner,
    run: &KernelRun,
    _: RunLimits,
    _: &Cancel,
) -> RunReport {
    run_with(LISTS[N].faults, run)
}

/// Two frequent bugs, so that many kernels show both, and none of the two cures alone.
static BOTH: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_both::<0> },
    Planted {
        name: "both",
        faults: &[Fault::WrongInitialiser, Fault::WrongWithin("max")],
        run: run_both::<1>,
    },
];

fn run_both<const N: usize>(
    _: &ToolRunner,
    run: &KernelRun,
    _: RunLimits,
    _: &Cancel,
) -> RunReport {
    run_with(BOTH[N].faults, run)
}

/// A campaign of kernels of all kinds, with what became of its alarms: the seed of the first kernel, and how many there are.
fn of_all_kinds(out: &Path, (first, count): (u64, u64), compilers: &'static [Planted]) -> Told {
    let Programs::Generated(programs) = programs() else { unreachable!() };
    let profile = Profile { mode: Mode::Free, ..programs.profile };
    let programs = Programs::Generated(GeneratedPrograms { profile, first, ..programs });
    campaign_with_gate(out, (programs, count), compilers, (2, 0))
}

#[test]
fn types_and_initialisers_are_cures_as_well() {
    for (count, compilers, cure) in [(250, &THREE_LANES, "vec3"), (50, &LISTS, "initialiser")] {
        let out = tempfile::tempdir().unwrap();
        let told = of_all_kinds(out.path(), (1, count), compilers);
        let of = |end: End| told.conclusions.iter().filter(move |found| found.end == end);
        let bugs: Vec<_> = of(End::Bug).map(|found| found.construct.as_deref()).collect();
        assert_eq!(bugs, [Some(cure)], "{:#?}", told.conclusions);
        assert!(of(End::Known).count() > 0, "{:#?}", told.conclusions);
        // The generator cannot do without every cure.
        let all_are_features = |found: &Conclusion| {
            found.avoid.iter().all(|line| line.feature.parse::<Avoid>().is_ok())
        };
        assert!(told.conclusions.iter().all(all_are_features), "{:#?}", told.conclusions);
    }
}

#[test]
fn a_bug_that_shows_beside_another_is_recognised_before_its_text_is_reduced() {
    let out = tempfile::tempdir().unwrap();
    let told = of_all_kinds(out.path(), (1001, 400), &BOTH);
    let of = |end: End| told.conclusions.iter().filter(move |found| found.end == end);
    let mut bugs: Vec<_> = of(End::Bug).map(|found| found.construct.as_deref()).collect();
    bugs.sort_unstable();
    assert_eq!(bugs, [Some("max"), Some("vec3")], "{:#?}", told.conclusions);
    assert!(of(End::Duplicate).count() > 0, "{:#?}", told.conclusions);
    assert_eq!(reduced_texts(out.path()), 2, "{:#?}", told.conclusions);
}
