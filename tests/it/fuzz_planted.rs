//! Campaigns on compilers with twenty planted faults: each fault is found once, told apart from the others and reduced; a
//! flaky compiler is not accused; what a compiler never gets right is avoided.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::planted::{
    Fault, Planted, Told, attempt, campaign, campaign_with_gate, run_with,
};
use clreduce_campaign::{BUGS, Class, Conclusion, End, GeneratedPrograms, Programs, WINDOW};
use clreduce_generator::{Mode, Profile, TokenRange};
use clreduce_kernel::{KernelRun, RunLimits, RunReport};
use clreduce_process::{Cancel, ToolRunner};

static COMPILERS: [Planted; 9] = [
    Planted { name: "sound", faults: &[], run: run::<0> },
    Planted {
        name: "halves",
        faults: &[Fault::Wrong("clz"), Fault::Wrong("mul_hi"), Fault::Wrong("hadd")],
        run: run::<1>,
    },
    Planted {
        name: "sums",
        faults: &[Fault::Wrong("rhadd"), Fault::Wrong("sub_sat"), Fault::Wrong("abs_diff")],
        run: run::<2>,
    },
    Planted {
        name: "bits",
        faults: &[Fault::Wrong("upsample"), Fault::Wrong("bitselect"), Fault::Wrong("max")],
        run: run::<3>,
    },
    Planted {
        name: "crashing",
        faults: &[
            Fault::Crash("rotate", "width > 0"),
            Fault::Crash("clamp", "low <= high"),
            Fault::RunCrash("popcount", "count < 64"),
        ],
        run: run::<4>,
    },
    Planted {
        name: "refusing",
        faults: &[
            Fault::Refuses("mad_sat", "no such instruction"),
            Fault::Refuses("abs", "cannot select a register"),
        ],
        run: run::<5>,
    },
    Planted {
        name: "hanging",
        faults: &[Fault::Hangs("select"), Fault::Hangs("shuffle")],
        run: run::<6>,
    },
    Planted { name: "flaky", faults: &[Fault::Flaky], run: run::<7> },
    Planted {
        name: "broken",
        faults: &[
            Fault::Wrong("add_sat"),
            Fault::Crash("mul24", "bits == 24"),
            Fault::Wrong("mad_hi"),
        ],
        run: run::<8>,
    },
];

fn run<const N: usize>(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    run_with(COMPILERS[N].faults, run)
}

/// The faults that a campaign must find: the compiler, the outcome, and the constructs of which one cures each.
const FOUND: [(&str, Class, &[&[&str]]); 9] = [
    ("halves", Class::Wrong, &[&["clz"], &["mul_hi"], &["hadd"]]),
    ("sums", Class::Wrong, &[&["rhadd"], &["sub_sat"], &["abs_diff"]]),
    ("bits", Class::Wrong, &[&["upsample"], &["bitselect"], &["max"]]),
    ("crashing", Class::Crash, &[&["rotate"], &["clamp"], &["popcount"]]),
    ("refusing", Class::Refused, &[&["mad_sat"], &["abs"]]),
    ("hanging", Class::Hang, &[&["select"], &["shuffle"]]),
    ("flaky", Class::Wrong, &[]),
    ("broken", Class::Wrong, &[&["add_sat"], &["mad_hi"]]),
    ("broken", Class::Crash, &[&["mul24"]]),
];

fn programs(mode: Mode) -> Programs {
    let profile = Profile {
        mode,
        tokens: TokenRange::new(300, 900).unwrap(),
        avoid: "float,procedure,comma,assignment,increment".parse().unwrap(),
        ..Profile::default()
    };
    Programs::Generated(GeneratedPrograms { profile, first: 1, variants: 0 })
}

fn bugs<'a>(told: &'a Told, of: &str, class: Class) -> Vec<&'a Conclusion> {
    let is_bug = |found: &&Conclusion| {
        (found.configuration.as_str(), found.class, found.end) == (of, class, End::Bug)
    };
    told.conclusions.iter().filter(is_bug).collect()
}

#[test]
fn twenty_planted_faults_are_found_once_and_the_flaky_compiler_is_not_accused() {
    let out = tempfile::tempdir().unwrap();
    let told = campaign(out.path(), (programs(Mode::Vector), 130), &COMPILERS, 2);
    assert!(told.left_out.is_empty(), "{told:#?}");
    assert!(told.broken.contains(&"broken add_sat".to_owned()), "{:?}", told.broken);
    for (of, class, faults) in FOUND {
        let bugs = bugs(&told, of, class);
        let cures: Vec<&str> = bugs.iter().filter_map(|bug| bug.construct.as_deref()).collect();
        assert_eq!(bugs.len(), faults.len(), "{of} {class:?}: {cures:?}");
        for fault in faults {
            assert!(fault.iter().any(|name| cures.contains(name)), "{of}: {fault:?} {cures:?}");
        }
        for bug in bugs {
            let folder = out.path().join("bugs").join(bug.bug.as_ref().unwrap());
            let kernel = fs::read_to_string(folder.join("kernel.cl")).unwrap();
            assert!(kernel.lines().count() <= 15, "{kernel}");
            assert!(faults.concat().iter().any(|name| kernel.contains(name)), "{kernel}");
        }
    }
    let all = told.conclusions.iter().filter(|found| found.end == End::Bug).count();
    let planted: usize = FOUND.iter().map(|(_, _, faults)| faults.len()).sum();
    // With the flaky compiler, which must not be found, there are twenty.
    assert_eq!((all, planted + 1), (19, 20), "{:#?}", told.conclusions);
    let is_settled = |found: &Conclusion| {
        found.configuration == "flaky"
            || matches!(found.end, End::Bug | End::Known | End::Duplicate)
    };
    assert!(told.conclusions.iter().all(is_settled), "{:#?}", told.conclusions);
}

static FEW: [Planted; 3] = [
    Planted { name: "sound", faults: &[], run: run_few::<0> },
    Planted {
        name: "two-faults",
        faults: &[
            Fault::Wrong("clz"),
            Fault::Crash("rotate", "width > 0"),
            Fault::Hangs("shuffle"),
        ],
        run: run_few::<1>,
    },
    Planted { name: "refusing", faults: &[Fault::Refuses("popcount", "no")], run: run_few::<2> },
];

fn run_few<const N: usize>(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    run_with(FEW[N].faults, run)
}

/// The bugs and what became of each alarm do not depend on the number of threads. With nine, many alarms of a device are looked
/// into side by side, and folders of bugs appear that an earlier alarm takes back.
#[test]
fn one_thread_finds_what_more_find() {
    let found = |jobs| -> (BTreeSet<String>, Vec<String>) {
        let out = tempfile::tempdir().unwrap();
        let told = campaign(out.path(), (programs(Mode::Vector), 60), &FEW, jobs);
        let lines = told.conclusions.iter().map(|one| serde_json::to_string(one).unwrap());
        let bugs = told.conclusions.iter().filter(|one| one.end == End::Bug);
        let folders = fs::read_dir(out.path().join(BUGS)).unwrap();
        let folders = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
        let names = bugs.map(|one| one.bug.clone().unwrap());
        assert_eq!(folders.collect::<BTreeSet<_>>(), names.collect(), "{jobs} threads");
        (lines.collect(), told.broken)
    };
    let alone = found(1);
    assert!(!alone.0.is_empty());
    for jobs in [3, 9] {
        assert_eq!(alone, found(jobs), "{jobs} threads");
    }
}

/// Without a gate, reductions need not wait for the first programs.
#[test]
fn without_a_gate_the_same_bugs_are_found() {
    let found = |gate| {
        let out = tempfile::tempdir().unwrap();
        let programs = (programs(Mode::Vector), 30);
        let told = campaign_with_gate(out.path(), programs, &FEW, (2, gate));
        let log = fs::read_to_string(out.path().join("campaign.jsonl")).unwrap();
        let gate = log.lines().position(|line| line.contains(r#""what":"gate""#)).unwrap();
        let mut cures: Vec<_> =
            told.conclusions.into_iter().filter_map(|one| one.construct).collect();
        cures.sort();
        cures.dedup();
        (gate, cures)
    };
    let (at_once, later) = (found(0), found(30));
    assert_eq!((at_once.0, later.0), (0, 30));
    assert!(!at_once.1.is_empty());
    assert_eq!(at_once.1, later.1);
}

/// Functions that show what is wrong with others: they are found first, and without them programs are right.
const SHOWING: &[&str] = &["abs", "abs_diff", "add_sat", "bitselect"];

static VEILED: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_veiled::<0> },
    Planted {
        name: "veiled",
        faults: &[
            Fault::WrongTogether(&["min", "max", "clamp"], SHOWING),
            Fault::WrongTogether(&["mul_hi"], SHOWING),
        ],
        run: run_veiled::<1>,
    },
];

fn run_veiled<const N: usize>(
    _: &ToolRunner,
    run: &KernelRun,
    _: RunLimits,
    _: &Cancel,
) -> RunReport {
    run_with(VEILED[N].faults, run)
}

/// The first cure of each reduced kernel is a function that is not at fault, and each fault shows through all four of them.
#[test]
fn a_family_at_fault_is_one_bug_whatever_else_cures_it() {
    let out = tempfile::tempdir().unwrap();
    let told = campaign(out.path(), (programs(Mode::Vector), 130), &VEILED, 2);
    assert!(told.left_out.is_empty(), "{told:#?}");
    let family = ["min", "max", "clamp"];
    let is_of_family =
        |one: &Conclusion| one.construct.as_ref().is_some_and(|name| family.contains(&&**name));
    let bugs = bugs(&told, "veiled", Class::Wrong);
    let (of_family, others): (Vec<&Conclusion>, Vec<&Conclusion>) =
        bugs.into_iter().partition(|bug| is_of_family(bug));
    assert_eq!(of_family.len(), 1, "{:#?}", told.conclusions);
    let bug = of_family[0];
    assert!(!bug.siblings.is_empty(), "{bug:?}");
    // What shows it comes first in the order in which cures are tried.
    assert!(SHOWING.iter().any(|name| bug.cures[0] == *name), "{bug:?}");
    // The other fault shows through the same functions, and is another bug.
    let is_other = |bug: &&Conclusion| bug.cures.iter().any(|name| name == "mul_hi");
    assert!(!others.is_empty() && others.iter().all(is_other), "{others:#?}");
    let merged = told
        .conclusions
        .iter()
        .filter(|one| one.end == End::Duplicate && one.bug == bug.bug && !is_of_family(one));
    assert_eq!(merged.count(), 0, "{:#?}", told.conclusions);
}

static SLOW: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_slow::<0> },
    Planted { name: "slow", faults: &[Fault::Hangs("select")], run: run_slow::<1> },
];

/// Programs that have run, and whether the reduction of a hang waited for them in vain.
static RUN: AtomicU64 = AtomicU64::new(0);
static GAVE_UP: AtomicBool = AtomicBool::new(false);
/// A program behind the first hang that starts before sixteen later ones are looked into.
const LATE: u64 = WINDOW + 30;

/// The reduction of a hang waits for a late program, as if each test of it took long.
fn run_slow<const N: usize>(
    _: &ToolRunner,
    run: &KernelRun,
    _: RunLimits,
    _: &Cancel,
) -> RunReport {
    let source = String::from_utf8_lossy(&run.source);
    match (N, source.contains("reduced from: ")) {
        (0, false) => {
            RUN.fetch_add(1, Ordering::Relaxed);
        }
        (1, true) => {
            let started = Instant::now();
            while RUN.load(Ordering::Relaxed) < LATE && !GAVE_UP.load(Ordering::Relaxed) {
                let is_over = started.elapsed() > Duration::from_secs(300);
                GAVE_UP.fetch_or(is_over, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(10));
            }
        }
        _ => {}
    }
    run_with(SLOW[N].faults, run)
}

#[test]
fn programs_go_on_while_a_rare_alarm_is_looked_into() {
    let out = tempfile::tempdir().unwrap();
    let told = campaign_with_gate(out.path(), (programs(Mode::Vector), LATE + 20), &SLOW, (2, 0));
    let bugs = bugs(&told, "slow", Class::Hang);
    assert_eq!(bugs.len(), 1, "{:#?}", told.conclusions);
    assert!(bugs[0].program + WINDOW < LATE, "{:?}", bugs[0]);
    assert!(!GAVE_UP.load(Ordering::Relaxed));
}

static REFUSING: [Planted; 1] =
    [Planted { name: "refusing", faults: &[Fault::Refuses("", "no")], run: run_nothing }];

fn run_nothing(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    run_with(REFUSING[0].faults, run)
}

#[test]
fn a_campaign_stops_if_no_configuration_can_do_anything() {
    let out = tempfile::tempdir().unwrap();
    // Without a number of programs, it would go on for ever.
    let attempt = || attempt(out.path(), (programs(Mode::Basic), u64::MAX), &REFUSING, (2, 30));
    for _ in 0..2 {
        let stopped = attempt().unwrap_err().to_string();
        assert!(
            stopped.contains("refusing (100 %)") && stopped.contains("30 programs"),
            "{stopped}"
        );
    }
}
