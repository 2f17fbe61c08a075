//! Tasks on Linux: a pool of supervisors, one per task under way, or threads where there is no program to make
//! supervisors of.

mod client;
mod directories;
mod memory;
mod orders;
mod supervise;
pub(crate) mod supervisor;
mod tree;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clreduce_testcase::TestCase;
use rustix::event::{EventfdFlags, eventfd};
use rustix::process::Pid;
use tempfile::TempDir;
use thiserror::Error;

use crate::cancel::Cancel;
use crate::confinement::Confinement;
use crate::end::{Completed, End};
use crate::folder::{Lost, RunFolder, remove_tree};
use crate::frames::FrameError;
use crate::launcher::{Launcher, SetupError, Task};
use client::Supervisor;
use directories::{SHARED, is_full, make_directories, mark, own};
use supervise::{Control, SupervisedTask, supervise};
use tree::TreeScope;

/// Runs tasks on this machine, as many at a time as are asked for. Nothing happens before the first one.
#[derive(Debug)]
pub struct LocalLauncher {
    base: PathBuf,
    worker: Option<PathBuf>,
    confinement: Confinement,
    slots: Mutex<Slots>,
    next_slot: AtomicU64,
    next_task: AtomicU64,
}

/// The folder of a launcher, and who waits for work in it.
#[derive(Debug, Default)]
struct Slots {
    /// Holds the folders of all tasks; this process removes it at the end.
    root: Option<PathBuf>,
    idle: Vec<Slot>,
}

/// Room for one task at a time.
#[derive(Debug)]
struct Slot {
    number: u64,
    /// The root of the launcher.
    root: PathBuf,
    supervisor: Option<Supervisor>,
}

impl Slot {
    fn directory(&self) -> PathBuf {
        self.root.join(self.number.to_string())
    }
}

impl LocalLauncher {
    /// Runs tasks in folders below `base`.
    ///
    /// `worker` is a program that calls [`worker_main`](crate::worker_main) first thing. Without it everything
    /// works but two things: after a `SIGKILL` of this process, tasks go on running and their files stay; and a
    /// process that detaches itself *and* empties its environment escapes.
    #[must_use]
    pub fn new(base: PathBuf, worker: Option<PathBuf>) -> Self {
        // Tasks run in other directories. The path is absolute already where there is no current directory.
        let base = std::path::absolute(&base).unwrap_or(base);
        let (next_slot, next_task) = (AtomicU64::new(0), AtomicU64::new(0));
        let (confinement, slots) = (Confinement::default(), Mutex::default());
        Self { base, worker, confinement, slots, next_slot, next_task }
    }

    /// The same launcher with its tasks confined. Supervisors are told when they begin: to be called before the first
    /// task.
    #[must_use]
    pub fn confined(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// An error means that another attempt is worth while.
    fn attempt(
        &self,
        task: &Task,
        files: &TestCase,
        cancel: &Cancel,
        inspect: &mut dyn FnMut(&RunFolder),
        is_last: bool,
    ) -> Result<Completed, AttemptError> {
        let mut slot = match self.take_slot() {
            Ok(slot) => slot,
            Err(error) => {
                return Ok(Completed::not_run(with_source(&error)));
            }
        };
        let number = self.next_task.fetch_add(1, Ordering::Relaxed);
        let folder = RunFolder::of(&slot.directory(), number);
        if let Err(error) = folder.fill(files) {
            // If this fails, the removal of the root fails as well.
            let _ = folder.remove();
            self.give_up(slot);
            let base = self.base.display();
            return Ok(Completed::not_run(format!(
                "the variant could not be written to a folder in `{base}`: {error}"
            )));
        }
        let completed = match &mut slot.supervisor {
            Some(supervisor) => supervisor.run(number, task, cancel).map_err(AttemptError::from),
            None => Ok(self.run_here(&slot, number, &folder, task, cancel)),
        };
        if completed.is_err() {
            clean_up_after(slot);
            return completed;
        }
        // Before the folder is looked at: it may be moved away then, to be kept.
        let lost = folder.lost(files);
        inspect(&folder);
        let _ = folder.remove();
        if completed.as_ref().is_ok_and(|completed| !completed.stuck) {
            self.give_back(slot);
        }
        let base = self.base.display();
        match lost {
            _ if matches!(completed, Ok(Completed { end: End::Cancelled, .. })) => completed,
            Some(Lost::Folder) => Ok(Completed::not_run(format!(
                "somebody removed the folder of the test in `{base}` while it ran"
            ))),
            Some(Lost::File) if !is_last => Err(AttemptError::FileLost),
            _ if is_full(&self.base) => Ok(Completed::not_run(format!(
                "the disk is full: nothing can be written to `{base}`"
            ))),
            _ => completed,
        }
    }

    /// Drops a slot in which nothing can be written, and its root, if that is gone.
    fn give_up(&self, slot: Slot) {
        let root = slot.root.clone();
        clean_up_after(slot);
        if !root.is_dir() {
            let mut slots = self.lock();
            if slots.root.as_ref() == Some(&root) {
                *slots = Slots::default();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_slot(&self) -> Result<Slot, SetupError> {
        let mut slots = self.lock();
        if let Some(slot) = slots.idle.pop() {
            return Ok(slot);
        }
        match slots.root.clone() {
            Some(root) => {
                // Starting a supervisor takes a while, and others need not wait for it.
                drop(slots);
                self.new_slot(Some(&root))
            }
            None => {
                let slot = self.new_slot(None)?;
                slots.root = Some(slot.root.clone());
                Ok(slot)
            }
        }
    }

    /// A slot in the root. The first supervisor makes the root, so every root has a supervisor that removes it.
    fn new_slot(&self, root: Option<&Path>) -> Result<Slot, SetupError> {
        let no_directory = |source| SetupError::Directory { path: self.base.clone(), source };
        let number = self.next_slot.fetch_add(1, Ordering::Relaxed);
        let Some(worker) = &self.worker else {
            let made = make_directories(&self.base, root, std::process::id(), number);
            let (root, _) = made.map_err(no_directory)?;
            return Ok(Slot { number, root, supervisor: None });
        };
        let failed = |source| SetupError::Worker { path: worker.clone(), source };
        let mut supervisor = Supervisor::start(worker).map_err(failed)?;
        let order = supervisor::begin(&self.base, root, number, self.confinement.clone());
        let root = supervisor.begin(&order).map_err(failed)?.map_err(no_directory)?;
        Ok(Slot { number, root, supervisor: Some(supervisor) })
    }

    /// Runs a task without a supervisor, in this thread.
    fn run_here(
        &self,
        slot: &Slot,
        number: u64,
        folder: &RunFolder,
        task: &Task,
        cancel: &Cancel,
    ) -> Completed {
        let wake = match eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK) {
            Ok(fd) => Arc::new(fd),
            Err(error) => {
                return Completed::not_run(format!("the test could not be prepared: {error}"));
            }
        };
        let (program, args) = task.command.argv();
        let job = SupervisedTask {
            program: &program,
            args: &args,
            folder,
            mark: &mark(&slot.root, slot.number, Some(number)),
            scope: TreeScope::Marked,
            limits: &task.limits,
            run: task.run,
            whole_output: task.whole_output,
            count_left: task.count_left,
            confinement: &own(&self.confinement, &slot.root, folder, &task.permissions),
        };
        let hook = cancel.on_cancel({
            let wake = Arc::clone(&wake);
            move || {
                // Only a counter that is full refuses, and this is the only write.
                let _ = rustix::io::write(&*wake, &1_u64.to_ne_bytes());
            }
        });
        let completed = supervise(&job, &mut CancelWake(&wake));
        drop(hook);
        completed
    }

    fn give_back(&self, slot: Slot) {
        self.lock().idle.push(slot);
    }
}

impl Launcher for LocalLauncher {
    fn run(
        &self,
        task: &Task,
        files: &TestCase,
        cancel: &Cancel,
        inspect: &mut dyn FnMut(&RunFolder),
    ) -> Completed {
        let mut lost = None;
        for is_last in [false, true] {
            if cancel.is_cancelled() {
                return Completed::cancelled();
            }
            match self.attempt(task, files, cancel, inspect, is_last) {
                Ok(completed) => return completed,
                Err(error) => lost = Some(error),
            }
        }
        let error = lost.map(|error| error.to_string()).unwrap_or_default();
        Completed::not_run(error)
    }

    fn prepare(&self) -> Result<(), SetupError> {
        let slot = self.take_slot()?;
        self.give_back(slot);
        Ok(())
    }

    fn temporary(&self) -> &Path {
        &self.base
    }

    fn sandbox(&self) -> &'static str {
        self.confinement.kind()
    }

    /// In the root, which supervisors remove if this process is killed.
    fn folder(&self) -> io::Result<TempDir> {
        self.prepare().map_err(|error| io::Error::other(with_source(&error)))?;
        let root = self.lock().root.clone().ok_or(io::ErrorKind::NotFound)?;
        let shared = root.join(SHARED);
        match std::fs::create_dir(&shared) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => TempDir::new_in(shared),
        }
    }
}

impl Drop for LocalLauncher {
    fn drop(&mut self) {
        let slots = self.slots.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Slots { root, idle } = std::mem::take(slots);
        // First told, then waited for, so that they clean up at the same time.
        for supervisor in idle.iter().filter_map(|slot| slot.supervisor.as_ref()) {
            supervisor.dismiss();
        }
        drop(idle);
        if let Some(root) = root {
            let _ = remove_tree(&root);
        }
    }
}

fn with_source(error: &SetupError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// A reason to run a task once more, in another place: what happened says nothing about the variant.
#[derive(Debug, Error)]
enum AttemptError {
    #[error("the supervisor of the test was lost: {0}")]
    SupervisorLost(#[from] FrameError),
    /// The test may do that itself; then it does it again.
    #[error("a file of the variant was removed while the test ran")]
    FileLost,
}

/// A supervisor that was killed took no task with it.
fn clean_up_after(slot: Slot) {
    let (mark, directory) = (mark(&slot.root, slot.number, None), slot.directory());
    drop(slot);
    tree::sweep(&mark);
    let _ = remove_tree(&directory);
}

/// The eventfd that a cancellation is written to.
struct CancelWake<'a>(&'a OwnedFd);

impl Control for CancelWake<'_> {
    fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    fn cancelled(&mut self) -> bool {
        true
    }
}

/// Processor time of a process and of all below it, in ticks of the clock. `None` where it has gone.
pub(crate) fn ticks_of_tree(process: Pid) -> Option<u64> {
    let below = tree::descendants(process, usize::MAX);
    let ticks = tree::ticks(process)?;
    // One that has gone meanwhile counts for nothing.
    Some(ticks + below.into_iter().filter_map(tree::ticks).sum::<u64>())
}

/// Processor time of this process and of everything that it has started, ended or not.
pub(crate) fn processor_time() -> Option<Duration> {
    let own = rustix::process::getpid();
    let below = tree::descendants(own, usize::MAX);
    let ticks = tree::ticks_with_ended(own)?;
    let ticks = ticks + below.into_iter().filter_map(tree::ticks_with_ended).sum::<u64>();
    Some(Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second()))
}

/// Returns true if a process and those below it use more memory than this, in bytes.
pub(crate) fn tree_uses_more_than(process: Pid, bytes: u64) -> bool {
    let mut members = tree::descendants(process, usize::MAX);
    members.push(process);
    memory::Segments::default().exceed(&members, bytes)
}
