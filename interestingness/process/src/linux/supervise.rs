//! The supervision of one task, from its start to the end of its last process.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitStatus, pidfd_open};

use super::memory::Segments;
use super::tree::{self, ProcessTree, TreeScope};
use crate::capture::Capture;
use crate::confinement::Confinement;
use crate::end::{Completed, End};
use crate::folder::RunFolder;
use crate::launch::ProcessGroup;
use crate::launcher::{CACHES, RUN};
use crate::limits::Limits;

/// The time until memory and processes are looked at for the first time.
const FIRST_LOOK: Duration = Duration::from_millis(10);
/// The longest time between later looks. In the beginning they are more frequent, because a fork bomb is
/// ended easily only while it is small.
const LOOK_INTERVAL: Duration = Duration::from_millis(80);
/// At most one part in this number of the time goes into costly looks, which add up files and search the
/// system for detached processes.
const DEAR_SHARE: u32 = 20;

/// Tells a running test that it is to end.
pub(super) trait Control {
    /// Becomes readable when there may be something to say.
    fn fd(&self) -> BorrowedFd<'_>;
    /// Reads it; whether the test is to end.
    fn cancelled(&mut self) -> bool;
}

/// The command.
pub(super) struct SupervisedTask<'a> {
    pub program: &'a OsString,
    pub args: &'a [OsString],
    pub folder: &'a RunFolder,
    pub mark: &'a str,
    pub scope: TreeScope,
    pub limits: &'a Limits,
    pub run: Option<u32>,
    pub whole_output: bool,
    pub count_left: bool,
    /// In which the folders of the task may be written.
    pub confinement: &'a Confinement,
}

/// Runs a test. When this returns, its processes are gone; its directories are still there.
pub(super) fn supervise(job: &SupervisedTask<'_>, control: &mut dyn Control) -> Completed {
    let started = Instant::now();
    match Supervision::start(job, started) {
        Ok(running) => running.watch(control),
        Err(error) => {
            let program = job.program.to_string_lossy();
            Completed::not_run(format!("`{program}` could not be started: {error}"))
        }
    }
}

struct Supervision<'a> {
    job: &'a SupervisedTask<'a>,
    started: Instant,
    tree: ProcessTree,
    pidfd: rustix::fd::OwnedFd,
    /// Pipes still open, with the number of the stream.
    pipes: Vec<(usize, PipeReader)>,
    capture: Capture,
    segments: Segments,
    next_look: Instant,
    next_dear_look: Instant,
}

impl<'a> Supervision<'a> {
    fn start(job: &'a SupervisedTask<'a>, started: Instant) -> io::Result<Self> {
        let (leader, pipes) = start_program(job)?;
        let mut tree = ProcessTree::new(leader, job.scope, job.mark);
        let pidfd = pidfd_open(leader, PidfdFlags::empty());
        let pidfd = match pidfd {
            Ok(pidfd) => pidfd,
            Err(error) => {
                let _ = tree.end();
                return Err(error.into());
            }
        };
        Ok(Self {
            job,
            started,
            tree,
            pidfd,
            pipes,
            capture: Capture::new(job.whole_output),
            segments: Segments::default(),
            next_look: started + FIRST_LOOK,
            next_dear_look: started + FIRST_LOOK,
        })
    }

    /// Watches until there is a reason to end, then ends everything.
    fn watch(mut self, control: &mut dyn Control) -> Completed {
        // `None`: the main process has ended by itself, and its status says how.
        let reason = loop {
            match self.wait_for_something(control) {
                Ok(None) => {}
                Ok(Some(reason)) => break Some(reason),
                Err(Finished) => break None,
            }
        };
        let wall = self.started.elapsed();
        let count = reason.is_none() && self.job.count_left;
        let processes_left = if count { self.tree.count_others() } else { 0 };
        // Its sandbox has a first process, which waits for all others.
        let is_own = matches!(self.job.confinement, Confinement::Bubblewrap(_));
        let processes_left = processes_left.saturating_sub(u32::from(is_own));
        let ended = self.tree.end();
        self.read_rest();
        let stuck = ended.is_err();
        let end = match (reason, ended) {
            (_, Err(_)) => End::Failed("a process of the test could not be killed".to_owned()),
            (Some(reason), Ok(_)) => reason,
            (None, Ok(_)) if self.floods() => self.job.limits.too_much_output(),
            (None, Ok(status)) => end_of(status),
        };
        let (tail, streams) = self.capture.finish();
        let end = match self.job.confinement {
            Confinement::Bubblewrap(_) => end_in_sandbox(end, &tail),
            Confinement::Landlock(_) | Confinement::Unconfined => end,
        };
        Completed { end, tail, streams, wall, processes_left, stuck }
    }

    /// Waits for output, the end, a cancellation, or the time of the next look; a reason to end the
    /// test, if there is one.
    fn wait_for_something(&mut self, control: &mut dyn Control) -> Result<Option<End>, Finished> {
        let now = Instant::now();
        let deadline = self.job.limits.time.and_then(|limit| self.started.checked_add(limit));
        let until = deadline.map_or(self.next_look, |deadline| deadline.min(self.next_look));
        let mut fds = vec![
            PollFd::from_borrowed_fd(self.pidfd.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(control.fd(), PollFlags::IN),
        ];
        let pipes = self.pipes.iter();
        fds.extend(pipes.map(|(_, p)| PollFd::from_borrowed_fd(p.as_fd(), PollFlags::IN)));
        match poll(&mut fds, Some(&timespec(until.saturating_duration_since(now)))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                return Ok(Some(End::NotRun(format!("the test could not be supervised: {error}"))));
            }
        }
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        drop(fds);
        if ready[1] && control.cancelled() {
            return Ok(Some(End::Cancelled));
        }
        self.read_pipes(&ready[2..]);
        if ready[0] {
            return Err(Finished);
        }
        if self.floods() {
            return Ok(Some(self.job.limits.too_much_output()));
        }
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            return Ok(Some(End::TimedOut));
        }
        Ok(if now >= self.next_look { self.look() } else { None })
    }

    fn floods(&self) -> bool {
        self.capture.total() > self.job.limits.output_bytes
    }

    /// Looks at what the test uses.
    fn look(&mut self) -> Option<End> {
        let limits = self.job.limits;
        self.tree.reap_orphans();
        let before = Instant::now();
        let dear = before >= self.next_dear_look;
        let enough = limits.processes as usize;
        let members = if dear { self.tree.all_members(enough) } else { self.tree.members(enough) };
        if members.len() > enough {
            return Some(limits.too_many_processes());
        }
        if limits.memory_bytes.is_some_and(|limit| self.segments.exceed(&members, limit)) {
            return Some(limits.too_much_memory());
        }
        if dear {
            if self.job.folder.disk_usage(limits.disk_bytes) > limits.disk_bytes {
                return Some(limits.too_much_disk());
            }
            self.next_dear_look = Instant::now() + before.elapsed() * DEAR_SHARE;
        }
        self.next_look = Instant::now() + self.started.elapsed().min(LOOK_INTERVAL);
        None
    }

    /// Reads once from each pipe that is ready, and forgets those that are closed.
    fn read_pipes(&mut self, ready: &[bool]) {
        let mut ready = ready.iter();
        let capture = &mut self.capture;
        self.pipes.retain_mut(|(stream, pipe)| {
            !ready.next().is_some_and(|&ready| ready) || read_once(pipe, *stream, capture).is_some()
        });
    }

    /// Reads what is still in the pipes after the last process has gone.
    fn read_rest(&mut self) {
        for (stream, pipe) in &mut self.pipes {
            // Bounded by what a pipe may hold, should a process have escaped and go on writing.
            for _ in 0..16 {
                if read_once(pipe, *stream, &mut self.capture).unwrap_or(0) == 0 {
                    break;
                }
            }
        }
    }
}

/// The main process has ended.
struct Finished;

/// Reads up to 64 KiB; `None` at the end, `Some(0)` when there is nothing at the moment.
fn read_once(pipe: &mut PipeReader, stream: usize, capture: &mut Capture) -> Option<usize> {
    let mut buffer = [0; 64 << 10];
    match pipe.read(&mut buffer) {
        Ok(0) => None,
        Ok(length) => {
            capture.push(stream, &buffer[..length]);
            Some(length)
        }
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Some(0),
            _ => None,
        },
    }
}

fn start_program(job: &SupervisedTask<'_>) -> io::Result<(Pid, Vec<(usize, PipeReader)>)> {
    let (stdout_reader, stdout) = io::pipe()?;
    set_nonblocking(&stdout_reader)?;
    let mut pipes = vec![(0, stdout_reader)];
    // One pipe for both keeps the order; patterns need them apart.
    let stderr = if job.whole_output {
        let (stderr_reader, stderr) = io::pipe()?;
        set_nonblocking(&stderr_reader)?;
        pipes.push((1, stderr_reader));
        stderr
    } else {
        stdout.try_clone()?
    };
    let mut command = job.confinement.command(job.program, true)?;
    command.args(job.args);
    prepare(&mut command, job, stdout.try_clone()?, stderr.try_clone()?);
    let group = ProcessGroup::new()?;
    let mut attempts = 0;
    let child = loop {
        match job.confinement.start(&mut command, Some(&group)) {
            Err(error) if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
                // A script without `#!`: a shell would run it as one of its own, so does `execvp`.
                let mut shell = job.confinement.command("/bin/sh".as_ref(), true)?;
                shell.arg(job.program).args(job.args);
                prepare(&mut shell, job, stdout, stderr);
                break job.confinement.start(&mut shell, Some(&group))?;
            }
            // Somebody has it open for writing, perhaps only between a fork and an exec.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && attempts < 20 => {
                attempts += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            other => break other?,
        }
    };
    Ok((Pid::from_child(&child), pipes))
}

fn prepare(
    command: &mut Command,
    job: &SupervisedTask<'_>,
    stdout: io::PipeWriter,
    stderr: io::PipeWriter,
) {
    command
        .current_dir(&job.folder.variant)
        .env("PWD", &job.folder.variant)
        .env(tree::MARK, job.mark)
        .envs(job.folder.environment())
        .envs(job.run.map(|run| (RUN, run.to_string())))
        .envs(CACHES.map(|name| (name, job.folder.temporary.join("cache"))))
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr);
}

/// Only the reading end: the test must find its own end as usual.
fn set_nonblocking(pipe: &PipeReader) -> io::Result<()> {
    let flags = fcntl_getfl(pipe)?;
    Ok(fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?)
}

fn end_of(status: Option<WaitStatus>) -> End {
    let Some(status) = status else {
        return End::NotRun("the exit status of the test was lost".to_owned());
    };
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::NotRun("the test ended in an unknown way".to_owned()),
    }
}

/// The end of a program, from that of `bwrap`, which tells of a signal as a shell does. Where it could not make the sandbox
/// or start the program, it says so, and nothing has run.
fn end_in_sandbox(end: End, tail: &[u8]) -> End {
    match end {
        End::Exited(1) if tail.starts_with(b"bwrap: ") => {
            End::NotRun(String::from_utf8_lossy(tail).trim().to_owned())
        }
        End::Exited(status @ 129..160) => End::Signalled(status - 128),
        end => end,
    }
}

/// Rounded up, so that a waiting thread does not wake early only to wait again.
fn timespec(duration: Duration) -> Timespec {
    let duration = duration + Duration::from_micros(50);
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
