//! A device as clreduce sees it: kernels go in, outcomes come out, whatever happens to the driver.
//!
//! The worker process stays from kernel to kernel. A kernel can leave it damaged in ways that show
//! only later, so nothing bad that is said by a worker with a past is believed at once: a crash is
//! tried again on a fresh worker; after a failure, and now and then after results, the worker must
//! still get a kernel right whose result is known.

use std::time::{Duration, Instant};

use super::device::{Device, Through};
use super::job::{Argument, Fill, KernelLaunch, KernelRun, Scalar};
use super::outcome::{Crash, RunOutcome};
use super::process::{Event, Process, WorkerOptions};
use super::protocol::{Done, Order, Reply};
use crate::Cancel;
use crate::check::host;
use crate::cuda::nvcc;

/// After so many kernels in a row that ended well, the worker is examined.
const EXAMINE_EVERY: u32 = 32;
/// After so many kernels, a worker is replaced: drivers forget to give back memory.
const RETIRE_AFTER: u32 = 1000;

/// How long the two halves of a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// The compiler.
    pub build: Duration,
    /// All launches with all repetitions.
    pub run: Duration,
}

/// An outcome and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// What became of the kernel.
    pub outcome: RunOutcome,
    /// Time until it was built; all of the time where it was not.
    pub build: Duration,
    /// Time after that.
    pub run: Duration,
}

/// How a worker has behaved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerStatistics {
    /// Worker processes that were started.
    pub started: u32,
    /// Kernels that were run, those of examinations not counted.
    pub kernels: u32,
    /// How often a worker was found damaged: the kernel that followed was run again on a fresh one.
    pub damaged: u32,
}

/// A device with its worker process.
pub struct DeviceWorker {
    options: WorkerOptions,
    device: Device,
    /// With the number of kernels that it has run.
    process: Option<(Process, u32)>,
    since_examined: u32,
    statistics: WorkerStatistics,
}

impl DeviceWorker {
    /// A worker for a device; its process starts with the first kernel.
    #[must_use]
    pub fn new(options: WorkerOptions, device: Device) -> Self {
        let statistics = WorkerStatistics::default();
        Self { options, device, process: None, since_examined: 0, statistics }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How it has behaved so far.
    #[must_use]
    pub fn statistics(&self) -> WorkerStatistics {
        self.statistics
    }

    /// Runs a kernel. Blocks until the outcome is known, or until `cancel` is triggered.
    pub fn run(&mut self, run: &KernelRun, limits: RunLimits, cancel: &Cancel) -> RunReport {
        self.statistics.kernels += 1;
        // A program of its own for each kernel: there is no driver that could be kept.
        match self.device.through {
            Through::Host => return host::run(&self.options.temporary, run, limits, cancel),
            Through::Nvcc => return nvcc::run(&self.options.temporary, run, limits, cancel),
            Through::Loader | Through::Oclgrind | Through::Cuda => {}
        }
        if self.process.as_ref().is_some_and(|(_, served)| *served >= RETIRE_AFTER) {
            self.process = None;
        }
        let had_a_past = self.process.as_ref().is_some_and(|(_, served)| *served > 0);
        let report = self.attempt(run, limits, cancel);
        if !had_a_past || cancel.is_cancelled() || !self.is_suspicious(&report.outcome) {
            return report;
        }
        // Whether the worker was to blame shows when a fresh one says something else.
        self.process = None;
        let again = self.attempt(run, limits, cancel);
        self.statistics.damaged += u32::from(again.outcome.class() != report.outcome.class());
        again
    }

    /// Ends the worker process; the next kernel gets a fresh one.
    pub fn restart(&mut self) {
        self.process = None;
    }

    /// Whether an outcome may be due to an earlier kernel.
    fn is_suspicious(&mut self, outcome: &RunOutcome) -> bool {
        match outcome {
            RunOutcome::BuildCrash(_) | RunOutcome::RunCrash(_) => true,
            RunOutcome::BuildFailure { .. } | RunOutcome::RunFailure { .. } => !self.is_healthy(),
            RunOutcome::Built | RunOutcome::Results(_) => {
                self.since_examined += 1;
                self.since_examined >= EXAMINE_EVERY && !self.is_healthy()
            }
            // The worker has been replaced already. To wait as long once more is too dear.
            RunOutcome::BuildTimeout | RunOutcome::RunTimeout | RunOutcome::Unresolved(_) => false,
        }
    }

    /// Whether the worker still gets a kernel right whose result is known.
    fn is_healthy(&mut self) -> bool {
        self.since_examined = 0;
        let (run, expected) = examination(self.statistics.kernels, self.device.through);
        let limit = self.options.start_limit;
        let limits = RunLimits { build: limit, run: limit };
        let report = self.attempt(&run, limits, &Cancel::new());
        report
            .outcome
            .result()
            .is_some_and(|outputs| outputs.len() == 1 && outputs[0].bytes == expected)
    }

    /// Runs a kernel once, and drops the process where it cannot be used any more.
    fn attempt(&mut self, run: &KernelRun, limits: RunLimits, cancel: &Cancel) -> RunReport {
        let (mut process, served) = match self.take_process() {
            Ok(taken) => taken,
            Err(reason) => {
                let (build, run) = (Duration::ZERO, Duration::ZERO);
                return RunReport { outcome: RunOutcome::Unresolved(reason), build, run };
            }
        };
        let hook = cancel.on_cancel({
            let sender = process.sender.clone();
            move || {
                // Nobody listens any more when the run has ended meanwhile.
                let _ = sender.send(Event::Cancelled);
            }
        });
        let started = Instant::now();
        // A worker that has gone cannot be written to; that it has is heard.
        let _ = process.send(&Order::Run(run.clone()));
        let mut built = None;
        let is_fair = self.device.is_timed_fairly();
        let outcome = loop {
            let limit = if built.is_some() { limits.run } else { limits.build };
            match hear(&process, limit, is_fair) {
                Event::Reply(Reply::Built) if built.is_none() => built = Some(started.elapsed()),
                event => break outcome_of(event, &mut process, built.is_some()),
            }
        };
        drop(hook);
        let all = started.elapsed();
        if outcome.is_ok() && !cancel.is_cancelled() {
            self.process = Some((process, served + 1));
        }
        let build = built.unwrap_or(all);
        let outcome = outcome.unwrap_or_else(|outcome| outcome);
        RunReport { outcome, build, run: all.saturating_sub(build) }
    }

    fn take_process(&mut self) -> Result<(Process, u32), String> {
        if let Some(taken) = self.process.take() {
            return Ok(taken);
        }
        self.since_examined = 0;
        self.statistics.started += 1;
        let started = Process::start(&self.options, self.device.through);
        let mut process = started.map_err(|error| {
            format!("the worker `{}` cannot be started: {error}", self.options.program.display())
        })?;
        let (platform, device) = (self.device.worker_platform, self.device.device);
        let through = self.device.through;
        match process.ask(&Order::Open { through, platform, device }, self.options.start_limit)? {
            Reply::Opened(Ok(())) => Ok((process, 0)),
            Reply::Opened(Err(reason)) => Err(reason),
            _ => Err("the worker process talks nonsense".to_owned()),
        }
    }
}

/// What is heard within a limit, in which the worker must have been able to compute if it `is_fair`: what it spent
/// waiting for a processor is not counted, twice the limit at most.
fn hear(process: &Process, limit: Duration, is_fair: bool) -> Event {
    let started = Instant::now();
    if !is_fair {
        return process.hear(started + limit);
    }
    let (before, last) = (process.computed(), started + limit * 3);
    let mut deadline = started + limit;
    loop {
        let event = process.hear(deadline);
        if !matches!(event, Event::Silence) || Instant::now() >= last {
            return event;
        }
        let Some((now, before)) = process.computed().zip(before) else { return event };
        // A driver that computes is never quite busy.
        let missing = (limit * 9 / 10).saturating_sub(now.saturating_sub(before));
        if missing.is_zero() {
            return event;
        }
        deadline = (Instant::now() + missing).min(last);
    }
}

/// What an event says of the kernel: `Ok` where the worker can go on.
fn outcome_of(
    event: Event,
    process: &mut Process,
    is_built: bool,
) -> Result<RunOutcome, RunOutcome> {
    match event {
        Event::Reply(Reply::Done(done)) => match (done, is_built) {
            (Done::BuildFailure(log), false) => Ok(RunOutcome::BuildFailure { log }),
            (Done::Built, true) => Ok(RunOutcome::Built),
            (Done::RunFailure(reason), true) => Ok(RunOutcome::RunFailure { reason }),
            (Done::Results(results), true) if !results.is_empty() => {
                Ok(RunOutcome::Results(results))
            }
            _ => Err(RunOutcome::Unresolved("the worker process talks nonsense".to_owned())),
        },
        Event::Reply(_) => {
            Err(RunOutcome::Unresolved("the worker process talks nonsense".to_owned()))
        }
        Event::Nonsense(error) => {
            Err(RunOutcome::Unresolved(format!("the worker process talks nonsense ({error})")))
        }
        Event::Floods => {
            Err(RunOutcome::Unresolved("the driver or the kernel prints without end".to_owned()))
        }
        Event::Cancelled => Err(RunOutcome::Unresolved("cancelled".to_owned())),
        Event::Silence if is_built => Err(RunOutcome::RunTimeout),
        Event::Silence => Err(RunOutcome::BuildTimeout),
        Event::Gone => {
            let crash: Crash = process.crash();
            Err(if is_built { RunOutcome::RunCrash(crash) } else { RunOutcome::BuildCrash(crash) })
        }
    }
}

/// A kernel whose result is known, another one for every number: no driver knows it from before.
fn examination(number: u32, through: Through) -> (KernelRun, Vec<u8>) {
    const ITEMS: u32 = 8;
    let factor = number.wrapping_mul(2_654_435_761) | 1;
    let (begin, place) = match through {
        Through::Cuda => ("__global__ void examine(unsigned *out)", "blockIdx.x"),
        _ => ("__kernel void examine(__global unsigned *out)", "get_global_id(0)"),
    };
    let source = format!(
        "{begin} {{\n\
         \x20 unsigned x = {place}, sum = 0;\n\
         \x20 for (unsigned i = 0; i <= x; i++) sum += i * {factor}u ^ x;\n\
         \x20 out[x] = sum;\n}}\n"
    );
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
        }],
    };
    let (source, options) = (source.into_bytes(), String::new());
    let run = KernelRun { source, options, launches: vec![launch], repeat: 1 };
    (run, expected.flat_map(u32::to_ne_bytes).collect())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const LIMIT: Duration = Duration::from_millis(300);

    /// How long a worker is heard out that does nothing but `line`, and what it computed meanwhile.
    fn heard(line: &str, is_fair: bool) -> (Duration, Duration) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("worker");
        std::fs::write(&program, format!("#!/bin/sh\n{line}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let process = Process::start(&WorkerOptions::new(program), Through::Loader).unwrap();
        let started = Instant::now();
        assert!(matches!(hear(&process, LIMIT, is_fair), Event::Silence));
        (started.elapsed(), process.computed().unwrap())
    }

    #[test]
    fn a_limit_is_one_of_computing() {
        let (wall, computed) = heard("while :; do :; done", true);
        assert!(computed >= LIMIT * 8 / 10 || wall >= LIMIT * 3, "{computed:?} in {wall:?}");
        let (wall, computed) = heard("exec sleep 60", true);
        assert!(computed < LIMIT / 2 && wall >= LIMIT * 3, "{computed:?} in {wall:?}");
        let (wall, _) = heard("exec sleep 60", false);
        assert!(wall >= LIMIT);
    }
}
