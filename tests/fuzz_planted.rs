//! Campaigns on compilers with planted faults: each fault is found once, told apart from the others and reduced; a flaky
//! compiler is not accused; what a compiler never gets right is avoided.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use clreduce::Cancel;
use clreduce_campaign::{
    Campaign, CampaignStart, Class, Conclusion, Configuration, End, Matrix, Programs, Progress,
};
use clreduce_devices::{
    Backend, Device, DeviceError, DeviceFacts, FoundDevice, Transport, WorkerOptions,
};
use clreduce_generator::read::{self, Judgement};
use clreduce_generator::{Mode, Profile, Tokens};
use clreduce_kernel::{Argument, Crash, KernelRun, ProgramKind, RunLimits, RunOutcome, RunReport};
use clreduce_process::ToolRunner;

/// What a compiler does with a program.
#[derive(Debug)]
enum Fault {
    /// The result is wrong if the text has this.
    Wrong(&'static str),
    /// It dies.
    Crash(&'static str),
    /// It refuses the program.
    Refuses(&'static str),
    /// Now the result is right, and now it is not.
    Flaky,
}

/// A compiler with faults. It computes the right result with the interpreter of the generator.
#[derive(Debug)]
struct Planted {
    name: &'static str,
    faults: &'static [Fault],
    run: fn(&ToolRunner, &KernelRun, RunLimits, &Cancel) -> RunReport,
}

static COMPILERS: [Planted; 6] = [
    Planted { name: "sound", faults: &[], run: run::<0> },
    Planted {
        name: "two-faults",
        faults: &[Fault::Wrong("clz("), Fault::Wrong("mul_hi(")],
        run: run::<1>,
    },
    Planted { name: "crashing", faults: &[Fault::Crash("rotate(")], run: run::<2> },
    Planted { name: "refusing", faults: &[Fault::Refuses("popcount(")], run: run::<3> },
    Planted { name: "flaky", faults: &[Fault::Flaky], run: run::<4> },
    Planted { name: "broken", faults: &[Fault::Wrong("add_sat(")], run: run::<5> },
];

impl Backend for Planted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.name
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::OpenCl
    }

    fn find(&self, _options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        Ok(Vec::new())
    }

    fn transport(&self) -> Transport {
        Transport::Programs(self.run)
    }
}

fn run<const N: usize>(_: &ToolRunner, run: &KernelRun, _: RunLimits, _: &Cancel) -> RunReport {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let source = String::from_utf8_lossy(&run.source);
    let mut outcome = right(run);
    for fault in COMPILERS[N].faults {
        match fault {
            Fault::Wrong(text) if source.contains(text) => spoil(&mut outcome),
            Fault::Flaky if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(7) => {
                spoil(&mut outcome)
            }
            Fault::Crash(text) if source.contains(text) => {
                let output = "planted: Assertion `width > 0' failed.".to_owned();
                outcome = RunOutcome::BuildCrash(Crash { how: "SIGABRT".to_owned(), output });
            }
            Fault::Refuses(text) if source.contains(text) => {
                let log = "k.cl:1:2: error: no such instruction".to_owned();
                outcome = RunOutcome::BuildFailure { log };
            }
            _ => {}
        }
    }
    RunReport { outcome, build: Duration::from_millis(1), run: Duration::from_millis(1) }
}

fn spoil(outcome: &mut RunOutcome) {
    if let RunOutcome::Results(results) = outcome {
        results.iter_mut().flatten().for_each(|output| output.bytes[0] ^= 1);
    }
}

/// The right result, as far as the interpreter can read the program.
fn right(run: &KernelRun) -> RunOutcome {
    let [launch] = &run.launches[..] else { return RunOutcome::Built };
    let sizes = |sizes: &[u64]| [0, 1, 2].map(|at| sizes.get(at).copied().unwrap_or(1));
    let argument = |argument: &Argument| match argument {
        Argument::Buffer { element, elements, fill, .. } => {
            read::Argument::Buffer(fill.content(*element, *elements))
        }
        Argument::Value(bytes) => read::Argument::Value(bytes.clone()),
        Argument::Local(bytes) => read::Argument::Local(*bytes),
    };
    let global = sizes(&launch.global);
    let read = read::Launch {
        kernel: launch.kernel.clone(),
        global,
        local: launch.local.as_deref().map_or([1; 3], sizes),
        arguments: launch.arguments.iter().map(argument).collect(),
    };
    match read::judge(&run.source, &read) {
        Judgement::Valid(contents) => RunOutcome::Results(vec![launch.outputs(contents)]),
        Judgement::Invalid(reason) => RunOutcome::Unresolved(reason),
        Judgement::Outside(outside) => RunOutcome::Unresolved(outside.to_string()),
    }
}

fn matrix() -> Matrix {
    let device = |(number, backend): (usize, &'static Planted)| {
        let facts = DeviceFacts {
            platform: backend.name.to_owned(),
            platform_version: String::new(),
            name: backend.name.to_owned(),
            vendor: String::new(),
            driver: String::new(),
            version: "OpenCL C 1.2".to_owned(),
            kind: "cpu".to_owned(),
            compute_units: 1,
            max_work_group: 64,
            memory_bytes: 1 << 30,
        };
        let found = FoundDevice { platform: 0, device: 0, facts };
        (backend.name.to_owned(), Device::new(backend, number as u32, found))
    };
    let devices: Vec<_> = COMPILERS.iter().enumerate().map(device).collect();
    let configurations =
        (0..devices.len()).map(|device| Configuration { device, options: String::new() }).collect();
    let (options, kind) = (String::new(), ProgramKind::OpenCl);
    Matrix { devices, configurations, host: Some(0), options, kind }
}

/// Runs a campaign; the conclusions, and the features that the gate found broken.
fn campaign(out: &Path, jobs: usize) -> (Vec<Conclusion>, BTreeSet<String>) {
    let profile = Profile {
        mode: Mode::Vector,
        tokens: Tokens::new(300, 900).unwrap(),
        avoid: "float".parse().unwrap(),
        ..Profile::default()
    };
    let start = CampaignStart {
        programs: Programs { profile, first: 1 },
        count: Some(150),
        matrix: matrix(),
        jobs: NonZeroUsize::new(jobs).unwrap(),
        time: None,
        limit: Duration::from_secs(60),
        avoids: true,
        worker: WorkerOptions::new(PathBuf::from(env!("CARGO_BIN_EXE_clreduce"))),
        cancel: Cancel::new(),
        report: Box::new(|_, _, [markdown, _], _| {
            fs::write(markdown, "a bug").map(|()| true).map_err(|error| error.to_string())
        }),
    };
    let (mut conclusions, mut broken) = (Vec::new(), BTreeSet::new());
    let campaign = Campaign::open(out, start).unwrap();
    campaign
        .run(|progress| match progress {
            Progress::Concluded { conclusion, .. } => conclusions.push(conclusion),
            Progress::Gate { avoid, left_out } => {
                assert!(left_out.is_empty(), "{left_out:?}");
                broken
                    .extend(avoid.into_iter().map(|line| line.configuration + " " + &line.feature));
            }
            _ => {}
        })
        .unwrap();
    (conclusions, broken)
}

#[test]
fn each_planted_fault_is_found_once_and_the_flaky_compiler_is_not_accused() {
    let out = tempfile::tempdir().unwrap();
    let (conclusions, broken) = campaign(out.path(), 2);
    assert!(broken.contains("broken add_sat"), "{broken:?}");
    // Some of the others are never right, either; that needs five programs at least.
    let planted = [
        "broken add_sat",
        "crashing rotate",
        "refusing popcount",
        "two-faults clz",
        "two-faults mul_hi",
    ];
    assert!(broken.iter().all(|line| planted.contains(&line.as_str())), "{broken:?}");
    let bugs = |of: &str| -> Vec<&Conclusion> {
        let is_bug = |found: &&Conclusion| found.configuration == of && found.end == End::Bug;
        conclusions.iter().filter(is_bug).collect()
    };
    let constructs = |of: &str| -> BTreeSet<&str> {
        bugs(of).into_iter().filter_map(|bug| bug.construct.as_deref()).collect()
    };
    for (of, class, found) in [
        ("two-faults", Class::Wrong, &["clz", "mul_hi"][..]),
        ("crashing", Class::Crash, &["rotate"][..]),
        ("refusing", Class::Refused, &["popcount"][..]),
        ("broken", Class::Wrong, &["add_sat"][..]),
    ] {
        let bugs = bugs(of);
        assert_eq!((bugs.len(), constructs(of)), (found.len(), found.iter().copied().collect()));
        for bug in bugs {
            assert_eq!(bug.class, class, "{bug:?}");
            let folder = out.path().join("bugs").join(bug.bug.as_ref().unwrap());
            let kernel = fs::read_to_string(folder.join("kernel.cl")).unwrap();
            assert!(kernel.lines().count() <= 15, "{kernel}");
            assert!(found.iter().any(|name| kernel.contains(name)), "{kernel}");
        }
    }
    assert!(bugs("sound").is_empty() && bugs("flaky").is_empty(), "{conclusions:#?}");
    let is_settled = |found: &Conclusion| {
        found.configuration == "flaky"
            || matches!(found.end, End::Bug | End::Known | End::Duplicate)
    };
    assert!(conclusions.iter().all(is_settled), "{conclusions:#?}");
    // The bugs and what became of each alarm do not depend on the number of threads.
    let alone = tempfile::tempdir().unwrap();
    let (others, again) = campaign(alone.path(), 1);
    let steady = |all: &[Conclusion]| -> BTreeSet<String> {
        let rest = all.iter().filter(|found| found.configuration != "flaky");
        rest.map(|found| serde_json::to_string(found).unwrap()).collect()
    };
    assert_eq!((steady(&conclusions), broken), (steady(&others), again));
}
