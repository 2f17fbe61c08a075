//! The places of a Linux machine that matter to a sandbox.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Devices that every program may use.
pub(super) const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Folders in the user's folder for caches that compilers do not run without, once they have used them.
const CACHES: [&str; 5] = ["ccache", "sccache", "clang", "go-build", "zig"];

/// The home of the user, unless it is the root of the system.
pub(super) fn home() -> Option<PathBuf> {
    let home = PathBuf::from(env::var_os("HOME")?);
    (home.is_absolute() && home != Path::new("/")).then_some(home)
}

/// The caches of compilers. Not all of them are there.
pub(super) fn compiler_caches() -> Vec<PathBuf> {
    let own = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = own.or_else(|| Some(home()?.join(".cache")));
    let caches = folder.into_iter().flat_map(|folder| CACHES.map(|name| folder.join(name)));
    caches.chain(home().map(|home| home.join(".ccache"))).collect()
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
