//! The long form of `--version`: the commit, libclang, the devices and the file with defaults.

use std::fmt::Write as _;

use clreduce_compiler::{CompileOptions, CompileWorker};
use clreduce_devices::{DeviceFacts, Devices};
use clreduce_interestingness::Cancel;

use crate::defaults;
use crate::failure::CliError;
use crate::kernels::devices::worker_options;

/// A text for libclang that makes it say its version.
const ASK: &[u8] = b"#pragma message(__clang_version__)\n";

/// The version and everything of this machine that results may depend on.
///
/// # Errors
/// When this program does not know its own path.
pub(crate) fn long() -> Result<String, CliError> {
    let commit = option_env!("CLREDUCE_COMMIT").map(|commit| format!(" (commit {commit})"));
    let mut text =
        format!("clreduce {}{}\n", env!("CARGO_PKG_VERSION"), commit.unwrap_or_default());
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(text, "libclang: {}", libclang()?);
    let found = Devices::find(&worker_options()?, &[]);
    for device in &found.devices {
        let DeviceFacts { platform, name, version, driver, .. } = &device.facts;
        let _ = writeln!(text, "device:   {platform}: {name}, {version}, driver {driver}");
    }
    if found.devices.is_empty() {
        text.push_str("device:   none\n");
    }
    if let Some(path) = defaults::path().filter(|path| path.exists()) {
        let _ = writeln!(text, "defaults: {}", path.display());
    }
    Ok(text)
}

fn libclang() -> Result<String, CliError> {
    let options = CompileOptions {
        worker: worker_options()?,
        library: None,
        file: "version.c".to_owned(),
        arguments: Vec::new(),
    };
    Ok(match CompileWorker::new(options).diagnose([b"", ASK], &Cancel::new()) {
        Ok(diagnostics) => {
            diagnostics.into_iter().next().map_or("unknown".to_owned(), |said| said.message)
        }
        Err(error) => format!("none: {error}"),
    })
}
