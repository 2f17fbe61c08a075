//! The list of backends, and the search for their devices.

use std::sync::Arc;

use clreduce_process::worker::WorkerOptions;
use clreduce_tools::PTXAS;

use crate::backend::Backend;
use crate::cuda::CudaDriver;
use crate::device::Device;
use crate::host::Host;
use crate::nvcc::Nvcc;
use crate::oclgrind::Oclgrind;
use crate::opencl::OpenClLoader;
use crate::ptxas::{Ptxas, assembles_for};
use crate::zoo::{Installation, InstallationKind};

/// Every backend, in the order in which devices are listed.
pub const BACKENDS: [&dyn Backend; 8] =
    [&OpenClLoader, &Oclgrind, &Host::OPENCL, &CudaDriver, &Nvcc, &Host::CUDA, &Ptxas, &Host::PTX];

/// The devices that were found.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    /// The devices, in the order of [`BACKENDS`].
    pub devices: Vec<Device>,
    /// Failures, for people.
    pub problems: Vec<String>,
}

impl Devices {
    /// Finds the devices of every backend, and those of installations in a zoo.
    #[must_use]
    pub fn find(options: &WorkerOptions, zoo: &[Installation]) -> Self {
        let mut found = Self::default();
        for backend in BACKENDS {
            found.add(backend, options);
        }
        for installation in zoo {
            found.add_installation(installation, options);
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
        let first = self.next_platform();
        match backend.find(options) {
            Ok(mut found) => {
                found.retain(|found| self.devices.iter().all(|known| known.facts != found.facts));
                self.devices.extend(found.into_iter().map(|one| Device::new(backend, first, one)));
            }
            Err(error) => self.problems.push(format!("{}: {error}", backend.title())),
        }
    }

    /// Adds the first device of an installation, which its label names. A compiler for a command line has none.
    pub fn add_installation(&mut self, installation: &Installation, options: &WorkerOptions) {
        let backend: &'static dyn Backend = match installation.kind {
            InstallationKind::OpenCl => &OpenClLoader,
            InstallationKind::Cuda => &CudaDriver,
            InstallationKind::Compiler if installation.name == PTXAS.name => &Ptxas,
            InstallationKind::Compiler => return,
        };
        let options = installation.worker_options(options);
        let found = match &installation.program {
            Some(program) => Ok(assembles_for(program, &options)),
            None => backend.find(&options),
        };
        let problem = match found {
            Ok(found) => match found.into_iter().next() {
                Some(found) => {
                    let device = Device::new(backend, self.next_platform(), found);
                    let installation = Some(Arc::new(installation.clone()));
                    self.devices.push(Device { installation, ..device });
                    return;
                }
                None => "it lists no device".to_owned(),
            },
            Err(error) => error.to_string(),
        };
        self.problems.push(format!("{}: {problem}", installation.label()));
    }

    fn next_platform(&self) -> u32 {
        self.devices.last().map_or(0, |device| device.platform + 1)
    }
}
