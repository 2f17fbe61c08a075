//! Processes: running a program within limits, and worker processes that stay and answer orders.
//!
//! This crate knows no compiler and no device. It runs a program on a set of files in a fresh folder ([`Launcher`],
//! [`ToolRunner`]), ends everything that the program started, and removes the folder. It also starts worker processes
//! that keep something slow to load, such as a compiler or a driver, and exchange messages with them ([`worker`]).
//!
//! Every process of clreduce is started by the module [`launch`], and that module says where a sandbox and a runner
//! on another machine plug in.

mod cancel;
mod capture;
mod confinement;
mod diagnose;
mod end;
mod folder;
mod fork_server;
mod frames;
#[cfg(any(windows, test))]
mod interpreter;
#[cfg(windows)]
mod job;
mod launch;
mod launcher;
mod limits;
mod parallel;
mod progress;
mod sharing;
mod test_command;
mod times;
mod tool;
pub mod units;
pub mod worker;

#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod system;
#[cfg(windows)]
#[path = "windows/mod.rs"]
mod system;
#[cfg(not(any(target_os = "linux", windows)))]
compile_error!("tests as programs are supported on Linux and Windows");

pub use cancel::{Cancel, Hook};
pub use confinement::{Confinement, NoSandbox, Permissions};
pub use diagnose::CommandError;
pub use end::{Completed, Crash, End, describe_exit, describe_signal};
pub use folder::RunFolder;
pub use fork_server::{FORK_SERVER, ForkServer};
pub use launcher::{Launcher, SetupError, Task};
pub use limits::{Limits, from_now};
pub use parallel::in_parallel;
pub use progress::Progress;
pub use sharing::when_free;
pub use system::LocalLauncher;
pub use test_command::{TestCommand, quoted, words};
pub use times::processor_time;
pub use tool::{ToolRun, ToolRunner, query};
pub use worker::worker_main;
