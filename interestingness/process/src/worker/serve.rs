//! The worker's end: a process that keeps what is slow to load, and answers one order after the other. It may crash
//! or hang at any time; the process that started it expects that.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{CACHE, FOLDER};
use crate::confinement::Confinement;
use crate::frames::{self, ARGUMENT};

/// A kind of worker.
pub trait Service: Sized + 'static {
    /// Its name on the command line of a worker program.
    const NAME: &'static str;
    /// The size in bytes of the stacks that threads of its libraries need; 0 where the usual size is enough.
    const STACK_BYTES: u64 = 0;
    /// The type of its orders.
    type Order: Serialize + DeserializeOwned + Send + 'static;
    /// The type of its replies.
    type Reply: Serialize + DeserializeOwned + Send + 'static;

    /// Begins the service, in the worker process.
    fn begin(folder: WorkerFolder) -> Self;

    /// Answers an order with one or more replies.
    ///
    /// # Errors
    /// When a reply cannot be sent, or the order makes no sense now. The worker process ends then.
    fn answer(&mut self, order: Self::Order, replies: &Replies<Self::Reply>) -> io::Result<()>;
}

/// The way back to clreduce.
#[derive(Debug)]
pub struct Replies<R> {
    stream: File,
    sends: PhantomData<fn(R)>,
}

impl<R: Serialize> Replies<R> {
    /// Sends a reply.
    ///
    /// # Errors
    /// When clreduce has gone.
    pub fn send(&self, reply: &R) -> io::Result<()> {
        Ok(frames::write(&self.stream, reply)?)
    }
}

/// The folder of a worker, for what its libraries keep. There is none where a person has started the worker.
#[derive(Clone, Debug)]
pub struct WorkerFolder(Option<PathBuf>);

impl WorkerFolder {
    /// Its path.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }

    /// Removes what libraries kept: no program comes twice, and thousands come.
    pub fn empty_cache(&self) {
        let cache = self.path().map(|folder| folder.join(CACHE));
        for entry in cache.into_iter().flat_map(std::fs::read_dir).flatten().flatten() {
            let path = entry.path();
            // An entry that cannot be removed now goes with the folder.
            let _ = if path.is_dir() {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
        }
    }

    /// Makes the folder, and in it the one for libraries.
    fn make(&self) -> io::Result<()> {
        let Some(folder) = self.path() else { return Ok(()) };
        let mut builder = DirBuilder::new();
        system::keep_private(&mut builder);
        builder.create(folder)?;
        builder.create(folder.join(CACHE))
    }

    /// Removes the folder, in which libraries and their compilers may still be writing.
    fn remove(&self) {
        let Some(folder) = self.path() else { return };
        for _ in 0..100 {
            match std::fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                _ => return,
            }
        }
    }
}

/// A service that a worker program offers.
#[derive(Clone, Copy, Debug)]
pub struct ServiceEntry {
    name: &'static str,
    serve: fn() -> io::Result<()>,
}

impl ServiceEntry {
    /// The entry for a service.
    #[must_use]
    pub const fn of<S: Service>() -> Self {
        Self { name: S::NAME, serve: serve::<S> }
    }
}

/// Turns the process into a worker if it was started as one; to be called first thing in `main` of a worker program.
/// `None`: it was not, go on.
///
/// Besides `services`, a worker program can always supervise tests.
#[must_use]
pub fn worker_main(services: &[ServiceEntry]) -> Option<ExitCode> {
    system::begin_program();
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != OsStr::new(ARGUMENT) {
        return None;
    }
    system::close_inherited();
    let name = arguments.next().unwrap_or_default();
    let mut all = system::OWN_SERVICES.iter().chain(services);
    let served = match all.find(|service| name == service.name) {
        Some(service) => (service.serve)(),
        None => Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("this worker program has no service `{}`", name.display()),
        )),
    };
    Some(match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The process that started the worker reads this. If it cannot be written, the exit status remains.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    })
}

fn serve<S: Service>() -> io::Result<()> {
    system::deepen_stack(S::STACK_BYTES);
    let stream = system::take_stdout()?;
    system::prepare();
    let folder = WorkerFolder(std::env::var_os(FOLDER).map(PathBuf::from));
    let confinement: Confinement = frames::read(io::stdin().lock())?;
    folder.make().map_err(|error| {
        let place = folder.path().unwrap_or(Path::new("")).display();
        io::Error::new(error.kind(), format!("{place}: {error}"))
    })?;
    let (sender, orders) = mpsc::channel();
    // In a thread of its own, so that a worker whose library never returns still ends with clreduce.
    let guarded = folder.clone();
    let guard = std::thread::Builder::new().spawn(move || {
        while let Ok(order) = frames::read(io::stdin().lock()) {
            if sender.send(order).is_err() {
                break;
            }
        }
        guarded.remove();
        system::end();
    })?;
    // The thread stays as it is: it removes the folder. Threads that the service makes are confined.
    confinement.with_writable(folder.path().map(Path::to_owned)).enter()?;
    let mut service = S::begin(folder);
    let replies = Replies { stream, sends: PhantomData };
    let served = orders.into_iter().try_for_each(|order| service.answer(order, &replies));
    if served.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        // clreduce has gone; the thread sees that too, and there is a folder to remove before the end.
        let _ = guard.join();
    }
    served
}

#[cfg(target_os = "linux")]
mod system {
    use super::{DirBuilder, File, io};
    use std::os::fd::AsFd;
    use std::os::unix::fs::DirBuilderExt;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::ServiceEntry;
    use crate::system::supervisor;

    use rustix::process::{
        Resource, Rlimit, Signal, getpgrp, getpid, getrlimit, kill_current_process_group, setrlimit,
    };

    /// The supervisor of tests is a service that talks over a socket.
    pub(super) const OWN_SERVICES: &[ServiceEntry] =
        &[ServiceEntry { name: supervisor::SERVICE, serve: supervisor::serve }];

    /// Where files may not become longer, writing fails as on a full disk, and the process goes on. By a handler, because
    /// tests would inherit an ignored signal.
    pub(super) fn begin_program() {
        let written = Arc::new(AtomicBool::new(false));
        // Without it, the system ends the process.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, written);
    }

    /// Closes the files that whoever started clreduce had open: tests must not inherit a way to write to them. To be called
    /// before this process opens any.
    pub(super) fn close_inherited() {
        let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        let open: Vec<i32> =
            open.filter_map(|file| file.file_name().to_str()?.parse().ok()).collect();
        for file in open.into_iter().filter(|&file| file > 2) {
            // The folder that was read is among them, and is closed already.
            let _ = nix::unistd::close(file);
        }
    }

    /// Standard output as it was, for replies; what libraries print there goes to standard
    /// error from now on.
    pub(super) fn take_stdout() -> io::Result<File> {
        let replies = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(replies)
    }

    /// Other users must not read what is compiled.
    pub(super) fn keep_private(builder: &mut DirBuilder) {
        builder.mode(0o700);
    }

    /// Crashes are daily business here: no core files. One byte rather than none also keeps the
    /// kernel from piping the core into a crash reporter.
    pub(super) fn prepare() {
        let hard = getrlimit(Resource::Core).maximum;
        let current = Some(hard.map_or(1, |hard| hard.min(1)));
        let _ = setrlimit(Resource::Core, Rlimit { current, maximum: hard });
    }

    /// The environment variable of a process that began anew for a deeper stack.
    const DEEPENED: &str = "CLREDUCE_STACK";

    /// The size of the stacks of threads is the limit at the start of the process: where it is low, the process begins
    /// anew with a higher one.
    pub(super) fn deepen_stack(enough: u64) {
        // An emulator of user programs takes the limit, and forgets it when a program begins.
        if enough == 0 || std::env::var_os(DEEPENED).is_some() {
            return;
        }
        let Rlimit { current, maximum } = getrlimit(Resource::Stack);
        let wanted = maximum.map_or(enough, |most| most.min(enough));
        // Without a limit, threads get what the C library thinks is usual, 2 MiB.
        let is_low = current.is_none_or(|current| current < wanted);
        if is_low && setrlimit(Resource::Stack, Rlimit { current: Some(wanted), maximum }).is_ok() {
            // Where that fails, it goes on with what there is.
            let mut again = Command::new("/proc/self/exe");
            let _ = again.args(std::env::args_os().skip(1)).env(DEEPENED, "1").exec();
        }
    }

    /// Ends the process and those that libraries started, without the exit handlers of libraries: they may hang.
    pub(super) fn end() {
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

    use super::ServiceEntry;

    /// Tests need no supervisor here.
    pub const OWN_SERVICES: &[ServiceEntry] = &[];

    /// Programs that are started from now on show no error boxes.
    pub fn begin_program() {
        crate::job::no_error_boxes();
    }

    /// Programs inherit nothing here unless they are told to.
    pub fn close_inherited() {}

    /// Standard output. A library that prints to it disturbs the replies, and the worker counts as lost.
    pub fn take_stdout() -> io::Result<File> {
        Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
    }

    pub fn prepare() {}

    pub fn keep_private(_builder: &mut DirBuilder) {}

    pub fn deepen_stack(_enough: u64) {}

    pub fn end() {
        std::process::abort();
    }
}
