//! A kernel whose right result lies beside it, in `KERNEL.expected`, as the subject of `clreduce bisect`.

use std::path::Path;
use std::time::Duration;

use clreduce_devices::DeviceWorker;
use clreduce_interestingness::Cancel;
use clreduce_kernel::{KernelRun, ProgramKind, RunLimits};
use clreduce_recipe::describe;

use super::versions::VersionResult;
use crate::failure::{CliError, RunError};
use crate::kernels::devices::{DeviceArgs, choose, worker_options};
use crate::kernels::expected;
use crate::kernels::launches::LaunchArgs;

/// The longest time to build, and to run.
const LIMIT: Duration = Duration::from_secs(60);

/// A kernel and its right result.
pub(super) struct ExpectedKernel {
    run: KernelRun,
    kind: ProgramKind,
    expected: String,
}

impl ExpectedKernel {
    /// Reads the kernel; `None` if no right result lies beside it.
    ///
    /// # Errors
    /// When a file cannot be read, or the launches of the kernel are not known.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, CliError> {
        let Some(expected) = expected::read(path)? else { return Ok(None) };
        let read = |source| RunError::Read { path: path.to_owned(), source };
        let source = std::fs::read(path).map_err(read)?;
        let kind = ProgramKind::of(&path.to_string_lossy(), &source);
        let described = LaunchArgs::default().described(path, &source).map_err(RunError::from)?;
        let plan = match described {
            Some(plan) => plan,
            None => kind
                .plan(&source, None)
                .map_err(|source| RunError::Plan { path: path.to_owned(), source })?,
        };
        let options = "-w".to_owned();
        let run = KernelRun { source, options, launches: plan.launches, repeat: 1 };
        Ok(Some(Self { run, kind, expected }))
    }

    /// Runs it on the device with a name.
    ///
    /// # Errors
    /// When this program does not know its own path.
    pub(super) fn on(&self, device: &str, cancel: &Cancel) -> Result<VersionResult, CliError> {
        let args = DeviceArgs { device_name: Some(device.to_owned()), ..DeviceArgs::default() };
        let options = worker_options()?;
        let device = match choose(&args, self.kind, &options) {
            Ok(device) => device,
            Err(missing) => {
                // A driver that does not start is no missing device.
                let reason = match missing.problems.first() {
                    Some(problem) => problem.lines().next().unwrap_or_default().to_owned(),
                    None => "no device has that name".to_owned(),
                };
                return Ok(VersionResult::Missing(format!(": {reason}")));
            }
        };
        let limits = RunLimits { build: LIMIT, run: LIMIT };
        let outcome = DeviceWorker::new(options, device).run(&self.run, limits, cancel).outcome;
        Ok(match outcome.result().map(|outputs| expected::difference(&self.expected, outputs)) {
            Some(Some(_)) => VersionResult::Shows,
            Some(None) => VersionResult::Right("the result is right".to_owned()),
            None => VersionResult::Unclear(describe(&outcome)),
        })
    }
}
