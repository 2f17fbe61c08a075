//! The messages between clreduce and a supervisor.

use std::ffi::OsString;
use std::os::unix::net::UnixStream;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::confinement::{Confinement, Permissions};
use crate::end::Completed;
use crate::frames::stream::QuietSocket;
use crate::frames::{self, FrameError};
use crate::limits::Limits;

/// A message to the supervisor, which ends with the stream.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum SupervisorOrder {
    /// The first one.
    Begin(Begin),
    /// Run a task in its folder.
    Run(Box<RunOrder>),
    /// End the task with this number, if it is still running.
    Cancel(u64),
    /// The supervisor is not needed any more. Where the stream ends without it, clreduce was killed.
    Dismiss,
}

/// The order that begins a service: what stays the same for all tasks of a supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Begin {
    /// Process number of clreduce.
    pub owner: u32,
    /// The place for the root directory.
    pub base: OsString,
    /// The root directory, if it is already there.
    pub root: Option<OsString>,
    /// Number of the supervisor, and name of its directory in the root.
    pub slot: u64,
    /// The confinement of its tasks.
    pub confinement: Confinement,
}

/// One task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunOrder {
    /// Its number, and the name of its folder in the supervisor's directory.
    pub number: u64,
    pub program: OsString,
    pub args: Vec<OsString>,
    pub limits: Limits,
    pub run: Option<u32>,
    pub permissions: Permissions,
    pub whole_output: bool,
    pub count_left: bool,
}

/// A message from the supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum SupervisorReply {
    /// To `Begin`: the root directory.
    Ready(OsString),
    /// To `Begin`: the reason that there is no root directory.
    NotReady(String),
    /// To `Run`.
    Completed(Completed),
}

/// Sends one message.
pub(super) fn write(socket: &UnixStream, message: &impl Serialize) -> Result<(), FrameError> {
    frames::write(QuietSocket(socket), message)
}

/// Waits for the next message.
pub(super) fn read<M: DeserializeOwned>(socket: &UnixStream) -> Result<M, FrameError> {
    frames::read(socket)
}
