//! The messages between clreduce and a worker that keeps a device.

use std::fmt::Display;

use clreduce_kernel::{KernelRun, Output};
use clreduce_process::worker::WorkerProcess;
use serde::{Deserialize, Serialize};

use crate::error::DriverError;
use crate::facts::DeviceFacts;

/// This process's end of a worker that keeps a device.
pub type DeviceProcess = WorkerProcess<DeviceOrder, DeviceReply>;

/// An order to the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum DeviceOrder {
    /// List the devices that there are.
    List,
    /// Make this device ready; for all runs to come.
    Open {
        /// Number of the platform.
        platform: u32,
        /// Number of the device on it.
        device: u32,
    },
    /// Do this on the open device.
    Run(KernelRun),
}

/// A reply of the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum DeviceReply {
    /// To `List`.
    Devices(Result<Vec<FoundDevice>, DriverError>),
    /// To `Open`.
    Opened(Result<(), DriverError>),
    /// First reply to `Run`, where the program could be built.
    Built,
    /// Last reply to `Run`.
    RunEnd(RunEnd),
}

/// The end of a run that the worker survived.
#[derive(Debug, Serialize, Deserialize)]
pub enum RunEnd {
    /// The compiler refuses the program; with what it printed.
    BuildFailure(String),
    /// It is built, and nothing was to be launched.
    Built,
    /// A launch failed.
    RunFailure(String),
    /// The different results of all repetitions.
    Results(Vec<Vec<Output>>),
}

impl RunEnd {
    /// Does all launches `times` times, each time with fresh buffers. The first launch that fails ends it.
    pub(crate) fn repeat<L, E: Display>(
        times: u32,
        launches: impl IntoIterator<Item = L> + Clone,
        launch: impl Fn(L) -> Result<Vec<Output>, E>,
    ) -> Self {
        let mut results: Vec<Vec<Output>> = Vec::new();
        for _ in 0..times.max(1) {
            let outputs: Result<Vec<Vec<Output>>, E> =
                launches.clone().into_iter().map(&launch).collect();
            match outputs.map(|outputs| outputs.concat()) {
                Ok(outputs) if results.contains(&outputs) => {}
                Ok(outputs) => results.push(outputs),
                Err(error) => return Self::RunFailure(error.to_string()),
            }
        }
        Self::Results(results)
    }
}

/// A device that a worker sees.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FoundDevice {
    /// Number of its platform.
    pub platform: u32,
    /// Its number on the platform.
    pub device: u32,
    /// The facts that its driver tells.
    pub facts: DeviceFacts,
}

#[cfg(test)]
mod tests {
    use clreduce_kernel::Scalar;

    use super::*;

    #[test]
    fn different_results_are_kept_and_a_failure_ends_all() {
        let done = std::cell::Cell::new(0);
        let launch = |fails_at: u8| {
            done.set(done.get() + 1);
            let name = (done.get() / 3).to_string();
            let output = Output { kernel: "k".into(), name, scalar: Scalar::Int, bytes: vec![] };
            if done.get() == fails_at { Err("gone".to_owned()) } else { Ok(vec![output]) }
        };
        let RunEnd::Results(results) = RunEnd::repeat(3, [9, 9], launch) else { panic!() };
        let names =
            |outputs: &Vec<Output>| outputs.iter().map(|output| output.name.clone()).collect();
        assert_eq!(results.iter().map(names).collect::<Vec<String>>(), ["00", "11", "12"]);
        assert!(
            matches!(RunEnd::repeat(3, [9, 9], launch), RunEnd::RunFailure(why) if why == "gone")
        );
        assert_eq!(done.get(), 9);
    }
}
