//! A device that was found.

use std::sync::Arc;

use clreduce_kernel::ProgramKind;
use clreduce_process::worker::WorkerOptions;
use serde::{Serialize, Serializer};

use crate::backend::Backend;
use crate::facts::{DeviceFacts, RUNS_NOTHING};
use crate::protocol::FoundDevice;
use crate::zoo::Installation;

/// A device that kernels can be run on.
#[derive(Clone, Debug, Serialize)]
pub struct Device {
    /// The number of its platform among those found, from 0.
    pub platform: u32,
    /// Its number on the platform.
    pub device: u32,
    /// The way in which kernels reach it.
    #[serde(rename = "through", serialize_with = "name")]
    pub backend: &'static dyn Backend,
    /// The facts that its driver tells.
    #[serde(flatten)]
    pub facts: DeviceFacts,
    /// The installation of the zoo that its driver belongs to; `None` for what the system has.
    #[serde(rename = "zoo", serialize_with = "label", skip_serializing_if = "Option::is_none")]
    pub installation: Option<Arc<Installation>>,
    /// Number of the platform for the worker.
    #[serde(skip)]
    pub(crate) worker_platform: u32,
}

fn name<S: Serializer>(backend: &&'static dyn Backend, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(backend.name())
}

fn label<S: Serializer>(
    installation: &Option<Arc<Installation>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    installation.as_ref().map(|one| one.label()).serialize(serializer)
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |one: &Self| (one.platform, one.device, one.worker_platform);
        numbers(self) == numbers(other)
            && self.backend.name() == other.backend.name()
            && self.facts == other.facts
            && self.installation == other.installation
    }
}

impl Eq for Device {}

impl Device {
    /// A device that a backend has found, where platforms are counted from `first`.
    #[must_use]
    pub fn new(backend: &'static dyn Backend, first: u32, found: FoundDevice) -> Self {
        Self {
            platform: first + found.platform,
            device: found.device,
            backend,
            facts: found.facts,
            installation: None,
            worker_platform: found.platform,
        }
    }

    /// The kind of programs that it takes.
    #[must_use]
    pub fn takes(&self) -> ProgramKind {
        self.backend.takes()
    }

    /// Returns whether it runs kernels, and does not only build them.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.facts.kind != RUNS_NOTHING
    }

    /// Returns whether kernels run on this machine's processors, in processes of their own: they cannot harm more
    /// than these.
    #[must_use]
    pub fn is_robust(&self) -> bool {
        self.backend.is_robust(&self.facts)
    }

    /// Returns whether the time limit of a kernel is one of computing. See [`Backend::is_timed_fairly`].
    #[must_use]
    pub fn is_timed_fairly(&self) -> bool {
        cfg!(target_os = "linux") && self.is_robust() && self.backend.is_timed_fairly(&self.facts)
    }

    /// The label of its installation, as in `pocl-3.0`; `None` for what the system has.
    #[must_use]
    pub fn label(&self) -> Option<String> {
        self.installation.as_ref().map(|installation| installation.label())
    }

    /// The way in which its workers are started: in the environment of its installation.
    pub(crate) fn worker_options(&self, options: &WorkerOptions) -> WorkerOptions {
        self.installation
            .as_ref()
            .map_or_else(|| options.clone(), |one| one.worker_options(options))
    }

    /// Returns whether a part of one of its names is `name`, or its installation has that label, whatever the case.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        if self.label().is_some_and(|label| label.to_lowercase() == name) {
            return true;
        }
        let facts = &self.facts;
        let names = [&facts.platform, &facts.platform_version, &facts.name, &facts.vendor];
        names.into_iter().any(|own| own.to_lowercase().contains(&name))
    }
}
