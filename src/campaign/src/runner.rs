//! Running programs on configurations, within the pool of the campaign.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use clreduce_check::CheckOptions;
use clreduce_devices::{Device, DeviceWorker, WorkerOptions};
use clreduce_interestingness::Cancel;
use clreduce_kernel::{KernelRun, Output, Plan, ProgramKind, RunLimits, RunOutcome};
use clreduce_process::{Limits, ToolRunner};
use clreduce_recipe::run_commands;
use clreduce_speculation::{Permit, Pool};
use clreduce_testcase::TestCase;

use crate::CampaignError;
use crate::matrix::{Compiler, Configuration, Matrix, RUN, SourceKind, Toolchain};
use crate::outcome::{Class, ExpectedResult, Observed, Subject};

/// A hang is believed if it also exceeds this multiple of the limit.
const PATIENCE: u32 = 3;

/// The inputs of kernels that do not say theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inputs {
    First,
    Second,
}

/// How a program runs.
#[derive(Clone, Copy, Debug)]
struct RunMode {
    limit: Duration,
    /// On a fresh worker process.
    afresh: bool,
    /// While no other program is on the device, if others can make it slow.
    alone: bool,
    inputs: Inputs,
}

/// What all threads know of a device.
#[derive(Default)]
struct SharedDevice {
    /// At most one for each configuration and thread.
    idle: Mutex<Vec<DeviceWorker>>,
    /// Programs share a device. Who wants it alone waits until they are done, and those that come wait meanwhile.
    turn: RwLock<()>,
    /// It has run a program, so that it is there.
    works: AtomicBool,
}

/// The devices with their idle workers. All clones share them.
#[derive(Clone)]
pub(crate) struct Runner {
    pub matrix: Matrix,
    pub pool: Arc<Pool>,
    options: WorkerOptions,
    /// For compilers.
    tools: ToolRunner,
    limit: Duration,
    pub cancel: Cancel,
    devices: Arc<[SharedDevice]>,
    /// The number of kernels that are reduced as programs now.
    pub shrinking: Arc<AtomicUsize>,
    /// It lets everybody else go first.
    is_patient: bool,
    failure: Arc<Mutex<Option<CampaignError>>>,
}

impl Runner {
    pub(crate) fn new(
        matrix: Matrix,
        pool: Arc<Pool>,
        options: WorkerOptions,
        (limit, limits): (Duration, Limits),
        cancel: Cancel,
    ) -> Self {
        let devices = matrix.devices.iter().map(|_| SharedDevice::default()).collect();
        let (temporary, program) = (options.temporary.clone(), options.program.clone());
        let confinement = options.confinement.clone();
        let tools = ToolRunner::confined(temporary, Some(program), limits, confinement);
        let (shrinking, is_patient, failure) = (Arc::default(), false, Arc::default());
        Self {
            matrix,
            pool,
            options,
            tools,
            limit,
            cancel,
            devices,
            shrinking,
            is_patient,
            failure,
        }
    }

    /// The same for programs that nobody waits for: whoever looks into an alarm goes first.
    pub(crate) fn patient(&self) -> Self {
        Self { is_patient: true, ..self.clone() }
    }

    /// A permit to keep a processor busy. `None` once the campaign is cancelled.
    pub(crate) fn permit(&self) -> Option<Permit> {
        if self.is_patient {
            self.pool.wait_behind_others(&self.cancel)
        } else {
            self.pool.wait(&self.cancel)
        }
    }

    /// Runs a program on a configuration, and again if the outcome is no right result. `None` once the campaign is
    /// cancelled.
    pub(crate) fn observe(&self, configuration: usize, subject: &Subject) -> Option<Observed> {
        let (first, result) = self.once(configuration, subject, self.mode(self.limit))?;
        let mode = match first.class {
            class if !class.is_alarm() => return Some(first),
            Class::Hang => {
                RunMode { alone: true, ..self.mode(self.limit.saturating_mul(PATIENCE)) }
            }
            _ => self.mode(self.limit),
        };
        let again = self.once(configuration, subject, RunMode { afresh: true, ..mode })?;
        let is_same = again == (first.clone(), result);
        Some(if is_same { first } else { Observed { class: Class::Unstable, ..first } })
    }

    /// Returns true if a program shows an outcome on a configuration, twice; a hang, which takes the whole limit, once. `None`
    /// once the campaign is cancelled.
    pub(crate) fn shows(
        &self,
        configuration: usize,
        subject: &Subject,
        wanted: &Observed,
    ) -> Option<bool> {
        let first = self.once(configuration, subject, self.mode(self.limit))?;
        if first.0 != *wanted || wanted.class == Class::Hang {
            return Some(first.0 == *wanted);
        }
        Some(self.once(configuration, subject, self.mode(self.limit))? == first)
    }

    /// Returns true if a program has its right result on a configuration. `None` once the campaign is cancelled.
    pub(crate) fn is_right(&self, configuration: usize, subject: &Subject) -> Option<bool> {
        Some(self.once(configuration, subject, self.mode(self.limit))?.0.class == Class::Right)
    }

    /// The outcome of a kernel on the host, without any driver. `None` once the campaign is cancelled.
    pub(crate) fn on_host(&self, host: usize, subject: &Subject) -> Option<Class> {
        let host = Configuration { device: host, options: String::new() };
        let (outcome, _) =
            self.run(&host, subject, self.mode(self.limit.saturating_mul(PATIENCE)))?;
        Some(Observed::of(&outcome, &subject.expected).class)
    }

    /// The outcome of a program on a device with options, with all its details, and the time that it took.
    pub(crate) fn outcome(
        &self,
        one: &Configuration,
        subject: &Subject,
    ) -> Option<(RunOutcome, Duration)> {
        self.run(one, subject, self.mode(self.limit))
    }

    /// The outcome of a program on a configuration, once. `None` once the campaign is cancelled.
    pub(crate) fn first_outcome(
        &self,
        configuration: usize,
        subject: &Subject,
        inputs: Inputs,
    ) -> Option<RunOutcome> {
        let one = &self.matrix.configurations[configuration];
        let mode = RunMode { inputs, ..self.mode(self.limit) };
        Some(self.run(one, subject, mode)?.0)
    }

    /// Returns true if clreduce chooses the inputs of a program, so that it can choose others.
    pub(crate) fn has_second_inputs(&self, subject: &Subject) -> bool {
        match self.matrix.kind {
            SourceKind::Kernels(kind) => second_plan(kind, subject).is_some(),
            SourceKind::C | SourceKind::Cpp => false,
        }
    }

    /// How tools look at kernels.
    pub(crate) fn check_options(&self) -> CheckOptions {
        CheckOptions {
            timeout: self.limit,
            worker: Some(self.options.program.clone()),
            temporary: self.options.temporary.clone(),
            confinement: self.options.confinement.clone(),
            ..CheckOptions::default()
        }
    }

    /// The error that stopped the campaign, if a device was not there any more.
    pub(crate) fn take_failure(&self) -> Option<CampaignError> {
        locked(&self.failure).take()
    }

    fn mode(&self, limit: Duration) -> RunMode {
        RunMode { limit, afresh: false, alone: false, inputs: Inputs::First }
    }

    /// The outcome of a run, and the result if there is one.
    fn once(
        &self,
        configuration: usize,
        subject: &Subject,
        mode: RunMode,
    ) -> Option<(Observed, Option<Vec<Output>>)> {
        let one = &self.matrix.configurations[configuration];
        let (outcome, _) = self.run(one, subject, mode)?;
        let observed = Observed::of(&outcome, &subject.expected);
        Some((observed, outcome.result().map(<[Output]>::to_vec)))
    }

    /// Runs a program. A device that has worked, and does not run anything any more, ends the campaign.
    fn run(
        &self,
        one: &Configuration,
        subject: &Subject,
        mode: RunMode,
    ) -> Option<(RunOutcome, Duration)> {
        let done = self.attempt(one, subject, mode)?;
        let works = &self.devices[one.device].works;
        match &done.0 {
            RunOutcome::Results(_) => works.store(true, Ordering::Relaxed),
            RunOutcome::NotRun(reason)
            | RunOutcome::Unresolved(reason)
            | RunOutcome::RunFailure { reason }
                if works.load(Ordering::Relaxed) =>
            {
                self.look_for(one, reason)?;
            }
            _ => {}
        }
        Some(done)
    }

    /// Stops the campaign if the smallest program does not run on a device either. Then nothing is known about the programs
    /// under way, and the next run of the campaign makes up for them.
    fn look_for(&self, one: &Configuration, reason: &str) -> Option<()> {
        let source = probe(self.matrix.kind).to_owned();
        let expected = ExpectedResult::Open { executed: true };
        let probe = Subject { source, arguments: None, expected };
        let plain = Configuration { device: one.device, options: String::new() };
        let mode = RunMode { afresh: true, ..self.mode(self.limit) };
        let (outcome, _) = self.attempt(&plain, &probe, mode)?;
        if matches!(outcome, RunOutcome::Results(_)) {
            return Some(());
        }
        let (name, reason) = (self.matrix.devices[one.device].0.clone(), first_line(reason));
        locked(&self.failure).get_or_insert(CampaignError::Gone { name, reason });
        self.cancel.cancel();
        None
    }

    fn attempt(
        &self,
        one: &Configuration,
        subject: &Subject,
        mode: RunMode,
    ) -> Option<(RunOutcome, Duration)> {
        let toolchain = &self.matrix.devices[one.device].1;
        // Whoever waits for a turn needs no processor yet.
        let turn = &self.devices[one.device].turn;
        let wants_it_alone = mode.alone && !toolchain.is_robust();
        let alone = wants_it_alone.then(|| turn.write().unwrap_or_else(PoisonError::into_inner));
        let shared = alone.is_none().then(|| turn.read().unwrap_or_else(PoisonError::into_inner));
        let permit = self.permit()?;
        let started = Instant::now();
        let outcome = match toolchain {
            Toolchain::Device(device) => self.on_device(device, one, subject, mode),
            Toolchain::Compiler(compiler) => self.compiled(compiler, one, subject, mode.limit),
        };
        drop((permit, shared, alone));
        (!self.cancel.is_cancelled()).then(|| (outcome, started.elapsed()))
    }

    fn on_device(
        &self,
        device: &Device,
        one: &Configuration,
        subject: &Subject,
        mode: RunMode,
    ) -> RunOutcome {
        let source = subject.source.as_bytes().to_vec();
        let plan = match (device.takes(), mode.inputs) {
            (kind, Inputs::First) => match kind.plan(&source, subject.arguments.as_deref()) {
                Ok(plan) => plan,
                Err(error) => return RunOutcome::Unresolved(error.to_string()),
            },
            (kind, Inputs::Second) => match second_plan(kind, subject) {
                Some(plan) => plan,
                None => return RunOutcome::Unresolved("there are no second inputs".to_owned()),
            },
        };
        let options = self.matrix.build_options(&one.options);
        let run = KernelRun { source, options, launches: plan.launches, repeat: 1 };
        let idle = locked(&self.devices[one.device].idle).pop();
        let mut worker =
            idle.unwrap_or_else(|| DeviceWorker::new(self.options.clone(), device.clone()));
        if mode.afresh {
            worker.restart();
        }
        let limits = RunLimits { build: mode.limit, run: mode.limit };
        let report = worker.run(&run, limits, &self.cancel);
        locked(&self.devices[one.device].idle).push(worker);
        report.outcome
    }

    fn compiled(
        &self,
        compiler: &Compiler,
        one: &Configuration,
        subject: &Subject,
        limit: Duration,
    ) -> RunOutcome {
        let case = TestCase::single(self.matrix.kind.file_name(), subject.source.as_bytes());
        let case = match case {
            Ok(case) => case,
            Err(error) => return RunOutcome::Unresolved(error.to_string()),
        };
        let build = self.matrix.command(compiler, &one.options);
        run_commands(&build, Some(RUN), &case, &self.tools.within(Some(limit)), &self.cancel)
    }
}

fn second_plan(kind: ProgramKind, subject: &Subject) -> Option<Plan> {
    kind.second_plan(subject.source.as_bytes(), subject.arguments.as_deref())
}

/// The smallest program that has a result.
fn probe(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Kernels(ProgramKind::OpenCl) => {
            "// -g 1 -l 1\nkernel void entry(global ulong *result) { result[0] = 7; }\n"
        }
        SourceKind::Kernels(ProgramKind::Ptx) => {
            "// -g 1 -l 1\n.version 6.0\n.target sm_70\n.address_size 64\n.visible .entry entry(.param .u64 p)\n{\n.reg .b64 %a;\nld.param.u64 %a, [p];\nst.u64 [%a], 7;\nret;\n}\n"
        }
        SourceKind::Kernels(_) => {
            "// -g 1 -l 1\nextern \"C\" __global__ void entry(unsigned long long *result) { result[0] = 7; }\n"
        }
        SourceKind::C | SourceKind::Cpp => "int main(void) { return 0; }\n",
    }
}

/// The first line of a message.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("it gives no reason").to_owned()
}

/// A lock whose content is whole at every instant.
pub(crate) fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
