//! The backend for the CUDA driver and NVRTC, for kernels without a host program. Both are looked for at run time.

mod api;
mod driver;
mod toolkit;

use clreduce_kernel::ProgramKind;
use clreduce_process::worker::WorkerOptions;

use crate::backend::{Backend, Transport, list};
use crate::error::DeviceError;
use crate::protocol::{DeviceProcess, FoundDevice};
use crate::service::DeviceService;

/// The service of a worker that keeps a CUDA device.
pub(crate) type CudaService = DeviceService<driver::CudaDevice>;

/// The devices of the CUDA driver.
#[derive(Debug)]
pub struct CudaDriver;

impl Backend for CudaDriver {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn title(&self) -> &'static str {
        "CUDA"
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::CudaKernels
    }

    fn find(&self, options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        list(options, start)
    }

    fn transport(&self) -> Transport {
        Transport::Worker(start)
    }
}

pub(crate) fn start(options: &WorkerOptions) -> Result<DeviceProcess, DeviceError> {
    Ok(DeviceProcess::start::<CudaService>(options, None)?)
}
