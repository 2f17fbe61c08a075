//! The supervisor: a process that runs one task after the other for clreduce, and outlives clreduce just long enough
//! to clean up.
//!
//! It has a session of its own, so that neither `Ctrl-C` nor a signal to clreduce's process group reaches it or the
//! tests, and a name of its own, so that `pkill clreduce` does not.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::personality::{self, Persona};
use rustix::process::{Resource, Rlimit, getpid, set_child_subreaper, setrlimit, setsid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::directories::{SHARED, make_directories, mark, own};
use super::orders::{self, Begin, SupervisorOrder, SupervisorReply};
use super::supervise::{Control, SupervisedTask, supervise};
use super::tree::{self, TreeScope};
use crate::confinement::Confinement;
use crate::folder::{RunFolder, remove_tree};
use crate::frames::FrameError;

/// The name of the service, for the worker program.
pub(crate) const SERVICE: &str = "supervisor";
/// The number of processes and threads that a user's tests may add to those that are there.
const SPARE_PROCESSES: u64 = 8192;
/// Its name in a list of processes.
pub(super) const NAME: &str = "test-supervisor";

/// Serves as a supervisor until clreduce has gone.
pub(crate) fn serve() -> io::Result<()> {
    // Standard input is the socket. Kept aside, closed on exec.
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let scope = become_supervisor()?;
    let SupervisorOrder::Begin(begin) = orders::read(&socket)? else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let (base, root) = (Path::new(&begin.base), begin.root.as_ref().map(Path::new));
    let made = make_directories(base, root, begin.owner, begin.slot);
    let (root, directory) = match made {
        Ok(made) => made,
        Err(error) => {
            return Ok(orders::write(&socket, &SupervisorReply::NotReady(error.to_string()))?);
        }
    };
    let ready = SupervisorReply::Ready(root.clone().into_os_string());
    let served = orders::write(&socket, &ready)
        .and_then(|()| serve_tasks(&socket, &begin, (&root, &directory), scope));
    tree::end_all_children();
    let removed = remove_tree(&directory);
    if !matches!(served, Ok(Farewell::Dismissed)) {
        // Each supervisor tries, and the first succeeds.
        let _ = remove_tree(&root.join(SHARED));
    }
    // Goes with the last supervisor: until then it is not empty.
    let _ = std::fs::remove_dir(&root);
    served.map_err(io::Error::from).and(removed)
}

/// The reason why no further order comes.
enum Farewell {
    Dismissed,
    /// Clreduce has gone, and removes nothing any more.
    Orphaned,
}

/// Gives a task the same addresses in every run, as debuggers do: some crashes depend on them, and would look like
/// several bugs. Not to one whose runs have numbers: a bug that comes and goes may do so by its addresses. A container may
/// forbid it; then addresses differ, as they do outside.
fn set_addresses(own: Persona, is_numbered: bool) {
    let same = if is_numbered { Persona::empty() } else { Persona::ADDR_NO_RANDOMIZE };
    let _ = personality::set(own | same);
}

/// Returns the way in which the processes of tests are known.
fn become_supervisor() -> io::Result<TreeScope> {
    setsid()?;
    // Emulators of user programs, such as qemu-user, have no subreapers.
    let scope = match set_child_subreaper(Some(getpid())) {
        Ok(()) => TreeScope::Subreaper,
        Err(_) => TreeScope::Marked,
    };
    if let Ok(name) = std::ffi::CString::new(NAME) {
        // Cosmetic only.
        let _ = rustix::thread::set_name(&name);
    }
    // Crashing compilers are daily business. One byte rather than none: that also keeps the kernel
    // from piping the core into a crash reporter.
    let hard = rustix::process::getrlimit(Resource::Core).maximum;
    let soft = Some(hard.map_or(1, |hard| hard.min(1)));
    let _ = setrlimit(Resource::Core, Rlimit { current: soft, maximum: hard });
    // A second fence against forking without end, far above what tests need. It does not hold
    // back root.
    if let Some(most) = tree::count_processes().checked_add(SPARE_PROCESSES) {
        let old = rustix::process::getrlimit(Resource::Nproc);
        let current = Some(old.current.map_or(most, |old| old.min(most)));
        let _ = setrlimit(Resource::Nproc, Rlimit { current, ..old });
    }
    // A signal to every process of the user ends clreduce. The supervisor
    // notices and cleans up. A handler, because tests would inherit an ignored signal.
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    std::env::set_current_dir("/")?;
    Ok(scope)
}

/// Runs tasks until clreduce has gone.
fn serve_tasks(
    socket: &UnixStream,
    begin: &Begin,
    (root, directory): (&Path, &Path),
    scope: TreeScope,
) -> Result<Farewell, FrameError> {
    let persona = personality::get();
    loop {
        let order = match orders::read(socket) {
            Ok(SupervisorOrder::Dismiss) => return Ok(Farewell::Dismissed),
            Ok(SupervisorOrder::Run(order)) => order,
            // Came too late: the task had ended.
            Ok(SupervisorOrder::Cancel(_)) => continue,
            Ok(SupervisorOrder::Begin(_)) => {
                return Err(io::Error::from(io::ErrorKind::InvalidData).into());
            }
            Err(FrameError::Ended) => return Ok(Farewell::Orphaned),
            Err(error) => return Err(error),
        };
        let number = order.number;
        let folder = RunFolder::of(directory, number);
        let job = SupervisedTask {
            program: &order.program,
            args: &order.args,
            folder: &folder,
            mark: &mark(root, begin.slot, Some(number)),
            scope,
            limits: &order.limits,
            run: order.run,
            whole_output: order.whole_output,
            count_left: order.count_left,
            confinement: &own(&begin.confinement, root, &folder, &order.permissions),
        };
        if let Ok(persona) = persona {
            set_addresses(persona, order.run.is_some());
        }
        let mut orders = Orders { socket, number, is_dismissed: false };
        let completed = supervise(&job, &mut orders);
        if orders.is_dismissed {
            return Ok(Farewell::Dismissed);
        }
        orders::write(socket, &SupervisorReply::Completed(completed))?;
    }
}

/// Listens to clreduce while test `number` runs.
struct Orders<'a> {
    socket: &'a UnixStream,
    number: u64,
    is_dismissed: bool,
}

impl Control for Orders<'_> {
    fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn cancelled(&mut self) -> bool {
        match orders::read(self.socket) {
            Ok(SupervisorOrder::Cancel(number)) => number == self.number,
            Ok(SupervisorOrder::Dismiss) => {
                self.is_dismissed = true;
                true
            }
            // Clreduce has gone, or talks nonsense.
            Ok(_) | Err(_) => true,
        }
    }
}

/// The order that begins the service of a supervisor.
pub(super) fn begin(
    base: &Path,
    root: Option<&Path>,
    slot: u64,
    confinement: Confinement,
) -> SupervisorOrder {
    let owner = std::process::id();
    SupervisorOrder::Begin(Begin {
        owner,
        base: base.into(),
        root: root.map(Into::into),
        slot,
        confinement,
    })
}
