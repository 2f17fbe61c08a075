//! The facts about a device, as its driver tells them.

use serde::{Deserialize, Serialize};

/// The kind of a device that runs nothing: kernels are only built for it.
pub(crate) const RUNS_NOTHING: &str = "other";

/// The facts about a device, in OpenCL's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are OpenCL's")]
pub struct DeviceFacts {
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
