//! Names of devices and programs in recipes. Names of vendors are searched in the names of platforms alone, because an Intel processor is
//! also a device of other vendors' run-times.

use clreduce_devices::Device;

/// The usual names of vendors' run-times.
const USUAL: [&str; 6] = ["pocl", "intel", "nvidia", "amd", "oclgrind", "host"];

/// Finds the device of the installation with that label, or else the first device of the system whose platform has that
/// name, or else the first one that has it itself.
pub(crate) fn find<'a>(name: &str, devices: &'a [Device]) -> Option<&'a Device> {
    let installed = devices.iter().find(|device| device.label().is_some_and(|own| own == name));
    let of_system = || devices.iter().filter(|device| device.installation.is_none());
    let on_platform = || of_system().find(|device| platform_is(device, name));
    let itself = || of_system().find(|device| contains(&device.facts.name, name));
    let is_vendor = USUAL.iter().any(|usual| usual.eq_ignore_ascii_case(name));
    installed.or_else(on_platform).or_else(|| if is_vendor { None } else { itself() })
}

/// Returns the shortest name by which [`find`] finds a device.
pub fn short(device: &Device, devices: &[Device]) -> String {
    if let Some(label) = device.label() {
        return label;
    }
    let own = [device.facts.platform.as_str(), device.facts.name.as_str()];
    let means_it = |name: &&str| find(name, devices) == Some(device);
    let found = USUAL.into_iter().chain(own).find(means_it);
    found.unwrap_or(&device.facts.name).to_owned()
}

/// The name of a program without its version: `clang` for `clang-14`.
pub(crate) fn unversioned(program: &str) -> &str {
    program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
}

fn platform_is(device: &Device, name: &str) -> bool {
    contains(&device.facts.platform, name) || contains(&device.facts.platform_version, name)
}

fn contains(text: &str, name: &str) -> bool {
    text.to_lowercase().contains(&name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use clreduce_devices::{
        DeviceFacts, FoundDevice, Installation, InstallationKind, OpenClLoader,
    };

    use super::*;

    fn device(platform: &str, version: &str, name: &str) -> Device {
        let facts = DeviceFacts {
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
        let found = FoundDevice { platform: 0, device: 0, facts };
        Device::new(&OpenClLoader, 0, found)
    }

    #[test]
    fn a_processor_is_no_run_time() {
        let pocl =
            device("Portable Computing Language", "OpenCL 3.0 PoCL", "pthread-Intel(R) Xeon(R)");
        let intel = device("Intel(R) OpenCL", "OpenCL 3.0", "Intel(R) Xeon(R)");
        let both = [pocl.clone(), intel.clone()];
        assert_eq!((find("intel", &both), find("PoCL", &both)), (Some(&intel), Some(&pocl)));
        assert_eq!(find("intel", &both[..1]), None);
        // A label means its installation alone, and nothing else does.
        let installation = Installation {
            name: "pocl".into(),
            version: "1.2".into(),
            kind: InstallationKind::OpenCl,
            program: None,
            environment: BTreeMap::new(),
        };
        let mut older = pocl.clone();
        older.installation = Some(Arc::new(installation));
        let versions = [older.clone(), pocl.clone()];
        assert_eq!(
            (find("pocl-1.2", &versions), find("pocl", &versions)),
            (Some(&older), Some(&pocl))
        );
        assert_eq!(short(&older, &versions), "pocl-1.2");
        assert_eq!(find("pocl", &versions[..1]), None);
        assert_eq!(find("xeon", &both[..1]), Some(&pocl));
        assert_eq!((short(&intel, &both), short(&pocl, &both)), ("intel".into(), "pocl".into()));
    }
}
