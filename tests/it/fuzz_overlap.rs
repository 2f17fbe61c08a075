//! What a campaign does at the same time: programs on a GPU, and reductions for one device. A hang on a GPU is judged alone.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::planted::{Fault, Planted, campaign_with_gate, run_with};
use clreduce_campaign::{GeneratedPrograms, Programs};
use clreduce_generator::{Mode, Profile, TokenRange};
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

/// Waits for a condition, but not for ever: `false` once a wait was in vain.
fn wait_for(gave_up: &AtomicBool, condition: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while !condition() {
        let is_over = started.elapsed() > Duration::from_secs(60);
        if gave_up.fetch_or(is_over, Ordering::Relaxed) || is_over {
            return false;
        }
        thread::sleep(Duration::from_millis(2));
    }
    true
}

static MEETING: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_nothing },
    Planted { name: "gpu", faults: &[], run: run_meeting },
];

fn run_nothing(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    run_with(&[], run)
}

static INSIDE: AtomicUsize = AtomicUsize::new(0);
static MET: AtomicUsize = AtomicUsize::new(0);
static NEVER_MET: AtomicBool = AtomicBool::new(false);

/// A driver that builds until another program comes.
fn run_meeting(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    let met = MET.load(Ordering::SeqCst);
    if INSIDE.fetch_add(1, Ordering::SeqCst) > 0 {
        MET.fetch_add(1, Ordering::SeqCst);
    } else if met < 8 {
        wait_for(&NEVER_MET, || MET.load(Ordering::SeqCst) > met);
    }
    let report = run_with(&[], run);
    INSIDE.fetch_sub(1, Ordering::SeqCst);
    report
}

#[test]
fn programs_are_built_beside_each_other_for_a_gpu() {
    let out = tempfile::tempdir().unwrap();
    campaign_with_gate(out.path(), (programs(), 30), &MEETING, (4, 0));
    assert!(!NEVER_MET.load(Ordering::SeqCst));
    assert!(MET.load(Ordering::SeqCst) >= 8);
}

static HANGING: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_nothing },
    Planted { name: "gpu", faults: &[Fault::Hangs("rotate")], run: run_hanging },
];

static PROGRAMS: AtomicUsize = AtomicUsize::new(0);
static ALONE: AtomicUsize = AtomicUsize::new(0);
static DISTURBED: AtomicBool = AtomicBool::new(false);

/// A run with more than the usual limit is the second look at a hang.
fn run_hanging(_: &ToolRunner, run: &KernelRun, limits: RunLimits, _: &Cancel) -> RunReport {
    let before = PROGRAMS.fetch_add(1, Ordering::SeqCst);
    if limits.run > Duration::from_secs(60) {
        ALONE.fetch_add(1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(20));
        let is_disturbed = before > 0 || PROGRAMS.load(Ordering::SeqCst) > 1;
        DISTURBED.fetch_or(is_disturbed, Ordering::SeqCst);
    }
    let report = run_with(HANGING[1].faults, run);
    PROGRAMS.fetch_sub(1, Ordering::SeqCst);
    report
}

#[test]
fn a_hang_on_a_gpu_is_judged_alone() {
    let out = tempfile::tempdir().unwrap();
    campaign_with_gate(out.path(), (programs(), 30), &HANGING, (4, 30));
    assert!(ALONE.load(Ordering::SeqCst) > 0);
    assert!(!DISTURBED.load(Ordering::SeqCst));
}

static WRONG: [Planted; 2] = [
    Planted { name: "sound", faults: &[], run: run_nothing },
    Planted {
        name: "wrong",
        faults: &[Fault::Wrong("clz"), Fault::Wrong("rotate"), Fault::Wrong("hadd")],
        run: run_wrong,
    },
];

/// The seeds of the programs that are being reduced, with the number of runs at this moment.
static REDUCED: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
static SIDE_BY_SIDE: AtomicBool = AtomicBool::new(false);
static ONE_BY_ONE: AtomicBool = AtomicBool::new(false);

/// The test of a reduction waits for one of another reduction.
fn run_wrong(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    let source = String::from_utf8_lossy(&run.source).into_owned();
    let seed = source.split_once("reduced from: ").and_then(|(_, from)| from.split_once("--seed "));
    if let Some((_, seed)) = seed
        && let Some(seed) = seed.split_whitespace().next()
        && !SIDE_BY_SIDE.load(Ordering::SeqCst)
    {
        let reduced = || REDUCED.lock().unwrap();
        *reduced().entry(seed.to_owned()).or_default() += 1;
        let others = || reduced().iter().any(|(other, count)| other != seed && *count > 0);
        let is_over = || SIDE_BY_SIDE.load(Ordering::SeqCst) || others();
        if wait_for(&ONE_BY_ONE, is_over) {
            SIDE_BY_SIDE.store(true, Ordering::SeqCst);
        }
        *reduced().entry(seed.to_owned()).or_default() -= 1;
    }
    run_with(WRONG[1].faults, run)
}

#[test]
fn alarms_of_one_device_are_reduced_side_by_side() {
    let out = tempfile::tempdir().unwrap();
    campaign_with_gate(out.path(), (programs(), 40), &WRONG, (8, 40));
    assert!(SIDE_BY_SIDE.load(Ordering::SeqCst) && !ONE_BY_ONE.load(Ordering::SeqCst));
}
