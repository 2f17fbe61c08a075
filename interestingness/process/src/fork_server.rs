//! Fork servers: programs that have started already, and fork for each input.
//!
//! A large program such as a compiler spends most of its time on a small input before it reads it. A library that is
//! loaded into it (`fork_server.c`) stops it there, and has a copy of the process go on with each input.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::launch::spawn;

/// The library that makes a program a fork server, in C.
pub const FORK_SERVER: &str = include_str!("fork_server.c");

/// The library in the folder of a fork server. `LD_PRELOAD` has this path, because an entry cannot contain spaces or
/// colons, which the path of the folder may contain.
const ENTRY: &str = "./fork_server.so";

/// A program that forks for each input, in the process group of this process. It ends when this is dropped, or when the
/// thread that started it ends.
#[derive(Debug)]
pub struct ForkServer {
    orders: ChildStdin,
    replies: ChildStdout,
    folder: PathBuf,
    _process: RunningProcess,
}

/// A process that is killed when this is dropped.
#[derive(Debug)]
struct RunningProcess(Child);

impl ForkServer {
    /// Starts a program that reads standard input and writes to standard output, and waits until it reads. `library` is
    /// [`FORK_SERVER`], compiled; `folder` is for the program's files.
    ///
    /// # Errors
    /// When the program cannot be started, ends without having read anything, or does not read within the limit, for
    /// example because it does not load the library.
    pub fn start(
        program: &str,
        arguments: &[OsString],
        library: &Path,
        folder: PathBuf,
        limit: Duration,
    ) -> io::Result<Self> {
        // Another fork server may have loaded the file that is replaced: its content must stay.
        let copy = folder.join("fork_server.new");
        fs::copy(library, &copy)?;
        fs::rename(copy, folder.join(ENTRY))?;
        let mut preloaded = OsString::from(ENTRY);
        if let Some(others) = set_variable("LD_PRELOAD") {
            preloaded.push(":");
            preloaded.push(others);
        }
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&folder)
            .env("LD_PRELOAD", preloaded)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if set_variable("LD_BIND_NOW").is_none() {
            // Functions are found once here, rather than in each child. Any value does that; the library knows this one.
            command.env("LD_BIND_NOW", "fork-server");
        }
        let mut process = spawn(&mut command, None)?;
        let (orders, replies) = (process.stdin.take(), process.stdout.take());
        let process = RunningProcess(process);
        let (Some(orders), Some(replies)) = (orders, replies) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let replies = first_reply(replies, limit)?;
        Ok(Self { orders, replies, folder, _process: process })
    }

    /// Runs the program on an input, with at most `memory` bytes of memory. Returns what it wrote, or nothing if it did not
    /// succeed.
    ///
    /// # Errors
    /// When the program has gone, or it succeeds and writes nothing: then another process writes the output.
    pub fn run(&mut self, input: &[u8], memory: Option<u64>) -> io::Result<Option<Vec<u8>>> {
        fs::write(self.folder.join("input"), input)?;
        self.orders.write_all(&memory.unwrap_or(0).to_ne_bytes())?;
        if read_reply(&mut self.replies)? != 0 {
            return Ok(None);
        }
        let written = fs::read(self.folder.join("output"))?;
        if written.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(written))
    }
}

fn set_variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Waits for the first reply, which may never come.
fn first_reply(mut replies: ChildStdout, limit: Duration) -> io::Result<ChildStdout> {
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new().spawn(move || {
        let reply = read_reply(&mut replies).map(|_| replies);
        // It is not waited for after the limit.
        let _ = sender.send(reply);
    })?;
    receiver.recv_timeout(limit).map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

fn read_reply(replies: &mut ChildStdout) -> io::Result<i32> {
    let mut status = [0; 4];
    replies.read_exact(&mut status)?;
    Ok(i32::from_ne_bytes(status))
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
