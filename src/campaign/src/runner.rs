//! Running kernels on configurations, within the pool of the campaign.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clreduce_devices::{DeviceWorker, WorkerOptions};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{KernelRun, Output, RunLimits, RunOutcome};
use clreduce_speculation::Pool;

use crate::matrix::{Configuration, Matrix};
use crate::outcome::{Class, Observed, Subject};

/// A hang is believed if it also exceeds this multiple of the limit.
const PATIENCE: u32 = 3;

/// The devices with their idle workers: one for each configuration and thread at most.
pub(crate) struct Runner {
    pub matrix: Matrix,
    pub pool: Arc<Pool>,
    options: WorkerOptions,
    limit: Duration,
    pub cancel: Cancel,
    idle: Vec<Mutex<Vec<DeviceWorker>>>,
    /// A device that other processes share, such as a GPU, runs one kernel at a time.
    turns: Vec<Mutex<()>>,
}

impl Runner {
    pub(crate) fn new(
        matrix: Matrix,
        pool: Arc<Pool>,
        options: WorkerOptions,
        limit: Duration,
        cancel: Cancel,
    ) -> Self {
        let idle = matrix.devices.iter().map(|_| Mutex::default()).collect();
        let turns = matrix.devices.iter().map(|_| Mutex::default()).collect();
        Self { matrix, pool, options, limit, cancel, idle, turns }
    }

    /// Runs a kernel on a configuration, and again if the outcome is no right result. `None` once the campaign is
    /// cancelled.
    pub(crate) fn observe(&self, configuration: usize, subject: &Subject) -> Option<Observed> {
        let (first, result) = self.once(configuration, subject, self.limit, false)?;
        let limit = match first.class {
            Class::Right | Class::Unstable | Class::NotRun | Class::Unresolved => {
                return Some(first);
            }
            Class::Hang => self.limit * PATIENCE,
            Class::Wrong | Class::Crash | Class::Refused => self.limit,
        };
        let again = self.once(configuration, subject, limit, true)?;
        let is_same = again == (first.clone(), result);
        Some(if is_same { first } else { Observed { class: Class::Unstable, ..first } })
    }

    /// Returns true if a kernel shows an outcome on a configuration, twice. `None` once the campaign is cancelled.
    pub(crate) fn shows(
        &self,
        configuration: usize,
        subject: &Subject,
        wanted: &Observed,
    ) -> Option<bool> {
        let first = self.once(configuration, subject, self.limit, false)?;
        if first.0 != *wanted {
            return Some(false);
        }
        Some(self.once(configuration, subject, self.limit, false)? == first)
    }

    /// Returns true if a kernel has its right result on a configuration. `None` once the campaign is cancelled.
    pub(crate) fn is_right(&self, configuration: usize, subject: &Subject) -> Option<bool> {
        Some(self.once(configuration, subject, self.limit, false)?.0.class == Class::Right)
    }

    /// Returns true if a kernel has its right result on the host, without any driver. `None` once the campaign is
    /// cancelled.
    pub(crate) fn on_host(&self, host: usize, subject: &Subject) -> Option<Class> {
        let (outcome, _) = self.run(host, "", subject, self.limit * PATIENCE, false)?;
        Some(Observed::of(&outcome, &subject.expected).class)
    }

    /// The outcome of a kernel on a device with options, with all its details, and the time that it took.
    pub(crate) fn outcome(
        &self,
        one: &Configuration,
        subject: &Subject,
    ) -> Option<(RunOutcome, Duration)> {
        self.run(one.device, &one.options, subject, self.limit, false)
    }

    /// The outcome of a run, and the result if there is one.
    fn once(
        &self,
        configuration: usize,
        subject: &Subject,
        limit: Duration,
        afresh: bool,
    ) -> Option<(Observed, Option<Vec<Output>>)> {
        let one = &self.matrix.configurations[configuration];
        let (outcome, _) = self.run(one.device, &one.options, subject, limit, afresh)?;
        let observed = Observed::of(&outcome, &subject.expected);
        Some((observed, outcome.result().map(<[Output]>::to_vec)))
    }

    /// Runs a kernel on a device, on a fresh worker process if `afresh` is set.
    fn run(
        &self,
        device: usize,
        options: &str,
        subject: &Subject,
        limit: Duration,
        afresh: bool,
    ) -> Option<(RunOutcome, Duration)> {
        let source = subject.source.as_bytes().to_vec();
        let plan = match self.matrix.kind.plan(&source, None) {
            Ok(plan) => plan,
            Err(error) => {
                return Some((RunOutcome::Unresolved(error.to_string()), Duration::ZERO));
            }
        };
        let options = self.matrix.build_options(options);
        let run = KernelRun { source, options, launches: plan.launches, repeat: 1 };
        let permit = self.pool.wait(&self.cancel)?;
        let is_robust = self.matrix.devices[device].1.is_robust();
        let turn = (!is_robust).then(|| locked(&self.turns[device]));
        let idle = locked(&self.idle[device]).pop();
        let mut worker = idle.unwrap_or_else(|| {
            DeviceWorker::new(self.options.clone(), self.matrix.devices[device].1.clone())
        });
        if afresh {
            worker.restart();
        }
        let started = Instant::now();
        let limits = RunLimits { build: limit, run: limit };
        let report = worker.run(&run, limits, &self.cancel);
        locked(&self.idle[device]).push(worker);
        drop((turn, permit));
        (!self.cancel.is_cancelled()).then(|| (report.outcome, started.elapsed()))
    }
}

/// A lock whose content is whole at every instant.
pub(crate) fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
