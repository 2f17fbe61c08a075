//! What is said between clreduce and a guardian: frames of a length and a message on a socket.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::net::{SendFlags, send};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::command::Request;
use crate::command::ended::Ended;

/// To the guardian. The end of the stream means that clreduce has gone.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// The first one.
    Begin(Begin),
    /// Run the test in its place.
    Run(u64, Request),
    /// End test number so-and-so, if it is still running.
    Cancel(u64),
}

/// What stays the same for all tests of a guardian.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Begin {
    pub program: OsString,
    pub args: Vec<OsString>,
    /// Process number of clreduce.
    pub owner: u32,
    /// Where to make the root directory.
    pub base: OsString,
    /// Or the one that is already there.
    pub root: Option<OsString>,
    /// Number of the guardian, and name of its directory in the root.
    pub slot: u64,
}

/// From the guardian.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// To `Begin`: the root directory, or why there is none.
    Ready(Result<OsString, String>),
    /// To `Run`.
    Ended(Ended),
}

/// Sends one message.
pub(super) fn write(socket: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut frame = vec![0; 4];
    frame = postcard::to_extend(message, frame).map_err(io::Error::other)?;
    let length = u32::try_from(frame.len() - 4).map_err(io::Error::other)?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    let mut rest = &frame[..];
    while !rest.is_empty() {
        // Without a signal: inside a library user's process, SIGPIPE may be deadly.
        match send(socket, rest, SendFlags::NOSIGNAL) {
            Ok(sent) => rest = &rest[sent..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Waits for the next message.
pub(super) fn read<M: DeserializeOwned>(mut socket: &UnixStream) -> io::Result<M> {
    let mut length = [0; 4];
    socket.read_exact(&mut length)?;
    let mut frame = vec![0; u32::from_le_bytes(length) as usize];
    socket.read_exact(&mut frame)?;
    postcard::from_bytes(&frame).map_err(io::Error::other)
}
