//! The backend for this machine itself: clang makes an ordinary program of a kernel.

use clreduce_host::{clang, is_supported, run};
use clreduce_kernel::ProgramKind;
use clreduce_process::worker::WorkerOptions;

use crate::backend::{Backend, Transport};
use crate::error::DeviceError;
use crate::facts::DeviceFacts;
use crate::protocol::FoundDevice;

/// This machine, by way of clang.
#[derive(Debug)]
pub struct Host;

impl Backend for Host {
    fn name(&self) -> &'static str {
        "host"
    }

    fn title(&self) -> &'static str {
        "host"
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::OpenCl
    }

    fn remark(&self) -> &'static str {
        "clang without OpenCL"
    }

    fn find(&self, _options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        let facts = facts().into_iter();
        Ok(facts.map(|facts| FoundDevice { platform: 0, device: 0, facts }).collect())
    }

    fn transport(&self) -> Transport {
        Transport::Programs(run)
    }
}

/// The facts about this machine as a device; `None` where it cannot be one, for want of a clang or because kernels
/// cannot be run on such a system.
fn facts() -> Option<DeviceFacts> {
    let clang = clang().filter(|_| is_supported())?;
    Some(DeviceFacts {
        platform: "Host".to_owned(),
        platform_version: clang.version_line().to_owned(),
        name: "host".to_owned(),
        vendor: "clreduce".to_owned(),
        driver: clang.program().to_owned(),
        version: "OpenCL C 1.2".to_owned(),
        kind: "cpu".to_owned(),
        compute_units: 1,
        max_work_group: 1 << 16,
        memory_bytes: 1 << 30,
    })
}
