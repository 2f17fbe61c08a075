//! `clreduce doctor` lists the tools and devices that clreduce can use, and says how to install what is missing.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use clreduce_devices::Devices;
use clreduce_interestingness::{Confinement, NoSandbox, Permissions};
use clreduce_tools::{TOOLS, Tool};

use crate::failure::CliError;
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
    drop(clock);
    let missing: Vec<&Tool> = TOOLS.into_iter().filter(|tool| tool.find().is_none()).collect();
    let text = [tools(), devices(&found), sandboxes(), advice(&missing)].concat();
    crate::terminal::printing::out().write_all(text.as_bytes()).map_err(CliError::Stdout)?;
    let is_ready = missing.iter().all(|tool| tool.is_special);
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
        let _ = writeln!(
            text,
            "  {}: {}, driver {}",
            device.facts.platform, device.facts.name, device.facts.driver
        );
    }
    for problem in &found.problems {
        let _ = writeln!(text, "  not usable: {problem}");
    }
    if found.devices.is_empty() {
        text.push_str("  none\n");
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

/// One command that installs everything that is missing.
fn advice(missing: &[&Tool]) -> String {
    let mut packages: Vec<&str> = missing
        .iter()
        .filter(|tool| !tool.is_special)
        .flat_map(|tool| tool.packages.split(' '))
        .collect();
    packages.sort_unstable();
    packages.dedup();
    if packages.is_empty() {
        return "\nNothing is missing that works without special hardware.\n".to_owned();
    }
    format!("\nTo install what is missing: apt-get install {}\n", packages.join(" "))
}
