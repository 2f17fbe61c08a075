//! The backend for the OpenCL loader and the drivers that it knows.

mod api;
mod driver;

use clreduce_kernel::ProgramKind;
use clreduce_process::worker::WorkerOptions;

use crate::backend::{Backend, Transport, list};
use crate::error::DeviceError;
use crate::facts::DeviceFacts;
use crate::protocol::{DeviceProcess, FoundDevice};
use crate::service::DeviceService;

/// The service of a worker that keeps an OpenCL device.
pub(crate) type OpenClService = DeviceService<driver::OpenClDevice>;

/// The devices of the OpenCL loader.
#[derive(Debug)]
pub struct OpenClLoader;

impl Backend for OpenClLoader {
    fn name(&self) -> &'static str {
        "loader"
    }

    fn title(&self) -> &'static str {
        "OpenCL"
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::OpenCl
    }

    fn is_timed_fairly(&self, _facts: &DeviceFacts) -> bool {
        true
    }

    fn find(&self, options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        list(options, start)
    }

    fn transport(&self) -> Transport {
        Transport::Worker(start)
    }
}

fn start(options: &WorkerOptions) -> Result<DeviceProcess, DeviceError> {
    Ok(DeviceProcess::start::<OpenClService>(options, None)?)
}
