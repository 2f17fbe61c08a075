//! The guardian: a process that runs one test after the other for clreduce, and outlives it just
//! long enough to clean up.
//!
//! It has a session of its own, so that neither `Ctrl-C` nor a signal to clreduce's process group
//! reaches it or the tests, and a name of its own, so that `pkill clreduce` does not.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, Rlimit, getpid, set_child_subreaper, setrlimit, setsid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::protocol::{self, Begin, Order, Reply};
use super::supervise::{Control, Job, supervise};
use super::tree::{self, Scope};
use crate::command::place::{Place, remove_tree};

/// The argument that makes a worker program a guardian.
pub(super) const ARGUMENT: &str = "--internal-guardian";
/// How many processes and threads a user's tests may add to those that are there.
const SPARE_PROCESSES: u64 = 8192;
/// What it is called in a list of processes.
pub(super) const NAME: &str = "test-guardian";

/// Turns the process into a guardian of tests if it was started as one (by
/// [`CommandTest`](crate::CommandTest), with its own arguments); to be called first thing in `main`
/// of a program that is named as [`CommandOptions::worker`](crate::CommandOptions::worker). `None`:
/// it was not, go on.
#[must_use]
pub fn guardian_main() -> Option<ExitCode> {
    let argument = std::env::args_os().nth(1)?;
    (argument == OsStr::new(ARGUMENT)).then(|| match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

fn serve() -> io::Result<()> {
    // Standard input is the socket. Kept aside, closed on exec.
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    become_guardian()?;
    let Order::Begin(begin) = protocol::read(&socket)? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let (root, directory) = match make_directories(&begin) {
        Ok(made) => made,
        Err(error) => return protocol::write(&socket, &Reply::Ready(Err(error.to_string()))),
    };
    let ready = Reply::Ready(Ok(root.clone().into_os_string()));
    let served = protocol::write(&socket, &ready)
        .and_then(|()| serve_tests(&socket, &begin, &root, &directory));
    tree::end_all_children();
    let removed = remove_tree(&directory);
    // Goes with the last guardian: until then it is not empty.
    let _ = std::fs::remove_dir(&root);
    served.and(removed)
}

fn become_guardian() -> io::Result<()> {
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    if let Ok(name) = std::ffi::CString::new(NAME) {
        // Cosmetic only.
        let _ = rustix::thread::set_name(&name);
    }
    // Crashing compilers are daily business. One byte rather than none: that also keeps the kernel
    // from piping the core into a crash reporter.
    let hard = rustix::process::getrlimit(Resource::Core).maximum;
    let soft = Some(hard.map_or(1, |hard| hard.min(1)));
    let _ = setrlimit(Resource::Core, Rlimit { current: soft, maximum: hard });
    // A second fence against forking without end, far away from what anybody means to do; it does
    // not hold back root.
    if let Some(most) = tree::count_processes().checked_add(SPARE_PROCESSES) {
        let old = rustix::process::getrlimit(Resource::Nproc);
        let current = Some(old.current.map_or(most, |old| old.min(most)));
        let _ = setrlimit(Resource::Nproc, Rlimit { current, ..old });
    }
    // Who wants to end clreduce by a signal to everything in sight ends clreduce; the guardian
    // notices and cleans up. A handler, because tests would inherit an ignored signal.
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    std::env::set_current_dir("/")
}

/// The root directory and the guardian's own in it.
fn make_directories(begin: &Begin) -> io::Result<(PathBuf, PathBuf)> {
    let root = match &begin.root {
        Some(root) => PathBuf::from(root),
        None => super::make_root(Path::new(&begin.base), begin.owner)?,
    };
    let directory = root.join(begin.slot.to_string());
    std::fs::create_dir(&directory)?;
    Ok((root, directory))
}

/// Serves until clreduce has gone.
fn serve_tests(
    socket: &UnixStream,
    begin: &Begin,
    root: &Path,
    directory: &Path,
) -> io::Result<()> {
    loop {
        let (number, request) = match protocol::read(socket) {
            Ok(Order::Run(number, request)) => (number, request),
            // Came too late: the test had ended.
            Ok(Order::Cancel(_)) => continue,
            Ok(Order::Begin(_)) => return Err(io::ErrorKind::InvalidData.into()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let job = Job {
            program: &begin.program,
            args: &begin.args,
            place: &Place::of(directory, number),
            mark: &super::mark(root, begin.slot, Some(number)),
            scope: Scope::Subreaper,
            request: &request,
        };
        let ended = supervise(&job, &mut Orders { socket, number });
        protocol::write(socket, &Reply::Ended(ended))?;
    }
}

/// Listens to clreduce while test `number` runs.
struct Orders<'a> {
    socket: &'a UnixStream,
    number: u64,
}

impl Control for Orders<'_> {
    fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn cancelled(&mut self) -> bool {
        match protocol::read(self.socket) {
            Ok(Order::Cancel(number)) => number == self.number,
            // Clreduce has gone, or talks nonsense.
            Ok(_) | Err(_) => true,
        }
    }
}

/// The order that begins the service of a guardian.
pub(super) fn begin(
    (program, args): (OsString, Vec<OsString>),
    base: &Path,
    root: Option<&Path>,
    slot: u64,
) -> Order {
    let root = root.map(Into::into);
    let owner = std::process::id();
    Order::Begin(Begin { program, args, owner, base: base.into(), root, slot })
}
