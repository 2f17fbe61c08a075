//! The confinement of a process: what it is kept from doing to the machine that it runs on.
//!
//! A reduced program may do anything, and so may the test that runs it. There are two kinds of sandbox. [Landlock] needs
//! neither root nor a package, and costs next to nothing. [Bubblewrap] gives a process its own view of the machine.
//! `docs/sandbox.md` has a table of what each of them stops.
//!
//! [Landlock]: https://docs.kernel.org/userspace-api/landlock.html
//! [Bubblewrap]: https://github.com/containers/bubblewrap

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod places;
#[cfg(target_os = "linux")]
mod secrets;
#[cfg(target_os = "linux")]
mod system_calls;

use std::ffi::OsStr;
use std::io;
use std::ops::{Deref, DerefMut};
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::launch::{ProcessGroup, spawn};

/// The folder of a worker process that bubblewrap confines: in a `/tmp` of its own.
pub(crate) const WORKER_FOLDER: &str = "/tmp/clreduce-worker";

/// The confinement of a process: the things that it is kept from doing.
///
/// It is chosen where a [`LocalLauncher`](crate::LocalLauncher) or a worker is made. The launcher adds the folders of
/// each test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confinement {
    /// The process may do what its user may do.
    #[default]
    Unconfined,
    /// The kernel refuses to write elsewhere than in the folders given, and to use TCP. The process cannot send signals
    /// to others, where the kernel is new enough (Linux 6.12).
    Landlock(Permissions),
    /// The process has its own `/tmp`, `/run`, home, processes and network, by the program `bwrap`.
    Bubblewrap(Permissions),
}

/// The exceptions from a confinement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permissions {
    /// Files and folders that the process may write, besides its own. Those that are missing count for nothing.
    pub writable: Vec<PathBuf>,
    /// Files and folders in a home, `/tmp` or `/run` that the process sees although it has its own view of these places.
    /// Landlock hides nothing.
    pub readable: Vec<PathBuf>,
    /// True if the process may use the network.
    pub network: bool,
    /// True if the process may use GPUs.
    pub gpus: bool,
    /// Environment variables that the process sees although it has its own view of the machine and their names tell of
    /// secrets. Landlock hides nothing.
    pub kept_variables: Vec<String>,
}

/// The reason that there is no sandbox.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NoSandbox {
    /// The kernel does not offer Landlock.
    #[error("this kernel has no Landlock (Linux 5.13 or newer has it, unless it is switched off)")]
    Landlock,
    /// The kernel offers it, and refuses a trial.
    #[error("a trial failed: {0}")]
    Failed(io::Error),
    /// Bubblewrap is not installed.
    #[error("the program `bwrap` is not installed (package bubblewrap)")]
    NotInstalled,
    /// Bubblewrap is installed, and cannot make a sandbox.
    #[error("the program `bwrap` cannot make a sandbox here: {0}")]
    Bubblewrap(String),
    /// Another system than Linux.
    #[error("there is no sandbox on this system")]
    System,
}

/// A command that starts a program in a confinement.
#[derive(Debug)]
pub(crate) struct ConfinedCommand {
    command: Command,
    /// The file of a filter of system calls, which the program that is started inherits.
    #[cfg(target_os = "linux")]
    _filter: Option<OwnedFd>,
}

impl Deref for ConfinedCommand {
    type Target = Command;

    fn deref(&self) -> &Command {
        &self.command
    }
}

impl DerefMut for ConfinedCommand {
    fn deref_mut(&mut self) -> &mut Command {
        &mut self.command
    }
}

impl Confinement {
    /// Confinement by Landlock.
    ///
    /// # Errors
    /// When the kernel does not offer it, or a trial fails.
    pub fn landlock(permissions: Permissions) -> Result<Self, NoSandbox> {
        #[cfg(target_os = "linux")]
        return landlock::try_out().map(|()| Self::Landlock(permissions));
        #[cfg(not(target_os = "linux"))]
        {
            drop(permissions);
            Err(NoSandbox::System)
        }
    }

    /// Confinement by bubblewrap.
    ///
    /// # Errors
    /// When it is not installed, or a trial fails.
    pub fn bubblewrap(permissions: Permissions) -> Result<Self, NoSandbox> {
        #[cfg(target_os = "linux")]
        return bubblewrap::try_out(&permissions).map(|()| Self::Bubblewrap(permissions));
        #[cfg(not(target_os = "linux"))]
        {
            drop(permissions);
            Err(NoSandbox::System)
        }
    }

    /// The same confinement, in which these files and folders may be written.
    #[must_use]
    pub fn with_writable(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        if let Some(permissions) = self.permissions_mut() {
            permissions.writable.extend(paths);
        }
        self
    }

    /// The same confinement, in which these files and folders are seen.
    #[must_use]
    pub fn with_readable(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        if let Some(permissions) = self.permissions_mut() {
            permissions.readable.extend(paths);
        }
        self
    }

    /// The same confinement, in which GPUs may be used.
    #[must_use]
    pub fn with_gpus(mut self) -> Self {
        if let Some(permissions) = self.permissions_mut() {
            permissions.gpus = true;
        }
        self
    }

    /// The same confinement, in which the network may be used.
    #[must_use]
    pub fn with_network(mut self) -> Self {
        if let Some(permissions) = self.permissions_mut() {
            permissions.network = true;
        }
        self
    }

    /// The same confinement with these exceptions as well.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub(crate) fn with(mut self, more: &Permissions) -> Self {
        if let Some(permissions) = self.permissions_mut() {
            permissions.writable.extend_from_slice(&more.writable);
            permissions.readable.extend_from_slice(&more.readable);
            permissions.kept_variables.extend_from_slice(&more.kept_variables);
            permissions.network |= more.network;
            permissions.gpus |= more.gpus;
        }
        self
    }

    /// The kind of sandbox, in a word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unconfined => "none",
            Self::Landlock(_) => "Landlock",
            Self::Bubblewrap(_) => "bubblewrap",
        }
    }

    fn permissions_mut(&mut self) -> Option<&mut Permissions> {
        match self {
            Self::Unconfined => None,
            Self::Landlock(permissions) | Self::Bubblewrap(permissions) => Some(permissions),
        }
    }

    /// A command that starts a program in this confinement, once [`start`](Self::start) is called. `lasts` is true if
    /// the thread that calls it waits for the end of the program: then the program also ends with that thread.
    ///
    /// # Errors
    /// When the system cannot prepare it.
    pub(crate) fn command(&self, program: &OsStr, lasts: bool) -> io::Result<ConfinedCommand> {
        #[cfg(target_os = "linux")]
        if let Self::Bubblewrap(permissions) = self {
            return bubblewrap::command(permissions, program, lasts);
        }
        let _ = lasts;
        Ok(ConfinedCommand {
            command: Command::new(program),
            #[cfg(target_os = "linux")]
            _filter: None,
        })
    }

    /// Starts a process that is confined, as the leader of a group where one is given. The command is one that
    /// [`command`](Self::command) made.
    ///
    /// # Errors
    /// When the system cannot start it, or cannot confine it.
    pub(crate) fn start(
        &self,
        command: &mut Command,
        group: Option<&ProcessGroup>,
    ) -> io::Result<Child> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Landlock(permissions) => landlock::spawn(permissions, || spawn(command, group)),
            #[cfg(not(target_os = "linux"))]
            Self::Landlock(_) | Self::Bubblewrap(_) => Err(io::Error::other(NoSandbox::System)),
            // The command is that of bubblewrap.
            #[cfg(target_os = "linux")]
            Self::Bubblewrap(_) => spawn(command, group),
            Self::Unconfined => spawn(command, group),
        }
    }

    /// Confines the calling thread and everything that it starts from now on.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn enter(&self) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Landlock(permissions) => landlock::enter(permissions),
            #[cfg(not(target_os = "linux"))]
            Self::Landlock(_) | Self::Bubblewrap(_) => Err(io::Error::other(NoSandbox::System)),
            // Its process began in its sandbox.
            #[cfg(target_os = "linux")]
            Self::Bubblewrap(_) => Ok(()),
            Self::Unconfined => Ok(()),
        }
    }
}
