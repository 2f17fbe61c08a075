//! Tasks on Windows: each in a job object, which ends with all its processes when its last handle is
//! closed, also when clreduce itself is killed. Directories then stay until the next run in the same place
//! removes them.

use std::fs::{self, File};
use std::io::{self, PipeReader, Read};
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clreduce_testcase::TestCase;
use tempfile::TempDir;

use crate::cancel::Cancel;
use crate::capture::Capture;
use crate::confinement::Confinement;
use crate::end::{Completed, End};
use crate::folder::{Lost, RunFolder, remove_tree};
use crate::interpreter::interpreter;
use crate::job::JobObject;
use crate::launch::ProcessGroup;
use crate::launcher::{Launcher, RUN, SetupError, Task};
use crate::test_command::TestCommand;

/// The time between two looks at the number of processes and the disk.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// The time that processes that end with the test's own have before they count as left.
const LAST_BREATH: Duration = Duration::from_millis(200);
/// The longest time until output arrives that was written by processes that are no more.
const OUTPUT_PATIENCE: Duration = Duration::from_secs(5);
/// The first part of the names of the folders that hold all tests of a launcher.
const PREFIX: &str = "clreduce-";
/// A file in such a folder that its launcher has open as long as it lives.
const OWNER: &str = "owner";

/// Runs tasks on this machine, as many at a time as are asked for. Nothing happens before the first one.
#[derive(Debug)]
pub struct LocalLauncher {
    base: PathBuf,
    confinement: Confinement,
    root: Mutex<Option<LauncherRoot>>,
    next_task: AtomicU64,
}

/// The folder that holds the folders of all tasks.
#[derive(Debug)]
struct LauncherRoot {
    /// Closed before the folder that it lies in is removed.
    owner: Option<File>,
    folder: TempDir,
}

/// A report of one of the threads around a test.
enum News {
    Output(usize, Vec<u8>),
    Closed,
    Exited(io::Result<ExitStatus>),
    Cancelled,
}

impl LocalLauncher {
    /// Runs tasks in folders below `base`. The system itself ties processes together, so that no worker program is
    /// needed.
    #[must_use]
    pub fn new(base: PathBuf, _worker: Option<PathBuf>) -> Self {
        // Tasks run in other directories. The path is absolute already where there is no current directory.
        let base = std::path::absolute(&base).unwrap_or(base);
        let confinement = Confinement::default();
        Self { base, confinement, root: Mutex::new(None), next_task: AtomicU64::new(0) }
    }

    /// The same launcher with its tasks confined.
    #[must_use]
    pub fn confined(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// The folder for the folders of tasks, which the first caller makes.
    fn root(&self) -> Result<PathBuf, SetupError> {
        let mut root = self.root.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = &*root {
            return Ok(root.folder.path().to_owned());
        }
        remove_orphans(&self.base);
        let made = LauncherRoot::new(&self.base);
        let made =
            made.map_err(|source| SetupError::Directory { path: self.base.clone(), source })?;
        let path = made.folder.path().to_owned();
        *root = Some(made);
        Ok(path)
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
        if cancel.is_cancelled() {
            return Completed::cancelled();
        }
        let root = match self.root() {
            Ok(root) => root,
            Err(error) => {
                return Completed::not_run(format!("the test could not be prepared: {error}"));
            }
        };
        let number = self.next_task.fetch_add(1, Ordering::Relaxed);
        let folder = RunFolder::of(&root, number);
        let completed = match folder.fill(files) {
            Err(error) => Completed::not_run(format!("the variant could not be written: {error}")),
            Ok(()) => match supervise(task, &folder, &self.confinement, cancel) {
                Err(error) => Completed::not_run(format!("the test could not be started: {error}")),
                Ok(completed) => completed,
            },
        };
        // Before the folder is looked at: it may be moved away then, to be kept.
        let lost = folder.lost(files);
        inspect(&folder);
        let completed = match lost {
            Some(Lost::Folder) if completed.end != End::Cancelled => {
                Completed::not_run("somebody removed the folder of the test while it ran")
            }
            _ => completed,
        };
        // If this fails, the removal of the root fails as well, and tells.
        let _ = folder.remove();
        completed
    }

    fn prepare(&self) -> Result<(), SetupError> {
        self.root().map(drop)
    }

    fn temporary(&self) -> &Path {
        &self.base
    }

    fn sandbox(&self) -> &'static str {
        self.confinement.kind()
    }
}

impl LauncherRoot {
    fn new(base: &Path) -> io::Result<Self> {
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(base)?;
        let owner = folder.path().join(OWNER);
        let owner = File::options().create_new(true).write(true).share_mode(0).open(owner)?;
        Ok(Self { owner: Some(owner), folder })
    }
}

impl Drop for LauncherRoot {
    fn drop(&mut self) {
        drop(self.owner.take());
        let _ = remove_tree(self.folder.path());
    }
}

fn supervise(
    task: &Task,
    folder: &RunFolder,
    confinement: &Confinement,
    cancel: &Cancel,
) -> io::Result<Completed> {
    let (started, limits) = (Instant::now(), &task.limits);
    let job = JobObject::new(
        Some(limits.processes.saturating_add(1)),
        limits.memory_bytes.map(|bytes| bytes.saturating_add(bytes / 8)),
    )?;
    let group = ProcessGroup::of(job);
    let job = group.job();
    let (child, pipes) = start_program(task, folder, confinement, &group)?;
    let (sender, news) = mpsc::channel();
    let mut open = pipes.len();
    forward_all(pipes, child, &sender);
    let hook = cancel.on_cancel(move || {
        // The receiver has gone when the test has ended meanwhile.
        let _ = sender.send(News::Cancelled);
    });

    let mut capture = Capture::new(task.whole_output);
    let deadline = limits.time.and_then(|limit| started.checked_add(limit));
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
        let now = Instant::now();
        if capture.total() > limits.output_bytes {
            break limits.too_much_output();
        }
        if deadline.is_some_and(|deadline| now >= deadline) {
            break End::TimedOut;
        }
        if now >= next_look {
            if let Some(end) = look(task, folder, job) {
                break end;
            }
            next_look = Instant::now() + LOOK_INTERVAL;
        }
    };
    let wall = started.elapsed();
    // A program that is refused memory may end in any way.
    let is_refused = matches!(end, End::Exited(_)) && has_too_much_memory(task, job);
    let end = if is_refused { limits.too_much_memory() } else { end };
    let processes_left =
        if task.count_left && !job.is_empty_within(LAST_BREATH) { job.processes() } else { 0 };
    let stuck = !job.end();
    take_rest(&news, &mut capture, open);
    drop(hook);
    let (tail, streams) = capture.finish();
    Ok(Completed { end, tail, streams, wall, processes_left, stuck })
}

/// Forwards what each pipe carries, and the exit of the process, on threads of their own.
fn forward_all(pipes: Vec<(usize, PipeReader)>, mut child: Child, sender: &Sender<News>) {
    let waiter = sender.clone();
    thread::spawn(move || waiter.send(News::Exited(child.wait())));
    for (stream, pipe) in pipes {
        let sender = sender.clone();
        thread::spawn(move || forward(pipe, stream, &sender));
    }
}

/// Takes what pipes still carry when the processes have ended; `open` of them are open.
fn take_rest(news: &Receiver<News>, capture: &mut Capture, mut open: usize) {
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
}

fn start_program(
    task: &Task,
    folder: &RunFolder,
    confinement: &Confinement,
    group: &ProcessGroup,
) -> io::Result<(Child, Vec<(usize, PipeReader)>)> {
    let (reader, stdout) = io::pipe()?;
    let mut pipes = vec![(0, reader)];
    let stderr = if task.whole_output {
        let (reader, stderr) = io::pipe()?;
        pipes.push((1, reader));
        stderr
    } else {
        stdout.try_clone()?
    };
    let mut command = process(&task.command);
    command
        .current_dir(&folder.variant)
        .envs(folder.environment())
        .envs(task.run.map(|run| (RUN, run.to_string())))
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr);
    Ok((confinement.start(&mut command, Some(group))?, pipes))
}

fn process(command: &TestCommand) -> Command {
    match command {
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

/// Removes what launchers that were killed have left: folders whose owner's file is not open.
fn remove_orphans(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let folder = entry.path();
        if entry.file_name().to_string_lossy().starts_with(PREFIX)
            && fs::remove_file(folder.join(OWNER)).is_ok()
        {
            // A folder that cannot be removed now does no harm.
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

fn look(task: &Task, folder: &RunFolder, job: &JobObject) -> Option<End> {
    let limits = &task.limits;
    if job.processes() > limits.processes {
        return Some(limits.too_many_processes());
    }
    if has_too_much_memory(task, job) {
        return Some(limits.too_much_memory());
    }
    (folder.disk_usage(limits.disk_bytes) > limits.disk_bytes).then(|| limits.too_much_disk())
}

fn has_too_much_memory(task: &Task, job: &JobObject) -> bool {
    task.limits.memory_bytes.is_some_and(|limit| job.peak_memory() > limit)
}

fn end_of(status: io::Result<ExitStatus>) -> End {
    match status.map(|status| status.code()) {
        Ok(Some(code)) => End::Exited(code),
        Ok(None) => End::NotRun("the test ended in an unknown way".to_owned()),
        Err(error) => End::NotRun(format!("the test could not be waited for: {error}")),
    }
}
