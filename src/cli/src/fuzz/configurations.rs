//! The configurations of a campaign: from the options of the command line to devices with options.

use std::convert::Infallible;
use std::str::FromStr;

use clreduce_campaign::{Configuration, Drawn, Matrix, SourceKind, Toolchain};
use clreduce_devices::{Device, Devices, Installation, WorkerOptions};
use clreduce_generator::Target;
use clreduce_kernel::ProgramKind;
use clreduce_recipe::device_name;

use crate::failure::FuzzError;
use crate::kernels::blind_spots;
use crate::settings::zoo;

/// A device that the user names, with options of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeviceChoice {
    pub name: String,
    pub options: String,
}

impl FromStr for DeviceChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        Ok(Self { name: name.trim().to_owned(), options: options.trim().to_owned() })
    }
}

/// Finds the devices, and makes the configurations of them. Returns problems with drivers as well.
///
/// # Errors
/// When a device is not there, or none is.
pub(super) fn matrix(
    choices: &[DeviceChoice],
    target: Target,
    worker: &WorkerOptions,
) -> Result<(Matrix, Vec<String>), FuzzError> {
    let kind = match target {
        Target::Cuda => ProgramKind::CudaKernels,
        Target::Ptx => ProgramKind::Ptx,
        _ => ProgramKind::OpenCl,
    };
    let is_wanted = |one: &&Installation| {
        choices.is_empty() || choices.iter().any(|choice| one.label().starts_with(&choice.name))
    };
    let zoo: Vec<Installation> = zoo::installations().iter().filter(is_wanted).cloned().collect();
    let mut found = Devices::find(worker, &zoo);
    found.devices.retain(|device| device.takes() == kind);
    let problems =
        || found.problems.iter().map(|problem| format!("\n{problem}")).collect::<String>();
    if found.devices.is_empty() {
        let advice = blind_spots::no_device(kind);
        return Err(FuzzError::NoDevices { problems: problems(), advice });
    }
    let named = |device: &Device| device_name(device, &found.devices).to_owned();
    let devices: Vec<(String, Device)> =
        found.devices.iter().map(|device| (named(device), device.clone())).collect();
    let host = devices.iter().position(|(_, device)| device.backend.name().starts_with("host"));
    let configurations = match choices.is_empty() {
        true => all(&devices, host, kind),
        false => chosen(choices, &devices, &problems)?,
    };
    let options = match target {
        Target::OpenCl20 => "-cl-std=CL2.0",
        Target::OpenCl30 => "-cl-std=CL3.0",
        Target::OpenCl12 | Target::Cuda | Target::Cpp | Target::C | Target::Ptx => "",
    };
    let options = options.to_owned();
    let devices =
        devices.into_iter().map(|(name, device)| (name, Toolchain::Device(device))).collect();
    let kind = SourceKind::Kernels(kind);
    let drawn = Drawn::default();
    Ok((Matrix { devices, configurations, host, options, kind, drawn }, found.problems))
}

/// The configurations that the user names.
fn chosen(
    choices: &[DeviceChoice],
    devices: &[(String, Device)],
    problems: &dyn Fn() -> String,
) -> Result<Vec<Configuration>, FuzzError> {
    let mut configurations = Vec::new();
    for choice in choices {
        let device = devices
            .iter()
            .position(|(name, device)| *name == choice.name || device.is_called(&choice.name));
        let exact = devices.iter().position(|(name, _)| *name == choice.name);
        let Some(device) = exact.or(device) else {
            let known: Vec<&str> = devices.iter().map(|(name, _)| name.as_str()).collect();
            let (name, known) = (choice.name.clone(), known.join(", "));
            return Err(FuzzError::NoDevice { name, known, problems: problems() });
        };
        let one = Configuration { device, options: choice.options.clone() };
        if configurations.contains(&one) {
            return Err(FuzzError::Twice(format!("{}:{}", choice.name, choice.options)));
        }
        configurations.push(one);
    }
    Ok(configurations)
}

/// The levels of ptxas.
const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// All devices, with and without optimisation.
fn all(devices: &[(String, Device)], host: Option<usize>, kind: ProgramKind) -> Vec<Configuration> {
    let both = ["", kind.no_opt()];
    let of_device = |device: usize| {
        let options = match kind {
            // The host has one way to compile.
            _ if Some(device) == host => &both[..1],
            ProgramKind::Ptx => &LEVELS[..],
            _ => &both[..],
        };
        options.iter().map(move |own| Configuration { device, options: (*own).to_owned() })
    };
    (0..devices.len()).flat_map(of_device).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_a_name_and_options() {
        let choice = |text: &str| {
            let Ok(choice) = text.parse::<DeviceChoice>();
            (choice.name, choice.options)
        };
        assert_eq!(choice("pocl"), ("pocl".to_owned(), String::new()));
        let (name, options) = choice("pocl: -cl-opt-disable -DN=4");
        assert_eq!((&*name, &*options), ("pocl", "-cl-opt-disable -DN=4"));
    }
}
