//! Which device a recipe means, and what is run on it. A processor by Intel is no device of Intel's run-time: names of vendors are
//! looked for in the names of platforms alone.

use crate::cuda::{has_main, plan_cuda};
use crate::opencl::{Device, Plan, PlanError, Through, plan};
use clreduce_testcase::TestCase;

/// Names of vendors' run-times, as people write them.
const USUAL: [&str; 6] = ["pocl", "intel", "nvidia", "amd", "oclgrind", "host"];

/// What a test case is run as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    OpenCl,
    CudaKernels,
    CudaProgram,
}

impl Runs {
    /// By the first file.
    pub fn of_case(case: &TestCase) -> Self {
        case.files().first().map_or(Self::OpenCl, |file| Self::of(&file.path, &file.bytes))
    }

    /// By the file that is run.
    pub fn of(path: &str, source: &[u8]) -> Self {
        match path.ends_with(".cu") {
            false => Self::OpenCl,
            true if has_main(source) => Self::CudaProgram,
            true => Self::CudaKernels,
        }
    }

    /// Whether a device takes such.
    pub fn on(self, device: &Device) -> bool {
        match device.through {
            Through::Loader | Through::Oclgrind | Through::Host => self == Self::OpenCl,
            Through::Cuda => self == Self::CudaKernels,
            Through::Nvcc => self == Self::CudaProgram,
        }
    }

    /// The option that switches off optimisation. CUDA's compilers have none that says only that: code for a
    /// debugger is not optimised.
    pub fn no_opt(self) -> &'static str {
        if self == Self::OpenCl { "-cl-opt-disable" } else { "-G" }
    }

    /// How it is launched.
    pub fn plan(self, source: &[u8], arguments: Option<&str>) -> Result<Plan, PlanError> {
        match self {
            Self::OpenCl => plan(source, arguments),
            Self::CudaKernels => plan_cuda(source, arguments),
            Self::CudaProgram => Ok(Plan { launches: Vec::new(), compile_only: None }),
        }
    }
}

/// The first device of that name: on a platform that is called so, or else one that is called so itself.
pub(super) fn find<'a>(name: &str, devices: &'a [Device]) -> Option<&'a Device> {
    let on_platform = || devices.iter().find(|device| platform_is(device, name));
    let itself = || devices.iter().find(|device| contains(&device.facts.name, name));
    let is_vendor = USUAL.iter().any(|usual| usual.eq_ignore_ascii_case(name));
    on_platform().or_else(|| if is_vendor { None } else { itself() })
}

/// The shortest name by which [`find`] finds a device.
pub(super) fn short(device: &Device, devices: &[Device]) -> String {
    let own = [device.facts.platform.as_str(), device.facts.name.as_str()];
    let means_it = |name: &&str| find(name, devices) == Some(device);
    let found = USUAL.into_iter().chain(own).find(means_it);
    found.unwrap_or(&device.facts.name).to_owned()
}

fn platform_is(device: &Device, name: &str) -> bool {
    contains(&device.facts.platform, name) || contains(&device.facts.platform_version, name)
}

fn contains(text: &str, name: &str) -> bool {
    text.to_lowercase().contains(&name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::Facts;

    fn device(platform: &str, version: &str, name: &str) -> Device {
        let facts = Facts {
            platform: platform.into(),
            platform_version: version.into(),
            name: name.into(),
            vendor: "GenuineIntel".into(),
            driver: String::new(),
            version: String::new(),
            kind: "cpu".into(),
            compute_units: 1,
            max_work_group: 1,
            memory_bytes: 1,
        };
        Device::new(0, 0, Through::Loader, facts)
    }

    #[test]
    fn a_processor_is_no_run_time() {
        let pocl =
            device("Portable Computing Language", "OpenCL 3.0 PoCL", "pthread-Intel(R) Xeon(R)");
        let intel = device("Intel(R) OpenCL", "OpenCL 3.0", "Intel(R) Xeon(R)");
        let both = [pocl.clone(), intel.clone()];
        assert_eq!((find("intel", &both), find("PoCL", &both)), (Some(&intel), Some(&pocl)));
        assert_eq!(find("intel", &both[..1]), None);
        assert_eq!(find("xeon", &both[..1]), Some(&pocl));
        assert_eq!((short(&intel, &both), short(&pocl, &both)), ("intel".into(), "pocl".into()));
    }
}
