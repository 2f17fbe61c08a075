//! Sub-groups: whether it is certain which work-items are in one.
//!
//! OpenCL leaves the size of sub-groups to the device. A kernel can ask for a size, by an attribute of Intel's. Then the
//! compilers for CPUs divide each row of a work-group, its work-items along the first dimension; where 32 divides a row, there is
//! but one way to do that.

use std::collections::BTreeSet;

use clreduce_kernel::{KernelLaunch, KernelSignature};

use crate::error::HostError;
use crate::subject::sizes;

/// The size that the run-time knows.
const SIZE: u64 = 32;

/// Checks that sub-groups do not depend on the device, if the kernels need any of the functions.
///
/// # Errors
/// When a kernel that is launched does not ask for the size, or has other work-groups.
pub(crate) fn check(
    needed: &BTreeSet<String>,
    functions: &BTreeSet<String>,
    kernels: &[KernelSignature],
    launches: &[KernelLaunch],
) -> Result<(), HostError> {
    if needed.is_disjoint(functions) {
        return Ok(());
    }
    let asks = |name: &str| {
        let kernel = kernels.iter().find(|kernel| kernel.name == name);
        kernel.is_some_and(|kernel| kernel.required_sub_group == Some(SIZE))
    };
    let is_certain = |launch: &&KernelLaunch| {
        let [_, local] = sizes(launch);
        asks(&launch.kernel) && local[0].is_multiple_of(SIZE)
    };
    match launches.iter().find(|launch| !is_certain(launch)) {
        Some(launch) => Err(HostError::SubGroups(launch.kernel.clone())),
        None => Ok(()),
    }
}
