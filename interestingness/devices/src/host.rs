//! The backends for this machine itself: clang makes an ordinary program of a kernel.

use clreduce_host::{clang, is_supported, run};
use clreduce_kernel::{KernelRun, ProgramKind, RunLimits, RunReport};
use clreduce_process::worker::WorkerOptions;
use clreduce_process::{Cancel, ToolRunner};

use crate::backend::{Backend, Transport};
use crate::error::DeviceError;
use crate::facts::DeviceFacts;
use crate::protocol::FoundDevice;

/// This machine, by way of clang, for kernels of one kind.
#[derive(Debug)]
pub struct Host {
    takes: ProgramKind,
    name: &'static str,
    remark: &'static str,
    version: &'static str,
    run: fn(&ToolRunner, &KernelRun, RunLimits, &Cancel) -> RunReport,
}

impl Host {
    /// For OpenCL C.
    pub const OPENCL: Self = Self {
        takes: ProgramKind::OpenCl,
        name: "host",
        remark: "clang without OpenCL",
        version: "OpenCL C 1.2",
        run: |tools, job, limits, cancel| run(ProgramKind::OpenCl, tools, job, limits, cancel),
    };
    /// For kernels in CUDA.
    pub const CUDA: Self = Self {
        takes: ProgramKind::CudaKernels,
        name: "host-cuda",
        remark: "clang without CUDA",
        version: "CUDA C++",
        run: |tools, job, limits, cancel| run(ProgramKind::CudaKernels, tools, job, limits, cancel),
    };
    /// For kernels in PTX.
    pub const PTX: Self = Self {
        takes: ProgramKind::Ptx,
        name: "host-ptx",
        remark: "clang without ptxas",
        version: "PTX",
        run: |tools, job, limits, cancel| run(ProgramKind::Ptx, tools, job, limits, cancel),
    };
}

impl Backend for Host {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        "host"
    }

    fn takes(&self) -> ProgramKind {
        self.takes
    }

    fn remark(&self) -> &'static str {
        self.remark
    }

    fn find(&self, _options: &WorkerOptions) -> Result<Vec<FoundDevice>, DeviceError> {
        Ok(found(self.version))
    }

    fn transport(&self) -> Transport {
        Transport::Programs(self.run)
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
