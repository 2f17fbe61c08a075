//! `clreduce doctor` lists the tools and devices that clreduce can use, and says how to install what is missing.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use clreduce_check::BlindSpots;
use clreduce_devices::{DeviceFacts, Devices};
use clreduce_interestingness::{Cancel, Confinement, NoSandbox, Permissions};
use clreduce_kernel::ProgramKind;
use clreduce_tools::{TOOLS, Tool, install_all, no_opencl_device};

use crate::failure::CliError;
use crate::kernels::blind_spots;
use crate::kernels::devices::worker_options;
use crate::terminal::clock::Clock;

/// The arguments of `clreduce doctor`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status:\n  0  nothing is missing\n  1  something is missing, other than what needs special \
    hardware"
)]
pub(crate) struct DoctorArgs {}

/// Prints the tools and the devices.
///
/// # Errors
/// When standard output does not take it.
pub(crate) fn doctor(_: &DoctorArgs) -> Result<ExitCode, CliError> {
    let clock = Clock::start();
    clock.progress().at("looking for devices");
    let found = Devices::find(&worker_options()?, &[]);
    clock.progress().at("trying the checks");
    let kinds = [("OpenCL C", ProgramKind::OpenCl), ("CUDA", ProgramKind::CudaKernels)];
    let unseen = kinds.map(|(name, kind)| (name, blind_spots::find(kind, &Cancel::new())));
    drop(clock);
    let missing: Vec<&Tool> = TOOLS.into_iter().filter(|tool| tool.find().is_none()).collect();
    let text = [tools(), devices(&found), checks(&unseen), sandboxes(), advice(&missing)].concat();
    crate::terminal::printing::out().write_all(text.as_bytes()).map_err(CliError::Stdout)?;
    let sees_all = unseen.iter().all(|(_, spots)| spots.kinds.is_empty());
    let is_ready = sees_all && missing.iter().all(|tool| tool.is_special);
    Ok(if is_ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tools() -> String {
    let width = TOOLS.iter().map(|tool| tool.name.len()).max().unwrap_or_default();
    let mut text = "Tools\n".to_owned();
    for tool in TOOLS {
        let place = match tool.find() {
            Some(path) => path.display().to_string(),
            None => format!("missing; {}", tool.install()),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  {:<width$}  {place}\n  {:<width$}    for {}",
            tool.name, "", tool.purpose
        );
    }
    text
}

fn devices(found: &Devices) -> String {
    let mut text = "\nDevices\n".to_owned();
    for device in &found.devices {
        let DeviceFacts { platform, name, version, driver, .. } = &device.facts;
        let _ = writeln!(text, "  {platform}: {name}, {version}, driver {driver}");
    }
    for problem in &found.problems {
        let _ = writeln!(text, "  not usable: {problem}");
    }
    if found.devices.is_empty() {
        text.push_str("  none\n");
    }
    if let Some(why) = no_opencl_device() {
        let _ = writeln!(text, "  no driver for OpenCL: {why}");
    }
    text
}

/// What the checks can see on this machine, by language.
fn checks(unseen: &[(&str, BlindSpots)]) -> String {
    let mut text = "\nChecks of kernels\n".to_owned();
    for (language, spots) in unseen {
        let told = blind_spots::told(spots).unwrap_or_else(|| "complete".to_owned());
        let _ = writeln!(text, "  {language:<8}  {told}");
    }
    text
}

/// The levels of the sandbox, and why one of them cannot be had.
fn sandboxes() -> String {
    let line = |level, confinement: Result<Confinement, NoSandbox>| match confinement {
        Ok(_) => format!("  {level:<8}works\n"),
        Err(reason) => format!("  {level:<8}not there: {reason}\n"),
    };
    let auto = Confinement::landlock(Permissions::default());
    let strict = Confinement::bubblewrap(Permissions::default());
    ["\nSandbox\n", &line("auto", auto), &line("strict", strict)].concat()
}

/// One command that installs everything that is missing, and one for GPUs of NVIDIA.
fn advice(missing: &[&Tool]) -> String {
    let (special, usual): (Vec<&Tool>, Vec<&Tool>) =
        missing.iter().copied().partition(|tool| tool.is_special);
    let mut text = match usual.is_empty() {
        true => "\nNothing is missing that works without special hardware.\n".to_owned(),
        false => String::new(),
    };
    if !special.is_empty() {
        let _ = write!(text, "\nFor GPUs of NVIDIA: {}\n", install_all(&special));
    }
    if !usual.is_empty() {
        let _ = write!(text, "\nTo install what is missing: {}\n", install_all(&usual));
    }
    text
}
