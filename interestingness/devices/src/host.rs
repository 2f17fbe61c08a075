//! The backends for this machine itself: clang makes an ordinary program of a kernel.

use clreduce_host::{clang, is_supported, run, run_cuda};
use clreduce_kernel::ProgramKind;
use clreduce_process::worker::WorkerOptions;

use crate::backend::{Backend, Transport};
use crate::error::DeviceError;
use crate::facts::DeviceFacts;
use crate::protocol::FoundDevice;

/// This machine, by way of clang, for OpenCL C.
#[derive(Debug)]
pub struct Host;

/// This machine, by way of clang, for kernels in CUDA.
#[derive(Debug)]
pub struct HostCuda;

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
        Ok(found("OpenCL C 1.2"))
    }

    fn transport(&self) -> Transport {
        Transport::Programs(run)
    }
}

impl Backend for HostCuda {
    fn name(&self) -> &'static str {
        "host-cuda"
    }

    fn title(&self) -> &'static str {
        "host"
    }

    fn takes(&self) -> ProgramKind {
        ProgramKind::CudaKernels
    }

    fn remark(&self) -> &'static str {
        "clang without CUDA"
    }

    fn find(&self, _options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        Ok(found("CUDA C++"))
    }

    fn transport(&self) -> Transport {
        Transport::Programs(run_cuda)
    }
}

/// This machine as a device for a language, if it can be one.
fn found(version: &str) -> Vec<FoundDevice> {
    let facts = facts(version).into_iter();
    facts.map(|facts| FoundDevice { platform: 0, device: 0, facts }).collect()
}

/// The facts about this machine as a device; `None` where it cannot be one, for want of a clang or because kernels
/// cannot be run on such a system.
fn facts(version: &str) -> Option<DeviceFacts> {
    let clang = clang().filter(|_| is_supported())?;
    Some(DeviceFacts {
        platform: "Host".to_owned(),
        platform_version: clang.version_line().to_owned(),
        name: "host".to_owned(),
        vendor: "clreduce".to_owned(),
        driver: clang.program().to_owned(),
        version: version.to_owned(),
        kind: "cpu".to_owned(),
        compute_units: 1,
        max_work_group: 1 << 16,
        memory_bytes: 1 << 30,
    })
}
