//! Backends: the ways in which kernels reach a device.

use std::fmt;

use clreduce_kernel::{KernelRun, ProgramKind, RunLimits, RunReport};
use clreduce_process::worker::{WorkerError, WorkerOptions};
use clreduce_process::{Cancel, ToolRunner};

use crate::error::DeviceError;
use crate::facts::DeviceFacts;
use crate::protocol::{DeviceOrder, DeviceProcess, DeviceReply, FoundDevice};

/// A way in which kernels reach a device.
///
/// A new one is a file with an implementation, and a line in [`BACKENDS`](crate::BACKENDS).
pub trait Backend: fmt::Debug + Send + Sync {
    /// Its name in JSON.
    fn name(&self) -> &'static str;

    /// Its name before the message of a failure.
    fn title(&self) -> &'static str;

    /// The kind of programs that its devices take.
    fn takes(&self) -> ProgramKind;

    /// A remark on its devices for people, as in "simulated". Empty for an ordinary driver.
    fn remark(&self) -> &'static str {
        ""
    }

    /// Returns whether its results must not count in a vote.
    fn is_simulated(&self) -> bool {
        false
    }

    /// Returns whether a kernel can harm no more than processes of its own.
    fn is_robust(&self, facts: &DeviceFacts) -> bool {
        facts.kind == "cpu"
    }

    /// Returns whether the time limit of a kernel is one of computing: what its worker spends waiting for a
    /// processor does not count, so that a time-out says nothing of what else the machine does.
    fn is_timed_fairly(&self, _facts: &DeviceFacts) -> bool {
        false
    }

    /// Finds its devices. None is no error where what gives access to them is optional.
    ///
    /// # Errors
    /// When it ought to have devices, and they cannot be listed.
    fn find(&self, options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError>;

    /// The way in which kernels get to a device.
    fn transport(&self) -> Transport;
}

/// The way in which kernels get to a device.
pub enum Transport {
    /// A worker process keeps the driver; this starts it.
    Worker(fn(&WorkerOptions) -> Result<DeviceProcess, DeviceError>),
    /// As `Worker`, for what the device's program makes of a kernel; without a GPU, nothing is run.
    Assembled(fn(&WorkerOptions) -> Result<DeviceProcess, DeviceError>),
    /// Each kernel is a program with a process of its own; this compiles and runs it.
    Programs(fn(&ToolRunner, &KernelRun, RunLimits, &Cancel) -> RunReport),
}

/// Workers see the GPUs, also those that are asked for another device: the numbers of devices depend on it.
pub(crate) fn with_gpus(options: &WorkerOptions) -> WorkerOptions {
    let confinement = options.confinement.clone().with_gpus();
    WorkerOptions { confinement, ..options.clone() }
}

/// Has a fresh worker process list the devices of its driver: a driver may crash as soon as it is loaded.
pub(crate) fn list(
    options: &WorkerOptions,
    start: fn(&WorkerOptions) -> Result<DeviceProcess, DeviceError>,
) -> Result<Vec<FoundDevice>, DeviceError> {
    match start(&with_gpus(options))?.ask(&DeviceOrder::List, options.start_limit)? {
        DeviceReply::Devices(devices) => Ok(devices?),
        _ => Err(WorkerError::WrongReply.into()),
    }
}
