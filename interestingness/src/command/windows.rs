//! Tests on Windows: each in a job object, which ends with all its processes when its last handle is
//! closed, also when clreduce itself is killed. Directories then stay: nobody is left to remove them.
//!
//! The program is put into its job right after its start; what it starts before that, within
//! microseconds, is outside. Memory is not limited here yet.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read};
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use clreduce_testcase::TestCase;
use tempfile::TempDir;
use win32job::{ExtendedLimitInfo, Job};

use super::capture::Capture;
use super::ended::{End, Ended};
use super::place::{Place, remove_tree};
use super::{Request, SetupError, TestCommand};
use crate::Cancel;

/// How often the number of processes and the disk are looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// There are no guardians on Windows; always `None`.
#[must_use]
pub fn guardian_main() -> Option<ExitCode> {
    None
}

/// Runs tests, as many at a time as are asked for.
#[derive(Debug)]
pub(super) struct Runner {
    command: TestCommand,
    root: TempDir,
    next_test: AtomicU64,
}

/// What the threads around a test report.
enum News {
    Output(usize, Vec<u8>),
    Closed,
    Exited(io::Result<ExitStatus>),
    Cancelled,
}

impl Runner {
    pub fn new(
        command: &TestCommand,
        _worker: Option<PathBuf>,
        base: PathBuf,
    ) -> Result<Self, SetupError> {
        let prefix = format!("clreduce-{}-", std::process::id());
        let root = tempfile::Builder::new().prefix(&prefix).tempdir_in(&base);
        let root = root.map_err(|source| SetupError::Directory { path: base, source })?;
        Ok(Self { command: command.clone(), root, next_test: AtomicU64::new(0) })
    }

    /// Runs one test. `inspect` sees its directories when it has ended and before they go.
    pub fn run(
        &self,
        request: &Request,
        variant: &TestCase,
        cancel: &Cancel,
        inspect: impl FnOnce(&Place),
    ) -> Ended {
        if cancel.is_cancelled() {
            return Ended { end: End::Cancelled, ..Ended::failed("") };
        }
        let number = self.next_test.fetch_add(1, Ordering::Relaxed);
        let place = Place::of(self.root.path(), number);
        let ended = match place.fill(variant) {
            Err(error) => Ended::failed(format!("the variant could not be written: {error}")),
            Ok(()) => match self.supervise(request, &place, cancel) {
                Err(error) => Ended::failed(format!("the test could not be started: {error}")),
                Ok(ended) => ended,
            },
        };
        inspect(&place);
        // What is in the way here is in the way again, and seen, when the root goes.
        let _ = place.remove();
        ended
    }

    fn supervise(&self, request: &Request, place: &Place, cancel: &Cancel) -> io::Result<Ended> {
        let started = Instant::now();
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        let (mut child, pipes) = self.start(request, place)?;
        if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
            let _ = child.kill();
            return Err(io::Error::other(error));
        }
        let (sender, news) = mpsc::channel();
        let mut open = pipes.len();
        for (stream, pipe) in pipes {
            let sender = sender.clone();
            thread::spawn(move || forward(pipe, stream, &sender));
        }
        let waiter = sender.clone();
        thread::spawn(move || waiter.send(News::Exited(child.wait())));
        let hook = cancel.on_cancel(move || {
            // Nobody listens any more when the test has ended meanwhile.
            let _ = sender.send(News::Cancelled);
        });

        let mut capture = Capture::new(request.whole_output);
        let deadline = request.limits.time.map(|limit| started + limit);
        let mut next_look = started + LOOK_INTERVAL;
        let end = loop {
            let until = deadline.map_or(next_look, |deadline| deadline.min(next_look));
            match news.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(News::Output(stream, bytes)) => capture.push(stream, &bytes),
                Ok(News::Closed) => open -= 1,
                Ok(News::Exited(status)) => break end_of(status),
                Ok(News::Cancelled) => break End::Cancelled,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if capture.total() > request.limits.output_bytes {
                break request.too_much_output();
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break End::TimedOut;
            }
            if Instant::now() >= next_look {
                if let Some(end) = look(request, place, &job) {
                    break end;
                }
                next_look = Instant::now() + LOOK_INTERVAL;
            }
        };
        let wall = started.elapsed();
        let processes = job.query_process_id_list().map_or(0, |list| list.len());
        drop(job);
        // With the last process go the writing ends, and with them the threads.
        while open > 0 {
            match news.recv() {
                Ok(News::Output(stream, bytes)) => capture.push(stream, &bytes),
                Ok(News::Closed) => open -= 1,
                Ok(News::Exited(_) | News::Cancelled) => {}
                Err(_) => break,
            }
        }
        drop(hook);
        let (tail, streams) = capture.finish();
        let processes_left = if request.count_left { processes as u32 } else { 0 };
        Ok(Ended { end, tail, streams, wall, processes_left, stuck: false })
    }

    fn start(
        &self,
        request: &Request,
        place: &Place,
    ) -> io::Result<(Child, Vec<(usize, PipeReader)>)> {
        let (reader, stdout) = io::pipe()?;
        let mut pipes = vec![(0, reader)];
        let stderr = if request.whole_output {
            let (reader, stderr) = io::pipe()?;
            pipes.push((1, reader));
            stderr
        } else {
            stdout.try_clone()?
        };
        let mut command = self.process();
        command
            .current_dir(&place.variant)
            .envs(place.environment())
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr);
        Ok((command.spawn()?, pipes))
    }

    /// Which interpreter a script belongs to (`.ps1`, `.py`, `.sh`) is to be decided here.
    fn process(&self) -> Command {
        let (program, args): (OsString, Vec<OsString>) = self.command.argv();
        let mut command = Command::new(program);
        match &self.command {
            // `cmd` has rules of its own for quotes; it gets the line as it is.
            TestCommand::Shell(line) => command.arg("/C").raw_arg(line),
            TestCommand::Program { .. } => command.args(args),
        };
        command
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let _ = remove_tree(self.root.path());
    }
}

fn forward(mut pipe: PipeReader, stream: usize, sender: &Sender<News>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(length @ 1..) = pipe.read(&mut buffer) {
        if sender.send(News::Output(stream, buffer[..length].to_vec())).is_err() {
            return;
        }
    }
    let _ = sender.send(News::Closed);
}

fn look(request: &Request, place: &Place, job: &Job) -> Option<End> {
    let limits = &request.limits;
    let processes = job.query_process_id_list().map_or(0, |list| list.len());
    if processes > limits.processes as usize {
        return Some(request.too_many_processes());
    }
    (place.disk_usage(limits.disk_bytes) > limits.disk_bytes).then(|| request.too_much_disk())
}

fn end_of(status: io::Result<ExitStatus>) -> End {
    match status.map(|status| status.code()) {
        Ok(Some(code)) => End::Exited(code),
        Ok(None) => End::Failed("the test ended in an unknown way".to_owned()),
        Err(error) => End::Failed(format!("the test could not be waited for: {error}")),
    }
}
