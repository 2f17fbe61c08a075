//! This process's end of a device worker: starting it, talking to it, ending it.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::device::{Through, oclgrind};
use super::outcome::Crash;
use super::protocol::{self, Order, Reply};
use super::worker;
use crate::command::capture::Capture;
use crate::command::ended::{describe_exit, describe_signal};
use crate::command::place::remove_tree;

/// How much a worker may print, in bytes, all kernels together.
const MOST_OUTPUT: u64 = 64 << 20;
/// How long a worker that is done for may take to go.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a worker that is sent away may take to clean up and go before it is killed.
const FAREWELL: Duration = Duration::from_secs(1);

/// How workers are started.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// A program that calls [`device_worker_main`](super::device_worker_main) first thing.
    pub program: PathBuf,
    /// Where the folders of the workers go, for what drivers keep.
    pub temporary: PathBuf,
    /// Environment variables for workers alone, such as `OCL_ICD_VENDORS`.
    pub environment: Vec<(OsString, OsString)>,
    /// How long a driver may take until its device is ready.
    pub start_limit: Duration,
}

impl WorkerOptions {
    /// With a minute to start, and the system's folder for temporary files.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            temporary: std::env::temp_dir(),
            environment: Vec::new(),
            start_limit: Duration::from_secs(60),
        }
    }
}

/// What is heard from a worker.
pub(crate) enum Event {
    /// It says something.
    Reply(Reply),
    /// It says something that makes no sense.
    Nonsense(String),
    /// It has gone.
    Gone,
    /// It prints without end.
    Floods,
    /// Nobody waits for it any more.
    Cancelled,
    /// Nothing, for too long.
    Silence,
}

/// A worker process. It ends when this is dropped.
pub(crate) struct Process {
    child: Child,
    group: Group,
    /// Closing it sends the worker away.
    orders: Option<ChildStdin>,
    news: Receiver<Event>,
    /// For cancellations.
    pub sender: Sender<Event>,
    printed: Arc<Mutex<Capture>>,
    /// Disconnected when all that was printed has been read.
    all_read: Receiver<()>,
    /// The worker makes it and removes it, so that it goes also where this process is killed, at whatever moment.
    folder: PathBuf,
}

impl Process {
    pub fn start(options: &WorkerOptions, through: Through) -> io::Result<Self> {
        let folder = new_folder(&options.temporary);
        let cache = folder.join(worker::CACHE);
        let mut command = match through {
            Through::Loader | Through::Cuda => Command::new(&options.program),
            Through::Host | Through::Nvcc => {
                let reason = "its programs have processes of their own";
                return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
            }
            Through::Oclgrind => {
                let program = oclgrind().ok_or_else(|| {
                    io::Error::new(io::ErrorKind::NotFound, "`oclgrind` is not installed")
                })?;
                let mut command = Command::new(program);
                command.arg(&options.program);
                command
            }
        };
        command
            .arg(worker::ARGUMENT)
            .env(worker::FOLDER, &folder)
            // Nothing that was compiled earlier, by whomever, may count.
            .env("POCL_CACHE_DIR", &cache)
            .env("CUDA_CACHE_PATH", &cache)
            .envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, &folder)))
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (mut child, group) = start_group(&mut command)?;
        let (Some(orders), Some(replies), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, news) = mpsc::channel();
        let printed = Arc::new(Mutex::new(Capture::new(false)));
        let (open, all_read) = mpsc::channel();
        let listener = sender.clone();
        std::thread::spawn(move || listen(replies, &listener));
        let (listener, capture) = (sender.clone(), Arc::clone(&printed));
        std::thread::spawn(move || {
            collect(errors, &capture, &listener);
            drop(open);
        });
        let orders = Some(orders);
        Ok(Self { child, group, orders, news, sender, printed, all_read, folder })
    }

    pub fn send(&mut self, order: &Order) -> io::Result<()> {
        let orders = self.orders.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        protocol::write(orders, order)
    }

    /// Waits until something is heard.
    pub fn hear(&self, deadline: Instant) -> Event {
        match self.news.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => Event::Silence,
            // This end holds a sender.
            Err(RecvTimeoutError::Disconnected) => Event::Gone,
        }
    }

    /// Asks for something that has one reply. Whoever gets an error drops the process.
    pub fn ask(&mut self, order: &Order, limit: Duration) -> Result<Reply, String> {
        // A worker that has gone cannot be written to; why it has is heard below.
        let _ = self.send(order);
        match self.hear(Instant::now() + limit) {
            Event::Reply(reply) => Ok(reply),
            Event::Nonsense(error) => Err(format!("the worker process talks nonsense ({error})")),
            Event::Floods => Err("the worker process prints without end".to_owned()),
            Event::Cancelled => Err("cancelled".to_owned()),
            Event::Silence => Err(format!("the driver is not ready after {limit:?}")),
            Event::Gone => {
                let crash = self.crash();
                Err(format!("the driver died ({})\n{}", crash.how, crash.output)
                    .trim_end()
                    .to_owned())
            }
        }
    }

    /// Processor time that it has used so far, all threads together; none where the system does not tell.
    pub fn computed(&self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
            // The name, in parentheses, may hold anything; user and system time are fields 14 and 15 (proc(5)).
            let (_, fields) = stat.rsplit_once(')')?;
            let mut ticks = fields.split_whitespace().skip(11).map(str::parse::<u64>);
            let used = ticks.next()?.ok()? + ticks.next()?.ok()?;
            Some(Duration::from_millis(used * 1000 / rustix::param::clock_ticks_per_second()))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// How a process died that has gone.
    pub fn crash(&mut self) -> Crash {
        let status = self.wait(PATIENCE);
        // What it started may still hold the pipe; what it printed itself has arrived by then.
        let _ = self.all_read.recv_timeout(Duration::from_millis(500));
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let (tail, _) = std::mem::replace(&mut *printed, Capture::new(false)).finish();
        Crash { how: describe(status), output: String::from_utf8_lossy(&tail).trim().to_owned() }
    }

    /// How the process ended; none if it has not within the limit.
    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                ended => return ended.ok().flatten(),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.orders = None;
        self.wait(FAREWELL);
        kill(&mut self.child, &self.group);
        let _ = self.child.wait();
        // It is there if the worker could not remove it. Where that fails, there is nobody to tell.
        let _ = remove_tree(&self.folder);
    }
}

/// A name for the folder of a worker that no other has. Whoever makes it refuses one that is there.
fn new_folder(temporary: &Path) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    // Containers that share the folder may count processes alike; a clock before 1970 is no reason to stop.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let owner = std::process::id();
    temporary.join(format!("clreduce-device-{owner}-{number}-{:x}", now.as_nanos()))
}

fn listen(mut replies: ChildStdout, listener: &Sender<Event>) {
    loop {
        let event = match protocol::read(&mut replies) {
            Ok(reply) => Event::Reply(reply),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Event::Nonsense(error.to_string())
            }
            Err(_) => Event::Gone,
        };
        let last = !matches!(event, Event::Reply(_));
        if listener.send(event).is_err() || last {
            return;
        }
    }
}

fn collect(mut errors: ChildStderr, capture: &Mutex<Capture>, listener: &Sender<Event>) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(length @ 1..) = errors.read(&mut buffer) {
        let mut capture = capture.lock().unwrap_or_else(PoisonError::into_inner);
        capture.push(1, &buffer[..length]);
        if capture.total() > MOST_OUTPUT {
            // Nobody may be listening any more.
            let _ = listener.send(Event::Floods);
            return;
        }
    }
}

fn describe(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "it closed its pipe and stayed".to_owned() };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return describe_signal(signal);
    }
    status.code().map_or_else(|| describe_signal(0), describe_exit)
}

/// A process and all that it starts.
#[cfg(windows)]
type Group = crate::command::Job;
/// The number of the process is that of the group.
#[cfg(unix)]
type Group = ();

#[cfg(windows)]
fn start_group(command: &mut Command) -> io::Result<(Child, Group)> {
    let job = Group::new(None, None)?;
    job.start(command).map(|child| (child, job))
}

#[cfg(unix)]
fn start_group(command: &mut Command) -> io::Result<(Child, Group)> {
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn().map(|child| (child, ()))
}

#[cfg(windows)]
fn kill(_child: &mut Child, group: &Group) {
    group.end();
}

#[cfg(unix)]
fn kill(child: &mut Child, (): &Group) {
    #[cfg(target_os = "linux")]
    if matches!(child.try_wait(), Ok(None)) {
        // Not waited for yet, so that the number still means its group.
        let group = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // It may have gone already.
    let _ = child.kill();
}
