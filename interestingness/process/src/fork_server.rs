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

use crate::launch::{Confinement, start};

/// The library that makes a program a fork server, in C.
pub const FORK_SERVER: &str = include_str!("fork_server.c");

/// A program that forks for each input, in the process group of this process. It ends when this is dropped.
#[derive(Debug)]
pub struct ForkServer {
    process: Child,
    orders: Option<ChildStdin>,
    replies: ChildStdout,
    folder: PathBuf,
}

impl ForkServer {
    /// Starts a program that reads standard input and writes to standard output, and waits until it reads. `library` is
    /// [`FORK_SERVER`], compiled; `folder` is for the program's files.
    ///
    /// # Errors
    /// When the program cannot be started, or ends without having read anything.
    pub fn start(
        program: &str,
        arguments: &[OsString],
        library: &Path,
        folder: PathBuf,
    ) -> io::Result<Self> {
        let mut preloaded = OsString::from(library);
        if let Some(others) = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
            preloaded.push(":");
            preloaded.push(others);
        }
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&folder)
            .env("LD_PRELOAD", preloaded)
            // Once here, rather than in each child.
            .env("LD_BIND_NOW", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = start(&mut command, &Confinement::Unconfined, None)?;
        let (orders, replies) = (process.stdin.take(), process.stdout.take());
        let (Some(orders), Some(replies)) = (orders, replies) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let mut server = Self { process, orders: Some(orders), replies, folder };
        server.reply()?;
        Ok(server)
    }

    /// Runs the program on an input, with so much memory in bytes. Returns what it wrote, or nothing if it did not
    /// succeed.
    ///
    /// # Errors
    /// When the program has gone.
    pub fn run(&mut self, input: &[u8], memory: Option<u64>) -> io::Result<Option<Vec<u8>>> {
        fs::write(self.folder.join("input"), input)?;
        let orders = self.orders.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        orders.write_all(&memory.unwrap_or(0).to_ne_bytes())?;
        let has_succeeded = self.reply()? == 0;
        has_succeeded.then(|| fs::read(self.folder.join("output"))).transpose()
    }

    fn reply(&mut self) -> io::Result<i32> {
        let mut status = [0; 4];
        self.replies.read_exact(&mut status)?;
        Ok(i32::from_ne_bytes(status))
    }
}

impl Drop for ForkServer {
    fn drop(&mut self) {
        // It ends when there are no more orders.
        self.orders = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
