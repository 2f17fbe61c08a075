//! The backend for nvcc: a whole CUDA program is compiled and run as it is, and what it prints is its result.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clreduce_kernel::{
    KernelRun, OUTPUT, Output, PROGRAM, ProgramKind, RunLimits, RunOutcome, RunReport, Scalar,
};
use clreduce_process::worker::WorkerOptions;
use clreduce_process::{
    Cancel, Crash, End, ToolRun, ToolRunner, describe_exit, describe_signal, query,
};
use clreduce_testcase::TestCase;
use clreduce_tools::NVCC;

use crate::backend::{Backend, Transport};
use crate::error::DeviceError;
use crate::facts::DeviceFacts;
use crate::protocol::FoundDevice;

const FILE: &str = "program.cu";

/// nvcc, for whole programs.
#[derive(Debug)]
pub struct Nvcc;

impl Backend for Nvcc {
    fn name(&self) -> &'static str {
        "nvcc"
    }

    fn title(&self) -> &'static str {
        "nvcc"
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::CudaProgram
    }

    fn remark(&self) -> &'static str {
        "compiler"
    }

    fn find(&self, _options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        let facts = facts().into_iter();
        Ok(facts.map(|facts| FoundDevice { platform: 0, device: 0, facts }).collect())
    }

    fn transport(&self) -> Transport {
        Transport::Programs(run)
    }
}

/// The program nvcc, where it is installed.
pub(crate) fn nvcc() -> Option<PathBuf> {
    NVCC.find()
}

/// The facts about nvcc as a device.
fn facts() -> Option<DeviceFacts> {
    let text = query(&nvcc()?, &["--version"])?;
    let release = text.split("release ").nth(1)?.split(',').next()?.trim();
    Some(DeviceFacts {
        platform: "nvcc".to_owned(),
        platform_version: format!("nvcc {release}"),
        name: "whole programs".to_owned(),
        vendor: "NVIDIA Corporation".to_owned(),
        driver: format!("nvcc {release}"),
        version: format!("CUDA {release}"),
        kind: "other".to_owned(),
        compute_units: 1,
        max_work_group: 1,
        memory_bytes: 0,
    })
}

/// Compiles and runs a program; its launches are its own.
fn run(tools: &ToolRunner, run: &KernelRun, limits: RunLimits, cancel: &Cancel) -> RunReport {
    let started = Instant::now();
    let mut build = Duration::ZERO;
    let outcome = attempt(tools, run, limits, cancel, &mut build);
    let build = if build.is_zero() { started.elapsed() } else { build };
    let outcome = outcome.unwrap_or_else(|outcome| outcome);
    RunReport { outcome, build, run: started.elapsed().saturating_sub(build), computed: None }
}

fn attempt(
    tools: &ToolRunner,
    run: &KernelRun,
    limits: RunLimits,
    cancel: &Cancel,
    build: &mut Duration,
) -> Result<RunOutcome, RunOutcome> {
    let unresolved = |reason: String| RunOutcome::Unresolved(reason);
    let nvcc = nvcc().ok_or_else(|| unresolved("nvcc is not on the PATH".to_owned()))?;
    let options = shlex::split(&run.options)
        .ok_or_else(|| unresolved("a quotation in the build options does not end".to_owned()))?;
    let folder = tools.folder().map_err(|error| unresolved(error.to_string()))?;
    let program = folder.path().join("program");
    let mut args: Vec<OsString> = options.into_iter().map(OsString::from).collect();
    args.extend([FILE, "-o"].map(OsString::from));
    args.push(program.clone().into());
    let files = TestCase::single(FILE, &*run.source);
    let files = files.map_err(|error| unresolved(error.to_string()))?;
    let started = Instant::now();
    let builds = tools.within(Some(limits.build)).with_writable(folder.path());
    let ran = builds.run(&nvcc.to_string_lossy(), args, &files, cancel);
    *build = started.elapsed();
    if ran.end != End::Exited(0) {
        return Err(build_outcome(&ran));
    }
    let mut results: Vec<Vec<Output>> = Vec::new();
    for _ in 0..run.repeat.max(1) {
        let ran = tools.within(Some(limits.run)).run(
            &program.to_string_lossy(),
            Vec::new(),
            &files,
            cancel,
        );
        let outputs = vec![result(ran)?];
        if !results.contains(&outputs) {
            results.push(outputs);
        }
    }
    Ok(RunOutcome::Results(results))
}

/// Returns the outcome that a failed run of nvcc means. nvcc survives the parts of the compiler that crash, and
/// says so.
fn build_outcome(ran: &ToolRun) -> RunOutcome {
    let log = format!("{}{}", ran.stdout, ran.stderr).trim().to_owned();
    let crash = |how: String| RunOutcome::BuildCrash(Crash { how, output: log.clone() });
    let died = log.lines().find(|line| line.contains("died due to signal"));
    match (&ran.end, died) {
        (End::Exited(_), Some(line)) => crash(line.trim().to_owned()),
        (End::Exited(1 | 2 | 4), None) => RunOutcome::BuildFailure { log },
        (End::Exited(code), None) => crash(describe_exit(*code)),
        (End::Signalled(signal), _) => crash(describe_signal(*signal)),
        (End::TimedOut, _) => RunOutcome::BuildTimeout,
        (End::Cancelled | End::Failed(_), _) => RunOutcome::Unresolved(ran.trouble()),
        (End::NotRun(_), _) => RunOutcome::NotRun(ran.trouble()),
    }
}

fn result(ran: ToolRun) -> Result<Output, RunOutcome> {
    match ran.end {
        End::Exited(0) => Ok(Output {
            kernel: PROGRAM.to_owned(),
            name: OUTPUT.to_owned(),
            scalar: Scalar::Uchar,
            bytes: ran.stdout.into_bytes(),
        }),
        End::Exited(_) => Err(RunOutcome::RunFailure { reason: ran.trouble() }),
        End::Signalled(signal) => {
            let (how, output) = (describe_signal(signal), ran.stderr.trim().to_owned());
            Err(RunOutcome::RunCrash(Crash { how, output }))
        }
        End::TimedOut => Err(RunOutcome::RunTimeout),
        End::Cancelled | End::Failed(_) => Err(RunOutcome::Unresolved(ran.trouble())),
        End::NotRun(_) => Err(RunOutcome::NotRun(ran.trouble())),
    }
}
