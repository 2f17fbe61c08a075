//! The run of a kernel on all devices.

use std::time::Duration;

use clreduce_devices::{Device, DeviceWorker, Devices, WorkerOptions};
use clreduce_kernel::{
    KernelRun, PlanError, ProgramKind, RunLimits, RunOutcome, VoteResult, with_macros,
};
use clreduce_process::in_parallel;

use super::{ConfigurationResult, DeviceComparison, IsRight};
use crate::running::RunningNames;
use crate::{RecipeOptions, naming};

/// The first time limit of a device, for building and again for running.
const FIRST_LIMIT: Duration = Duration::from_secs(10);

/// The factor of the second limit. A run that exceeds the first limit is repeated, before it is called a hang, with a
/// limit of this multiple of the slowest run that finishes; within bounds, and with `USUAL_LIMIT` where no run finishes.
const MORE_PATIENCE: u32 = 20;
const LEAST_LIMIT: Duration = Duration::from_secs(30);
const MOST_LIMIT: Duration = Duration::from_secs(300);
pub(super) const USUAL_LIMIT: Duration = Duration::from_secs(60);

impl DeviceComparison {
    /// Runs a kernel on all devices of its kind. `arguments` is the text of a description of its arguments, if there is one; `build_options` are for every build; `is_right` judges results, if the right one is
    /// known.
    ///
    /// # Errors
    /// When the launches of the kernel are not known.
    pub fn of(
        runs: ProgramKind,
        source: &[u8],
        arguments: Option<&str>,
        build_options: &str,
        is_right: Option<IsRight<'_>>,
        options: &RecipeOptions,
    ) -> Result<Self, PlanError> {
        let macros = shlex::split(build_options).unwrap_or_default();
        let plan = runs.plan(&with_macros(source, &macros), arguments)?;
        let Some(program) = options.worker.clone() else {
            let problems =
                vec!["devices need a worker program, and the caller has set none".to_owned()];
            return Ok(Self { problems, ..Self::default() });
        };
        let worker = WorkerOptions {
            temporary: options.temporary.clone(),
            confinement: options.confinement.clone(),
            ..WorkerOptions::new(program)
        };
        options.progress.at("looking for devices");
        let mut found = Devices::find(&worker, &options.zoo);
        found.devices.retain(|device| device.takes() == runs);
        let mut seen = configurations(&found, runs);
        let running = RunningNames::new(&options.progress, "building and running");
        let ask = |worker: &mut DeviceWorker, one: &ConfigurationResult, limit: Duration| {
            let words = format!("-w {build_options} {}", one.options);
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            let (source, launches) = (source.to_vec(), plan.launches.clone());
            let run = KernelRun { source, options: words, launches, repeat: 1 };
            let limits = RunLimits { build: limit, run: limit };
            let report = running.during(&one.name(), || worker.run(&run, limits, &options.cancel));
            (report.outcome, report.build + report.run)
        };
        // Devices run side by side; both configurations of a device run one after the other.
        let ask_all = |seen: &mut [ConfigurationResult], limit: Duration, again: bool| {
            let pairs: Vec<(&Device, &mut [ConfigurationResult])> =
                found.devices.iter().zip(seen.chunks_mut(2)).collect();
            in_parallel(pairs, options.jobs, |_, (device, pair)| {
                let mut worker = DeviceWorker::new(worker.clone(), device.clone());
                for one in pair.iter_mut().filter(|one| !again || one.hangs()) {
                    (one.outcome, one.wall) = ask(&mut worker, one, limit);
                }
            });
        };
        ask_all(&mut seen, FIRST_LIMIT, false);
        let limit = more_patience(&seen);
        ask_all(&mut seen, limit, true);
        let mut kernels = plan.launches.iter().map(|launch| &launch.kernel);
        let named_like_builtin = kernels.find(|kernel| runs.has_builtin(kernel)).cloned();
        let comparison = Self {
            configurations: seen,
            problems: found.problems,
            named_like_builtin,
            ..Self::default()
        };
        Ok(comparison.voted(is_right))
    }
}

/// Returns every device with and without optimisation, before it has run.
fn configurations(found: &Devices, runs: ProgramKind) -> Vec<ConfigurationResult> {
    let mut seen = Vec::new();
    for device in &found.devices {
        let simulated = device.backend.is_simulated();
        for options in ["", runs.no_opt()] {
            seen.push(ConfigurationResult {
                device: naming::short(device, &found.devices),
                options: options.to_owned(),
                simulated,
                is_gpu: !device.is_robust(),
                outcome: RunOutcome::Unresolved("not run".to_owned()),
                wall: Duration::ZERO,
                finding: VoteResult::Unknown,
            });
        }
    }
    seen
}

/// Returns the second time limit.
pub(super) fn more_patience(seen: &[ConfigurationResult]) -> Duration {
    let ended = seen.iter().filter(|one| !one.hangs() && !one.simulated);
    let slowest = ended.map(|one| one.wall).max();
    slowest.map_or(USUAL_LIMIT, |wall| (wall * MORE_PATIENCE).clamp(LEAST_LIMIT, MOST_LIMIT))
}
