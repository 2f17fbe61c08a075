//! Which devices there are. They are looked for in worker processes: a driver may crash as soon as
//! it is loaded.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::process::{Process, WorkerOptions};
use super::protocol::{Found, Order, Reply};
use crate::check::host;
use crate::cuda::nvcc;

/// What a device says of itself, in OpenCL's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are OpenCL's")]
pub struct Facts {
    pub platform: String,
    pub platform_version: String,
    pub name: String,
    pub vendor: String,
    pub driver: String,
    /// The version of OpenCL.
    pub version: String,
    /// "cpu", "gpu", "accelerator", "other".
    pub kind: String,
    pub compute_units: u64,
    /// Most work-items in a group.
    pub max_work_group: u64,
    pub memory_bytes: u64,
}

/// Through what a device is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Through {
    /// The OpenCL loader.
    Loader,
    /// The program `oclgrind`, which puts its simulated device in the place of the loader.
    Oclgrind,
    /// clang: the kernel becomes an ordinary program of this machine.
    Host,
    /// The CUDA driver and NVRTC, for bare kernels in CUDA.
    Cuda,
    /// nvcc, for whole programs in CUDA.
    Nvcc,
}

/// A device that kernels can be run on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Device {
    /// Number of its platform among all that were found.
    pub platform: u32,
    /// Its number on the platform.
    pub device: u32,
    /// Through what it is reached.
    pub through: Through,
    /// What it says of itself.
    #[serde(flatten)]
    pub facts: Facts,
    /// Number of the platform for the worker.
    #[serde(skip)]
    pub(super) worker_platform: u32,
}

impl Device {
    #[cfg(test)]
    pub(crate) fn new(platform: u32, device: u32, through: Through, facts: Facts) -> Self {
        Self { platform, device, through, facts, worker_platform: platform }
    }

    /// Whether kernels run on this machine's processors, in processes of their own: they cannot harm more than
    /// these.
    #[must_use]
    pub fn is_robust(&self) -> bool {
        self.facts.kind == "cpu" || self.through == Through::Oclgrind
    }

    /// Whether the time limit of a kernel is one of computing: what its worker spends waiting for a processor does
    /// not count, so that a time-out says nothing of what else the machine does.
    #[must_use]
    pub fn is_timed_fairly(&self) -> bool {
        cfg!(target_os = "linux")
            && self.is_robust()
            && matches!(self.through, Through::Loader | Through::Oclgrind)
    }

    /// Whether a part of one of its names is `name`, whatever the case.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let facts = &self.facts;
        let names = [&facts.platform, &facts.platform_version, &facts.name, &facts.vendor];
        names.into_iter().any(|own| own.to_lowercase().contains(&name))
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    /// The devices: those of the loader first, then Oclgrind's, this machine itself, and those for CUDA.
    pub devices: Vec<Device>,
    /// What did not work, for people.
    pub problems: Vec<String>,
}

impl Devices {
    /// Looks for devices.
    #[must_use]
    pub fn find(options: &WorkerOptions) -> Self {
        let mut found = Self::of_loader(options);
        found.add_oclgrind(options);
        found.add_host();
        found.add_cuda(options);
        found
    }

    /// The devices of the OpenCL loader alone; takes half as long.
    #[must_use]
    pub fn of_loader(options: &WorkerOptions) -> Self {
        let mut found = Self::default();
        found.add(Through::Loader, list(options, Through::Loader));
        found
    }

    /// Adds Oclgrind's, where it is installed.
    pub fn add_oclgrind(&mut self, options: &WorkerOptions) {
        // It is in the process already when clreduce itself runs under it.
        let is_there = self.devices.iter().any(|device| device.facts.platform == "Oclgrind");
        if !is_there && oclgrind().is_some() {
            self.add(Through::Oclgrind, list(options, Through::Oclgrind));
        }
    }

    /// Adds this machine itself, where there is a clang.
    pub fn add_host(&mut self) {
        if let Some(facts) = host::facts() {
            self.add(Through::Host, Ok(vec![Found { platform: 0, device: 0, facts }]));
        }
    }

    /// Adds what runs CUDA: the driver's devices, and nvcc where it is installed. That there is no driver is no
    /// problem.
    pub fn add_cuda(&mut self, options: &WorkerOptions) {
        self.add(Through::Cuda, list(options, Through::Cuda));
        if let Some(facts) = nvcc::facts() {
            self.add(Through::Nvcc, Ok(vec![Found { platform: 0, device: 0, facts }]));
        }
    }

    fn add(&mut self, through: Through, listed: Result<Vec<Found>, String>) {
        let first = self.devices.last().map_or(0, |device| device.platform + 1);
        match listed {
            Ok(found) => self.devices.extend(found.into_iter().map(|found| Device {
                platform: first + found.platform,
                device: found.device,
                through,
                facts: found.facts,
                worker_platform: found.platform,
            })),
            Err(problem) => self.problems.push(match through {
                Through::Loader => format!("OpenCL: {problem}"),
                Through::Oclgrind => format!("Oclgrind: {problem}"),
                Through::Cuda => format!("CUDA: {problem}"),
                Through::Host | Through::Nvcc => problem,
            }),
        }
    }
}

fn list(options: &WorkerOptions, through: Through) -> Result<Vec<Found>, String> {
    let mut process = Process::start(options, through).map_err(|error| error.to_string())?;
    match process.ask(&Order::List(through), options.start_limit)? {
        Reply::Devices(devices) => devices,
        _ => Err("the worker process talks nonsense".to_owned()),
    }
}

/// The program `oclgrind`, where it is installed.
#[must_use]
pub fn oclgrind() -> Option<PathBuf> {
    let name = format!("oclgrind{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|path| path.is_file())
}
