//! Tests on Windows: each in a job object, which ends with all its processes when its last handle is
//! closed, also when clreduce itself is killed. Directories then stay until the next run in the same place
//! removes them.

mod job;

use std::fs::{self, File};
use std::io::{self, PipeReader, Read};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use clreduce_testcase::TestCase;
use tempfile::TempDir;

use super::capture::Capture;
use super::ended::{End, Ended};
use super::interpreter::interpreter;
use super::place::{Place, remove_tree};
use super::{Request, SetupError, TestCommand};
use crate::Cancel;

pub(crate) use job::Job;

/// How often the number of processes and the disk are looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How long processes that end with the test's own may take, before they count as left.
const LAST_BREATH: Duration = Duration::from_millis(200);
/// How long output may take to arrive that was written by processes that are no more.
const OUTPUT_PATIENCE: Duration = Duration::from_secs(5);
/// Begins the names of the folders that hold all tests of a runner.
const PREFIX: &str = "clreduce-";
/// In such a folder, a file that its runner has open as long as it lives.
const OWNER: &str = "owner";

/// There are no guardians on Windows; always `None`. Programs started from now on show no error boxes.
#[must_use]
pub fn guardian_main() -> Option<ExitCode> {
    job::no_error_boxes();
    None
}

/// Runs tests, as many at a time as are asked for.
#[derive(Debug)]
pub(super) struct Runner {
    command: TestCommand,
    /// Closed before the folder that it lies in is removed.
    owner: Option<File>,
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
        remove_orphans(&base);
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let made = tempfile::Builder::new().prefix(&prefix).tempdir_in(&base).and_then(|root| {
            let owner = root.path().join(OWNER);
            let owner = File::options().create_new(true).write(true).share_mode(0).open(owner)?;
            Ok((Some(owner), root))
        });
        let (owner, root) = made.map_err(|source| SetupError::Directory { path: base, source })?;
        Ok(Self { command: command.clone(), owner, root, next_test: AtomicU64::new(0) })
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
        let limits = &request.limits;
        let job = Job::new(
            Some(limits.processes.saturating_add(1)),
            limits.memory_bytes.map(|bytes| bytes.saturating_add(bytes / 8)),
        )?;
        let (mut child, pipes) = self.start(request, place, &job)?;
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
        let deadline = limits.time.map(|limit| started + limit);
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
            if capture.total() > limits.output_bytes {
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
        let end = match end {
            // Who is refused memory may end in any way.
            End::Exited(_) if has_too_much_memory(request, &job) => request.too_much_memory(),
            end => end,
        };
        let processes_left = if request.count_left && !job.is_empty_within(LAST_BREATH) {
            job.processes()
        } else {
            0
        };
        let stuck = !job.end();
        // With the last process go the writing ends, and with them the threads.
        let deadline = Instant::now() + OUTPUT_PATIENCE;
        while open > 0 {
            match news.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(News::Output(stream, bytes)) => capture.push(stream, &bytes),
                Ok(News::Closed) => open -= 1,
                Ok(News::Exited(_) | News::Cancelled) => {}
                Err(_) => break,
            }
        }
        drop(hook);
        let (tail, streams) = capture.finish();
        Ok(Ended { end, tail, streams, wall, processes_left, stuck })
    }

    fn start(
        &self,
        request: &Request,
        place: &Place,
        job: &Job,
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
        Ok((job.start(&mut command)?, pipes))
    }

    fn process(&self) -> Command {
        match &self.command {
            TestCommand::Shell(line) => {
                let mut command = Command::new("cmd");
                // `cmd` has rules of its own for quotes: with `/S` it takes the outer ones away and leaves the rest.
                command.args(["/D", "/S", "/C"]).raw_arg(format!("\"{line}\""));
                command
            }
            TestCommand::Program { path, args } => {
                let mut command = match interpreter(path) {
                    Some((interpreter, its_args)) => {
                        let mut command = Command::new(interpreter);
                        command.args(its_args).arg(path);
                        command
                    }
                    None => Command::new(path),
                };
                command.args(args);
                command
            }
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        drop(self.owner.take());
        let _ = remove_tree(self.root.path());
    }
}

/// Removes what runners that were killed have left: folders whose owner's file nobody has open.
fn remove_orphans(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let folder = entry.path();
        if entry.file_name().to_string_lossy().starts_with(PREFIX)
            && fs::remove_file(folder.join(OWNER)).is_ok()
        {
            // What cannot be removed now is in nobody's way.
            let _ = remove_tree(&folder);
        }
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
    if job.processes() > limits.processes {
        return Some(request.too_many_processes());
    }
    if has_too_much_memory(request, job) {
        return Some(request.too_much_memory());
    }
    (place.disk_usage(limits.disk_bytes) > limits.disk_bytes).then(|| request.too_much_disk())
}

fn has_too_much_memory(request: &Request, job: &Job) -> bool {
    request.limits.memory_bytes.is_some_and(|limit| job.peak_memory() > limit)
}

fn end_of(status: io::Result<ExitStatus>) -> End {
    match status.map(|status| status.code()) {
        Ok(Some(code)) => End::Exited(code),
        Ok(None) => End::Failed("the test ended in an unknown way".to_owned()),
        Err(error) => End::Failed(format!("the test could not be waited for: {error}")),
    }
}
