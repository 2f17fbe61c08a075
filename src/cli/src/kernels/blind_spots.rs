//! What the checks cannot see on this machine, for people: `clreduce doctor` and `clreduce fuzz` say it before anything depends on it.

use clreduce_check::{BlindSpots, CheckOptions, FindingKind, blind_spots};
use clreduce_interestingness::Cancel;
use clreduce_kernel::ProgramKind;
use clreduce_tools::{NVCC, NVIDIA_DRIVER, NVRTC, PTXAS, Tool, install_all, no_opencl_device};

use crate::settings::sandbox;

/// What no stage can see in kernels of a kind.
pub(crate) fn find(kind: ProgramKind, cancel: &Cancel) -> BlindSpots {
    let options = CheckOptions {
        side_by_side: true,
        all_stages: true,
        worker: std::env::current_exe().ok(),
        compile_worker: std::env::current_exe().ok(),
        confinement: sandbox::confinement(),
        ..CheckOptions::default()
    };
    blind_spots(kind, &options, cancel)
}

/// The kinds and the reasons in one line; `None` if everything can be seen.
pub(crate) fn told(spots: &BlindSpots) -> Option<String> {
    if spots.kinds.is_empty() {
        return None;
    }
    let kinds = match spots.kinds.len() == FindingKind::ALL.len() {
        true => "anything".to_owned(),
        false => spots.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
    };
    let reasons = spots.reasons.join("; ");
    Some(format!("no stage can look for {kinds} ({reasons})"))
}

/// What to install, as a line of its own.
pub(crate) fn help(spots: &BlindSpots) -> String {
    match &spots.missing[..] {
        [] => "\nhelp: `clreduce doctor` lists the tools that are there".to_owned(),
        missing => format!("\nhelp: {}", install_all(missing)),
    }
}

/// What to do where no device takes kernels of a kind.
pub(crate) fn no_device(kind: ProgramKind) -> String {
    if kind == ProgramKind::OpenCl {
        return no_opencl_device().unwrap_or_else(|| {
            "a loader and a driver are installed, but the driver lists no device".to_owned()
        });
    }
    let all: &[&Tool] = match kind {
        ProgramKind::Ptx => &[&PTXAS],
        _ => &[&NVIDIA_DRIVER, &NVRTC, &NVCC],
    };
    let missing: Vec<&Tool> = all.iter().copied().filter(|tool| tool.find().is_none()).collect();
    match &missing[..] {
        [] => {
            "NVIDIA's driver and compilers are installed, but the driver lists no device".to_owned()
        }
        missing => {
            let names: Vec<&str> = missing.iter().map(|tool| tool.name).collect();
            format!("missing: {}: {}", names.join(", "), install_all(missing))
        }
    }
}
