//! The places of a Linux machine that matter to a sandbox.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Devices that every program may use.
pub(super) const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// The home of the user, unless it is the root of the system.
pub(super) fn home() -> Option<PathBuf> {
    let home = PathBuf::from(env::var_os("HOME")?);
    (home.is_absolute() && home != Path::new("/")).then_some(home)
}

/// The files by which GPUs and other accelerators are used.
pub(super) fn gpus() -> Vec<PathBuf> {
    let is_gpu = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("nvidia") || ["dri", "kfd", "dxg", "accel"].contains(&&*name)
    };
    let devices = fs::read_dir("/dev").into_iter().flatten().flatten();
    let mut gpus: Vec<PathBuf> = devices.map(|entry| entry.path()).filter(is_gpu).collect();
    gpus.sort();
    gpus
}
