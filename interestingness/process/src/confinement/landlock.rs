//! Confinement by Landlock and a filter of system calls: the kernel refuses what a thread, and every process that it
//! starts, is not allowed to do.
//!
//! A thread confines itself, and can never undo that. To start a confined process, a thread is made for it: it confines
//! itself, starts the process, and ends. The rest of this process stays as it is. So nothing has to run between fork
//! and exec.

use std::io;
use std::path::Path;
use std::process::Child;
use std::thread;

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::{NoSandbox, Permissions, places, system_calls};

/// The newest rights that are asked for. A kernel that is older does without those that it does not know.
const RIGHTS: ABI = ABI::V6;

/// Tries whether a thread can be confined.
pub(super) fn try_out() -> Result<(), NoSandbox> {
    in_thread(|| enter(&Permissions::default())).map_err(|error| match error.downcast() {
        Ok(reason) => reason,
        Err(error) => NoSandbox::Failed(error),
    })
}

/// Has `spawn` start a process that is confined.
pub(super) fn spawn(
    permissions: &Permissions,
    spawn: impl FnOnce() -> io::Result<Child> + Send,
) -> io::Result<Child> {
    in_thread(|| enter(permissions).and_then(|()| spawn()))
}

/// Confines the calling thread, and everything that it starts from now on.
pub(super) fn enter(permissions: &Permissions) -> io::Result<()> {
    let status = ruleset(permissions).and_then(RulesetCreated::restrict_self);
    let RestrictionStatus { ruleset, .. } = status.map_err(io::Error::other)?;
    match ruleset {
        RulesetStatus::NotEnforced => Err(io::Error::other(NoSandbox::Landlock)),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => {
            system_calls::enter(permissions)
        }
    }
}

/// The rules. Everything may be read and executed.
fn ruleset(permissions: &Permissions) -> Result<RulesetCreated, RulesetError> {
    let writing = AccessFs::from_write(RIGHTS);
    let mut rules = Ruleset::default().handle_access(writing)?.scope(Scope::from_all(RIGHTS))?;
    if !permissions.network {
        rules = rules.handle_access(AccessNet::from_all(RIGHTS))?;
    }
    let device = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    // A process that makes the file of a disk in a folder of its own has the disk.
    let own = writing & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let mut rules = allow(rules.create()?, &permissions.writable, own)?;
    rules = allow(rules, places::DEVICES, device)?;
    let gpus = if permissions.gpus { places::gpus() } else { Vec::new() };
    if !gpus.is_empty() {
        // NVIDIA's driver names its threads there, by files that it truncates, and CUDA does not start otherwise.
        rules = allow(rules, ["/proc"], AccessFs::WriteFile | AccessFs::Truncate)?;
        rules = allow(rules, gpus, device)?;
    }
    Ok(rules)
}

/// Allows something in each of these places that is there.
fn allow<P: AsRef<Path>>(
    rules: RulesetCreated,
    places: impl IntoIterator<Item = P>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    rules.add_rules(path_beneath_rules(places, access))
}

/// Runs something in a thread of its own.
fn in_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().spawn_scoped(scope, work)?;
        worker.join().unwrap_or_else(|_| Err(io::Error::other("the thread of a sandbox died")))
    })
}
