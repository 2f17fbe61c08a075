//! Runs every kernel of a folder on every configuration at hand and checks it, one line of JSON for each kernel;
//! goes on where it was interrupted:
//!
//! ```text
//! cargo run --release -p clreduce-interestingness-tests --example sweep -- FOLDER RESULTS.jsonl
//! cargo run --release -p clreduce-interestingness-tests --example sweep -- --table RESULTS.jsonl...
//! ```
//!
//! A configuration is a device with or without optimisation. Kernels of many work-groups run with at most two in
//! each dimension: simulators take minutes for more, and nothing is learned from the others.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clreduce_check::{CheckOptions, HostKernel, KernelCheck};
use clreduce_devices::{DeviceWorker, Devices, WorkerOptions};
use clreduce_kernel::{
    Ballot, BallotRole, Crash, KernelRun, Output, ProgramKind, Rule, RunLimits, RunOutcome, Scalar,
    VoteResult, plan, vote,
};
use clreduce_process::Cancel;
use clreduce_process::worker_main;
use clreduce_testcase::{ContentHash, Launch};
use serde::{Deserialize, Serialize};

/// Longest time for a build, and again for a run.
const LIMIT: Duration = Duration::from_secs(20);
/// Most work-groups in each dimension.
const MOST_GROUPS: u64 = 2;

/// The outcome of one kernel.
#[derive(Serialize, Deserialize)]
struct Row {
    kernel: String,
    bytes: usize,
    /// Sizes as they were, and as they were run with.
    launch: [String; 2],
    cells: BTreeMap<String, Cell>,
    validity: String,
    findings: Vec<String>,
    failures: Vec<String>,
    unchecked: Vec<String>,
    check_seconds: Vec<(String, f64)>,
}

/// The outcome of one configuration.
#[derive(Serialize, Deserialize)]
struct Cell {
    class: String,
    hash: Option<String>,
    details: String,
    seconds: f64,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if let Some(code) =
        worker_main(&[clreduce_compiler::SERVICES, clreduce_devices::SERVICES].concat())
    {
        return Ok(code);
    }
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match &arguments[..] {
        [option, results @ ..] if option.as_os_str() == "--table" => {
            print!("{}", table(&merge(results)?));
        }
        [folder, results] => sweep(folder, results)?,
        _ => return Err("FOLDER RESULTS.jsonl | --table RESULTS.jsonl...".into()),
    }
    Ok(ExitCode::SUCCESS)
}

fn read(results: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let text = if results.exists() { fs::read_to_string(results)? } else { String::new() };
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// The rows of all files; what several say of the same is taken from the first.
fn merge(results: &[PathBuf]) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for path in results {
        for row in read(path)? {
            match rows.get_mut(&row.kernel) {
                None => drop(rows.insert(row.kernel.clone(), row)),
                Some(first) => {
                    for (name, cell) in row.cells {
                        first.cells.entry(name).or_insert(cell);
                    }
                }
            }
        }
    }
    Ok(rows.into_values().collect())
}

/// A device with its worker, and whether kernels are optimised.
struct Configuration {
    name: String,
    worker: usize,
    options: &'static str,
}

fn sweep(folder: &Path, results: &Path) -> Result<(), Box<dyn Error>> {
    let done: BTreeSet<String> = read(results)?.into_iter().map(|row| row.kernel).collect();
    let options = WorkerOptions::new(std::env::current_exe()?);
    let mut devices = Devices::find(&options, &[]).devices;
    devices.retain(|device| device.takes() == ProgramKind::OpenCl);
    let mut configurations = Vec::new();
    for (worker, device) in devices.iter().enumerate() {
        let name = device.facts.platform.split(' ').next().unwrap_or_default().to_lowercase();
        let plain =
            Configuration { name: format!("{name} -O0"), worker, options: "-w -cl-opt-disable" };
        // The simulator's own optimiser only hides what it is asked about.
        if !device.backend.is_simulated() {
            configurations.push(Configuration { name, worker, options: "-w" });
        }
        configurations.push(plain);
    }
    let mut workers: Vec<DeviceWorker> =
        devices.into_iter().map(|device| DeviceWorker::new(options.clone(), device)).collect();
    // A machine with a device worth asking need not have the tools that look for what is invalid.
    let check = KernelCheck::new(&CheckOptions { timeout: 2 * LIMIT, ..CheckOptions::default() });
    let check = check.inspect_err(|error| eprintln!("nothing is checked: {error}")).ok();
    let mut kernels: Vec<PathBuf> =
        fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    kernels.retain(|path| path.extension().is_some_and(|extension| extension == "cl"));
    kernels.sort();
    for path in kernels {
        let kernel = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if done.contains(&kernel) {
            continue;
        }
        let started = Instant::now();
        let row = look(kernel, &fs::read(&path)?, &configurations, &mut workers, check.as_ref());
        eprintln!("{} {} {:.0?}", row.kernel, row.validity, started.elapsed());
        let mut file = fs::File::options().append(true).create(true).open(results)?;
        writeln!(file, "{}", serde_json::to_string(&row)?)?;
    }
    Ok(())
}

fn look(
    kernel: String,
    original: &[u8],
    configurations: &[Configuration],
    workers: &mut [DeviceWorker],
    check: Option<&KernelCheck>,
) -> Row {
    let source = shrink(original);
    let mut cells = BTreeMap::new();
    let plan = plan(&source, None);
    for configuration in configurations {
        let started = Instant::now();
        let outcome = match &plan {
            Err(error) => RunOutcome::Unresolved(error.to_string()),
            Ok(plan) => {
                let run = KernelRun {
                    source: source.clone(),
                    options: configuration.options.to_owned(),
                    launches: plan.launches.clone(),
                    repeat: 1,
                };
                let limits = RunLimits { build: LIMIT, run: LIMIT };
                workers[configuration.worker].run(&run, limits, &Cancel::new()).outcome
            }
        };
        let hash = outcome.result().map(|outputs| {
            let text: String = outputs.iter().map(Output::show).collect();
            ContentHash::of(text.as_bytes()).to_string()
        });
        let seconds = started.elapsed().as_secs_f64();
        let class = outcome.class().name().to_owned();
        let details = outcome.details().chars().take(600).collect();
        cells.insert(configuration.name.clone(), Cell { class, hash, details, seconds });
    }
    let bytes = original.len();
    let launch = [original, &source].map(shown_launch);
    let mut row = Row {
        kernel,
        bytes,
        launch,
        cells,
        validity: "not checked".to_owned(),
        findings: Vec::new(),
        failures: Vec::new(),
        unchecked: Vec::new(),
        check_seconds: Vec::new(),
    };
    if let (Some(check), Ok(subject)) = (check, HostKernel::new(source)) {
        let report = check.run(&subject, &Cancel::new());
        row.validity = format!("{:?}", report.validity).to_lowercase();
        row.findings = report.findings.iter().map(ToString::to_string).collect();
        row.failures =
            report.failures.iter().map(|f| format!("{}: {}", f.tool, f.message)).collect();
        row.unchecked = report.unchecked.iter().map(|kind| kind.name().to_owned()).collect();
        row.check_seconds =
            report.stages.iter().map(|(stage, time)| (stage.name().to_owned(), *time)).collect();
    }
    row
}

/// The kernel with fewer work-groups in its launch comment.
fn shrink(source: &[u8]) -> Vec<u8> {
    let Some(launch) = Launch::find(source) else { return source.to_vec() };
    let sizes = launch.global.iter().zip(&launch.local);
    let sizes = sizes.map(|(global, local)| (*global).min(local * MOST_GROUPS).to_string());
    let sizes = sizes.collect::<Vec<_>>().join(",");
    let range = launch.global_range;
    [&source[..range.start], sizes.as_bytes(), &source[range.end..]].concat()
}

fn shown_launch(source: &[u8]) -> String {
    let text = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    Launch::find(source).map_or_else(String::new, |launch| {
        format!("{}/{}", text(&launch.global), text(&launch.local))
    })
}

/// One row for each kernel: who agrees with the majority of at least three (`=`), who does not (`≠`), and what
/// became of the others.
fn table(rows: &[Row]) -> String {
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.cells.keys()).collect();
    let heads: String = names.iter().map(|name| format!(" {name} |")).collect();
    let mut text = format!("| kernel | bytes | run with |{heads} check |\n|---|---|---|");
    text += &"---|".repeat(names.len() + 1);
    for row in rows {
        let cells: Vec<(&String, &Cell)> = row.cells.iter().collect();
        let outcomes: Vec<RunOutcome> = cells.iter().map(|(_, cell)| outcome(cell)).collect();
        let ballots: Vec<Ballot<'_>> = cells
            .iter()
            .zip(&outcomes)
            .map(|((name, _), outcome)| {
                let role = if name.starts_with("oclgrind") {
                    BallotRole::Accused
                } else {
                    BallotRole::Voter
                };
                Ballot { role, outcome }
            })
            .collect();
        let findings = vote(&ballots, Rule::AtLeastThree).findings;
        let _ = write!(text, "\n| {} | {} | {} |", row.kernel, row.bytes, row.launch[1]);
        for name in &names {
            let at = cells.iter().position(|(own, _)| own == name);
            let shown = at.map_or("–", |at| match findings[at] {
                VoteResult::Agrees => "=",
                VoteResult::WrongCode => "≠",
                _ if cells[at].1.hash.is_some() => "·",
                _ => cells[at].1.class.as_str(),
            });
            let _ = write!(text, " {} |", shown.replace('_', " "));
        }
        let kinds: BTreeSet<&str> =
            row.findings.iter().filter_map(|finding| kind_of(finding)).collect();
        let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
        let check = format!("{} {kinds}", row.validity);
        let _ = write!(text, " {} |", check.trim_end());
    }
    text + "\n"
}

/// `12: data-race: …` or `data-race: …`
fn kind_of(finding: &str) -> Option<&str> {
    finding.split(": ").find(|part| part.parse::<u32>().is_err())
}

/// As much of an outcome as a vote needs.
fn outcome(cell: &Cell) -> RunOutcome {
    let crash = || Crash { how: cell.details.clone(), output: String::new() };
    match (cell.class.as_str(), &cell.hash) {
        (_, Some(hash)) => RunOutcome::Results(vec![vec![Output {
            kernel: String::new(),
            name: String::new(),
            scalar: Scalar::Uchar,
            bytes: hash.clone().into_bytes(),
        }]]),
        ("build_failure", _) => RunOutcome::BuildFailure { log: String::new() },
        ("build_crash", _) => RunOutcome::BuildCrash(crash()),
        ("build_timeout", _) => RunOutcome::BuildTimeout,
        ("run_failure", _) => RunOutcome::RunFailure { reason: String::new() },
        ("run_crash", _) => RunOutcome::RunCrash(crash()),
        ("run_timeout", _) => RunOutcome::RunTimeout,
        _ => RunOutcome::Unresolved(String::new()),
    }
}
