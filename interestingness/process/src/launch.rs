//! The one place where processes are spawned. A sandbox is applied around it (`Confinement::start`).

use std::io;
use std::process::{Child, Command};

#[cfg(windows)]
use crate::job::JobObject;

/// Spawns a process, as the leader of a group where one is given. It is not confined.
///
/// # Errors
/// When the system cannot start it.
pub(crate) fn spawn(command: &mut Command, group: Option<&ProcessGroup>) -> io::Result<Child> {
    match group {
        Some(group) => group.spawn(command),
        None => command.spawn(),
    }
}

/// A process and everything that it starts, to be ended together: on Linux a process group, on Windows a job object.
#[derive(Debug)]
pub struct ProcessGroup {
    #[cfg(windows)]
    job: JobObject,
}

#[cfg(windows)]
impl ProcessGroup {
    /// A group without processes.
    ///
    /// # Errors
    /// When the system has no job object to give.
    pub fn new() -> io::Result<Self> {
        JobObject::new(None, None).map(|job| Self { job })
    }

    /// A group that the system keeps within limits.
    pub(crate) fn of(job: JobObject) -> Self {
        Self { job }
    }

    pub(crate) fn job(&self) -> &JobObject {
        &self.job
    }

    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        self.job.start(command)
    }

    /// Ends every process of the group.
    pub(crate) fn end(&self, _leader: &mut Child) {
        self.job.end();
    }
}

#[cfg(unix)]
impl ProcessGroup {
    /// A group without processes.
    ///
    /// # Errors
    /// Never on this system.
    pub fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[expect(clippy::unused_self, reason = "on Windows the group is an object")]
    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        // Nothing here needs code between fork and exec, so that starting stays cheap.
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.spawn()
    }

    /// Ends every process of the group that `leader` leads.
    #[expect(clippy::unused_self, reason = "on Windows the group is an object")]
    pub(crate) fn end(&self, leader: &mut Child) {
        #[cfg(target_os = "linux")]
        if matches!(leader.try_wait(), Ok(None)) {
            // Not waited for yet, so that the number still means its group.
            let group = rustix::process::Pid::from_child(leader);
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        // It may have gone already.
        let _ = leader.kill();
    }
}
