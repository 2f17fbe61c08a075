//! Confinement by bubblewrap: a process with its own view of the machine.
//!
//! The system is there, and cannot be written. Homes, `/tmp`, `/run` and `/dev/shm` are empty folders of the process's
//! own, in memory. It sees no other processes, no network, and no environment variables that hold secrets.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{ConfinedCommand, NoSandbox, Permissions, places, secrets, system_calls};
use crate::launch::spawn;

const PROGRAM: &str = "bwrap";
/// The room in each folder that is in memory, in bytes.
const ROOM: &str = "1073741824";
/// Folders that are empty. Some of them may be missing.
const HIDDEN: [&str; 5] = ["/tmp", "/dev/shm", "/run", "/home", "/root"];
/// Parts of `/run` that hold programs and libraries of the system.
const SYSTEM: [&str; 2] = ["/run/current-system", "/run/opengl-driver"];
/// The part of `/run` that says who knows the names of machines.
const NAMES: &str = "/run/systemd/resolve";

/// Starts a program that does nothing.
pub(super) fn try_out(permissions: &Permissions) -> Result<(), NoSandbox> {
    let ended = command(permissions, "true".as_ref(), true).and_then(|mut command| {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        spawn(&mut command, None)?.wait_with_output()
    });
    match ended {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(NoSandbox::Bubblewrap(said))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(NoSandbox::NotInstalled),
        Err(error) => Err(NoSandbox::Bubblewrap(error.to_string())),
    }
}

/// The command that starts a program, without the program's arguments.
pub(super) fn command(
    permissions: &Permissions,
    program: &OsStr,
    lasts: bool,
) -> io::Result<ConfinedCommand> {
    let filter = system_calls::file(permissions)?;
    let mut command = Command::new(PROGRAM);
    command.args(["--unshare-all", "--unshare-user", "--disable-userns"]);
    if permissions.network {
        command.arg("--share-net");
    }
    if lasts {
        command.arg("--die-with-parent");
    }
    command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    if permissions.gpus {
        places::gpus().into_iter().for_each(|gpu| bind(&mut command, "--dev-bind-try", gpu));
    }
    for folder in hidden() {
        command.args(["--size", ROOM, "--tmpfs"]).arg(folder);
    }
    let names = permissions.network.then_some(NAMES);
    for part in SYSTEM.into_iter().chain(names) {
        bind(&mut command, "--ro-bind-try", part.into());
    }
    for path in &permissions.readable {
        bind(&mut command, "--ro-bind-try", path.clone());
    }
    for path in &permissions.writable {
        bind(&mut command, "--bind-try", path.clone());
    }
    for name in secrets::names().filter(|name| !permissions.kept_variables.contains(name)) {
        command.env_remove(name);
    }
    command.arg("--seccomp").arg(filter.as_raw_fd().to_string());
    command.arg("--").arg(program);
    Ok(ConfinedCommand { command, _filter: Some(filter) })
}

/// The folders that are empty, each before those in it.
fn hidden() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        HIDDEN.into_iter().map(PathBuf::from).filter(|folder| folder.is_dir()).collect();
    folders.extend(places::home());
    folders.sort();
    folders.dedup();
    folders
}

/// Has a path lead to the same file as outside.
fn bind(command: &mut Command, how: &str, path: PathBuf) {
    let path = OsString::from(path);
    command.args([how.as_ref(), &*path, &*path]);
}
