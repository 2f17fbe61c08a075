//! Tests on Linux: a pool of guardians, one per test under way, or threads where there is no
//! program to make guardians of.

mod guardian;
mod protocol;
mod supervise;
mod tree;

use std::ffi::OsString;
use std::fs::Permissions;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clreduce_testcase::TestCase;
use rustix::event::{EventfdFlags, eventfd};

use super::ended::{End, Ended};
use super::place::{Place, remove_tree};
use super::{Request, SetupError, TestCommand};
use crate::Cancel;
use protocol::{Order, Reply};
use supervise::{Control, Job, supervise};
use tree::Scope;

pub use guardian::guardian_main;

/// How long a guardian may take to begin its service.
const BEGIN_LIMIT: Duration = Duration::from_secs(30);

/// Runs tests, as many at a time as are asked for.
#[derive(Debug)]
pub(super) struct Runner {
    argv: (OsString, Vec<OsString>),
    base: PathBuf,
    worker: Option<PathBuf>,
    /// Holds the directories of all tests; this process removes it at the end.
    root: PathBuf,
    idle: Mutex<Vec<Slot>>,
    next_slot: AtomicU64,
    next_test: AtomicU64,
}

/// Room for one test at a time.
#[derive(Debug)]
struct Slot {
    number: u64,
    directory: PathBuf,
    guardian: Option<Guardian>,
}

impl Runner {
    pub fn new(
        command: &TestCommand,
        worker: Option<PathBuf>,
        base: PathBuf,
    ) -> Result<Self, SetupError> {
        let no_directory = |source| SetupError::Directory { path: base.clone(), source };
        let base = std::path::absolute(&base).map_err(no_directory)?;
        let argv = command.argv();
        // The first guardian makes the root: so there is none without somebody to remove it.
        let (root, idle) = match &worker {
            None => (make_root(&base, std::process::id()).map_err(no_directory)?, Vec::new()),
            Some(worker) => {
                let failed = |source| SetupError::Worker { path: worker.clone(), source };
                let mut guardian = Guardian::start(worker).map_err(failed)?;
                let order = guardian::begin(argv.clone(), &base, None, 0);
                let root = guardian.begin(&order).map_err(failed)?.map_err(no_directory)?;
                (
                    root.clone(),
                    vec![Slot { number: 0, directory: root.join("0"), guardian: Some(guardian) }],
                )
            }
        };
        Ok(Self {
            argv,
            base,
            worker,
            root,
            idle: Mutex::new(idle),
            next_slot: AtomicU64::new(1),
            next_test: AtomicU64::new(0),
        })
    }

    /// Runs one test. `inspect` sees its directories when it has ended and before they go.
    pub fn run(
        &self,
        request: &Request,
        variant: &TestCase,
        cancel: &Cancel,
        inspect: impl FnOnce(&Place),
    ) -> Ended {
        let mut inspect = Some(inspect);
        let mut lost = None;
        // A lost guardian says nothing about the variant: once more with another one.
        for _ in 0..2 {
            if cancel.is_cancelled() {
                return Ended { end: End::Cancelled, ..Ended::failed("") };
            }
            match self.attempt(request, variant, cancel, &mut inspect) {
                Ok(ended) => return ended,
                Err(error) => lost = Some(error),
            }
        }
        let error = lost.map(|error| error.to_string()).unwrap_or_default();
        Ended::failed(format!("the guardian of the test was lost: {error}"))
    }

    /// An error means that the guardian was lost.
    fn attempt(
        &self,
        request: &Request,
        variant: &TestCase,
        cancel: &Cancel,
        inspect: &mut Option<impl FnOnce(&Place)>,
    ) -> io::Result<Ended> {
        let mut slot = match self.take_slot() {
            Ok(slot) => slot,
            Err(error) => {
                return Ok(Ended::failed(format!("the test could not be prepared: {error}")));
            }
        };
        let number = self.next_test.fetch_add(1, Ordering::Relaxed);
        let place = Place::of(&slot.directory, number);
        if let Err(error) = place.fill(variant) {
            // Whatever is in the way here is in the way again, and seen, when the root goes.
            let _ = place.remove();
            self.give_back(slot);
            return Ok(Ended::failed(format!("the variant could not be written: {error}")));
        }
        let ended = match &mut slot.guardian {
            Some(guardian) => guardian.run(number, request, cancel),
            None => Ok(self.run_here(&slot, number, &place, request, cancel)),
        };
        if ended.is_err() {
            self.clean_up_after(slot);
            return ended;
        }
        if let Some(inspect) = inspect.take() {
            inspect(&place);
        }
        let _ = place.remove();
        if ended.as_ref().is_ok_and(|ended| !ended.stuck) {
            self.give_back(slot);
        }
        ended
    }

    fn take_slot(&self) -> io::Result<Slot> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(slot) = idle {
            return Ok(slot);
        }
        let number = self.next_slot.fetch_add(1, Ordering::Relaxed);
        let directory = self.root.join(number.to_string());
        let guardian = match &self.worker {
            None => {
                std::fs::create_dir(&directory)?;
                None
            }
            Some(worker) => {
                let mut guardian = Guardian::start(worker)?;
                let order =
                    guardian::begin(self.argv.clone(), &self.base, Some(&self.root), number);
                guardian.begin(&order)??;
                Some(guardian)
            }
        };
        Ok(Slot { number, directory, guardian })
    }

    fn give_back(&self, slot: Slot) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }

    /// A test without a guardian, in this thread.
    fn run_here(
        &self,
        slot: &Slot,
        number: u64,
        place: &Place,
        request: &Request,
        cancel: &Cancel,
    ) -> Ended {
        let wake = match eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK) {
            Ok(fd) => Arc::new(fd),
            Err(error) => return Ended::failed(format!("the test could not be prepared: {error}")),
        };
        let job = Job {
            program: &self.argv.0,
            args: &self.argv.1,
            place,
            mark: &mark(&self.root, slot.number, Some(number)),
            scope: Scope::Marked,
            request,
        };
        let hook = cancel.on_cancel({
            let wake = Arc::clone(&wake);
            move || {
                // Only a counter that is full refuses, and this is the only write.
                let _ = rustix::io::write(&*wake, &1_u64.to_ne_bytes());
            }
        });
        let ended = supervise(&job, &mut Wake(&wake));
        drop(hook);
        ended
    }

    /// A guardian that was killed took no test with it.
    fn clean_up_after(&self, slot: Slot) {
        let (number, directory) = (slot.number, slot.directory.clone());
        drop(slot);
        tree::sweep(&mark(&self.root, number, None));
        let _ = remove_tree(&directory);
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let slots = std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner));
        // First told, then waited for, so that they clean up at the same time.
        for guardian in slots.iter().filter_map(|slot| slot.guardian.as_ref()) {
            guardian.dismiss();
        }
        drop(slots);
        let _ = remove_tree(&self.root);
    }
}

/// The eventfd that a cancellation is written to.
struct Wake<'a>(&'a OwnedFd);

impl Control for Wake<'_> {
    fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn cancelled(&mut self) -> bool {
        true
    }
}

/// This process's end of a guardian.
#[derive(Debug)]
struct Guardian {
    socket: Arc<UnixStream>,
    process: Child,
}

impl Guardian {
    fn start(worker: &Path) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let process = Command::new(worker)
            .arg0(guardian::NAME)
            .arg(guardian::ARGUMENT)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { socket: Arc::new(ours), process })
    }

    /// The root directory; the inner error is why there is none.
    fn begin(&mut self, order: &Order) -> io::Result<io::Result<PathBuf>> {
        // Whatever else the program may be doing instead.
        self.socket.set_read_timeout(Some(BEGIN_LIMIT))?;
        protocol::write(&self.socket, order)?;
        let reply = protocol::read(&self.socket).map_err(|_| {
            let argument = guardian::ARGUMENT;
            io::Error::other(format!("it does not understand `{argument}`, or it crashed"))
        })?;
        self.socket.set_read_timeout(None)?;
        match reply {
            Reply::Ready(Ok(root)) => Ok(Ok(root.into())),
            Reply::Ready(Err(reason)) => Ok(Err(io::Error::other(reason))),
            Reply::Ended(_) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn run(&mut self, number: u64, request: &Request, cancel: &Cancel) -> io::Result<Ended> {
        protocol::write(&self.socket, &Order::Run(number, request.clone()))?;
        let hook = cancel.on_cancel({
            let socket = Arc::clone(&self.socket);
            move || {
                // Where the guardian has gone, the read below ends by itself.
                let _ = protocol::write(&socket, &Order::Cancel(number));
            }
        });
        let reply = protocol::read(&self.socket)?;
        drop(hook);
        match reply {
            Reply::Ended(ended) => Ok(ended),
            Reply::Ready(_) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn dismiss(&self) {
        // It may have gone already.
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        self.dismiss();
        let _ = self.process.wait();
    }
}

/// Makes a directory that nobody else can have foreseen or can enter.
fn make_root(base: &Path, owner: u32) -> io::Result<PathBuf> {
    let prefix = format!("clreduce-{owner}-");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(12).permissions(Permissions::from_mode(0o700));
    Ok(builder.tempdir_in(base)?.keep())
}

/// What the processes of a test carry in their environment; without a test, what those of all tests
/// of a slot begin with.
fn mark(root: &Path, slot: u64, test: Option<u64>) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    match test {
        Some(test) => format!("{name}/{slot}/{test}"),
        None => format!("{name}/{slot}/"),
    }
}
