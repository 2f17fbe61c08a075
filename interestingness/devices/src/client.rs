//! A device as clreduce sees it: kernels go in, outcomes come out, whatever happens to the driver.
//!
//! The worker process stays from kernel to kernel. A kernel can leave it damaged in ways that show
//! only later, so nothing bad that is said by a worker with a past is believed at once: a crash is
//! tried again on a fresh worker; after a failure, and now and then after results, the worker must
//! still get a kernel right whose result is known.

mod hearing;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use clreduce_kernel::{
    Argument, Fill, KernelLaunch, KernelRun, ProgramKind, RunLimits, RunOutcome, RunReport, Scalar,
};
use clreduce_process::worker::{WorkerError, WorkerEvent, WorkerOptions};
use clreduce_process::{Cancel, Limits, ToolRunner};

use self::hearing::{finishes, hear};
use crate::backend::{Transport, with_gpus};
use crate::device::Device;
use crate::error::DeviceError;
use crate::protocol::{DeviceOrder, DeviceProcess, DeviceReply, RunEnd};
use crate::ptxas;

/// The worker is examined after this number of kernels in a row that ended well.
const EXAMINE_EVERY: u32 = 32;
/// A worker is replaced after this number of kernels: drivers forget to give back memory.
const RETIRE_AFTER: u32 = 1000;

/// The history of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerStatistics {
    /// Worker processes that were started.
    pub started: u32,
    /// Kernels that were run, those of examinations not counted.
    pub kernels: u32,
    /// The number of times that a worker was found damaged: the kernel that followed was run again on a fresh one.
    pub damaged: u32,
}

/// Starts a worker for the backend of a device.
type Start = fn(&WorkerOptions) -> Result<DeviceProcess, DeviceError>;

/// A worker process.
struct Serving {
    process: DeviceProcess,
    /// The number of kernels that it has run.
    served: u32,
    /// The time that it took to start.
    start: Duration,
}

/// A device with its worker process.
pub struct DeviceWorker {
    options: WorkerOptions,
    /// For a device whose kernels are programs.
    tools: ToolRunner,
    device: Device,
    serving: Option<Serving>,
    since_examined: u32,
    statistics: WorkerStatistics,
}

impl DeviceWorker {
    /// A worker for a device; its process starts with the first kernel.
    #[must_use]
    pub fn new(options: WorkerOptions, device: Device) -> Self {
        let statistics = WorkerStatistics::default();
        let (temporary, program) = (options.temporary.clone(), options.program.clone());
        let confinement = options.confinement.clone();
        let is_cpu = device.facts.kind == "cpu";
        let confinement = if is_cpu { confinement } else { confinement.with_gpus() };
        let limits = Limits { memory_bytes: options.memory_bytes, ..Limits::default() };
        let tools = ToolRunner::confined(temporary, Some(program), limits, confinement);
        let options = device.worker_options(&with_gpus(&options));
        Self { options, tools, device, serving: None, since_examined: 0, statistics }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Its history so far.
    #[must_use]
    pub fn statistics(&self) -> WorkerStatistics {
        self.statistics
    }

    /// Runs a kernel. Blocks until the outcome is known, or until `cancel` is triggered.
    pub fn run(&mut self, run: &KernelRun, limits: RunLimits, cancel: &Cancel) -> RunReport {
        self.statistics.kernels += 1;
        let start = match self.device.backend.transport() {
            // There is no driver that could be kept.
            Transport::Programs(run_program) => {
                return run_program(&self.tools, run, limits, cancel);
            }
            Transport::Worker(start) | Transport::Assembled(start) => start,
        };
        if self.serving.as_ref().is_some_and(|serving| serving.served >= RETIRE_AFTER) {
            self.serving = None;
        }
        let had_a_past = self.serving.as_ref().is_some_and(|serving| serving.served > 0);
        let report = self.attempt(start, run, limits, cancel);
        if !had_a_past || cancel.is_cancelled() || !self.is_suspicious(start, &report.outcome) {
            return report;
        }
        // Whether the worker was to blame shows when a fresh one says something else.
        self.serving = None;
        let again = self.attempt(start, run, limits, cancel);
        self.statistics.damaged += u32::from(again.outcome.class() != report.outcome.class());
        again
    }

    /// Ends the worker process; the next kernel gets a fresh one.
    pub fn restart(&mut self) {
        self.serving = None;
    }

    /// Returns whether an outcome may be due to an earlier kernel.
    fn is_suspicious(&mut self, start: Start, outcome: &RunOutcome) -> bool {
        match outcome {
            RunOutcome::BuildCrash(_) | RunOutcome::RunCrash(_) => true,
            RunOutcome::BuildFailure { .. } | RunOutcome::RunFailure { .. } => {
                !self.is_healthy(start)
            }
            RunOutcome::Built | RunOutcome::Results(_) => {
                self.since_examined += 1;
                self.since_examined >= EXAMINE_EVERY && !self.is_healthy(start)
            }
            // The worker has been replaced already. A second wait of that length costs too much.
            RunOutcome::BuildTimeout
            | RunOutcome::RunTimeout
            | RunOutcome::Unresolved(_)
            | RunOutcome::NotRun(_) => false,
        }
    }

    /// Returns whether the worker still gets a kernel right whose result is known.
    fn is_healthy(&mut self, start: Start) -> bool {
        self.since_examined = 0;
        let (run, expected) = examination(self.statistics.kernels, self.device.takes());
        let limit = self.options.start_limit;
        let limits = RunLimits { build: limit, run: limit };
        let report = self.attempt(start, &run, limits, &Cancel::new());
        // Without a GPU, a kernel is assembled alone.
        report.outcome == RunOutcome::Built
            || report
                .outcome
                .result()
                .is_some_and(|outputs| outputs.len() == 1 && outputs[0].bytes == expected)
    }

    /// A kernel as the worker takes it.
    fn assembled<'a>(
        &self,
        run: &'a KernelRun,
        limits: RunLimits,
        cancel: &Cancel,
    ) -> Result<Cow<'a, KernelRun>, RunOutcome> {
        if !matches!(self.device.backend.transport(), Transport::Assembled(_)) {
            return Ok(Cow::Borrowed(run));
        }
        let source = ptxas::assemble(&self.tools, &self.device, run, limits, cancel)?;
        Ok(Cow::Owned(KernelRun { source, ..run.clone() }))
    }

    /// Runs a kernel once, and drops the process where it cannot be used any more.
    fn attempt(
        &mut self,
        start: Start,
        run: &KernelRun,
        limits: RunLimits,
        cancel: &Cancel,
    ) -> RunReport {
        let started = Instant::now();
        let ended = |outcome| {
            let (build, run) = (started.elapsed(), Duration::ZERO);
            RunReport { outcome, build, run, computed: None }
        };
        let run = match self.assembled(run, limits, cancel) {
            Ok(run) => run,
            Err(outcome) => return ended(outcome),
        };
        let mut serving = match self.take_process(start) {
            Ok(taken) => taken,
            Err(error) => return ended(RunOutcome::NotRun(error.to_string())),
        };
        let process = &mut serving.process;
        let hook = process.listen_to(cancel);
        // A worker that has gone cannot be written to; that it has is heard.
        let _ = process.send(&DeviceOrder::Run(run.into_owned()));
        let mut built = None;
        let is_fair = self.device.is_timed_fairly();
        let before = process.computed().filter(|_| is_fair);
        let outcome = loop {
            let limit = if built.is_some() { limits.run } else { limits.build };
            match hear(process, limit, is_fair, self.options.memory_bytes) {
                Some(WorkerEvent::Reply(DeviceReply::Built)) if built.is_none() => {
                    built = Some(started.elapsed())
                }
                Some(event) => break outcome_of(event, process, built.is_some()),
                None => {
                    let reason = "the driver or the kernel used too much memory".to_owned();
                    break Err(RunOutcome::Unresolved(reason));
                }
            }
        };
        let computed = process.computed().zip(before);
        let computed = computed.map(|(after, before)| after.saturating_sub(before));
        drop(hook);
        let all = started.elapsed();
        let is_usable = match cancel.is_cancelled() {
            true => finishes(&serving, outcome.is_ok(), self.options.memory_bytes),
            false => outcome.is_ok(),
        };
        if is_usable {
            self.serving = Some(Serving { served: serving.served + 1, ..serving });
        }
        let build = built.unwrap_or(all);
        let outcome = outcome.unwrap_or_else(|outcome| outcome);
        RunReport { outcome, build, run: all.saturating_sub(build), computed }
    }

    fn take_process(&mut self, start: Start) -> Result<Serving, DeviceError> {
        if let Some(taken) = self.serving.take() {
            return Ok(taken);
        }
        self.since_examined = 0;
        self.statistics.started += 1;
        let began = Instant::now();
        let mut process = start(&self.options)?;
        let (platform, device) = (self.device.worker_platform, self.device.device);
        match process.ask(&DeviceOrder::Open { platform, device }, self.options.start_limit)? {
            DeviceReply::Opened(Ok(())) => {
                Ok(Serving { process, served: 0, start: began.elapsed() })
            }
            DeviceReply::Opened(Err(error)) => Err(error.into()),
            _ => Err(WorkerError::WrongReply.into()),
        }
    }
}

/// Returns the outcome that an event means for the kernel: `Ok` where the worker can go on.
fn outcome_of(
    event: WorkerEvent<DeviceReply>,
    process: &mut DeviceProcess,
    is_built: bool,
) -> Result<RunOutcome, RunOutcome> {
    match event {
        WorkerEvent::Reply(DeviceReply::RunEnd(done)) => match (done, is_built) {
            (RunEnd::BuildFailure(log), false) => Ok(RunOutcome::BuildFailure { log }),
            (RunEnd::Built, true) => Ok(RunOutcome::Built),
            (RunEnd::RunFailure(reason), true) => Ok(RunOutcome::RunFailure { reason }),
            (RunEnd::Results(results), true) if !results.is_empty() => {
                Ok(RunOutcome::Results(results))
            }
            _ => Err(RunOutcome::Unresolved("the worker process sent an invalid reply".to_owned())),
        },
        WorkerEvent::Reply(_) => {
            Err(RunOutcome::Unresolved("the worker process sent an invalid reply".to_owned()))
        }
        WorkerEvent::Nonsense(error) => Err(RunOutcome::Unresolved(format!(
            "the worker process sent an invalid message ({error})"
        ))),
        WorkerEvent::Floods => Err(RunOutcome::Unresolved(
            "the driver or the kernel does not stop printing".to_owned(),
        )),
        WorkerEvent::Cancelled => Err(RunOutcome::Unresolved("cancelled".to_owned())),
        WorkerEvent::Silence if is_built => Err(RunOutcome::RunTimeout),
        WorkerEvent::Silence => Err(RunOutcome::BuildTimeout),
        WorkerEvent::Gone => {
            let crash = process.crash();
            Err(if is_built { RunOutcome::RunCrash(crash) } else { RunOutcome::BuildCrash(crash) })
        }
    }
}

/// A kernel whose result is known, another one for every number: no driver knows it from before.
fn examination(number: u32, takes: ProgramKind) -> (KernelRun, Vec<u8>) {
    const ITEMS: u32 = 8;
    let factor = number.wrapping_mul(2_654_435_761) | 1;
    let (begin, place) = match takes {
        ProgramKind::CudaKernels => ("__global__ void examine(unsigned *out)", "blockIdx.x"),
        _ => ("__kernel void examine(__global unsigned *out)", "get_global_id(0)"),
    };
    let in_c = format!(
        "{begin} {{\n\
         \x20 unsigned x = {place}, sum = 0;\n\
         \x20 for (unsigned i = 0; i <= x; i++) sum += i * {factor}u ^ x;\n\
         \x20 out[x] = sum;\n}}\n"
    );
    let source = if takes == ProgramKind::Ptx { ptxas::examination(factor) } else { in_c };
    let expected = (0..ITEMS)
        .map(|x| (0..=x).fold(0_u32, |sum, i| sum.wrapping_add(i.wrapping_mul(factor) ^ x)));
    let launch = KernelLaunch {
        kernel: "examine".to_owned(),
        global: vec![ITEMS.into()],
        local: None,
        arguments: vec![Argument::Buffer {
            name: "out".to_owned(),
            element: Scalar::Uint.into(),
            elements: ITEMS.into(),
            fill: Fill::all(0.0),
            output: true,
            image: None,
        }],
        fixed: Vec::new(),
    };
    let (source, options) = (source.into_bytes(), String::new());
    let run = KernelRun { source, options, launches: vec![launch], repeat: 1 };
    (run, expected.flat_map(u32::to_ne_bytes).collect())
}
