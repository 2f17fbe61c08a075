//! The list of backends, and the search for their devices.

use clreduce_process::worker::WorkerOptions;

use crate::backend::Backend;
use crate::cuda::CudaDriver;
use crate::device::Device;
use crate::host::{Host, HostCuda};
use crate::nvcc::Nvcc;
use crate::oclgrind::Oclgrind;
use crate::opencl::OpenClLoader;
use crate::protocol::FoundDevice;

/// Every backend, in the order in which devices are listed.
pub const BACKENDS: [&dyn Backend; 6] =
    [&OpenClLoader, &Oclgrind, &Host, &CudaDriver, &Nvcc, &HostCuda];

/// The devices that were found.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    /// The devices, in the order of [`BACKENDS`].
    pub devices: Vec<Device>,
    /// Failures, for people.
    pub problems: Vec<String>,
}

impl Devices {
    /// Finds the devices of every backend.
    #[must_use]
    pub fn find(options: &WorkerOptions) -> Self {
        let mut found = Self::default();
        for backend in BACKENDS {
            found.add(backend, options);
        }
        found
    }

    /// Finds the devices of one backend.
    #[must_use]
    pub fn of(backend: &'static dyn Backend, options: &WorkerOptions) -> Self {
        let mut found = Self::default();
        found.add(backend, options);
        found
    }

    /// Adds the devices of a backend. A device that another backend has found is left out: when clreduce itself runs
    /// under Oclgrind, the OpenCL loader finds Oclgrind's device.
    pub fn add(&mut self, backend: &'static dyn Backend, options: &WorkerOptions) {
        let first = self.devices.last().map_or(0, |device| device.platform + 1);
        match backend.find(options) {
            Ok(found) => {
                let is_new = |found: &FoundDevice| {
                    self.devices.iter().all(|known| known.facts != found.facts)
                };
                let found: Vec<FoundDevice> = found.into_iter().filter(is_new).collect();
                self.devices.extend(found.into_iter().map(|one| Device::new(backend, first, one)));
            }
            Err(error) => self.problems.push(format!("{}: {error}", backend.title())),
        }
    }
}
