//! The interface of what runs tasks, and where a sandbox plugs in.
//!
//! Everything that clreduce starts comes through here: interestingness tests, tools such as compilers, and worker
//! processes. There are two seams.
//!
//! - **Another way to run a task** is another [`Launcher`]. A launcher gets a [`Task`] (a command with its limits) and
//!   the files that the command works on, and returns what is known of its end. [`CommandTest`] and
//!   [`ToolRunner`](crate::ToolRunner) take any launcher; [`LocalLauncher`] is the one for this machine. Other machines do
//!   not plug in here, but a level higher, where a whole test is judged (clreduce-remote): the program there has a
//!   `LocalLauncher` of its own, with the same supervisor, limits and sandbox, and sees what a test leaves in its folder.
//! - **A sandbox** is a variant of [`Confinement`](crate::Confinement). `Confinement::start` is how every process of the workspace is
//!   started. The supervisor process of a test calls it for the test; the confinement
//!   is therefore part of what the supervisor is told when it begins its service. A worker process is told its
//!   confinement before its first order, and confines itself.
//!
//! [`CommandTest`]: https://docs.rs/clreduce-interestingness
//! [`LocalLauncher`]: crate::LocalLauncher

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_testcase::TestCase;
use tempfile::TempDir;
use thiserror::Error;

use crate::cancel::Cancel;
use crate::confinement::Permissions;
use crate::end::Completed;
use crate::folder::RunFolder;
use crate::limits::Limits;
use crate::test_command::TestCommand;

/// Variables that tell compilers and drivers where to keep what they have compiled: what one task keeps there must not
/// decide what another one sees.
pub(crate) const CACHES: [&str; 9] = [
    "CCACHE_DIR",
    "CLANG_MODULE_CACHE_PATH",
    "CUDA_CACHE_PATH",
    "GOCACHE",
    "MESA_SHADER_CACHE_DIR",
    "NEO_CACHE_DIR",
    "POCL_CACHE_DIR",
    "SCCACHE_DIR",
    "ZIG_GLOBAL_CACHE_DIR",
];

/// The variable with the number of a run.
pub(crate) const RUN: &str = "CLREDUCE_RUN";

/// A command to run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The command.
    pub command: TestCommand,
    /// Its limits.
    pub limits: Limits,
    /// The number of this run, where the command runs many times on the same files. It finds the number in the
    /// variable `CLREDUCE_RUN`.
    pub run: Option<u32>,
    /// Its exceptions from the confinement, besides those of all tasks.
    pub permissions: Permissions,
    /// True if all of standard output and of standard error is wanted, apart. Otherwise there is only the end of both
    /// together.
    pub whole_output: bool,
    /// True if processes that are still running at the end of the main one are counted.
    pub count_left: bool,
}

/// A place where commands run: this machine, or another one.
pub trait Launcher: fmt::Debug + Send + Sync {
    /// Runs a task in a fresh folder that holds `files`, until it ends by itself, exceeds a limit or is cancelled.
    ///
    /// When this returns, no process of the task is left, and its folder is removed. `inspect` sees the folder before
    /// it goes; a launcher whose folders are elsewhere does not call it.
    fn run(
        &self,
        task: &Task,
        files: &TestCase,
        cancel: &Cancel,
        inspect: &mut dyn FnMut(&RunFolder),
    ) -> Completed;

    /// Finds out whether anything can be run at all, before the first task.
    ///
    /// # Errors
    /// When nothing can.
    fn prepare(&self) -> Result<(), SetupError>;

    /// The folder on this machine for temporary files.
    fn temporary(&self) -> &Path;

    /// The kind of sandbox in which tasks run.
    fn sandbox(&self) -> &'static str;

    /// Makes a folder on this machine for files that several tasks need. Tasks read it; only those with the permission
    /// write there. It goes with the launcher at the latest.
    ///
    /// # Errors
    /// When the system cannot.
    fn folder(&self) -> io::Result<TempDir> {
        tempfile::Builder::new().prefix("clreduce-files-").tempdir_in(self.temporary())
    }
}

/// The reason that tests cannot be run at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// There is no folder for tests.
    #[error("cannot create a directory for tests in `{}`; is the disk full or read-only?", .path.display())]
    Directory {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The worker program does not do what it should.
    #[error("cannot run tests with the worker program `{}`", .path.display())]
    Worker {
        /// The worker program.
        path: PathBuf,
        /// The failure.
        source: io::Error,
    },
}
