//! The backend for Oclgrind: the program `oclgrind` puts its simulated device in the place of the OpenCL loader.

use std::path::PathBuf;

use clreduce_kernel::ProgramKind;
use clreduce_process::worker::WorkerOptions;
use clreduce_tools::OCLGRIND;

use crate::backend::{Backend, Transport, list};
use crate::error::DeviceError;
use crate::facts::DeviceFacts;
use crate::opencl::OpenClService;
use crate::protocol::{DeviceProcess, FoundDevice};

/// Oclgrind's simulated device.
#[derive(Debug)]
pub struct Oclgrind;

impl Backend for Oclgrind {
    fn name(&self) -> &'static str {
        "oclgrind"
    }

    fn title(&self) -> &'static str {
        "Oclgrind"
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::OpenCl
    }

    fn remark(&self) -> &'static str {
        "simulated"
    }

    fn is_simulated(&self) -> bool {
        true
    }

    fn is_robust(&self, _facts: &DeviceFacts) -> bool {
        true
    }

    fn is_timed_fairly(&self, _facts: &DeviceFacts) -> bool {
        true
    }

    fn find(&self, options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        if oclgrind().is_none() {
            return Ok(Vec::new());
        }
        list(options, start)
    }

    fn transport(&self) -> Transport {
        Transport::Worker(start)
    }
}

fn start(options: &WorkerOptions) -> Result<DeviceProcess, DeviceError> {
    let wrapper = oclgrind().ok_or(DeviceError::NotInstalled(&OCLGRIND))?;
    Ok(DeviceProcess::start::<OpenClService>(options, Some(&wrapper))?)
}

/// The program `oclgrind`, where it is installed.
#[must_use]
pub fn oclgrind() -> Option<PathBuf> {
    OCLGRIND.find()
}
