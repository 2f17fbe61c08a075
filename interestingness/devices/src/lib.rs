//! Devices: kernels on OpenCL and CUDA drivers, on Oclgrind, and on this machine itself.
//!
//! Drivers crash and hang, so everything that touches one runs in a worker process: this process never loads a
//! driver. [`Devices`] finds the devices, and a [`DeviceWorker`] runs kernels on one. A [`Backend`] is a way in
//! which kernels reach a device; a new one is a file with an implementation and a line in [`BACKENDS`].

mod backend;
mod client;
mod cuda;
mod device;
mod devices;
mod error;
mod facts;
mod host;
mod nvcc;
mod oclgrind;
mod opencl;
mod protocol;
mod ptxas;
mod service;
mod zoo;

use clreduce_process::worker::ServiceEntry;

pub use backend::{Backend, Transport};
pub use client::{DeviceWorker, WorkerStatistics};
pub use clreduce_process::worker::WorkerOptions;
pub use cuda::CudaDriver;
pub use device::Device;
pub use devices::{BACKENDS, Devices};
pub use error::{DeviceError, DriverError};
pub use facts::DeviceFacts;
pub use host::Host;
pub use nvcc::Nvcc;
pub use oclgrind::{Oclgrind, oclgrind};
pub use opencl::OpenClLoader;
pub use protocol::{DeviceOrder, DeviceProcess, DeviceReply, FoundDevice, RunEnd};
pub use ptxas::{Ptxas, architecture};
pub use zoo::{Installation, InstallationKind, ZooError, read_zoo};

/// The services of worker programs that this crate needs.
pub const SERVICES: &[ServiceEntry] =
    &[ServiceEntry::of::<opencl::OpenClService>(), ServiceEntry::of::<cuda::CudaService>()];
