//! Compilers with planted faults, as devices of a campaign. They know right results from the interpreter of the generator.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use clreduce::Cancel;
use clreduce_campaign::{
    Campaign, CampaignError, CampaignStart, Class, Conclusion, Configuration, Drawn, Matrix,
    Programs, Progress, ReportFailure, SourceKind, Toolchain,
};
use clreduce_devices::{
    Backend, Device, DeviceError, DeviceFacts, FoundDevice, Transport, WorkerOptions,
};
use clreduce_generator::read::{self, InterpreterVerdict};
use clreduce_kernel::{
    Argument, Crash, Fill, KernelLaunch, KernelRun, Output, ProgramKind, RunLimits, RunOutcome,
    RunReport, Scalar,
};
use clreduce_process::ToolRunner;

/// What a compiler does with a program.
#[derive(Debug)]
pub enum Fault {
    /// The result is wrong if the text calls this function.
    Wrong(&'static str),
    /// The result is wrong if the text calls this function among the operands of another built-in function.
    WrongWithin(&'static str),
    /// The result is wrong if the text calls no such function.
    WrongWithout(&'static str),
    /// The result is wrong if the text calls one of the first functions and one of the second.
    WrongTogether(&'static [&'static str], &'static [&'static str]),
    /// The result is wrong if the text calls this function, and buffers have the contents that clreduce tries first.
    WrongForFirstInputs(&'static str),
    /// The result is wrong if an initialiser has a vector of three lanes.
    WrongInitialiser,
    /// The result is wrong if a list of initialisers of a variable has a negative number.
    WrongList,
    /// The result of floating-point numbers differs in the last bit.
    LastBit,
    /// It dies with this message.
    Crash(&'static str, &'static str),
    /// The program dies with this message.
    RunCrash(&'static str, &'static str),
    /// It refuses the program with this message.
    Refuses(&'static str, &'static str),
    /// It does not end.
    Hangs(&'static str),
    /// Now the result is right, and now it is not.
    Flaky,
}

/// A compiler with faults. One whose name begins with `gpu` is on a device that programs can harm.
#[derive(Debug)]
pub struct Planted {
    pub name: &'static str,
    pub faults: &'static [Fault],
    pub run: fn(&ToolRunner, &KernelRun, RunLimits, &Cancel) -> RunReport,
}

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

/// Returns true if the text calls a function.
fn calls(source: &str, name: &str) -> bool {
    let call = format!("{name}(");
    let is_whole = |at: usize| {
        let before = source[..at].chars().next_back();
        !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    source.match_indices(&call).any(|(at, _)| is_whole(at))
}

/// Returns true if an initialiser in braces has a vector of three lanes.
fn initialises_three(source: &str) -> bool {
    let initialisers = source.split("= {").skip(1).filter_map(|rest| rest.split(';').next());
    initialisers.into_iter().any(|initialiser| initialiser.contains("3)("))
}

/// Returns true if a variable gets a negative number from a list. Constants are no variables.
fn lists_negative(source: &str) -> bool {
    let mut lists = source.match_indices("= {");
    lists.any(|(at, _)| {
        let declared = source[..at].rsplit(['\n', ';', '{']).next().unwrap_or_default();
        let list = source[at..].split(';').next().unwrap_or_default();
        !declared.contains("const") && list.contains('-')
    })
}

/// Functions that take the results of others.
const AROUND: [&str; 9] =
    ["abs", "abs_diff", "add_sat", "bitselect", "hadd", "mad_sat", "mul_hi", "rhadd", "sub_sat"];

/// Returns true if the text calls a function among the operands of one that takes the results of others.
fn calls_within(source: &str, name: &str) -> bool {
    let (mut open, mut word) = (Vec::new(), 0);
    for (at, c) in source.char_indices() {
        match c {
            '(' => {
                let called = &source[word..at];
                if called == name && open.iter().any(|outer| AROUND.contains(outer)) {
                    return true;
                }
                open.push(called);
                word = at + 1;
            }
            ')' => {
                open.pop();
                word = at + 1;
            }
            _ if c.is_ascii_alphanumeric() || c == '_' => {}
            _ => word = at + 1,
        }
    }
    false
}

/// Runs a program with the faults of a compiler.
pub fn run_with(faults: &[Fault], run: &KernelRun) -> RunReport {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let source = String::from_utf8_lossy(&run.source);
    let has = |name: &str| calls(&source, name);
    let crash = |message: &str| Crash {
        how: "SIGABRT".to_owned(),
        output: format!("planted: Assertion `{message}' failed."),
    };
    let mut outcome = right(run);
    for (bit, fault) in faults.iter().enumerate() {
        match fault {
            Fault::Wrong(name) if has(name) => spoil(&mut outcome, bit),
            Fault::WrongWithin(name) if calls_within(&source, name) => spoil(&mut outcome, bit),
            Fault::WrongWithout(name) if !has(name) => spoil(&mut outcome, bit),
            Fault::WrongTogether(one, other)
                if one.iter().any(|name| has(name)) && other.iter().any(|name| has(name)) =>
            {
                spoil(&mut outcome, bit);
            }
            Fault::WrongForFirstInputs(name) if has(name) && has_first_inputs(run) => {
                spoil(&mut outcome, bit);
            }
            Fault::WrongInitialiser if initialises_three(&source) => spoil(&mut outcome, bit),
            Fault::WrongList if lists_negative(&source) => spoil(&mut outcome, bit),
            Fault::LastBit if source.contains("global float") => spoil(&mut outcome, bit),
            Fault::Flaky if RUNS.fetch_add(1, Ordering::Relaxed).is_multiple_of(7) => {
                spoil(&mut outcome, bit);
            }
            Fault::Crash(name, message) if has(name) => {
                outcome = RunOutcome::BuildCrash(crash(message));
            }
            Fault::RunCrash(name, message) if has(name) => {
                outcome = RunOutcome::RunCrash(crash(message));
            }
            Fault::Refuses(name, message) if has(name) => {
                outcome = RunOutcome::BuildFailure { log: format!("k.cl:1:2: error: {message}") };
            }
            Fault::Hangs(name) if has(name) => outcome = RunOutcome::RunTimeout,
            _ => {}
        }
    }
    let time = Duration::from_millis(1);
    RunReport { outcome, build: time, run: time, computed: None }
}

/// Makes a result wrong. Two faults do not make a right result.
fn spoil(outcome: &mut RunOutcome, bit: usize) {
    if let RunOutcome::Results(results) = outcome {
        results.iter_mut().flatten().for_each(|output| output.bytes[0] ^= 1 << bit);
    }
}

fn has_first_inputs(run: &KernelRun) -> bool {
    let arguments = run.launches.iter().flat_map(|launch| &launch.arguments);
    let mut fills = arguments.filter_map(|argument| match argument {
        Argument::Buffer { fill, .. } => Some(fill),
        _ => None,
    });
    fills.any(|fill| *fill == Fill::Steps { first: 1.0, step: 1.0 })
}

/// The right result, as far as the interpreter can read the program. All programs with floating-point numbers have one
/// result, and so have kernels called `race` or `addresses`.
fn right(run: &KernelRun) -> RunOutcome {
    let source = String::from_utf8_lossy(&run.source);
    let has_one = ["global float", "void race(", "void addresses("];
    if has_one.into_iter().any(|text| source.contains(text)) {
        let (kernel, name) = ("k".to_owned(), "a".to_owned());
        let output = Output { kernel, name, scalar: Scalar::Float, bytes: vec![2, 0, 0, 0] };
        return RunOutcome::Results(vec![vec![output]]);
    }
    let mut outputs = Vec::new();
    for launch in &run.launches {
        match judge(run, launch) {
            Ok(more) => outputs.extend(more),
            Err(reason) => return RunOutcome::Unresolved(reason),
        }
    }
    RunOutcome::Results(vec![outputs])
}

fn judge(run: &KernelRun, launch: &KernelLaunch) -> Result<Vec<Output>, String> {
    let sizes = |sizes: &[u64]| [0, 1, 2].map(|at| sizes.get(at).copied().unwrap_or(1));
    let argument = |argument: &Argument| match argument {
        Argument::Buffer { element, elements, fill, .. } => {
            read::Argument::Buffer(fill.content(*element, *elements))
        }
        Argument::Value(bytes) => read::Argument::Value(bytes.clone()),
        Argument::Local(bytes) => read::Argument::Local(*bytes),
        Argument::Sampler(sampler) => read::Argument::Value(sampler.bits().to_ne_bytes().into()),
    };
    let read = read::Launch {
        kernel: launch.kernel.clone(),
        global: sizes(&launch.global),
        local: launch.local.as_deref().map_or([1; 3], sizes),
        arguments: launch.arguments.iter().map(argument).collect(),
    };
    match read::judge(&run.source, &read) {
        InterpreterVerdict::Valid(contents) => Ok(launch.outputs(contents)),
        InterpreterVerdict::Invalid(reason) => Err(reason),
        InterpreterVerdict::Outside(outside) => Err(outside.to_string()),
    }
}

/// A matrix of compilers. The first one is the host.
pub fn matrix(compilers: &'static [Planted]) -> Matrix {
    let backends = compilers.iter().map(|one| one as &dyn Backend);
    matrix_of(ProgramKind::OpenCl, backends)
}

/// A matrix of backends that take programs of one kind. The first one is the host.
pub fn matrix_of(
    kind: ProgramKind,
    backends: impl Iterator<Item = &'static dyn Backend>,
) -> Matrix {
    let device = |(number, backend): (usize, &'static dyn Backend)| {
        let facts = DeviceFacts {
            platform: backend.name().to_owned(),
            platform_version: String::new(),
            name: backend.name().to_owned(),
            vendor: String::new(),
            driver: String::new(),
            version: "OpenCL C 1.2".to_owned(),
            kind: if backend.name().starts_with("gpu") { "gpu" } else { "cpu" }.to_owned(),
            compute_units: 1,
            max_work_group: 64,
            memory_bytes: 1 << 30,
        };
        let found = FoundDevice { platform: 0, device: 0, facts };
        let device = Device::new(backend, number as u32, found);
        (backend.name().to_owned(), Toolchain::Device(device))
    };
    let devices: Vec<_> = backends.enumerate().map(device).collect();
    let configurations =
        (0..devices.len()).map(|device| Configuration { device, options: String::new() }).collect();
    let (options, kind) = (String::new(), SourceKind::Kernels(kind));
    Matrix { devices, configurations, host: Some(0), options, kind, drawn: Drawn::default() }
}

/// What a campaign told.
#[derive(Debug, Default)]
pub struct Told {
    pub conclusions: Vec<Conclusion>,
    /// The features that the gate found broken, as in "pocl abs".
    pub broken: Vec<String>,
    pub left_out: Vec<String>,
    /// The outcomes that are not right, by the name of the configuration, with the number of the program.
    pub outcomes: Vec<(u64, String, Class)>,
}

/// Runs a campaign.
pub fn campaign(
    out: &Path,
    programs: (Programs, u64),
    compilers: &'static [Planted],
    jobs: usize,
) -> Told {
    campaign_with_gate(out, programs, compilers, (jobs, 100))
}

/// Runs a campaign with another number of programs before the first reduction.
pub fn campaign_with_gate(
    out: &Path,
    programs: (Programs, u64),
    compilers: &'static [Planted],
    gate: (usize, u64),
) -> Told {
    attempt(out, programs, compilers, gate).unwrap()
}

/// The same for a campaign that may stop.
pub fn attempt(
    out: &Path,
    programs: (Programs, u64),
    compilers: &'static [Planted],
    gate: (usize, u64),
) -> Result<Told, CampaignError> {
    attempt_on(out, programs, matrix(compilers), gate)
}

/// The same on devices of other kinds.
pub fn attempt_on(
    out: &Path,
    (programs, count): (Programs, u64),
    matrix: Matrix,
    (jobs, gate): (usize, u64),
) -> Result<Told, CampaignError> {
    let start = CampaignStart {
        programs,
        count: Some(count),
        matrix,
        jobs: NonZeroUsize::new(jobs).unwrap(),
        time: None,
        limit: Duration::from_secs(60),
        memory: None,
        disk: None,
        gate,
        avoids: true,
        worker: WorkerOptions::new(PathBuf::from(env!("CARGO_BIN_EXE_clreduce"))),
        cancel: Cancel::new(),
        elsewhere: None,
        report: Box::new(|_, _, [markdown, _], _| {
            fs::write(markdown, "a bug").map(|()| true).map_err(|error| ReportFailure(error.into()))
        }),
    };
    let names = start.matrix.names();
    let mut told = Told::default();
    let campaign = Campaign::open(out, start).unwrap();
    campaign.run(|progress| match progress {
        Progress::Concluded { conclusion, .. } => told.conclusions.push(conclusion),
        Progress::Gate { avoid, left_out } => {
            told.left_out = left_out.into_keys().collect();
            let line =
                |line: clreduce_campaign::AvoidLine| line.configuration + " " + &line.feature;
            told.broken = avoid.into_iter().map(line).collect();
        }
        Progress::Ran { program, outcomes, .. } => {
            let bad = outcomes.into_iter().filter(|(_, class)| *class != Class::Right);
            told.outcomes.extend(bad.map(|(index, class)| (program, names[index].clone(), class)));
        }
        Progress::Reducing { .. } | Progress::Reduced { .. } => {}
    })?;
    Ok(told)
}
