//! The device worker: a process that keeps a driver, a device and a queue, and runs one kernel after
//! the other for clreduce. It may crash or hang at any time; whoever started it expects that.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use super::device::Through;
use super::host::{self, Host};
use super::job::KernelRun;
use super::protocol::{self, Done, Found, Order, Reply};
use crate::compile_worker::Index;
use crate::cuda;

/// The argument that makes a program a device worker.
pub(super) const ARGUMENT: &str = "--internal-device-worker";
/// The environment variable that names the worker's own folder, which it makes, and which goes with it.
pub(super) const FOLDER: &str = "CLREDUCE_WORKER_FOLDER";
/// In that folder, what drivers keep of what they compiled.
pub(super) const CACHE: &str = "cache";

/// Turns the process into a device worker if it was started as one (by
/// [`DeviceWorker`](super::DeviceWorker), with its own arguments); to be called first thing in `main`
/// of a program that is named as [`WorkerOptions::program`](super::WorkerOptions::program). `None`: it
/// was not, go on.
#[must_use]
pub fn device_worker_main() -> Option<ExitCode> {
    let argument = std::env::args_os().nth(1)?;
    (argument == OsStr::new(ARGUMENT)).then(|| match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

fn serve() -> io::Result<()> {
    system::deepen_stack();
    let replies = system::take_stdout()?;
    system::prepare();
    let folder = std::env::var_os(FOLDER).map(PathBuf::from);
    if let Some(folder) = &folder {
        make(folder).inspect_err(|error| {
            // Whoever started the worker reads this. If it cannot be written, the exit status remains.
            let _ = writeln!(io::stderr(), "{}: {error}", folder.display());
        })?;
    }
    let (sender, orders) = mpsc::channel();
    // In a thread of its own, so that a worker whose kernel never ends still ends with clreduce.
    let guarded = folder.clone();
    let guard = std::thread::spawn(move || {
        while let Ok(order) = protocol::read(io::stdin().lock()) {
            if sender.send(order).is_err() {
                break;
            }
        }
        if let Some(folder) = guarded {
            remove(&folder);
        }
        system::end();
    });
    let served = answer(orders, &replies, folder.as_deref());
    if served.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        // clreduce has gone; the thread sees that too, and there is a folder to remove before the end.
        let _ = guard.join();
    }
    served
}

/// Does what it is told until nobody tells it anything.
fn answer(orders: mpsc::Receiver<Order>, replies: &File, folder: Option<&Path>) -> io::Result<()> {
    let (mut opened, mut clang) = (None, None);
    for order in orders {
        let reply = match order {
            Order::List(through) => Reply::Devices(list(through)),
            Order::Open { through, platform, device } => {
                let ready = Opened::open(through, platform, device);
                Reply::Opened(ready.map(|ready| opened = Some(ready)))
            }
            Order::LoadClang => Reply::Opened(Index::load().map(|index| {
                // No file of the folder that clreduce was started in is meant.
                let _ = folder.map(std::env::set_current_dir);
                clang = Some(index);
            })),
            Order::Diagnose { file, arguments, source } => {
                let Some(clang) = &clang else { return Err(io::ErrorKind::InvalidData.into()) };
                Reply::Diagnostics(clang.diagnose(&file, &arguments, &source))
            }
            Order::Run(run) => {
                let Some(host) = &opened else { return Err(io::ErrorKind::InvalidData.into()) };
                let mut sent = Ok(());
                let done = host.run(&run, || sent = protocol::write(replies, &Reply::Built));
                sent?;
                if let Some(folder) = folder {
                    empty(folder.join(CACHE));
                }
                Reply::Done(done)
            }
        };
        protocol::write(replies, &reply)?;
    }
    Ok(())
}

fn list(through: Through) -> Result<Vec<Found>, String> {
    if through == Through::Cuda { cuda::list() } else { host::list() }
}

/// The device that the worker is for.
enum Opened {
    OpenCl(Host),
    Cuda(cuda::Host),
}

impl Opened {
    fn open(through: Through, platform: u32, device: u32) -> Result<Self, String> {
        match through {
            Through::Cuda => cuda::Host::open(device).map(Self::Cuda),
            _ => Host::open(platform, device).map(Self::OpenCl),
        }
    }

    fn run(&self, run: &KernelRun, built: impl FnOnce()) -> Done {
        match self {
            Self::OpenCl(host) => host.run(run, built),
            Self::Cuda(host) => host.run(run, built),
        }
    }
}

/// Makes the worker's folder, and in it the one for drivers.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    system::keep_private(&mut builder);
    builder.create(folder)?;
    builder.create(folder.join(CACHE))
}

/// Removes the worker's folder, in which drivers and their compilers may still be writing.
fn remove(folder: &Path) {
    for _ in 0..100 {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                std::thread::sleep(Duration::from_millis(5));
            }
            _ => return,
        }
    }
}

/// Removes what drivers kept: no kernel comes twice, and thousands come.
fn empty(folder: PathBuf) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // What cannot be removed now goes with the folder.
        let _ =
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::{DirBuilder, File, io};
    use std::os::fd::AsFd;
    use std::os::unix::fs::DirBuilderExt;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use rustix::process::{
        Resource, Rlimit, Signal, getpgrp, getpid, getrlimit, kill_current_process_group, setrlimit,
    };

    /// Standard output as it was, for replies; what drivers and kernels print there goes to standard
    /// error from now on.
    pub fn take_stdout() -> io::Result<File> {
        let replies = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(replies)
    }

    /// Other users have no business with what is compiled.
    pub fn keep_private(builder: &mut DirBuilder) {
        builder.mode(0o700);
    }

    /// Crashes are daily business here: no core files. One byte rather than none also keeps the
    /// kernel from piping the core into a crash reporter.
    pub fn prepare() {
        let hard = getrlimit(Resource::Core).maximum;
        let current = Some(hard.map_or(1, |hard| hard.min(1)));
        let _ = setrlimit(Resource::Core, Rlimit { current, maximum: hard });
    }

    /// Drivers for CPUs keep the private memory of work-items on the stacks of their threads, for which the limit
    /// at the start of the process decides: where it is low, the process begins anew with more.
    pub fn deepen_stack() {
        const ENOUGH: u64 = 256 << 20;
        let Rlimit { current, maximum } = getrlimit(Resource::Stack);
        let wanted = maximum.map_or(ENOUGH, |most| most.min(ENOUGH));
        // Without a limit, threads get what the C library thinks is usual, 2 MiB.
        let is_low = current.is_none_or(|current| current < wanted);
        if is_low && setrlimit(Resource::Stack, Rlimit { current: Some(wanted), maximum }).is_ok() {
            // Where that fails, it goes on with what there is.
            let _ = Command::new("/proc/self/exe").args(std::env::args_os().skip(1)).exec();
        }
    }

    /// Ends the process and what drivers started, without the drivers' exit handlers: they may hang.
    pub fn end() {
        if getpgrp() == getpid() {
            let _ = kill_current_process_group(Signal::KILL);
        }
        std::process::abort();
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{DirBuilder, File, io};
    use std::os::windows::io::AsHandle;

    /// Standard output. Kernels that print to it disturb the replies, and the worker counts as lost.
    pub fn take_stdout() -> io::Result<File> {
        Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
    }

    pub fn prepare() {}

    pub fn keep_private(_builder: &mut DirBuilder) {}

    pub fn deepen_stack() {}

    pub fn end() {
        std::process::abort();
    }
}
