//! `clreduce devices` lists the devices that can run kernels. Other commands choose one of them by options.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use clreduce_devices::{BACKENDS, Device, Devices, WorkerOptions};
use clreduce_engine::SandboxOptions;
use clreduce_kernel::ProgramKind;

use crate::failure::{CliError, NoSuchDevice};
use crate::settings::sandbox;
use crate::settings::zoo;
use crate::terminal::clock::Clock;
use crate::terminal::printing::{Data, json_line, warning_line};
use crate::terminal::units::show_bytes;

/// The arguments of `clreduce devices`.
#[derive(Debug, clap::Args)]
pub(crate) struct DevicesArgs {
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub sandbox: SandboxOptions,
}

/// The options that choose a device.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct DeviceArgs {
    /// Number of the platform, as `clreduce devices` prints it
    #[arg(long, value_name = "P")]
    pub platform: Option<u32>,

    /// Number of the device on its platform
    #[arg(long, value_name = "D")]
    pub device: Option<u32>,

    /// Part of the name of the device, its platform or its vendor, such as pocl, nvidia, oclgrind, host; with --zoo also
    /// the name and version of an installation, such as pocl-3.0
    #[arg(long, value_name = "S", conflicts_with_all = ["platform", "device"])]
    pub device_name: Option<String>,
}

/// Prints every device.
///
/// # Errors
/// When standard output does not take it.
pub(crate) fn devices(args: &DevicesArgs) -> Result<ExitCode, CliError> {
    let clock = Clock::start();
    clock.progress().at("looking for devices");
    let found = Devices::find(&worker_options()?, zoo::installations());
    drop(clock);
    let written = match args.json {
        true => found.devices.iter().try_for_each(|device| json_line(&mut Data, device)),
        false => crate::terminal::printing::out().write_all(table(&found).as_bytes()),
    };
    written.map_err(CliError::Stdout)?;
    for problem in &found.problems {
        warning_line(&problem.to_string());
    }
    Ok(if found.devices.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// This program is its own worker.
///
/// # Errors
/// When the system does not know the path of this program.
pub(crate) fn worker_options() -> Result<WorkerOptions, CliError> {
    let own = std::env::current_exe().map_err(CliError::OwnPath)?;
    Ok(WorkerOptions { confinement: sandbox::confinement(), ..WorkerOptions::new(own) })
}

fn table(found: &Devices) -> String {
    let mut text = String::new();
    for device in &found.devices {
        let facts = &device.facts;
        let memory = usize::try_from(facts.memory_bytes).unwrap_or(usize::MAX);
        let remark = device.backend.remark();
        let remark = if remark.is_empty() { String::new() } else { format!(", {remark}") };
        let label = device.label().map(|label| format!("{label}  ")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{}.{}  {label}{}: {}\n     {}{remark}, {}, {} compute units, {}, driver {}\n",
            device.platform,
            device.device,
            facts.platform,
            facts.name,
            facts.kind,
            facts.version,
            facts.compute_units,
            show_bytes(memory),
            facts.driver,
        );
    }
    if found.devices.is_empty() {
        text.push_str("no device was found\n");
    }
    text
}

/// The device that the options mean, among those for such a program: by numbers, by the label of an installation, by a part
/// of its name, or else the first one that there is a driver for. No driver after the one of the device is started.
///
/// # Errors
/// When no device matches. The error lists the devices that there are.
pub(crate) fn choose(
    args: &DeviceArgs,
    kind: ProgramKind,
    options: &WorkerOptions,
) -> Result<Device, NoSuchDevice> {
    let wanted = |device: &Device| {
        device.takes() == kind
            && match &args.device_name {
                Some(name) => device.is_called(name),
                None => {
                    device.platform == args.platform.unwrap_or(device.platform)
                        && device.device == args.device.unwrap_or(device.device)
                }
            }
    };
    let labelled = args.device_name.as_deref().and_then(zoo::installation);
    let (backends, installations) = match labelled {
        Some(only) => (&[][..], std::slice::from_ref(only)),
        None => (&BACKENDS[..], zoo::installations()),
    };
    let mut found = Devices::default();
    let chosen = |found: &Devices| found.devices.iter().find(|device| wanted(device)).cloned();
    for backend in backends {
        found.add(*backend, options);
        if let Some(device) = chosen(&found) {
            return Ok(device);
        }
    }
    for installation in installations {
        found.add_installation(installation, options);
        if let Some(device) = chosen(&found) {
            return Ok(device);
        }
    }
    let devices = if found.devices.is_empty() { String::new() } else { table(&found) };
    let problems = found.problems.iter().map(ToString::to_string).collect();
    let program = match kind {
        ProgramKind::OpenCl => "OpenCL C",
        ProgramKind::CudaKernels => "CUDA kernels",
        ProgramKind::CudaProgram => "whole CUDA programs",
        ProgramKind::Ptx => "PTX",
    };
    Err(NoSuchDevice { program, devices, problems })
}
