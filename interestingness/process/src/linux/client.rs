//! This process's end of a supervisor: starting it, giving it tasks, and dismissing it.

use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::orders::{self, RunOrder, SupervisorOrder, SupervisorReply};
use super::supervisor;
use crate::cancel::Cancel;
use crate::end::Completed;
use crate::frames::{ARGUMENT, FrameError};
use crate::launch::spawn;
use crate::launcher::Task;

/// The longest time until a supervisor begins its service.
const BEGIN_LIMIT: Duration = Duration::from_secs(30);

/// This process's end of a supervisor.
#[derive(Debug)]
pub(super) struct Supervisor {
    socket: Arc<UnixStream>,
    process: Child,
}

impl Supervisor {
    pub(super) fn start(worker: &Path) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(worker);
        command
            .arg0(supervisor::NAME)
            .args([ARGUMENT, supervisor::SERVICE])
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // In no group: it makes a session of its own, which the leader of a group cannot.
        let process = spawn(&mut command, None)?;
        Ok(Self { socket: Arc::new(ours), process })
    }

    /// The root directory, or the error that prevented one.
    pub(super) fn begin(&mut self, order: &SupervisorOrder) -> io::Result<io::Result<PathBuf>> {
        // Whatever else the program may be doing instead.
        self.socket.set_read_timeout(Some(BEGIN_LIMIT))?;
        orders::write(&self.socket, order)?;
        let reply = orders::read(&self.socket).map_err(|_| {
            io::Error::other(format!("it does not understand `{ARGUMENT}`, or it crashed"))
        })?;
        self.socket.set_read_timeout(None)?;
        match reply {
            SupervisorReply::Ready(root) => Ok(Ok(root.into())),
            SupervisorReply::NotReady(reason) => Ok(Err(io::Error::other(reason))),
            SupervisorReply::Completed(_) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    pub(super) fn run(
        &mut self,
        number: u64,
        task: &Task,
        cancel: &Cancel,
    ) -> Result<Completed, FrameError> {
        let (program, args) = task.command.argv();
        let order = RunOrder {
            number,
            program,
            args,
            limits: task.limits.clone(),
            run: task.run,
            permissions: task.permissions.clone(),
            whole_output: task.whole_output,
            count_left: task.count_left,
        };
        orders::write(&self.socket, &SupervisorOrder::Run(Box::new(order)))?;
        let hook = cancel.on_cancel({
            let socket = Arc::clone(&self.socket);
            move || {
                // Where the supervisor has gone, the read below ends by itself.
                let _ = orders::write(&socket, &SupervisorOrder::Cancel(number));
            }
        });
        let reply = orders::read(&self.socket)?;
        drop(hook);
        match reply {
            SupervisorReply::Completed(completed) => Ok(completed),
            SupervisorReply::Ready(_) | SupervisorReply::NotReady(_) => {
                Err(io::Error::from(io::ErrorKind::InvalidData).into())
            }
        }
    }

    pub(super) fn dismiss(&self) {
        // It may have gone already.
        let _ = orders::write(&self.socket, &SupervisorOrder::Dismiss);
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.dismiss();
        let _ = self.process.wait();
    }
}
