//! This process's end of a worker: starting it, talking to it, ending it.

use std::ffi::OsString;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::serve::Service;
use super::{CACHE, FOLDER};
use crate::cancel::{Cancel, Hook};
use crate::capture::Capture;
use crate::confinement::Confinement;
use crate::end::{Crash, describe_exit, describe_signal};
use crate::folder::remove_tree;
use crate::frames::stream::OrderStream;
use crate::frames::{self, ARGUMENT, FrameError};
use crate::launch::{self, ProcessGroup};
use crate::launcher::CACHES;
use crate::limits::from_now;

/// The most that a worker may print, in bytes, for all orders together.
const MOST_OUTPUT: u64 = 64 << 20;
/// The longest time that a worker that is done for may take to go.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest time that a worker that is sent away may take to clean up and go before it is killed.
const FAREWELL: Duration = Duration::from_secs(1);

/// The way in which workers are started.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// A program that calls [`worker_main`](super::worker_main) first thing.
    pub program: PathBuf,
    /// The place for the folders of the workers, in which their libraries keep files.
    pub temporary: PathBuf,
    /// Environment variables for workers alone, such as `OCL_ICD_VENDORS`.
    pub environment: Vec<(OsString, OsString)>,
    /// The longest time until a worker is ready.
    pub start_limit: Duration,
    /// The most memory that a worker may use, in bytes, with all its processes.
    pub memory_bytes: Option<u64>,
    /// The confinement of workers.
    pub confinement: Confinement,
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
            memory_bytes: None,
            confinement: Confinement::default(),
        }
    }
}

/// An event in the life of a worker.
#[derive(Debug)]
pub enum WorkerEvent<R> {
    /// It replies.
    Reply(R),
    /// It sends bytes that are no reply.
    Nonsense(FrameError),
    /// It has gone.
    Gone,
    /// It prints without end.
    Floods,
    /// The caller does not wait for it any more.
    Cancelled,
    /// Nothing, for too long.
    Silence,
}

/// The reason that a worker did not give the reply that it was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// There is no such program, or the system refuses to start it.
    #[error("the worker `{}` cannot be started: {source}", .program.display())]
    Start {
        /// The worker program, or the one that wraps it.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It has died: what it had loaded crashed.
    #[error("the worker process died ({}){}{}", .0.how, if .0.output.is_empty() { "" } else { "\n" }, .0.output)]
    Died(Crash),
    /// It sends bytes that are no message. A program that is no worker does so.
    #[error("the worker process sent an invalid message ({0})")]
    Nonsense(FrameError),
    /// It gives a reply that belongs to another order.
    #[error("the worker process replied to another order")]
    WrongReply,
    /// It prints without end.
    #[error("the worker process does not stop printing")]
    Floods,
    /// The caller does not wait for it any more.
    #[error("cancelled")]
    Cancelled,
    /// It is still not ready.
    #[error("the worker process did not become ready within {0:?}")]
    Silent(Duration),
}

/// A worker process that takes orders of type `O` and gives replies of type `R`. It ends when this is dropped.
#[derive(Debug)]
pub struct WorkerProcess<O, R> {
    child: Child,
    group: ProcessGroup,
    /// Closing it sends the worker away.
    orders: Option<OrderStream>,
    news: Receiver<WorkerEvent<R>>,
    /// For cancellations.
    sender: Sender<WorkerEvent<R>>,
    printed: Arc<Mutex<Capture>>,
    /// Disconnected when all of the worker's output has been read.
    all_read: Receiver<()>,
    /// The worker makes it and removes it, so that it goes also where this process is killed, at whatever moment. One that
    /// is seen in the worker's sandbox alone is not known here.
    folder: Option<PathBuf>,
    takes: PhantomData<fn(O)>,
}

impl<O: Serialize, R: DeserializeOwned + Send + 'static> WorkerProcess<O, R> {
    /// Starts a worker for a service. Where `wrapper` is given, that program is started, with the worker program as
    /// its first argument.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn start<S>(options: &WorkerOptions, wrapper: Option<&Path>) -> Result<Self, WorkerError>
    where
        S: Service<Order = O, Reply = R>,
    {
        let program = wrapper.unwrap_or(&options.program);
        let failed = |source| WorkerError::Start { program: program.to_owned(), source };
        let outside = new_folder(options);
        let folder = outside.clone().unwrap_or_else(|| crate::confinement::WORKER_FOLDER.into());
        let cache = folder.join(CACHE);
        let (mut orders, theirs) = OrderStream::pair().map_err(failed)?;
        let seen = [options.program.clone(), program.to_owned()];
        let confinement = options.confinement.clone().with_readable(seen);
        // The thread that starts a worker may end before the worker does.
        let mut command = confinement.command(program.as_os_str(), false).map_err(failed)?;
        if wrapper.is_some() {
            command.arg(&options.program);
        }
        command
            .args([ARGUMENT, S::NAME])
            .env(FOLDER, &folder)
            // Files that were kept earlier must not count.
            .envs(CACHES.map(|name| (name, &cache)))
            .envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, &folder)))
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .stdin(theirs)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let group = ProcessGroup::new().map_err(failed)?;
        // A worker confines itself, as soon as it has made its folder.
        let child = launch::spawn(&mut command, Some(&group));
        let mut child = child.map_err(failed)?;
        // A worker that has gone is noticed by the first order.
        let _ = frames::write(&mut orders, &confinement);
        // The other end of the stream belongs to the worker alone: this process must not hold it any longer.
        drop(command);
        let (Some(replies), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let (sender, news) = mpsc::channel();
        let printed = Arc::new(Mutex::new(Capture::new(false)));
        let (open, all_read) = mpsc::channel();
        let listener = sender.clone();
        let thread = std::thread::Builder::new();
        thread.spawn(move || listen(replies, &listener)).map_err(failed)?;
        let (listener, capture) = (sender.clone(), Arc::clone(&printed));
        let collecting = move || {
            collect(errors, &capture, &listener);
            drop(open);
        };
        std::thread::Builder::new().spawn(collecting).map_err(failed)?;
        let orders = Some(orders);
        let takes = PhantomData;
        let folder = outside;
        Ok(Self { child, group, orders, news, sender, printed, all_read, folder, takes })
    }

    /// Gives an order.
    ///
    /// # Errors
    /// When it has gone. The reason is heard next.
    pub fn send(&mut self, order: &O) -> Result<(), FrameError> {
        let orders = self.orders.as_mut().ok_or(FrameError::Ended)?;
        frames::write(orders, order)
    }

    /// Waits until something is heard.
    pub fn hear(&self, deadline: Instant) -> WorkerEvent<R> {
        match self.news.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => WorkerEvent::Silence,
            // This end holds a sender.
            Err(RecvTimeoutError::Disconnected) => WorkerEvent::Gone,
        }
    }

    /// Gives an order that has one reply. After an error, the process is of no use.
    ///
    /// # Errors
    /// When there is no reply within the limit.
    pub fn ask(&mut self, order: &O, limit: Duration) -> Result<R, WorkerError> {
        // A worker that has gone cannot be written to. The reason is heard below.
        let _ = self.send(order);
        match self.hear(from_now(limit)) {
            WorkerEvent::Reply(reply) => Ok(reply),
            WorkerEvent::Nonsense(error) => Err(WorkerError::Nonsense(error)),
            WorkerEvent::Floods => Err(WorkerError::Floods),
            WorkerEvent::Cancelled => Err(WorkerError::Cancelled),
            WorkerEvent::Silence => Err(WorkerError::Silent(limit)),
            WorkerEvent::Gone => Err(WorkerError::Died(self.crash())),
        }
    }

    /// Has [`WorkerEvent::Cancelled`] heard when the token is triggered, as long as the hook lives.
    #[must_use]
    pub fn listen_to<'a>(&self, cancel: &'a Cancel) -> Hook<'a> {
        let sender = self.sender.clone();
        cancel.on_cancel(move || {
            // The receiver has gone when it has ended meanwhile.
            let _ = sender.send(WorkerEvent::Cancelled);
        })
    }

    /// Forgets cancellations that came too late, when the hook of [`Self::listen_to`] is dropped. Returns false if
    /// anything else was heard: then the process is of no use.
    #[must_use]
    pub fn forgets_cancellation(&self) -> bool {
        self.news.try_iter().all(|event| matches!(event, WorkerEvent::Cancelled))
    }
}

impl<O, R> WorkerProcess<O, R> {
    /// Processor time that it has used so far, all threads together; none where the system does not tell.
    #[must_use]
    pub fn computed(&self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            // In a sandbox, the child is the one that made it, and the worker is further down.
            let ticks =
                crate::system::ticks_of_tree(rustix::process::Pid::from_child(&self.child))?;
            Some(Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second()))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Returns true if it uses more memory than this, in bytes, all its processes together. False where the system does not
    /// tell.
    #[must_use]
    pub fn uses_more_than(&self, bytes: u64) -> bool {
        #[cfg(target_os = "linux")]
        return crate::system::tree_uses_more_than(
            rustix::process::Pid::from_child(&self.child),
            bytes,
        );
        #[cfg(not(target_os = "linux"))]
        {
            let _ = bytes;
            false
        }
    }

    /// The death of a worker that has gone.
    pub fn crash(&mut self) -> Crash {
        let status = self.wait(PATIENCE);
        // A process that it started may still hold the pipe. Its own output has arrived by then.
        let _ = self.all_read.recv_timeout(Duration::from_millis(500));
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let (tail, _) = std::mem::replace(&mut *printed, Capture::new(false)).finish();
        Crash { how: describe(status), output: String::from_utf8_lossy(&tail).trim().to_owned() }
    }

    /// Returns the way in which the process ended; none if it has not within the limit.
    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = from_now(limit);
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

impl<O, R> Drop for WorkerProcess<O, R> {
    fn drop(&mut self) {
        self.orders = None;
        self.wait(FAREWELL);
        self.group.end(&mut self.child);
        let _ = self.child.wait();
        // It is there if the worker could not remove it. A failure does no harm.
        let _ = self.folder.as_deref().map(remove_tree);
    }
}

/// A name for the folder of a worker that no other has. Whoever makes it refuses one that is there. A worker that has its
/// own view of the machine needs none.
fn new_folder(options: &WorkerOptions) -> Option<PathBuf> {
    if matches!(options.confinement, Confinement::Bubblewrap(_)) {
        return None;
    }
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    // Containers that share the folder may count processes alike; a clock before 1970 is no reason to stop.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let owner = std::process::id();
    let name = format!("clreduce-worker-{owner}-{number}-{:x}", now.as_nanos());
    Some(options.temporary.join(name))
}

fn listen<R: DeserializeOwned>(mut replies: ChildStdout, listener: &Sender<WorkerEvent<R>>) {
    loop {
        let event = match frames::read(&mut replies) {
            Ok(reply) => WorkerEvent::Reply(reply),
            Err(error) if error.is_nonsense() => WorkerEvent::Nonsense(error),
            Err(_) => WorkerEvent::Gone,
        };
        let last = !matches!(event, WorkerEvent::Reply(_));
        if listener.send(event).is_err() || last {
            return;
        }
    }
}

fn collect<R>(
    mut errors: ChildStderr,
    capture: &Mutex<Capture>,
    listener: &Sender<WorkerEvent<R>>,
) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(length @ 1..) = errors.read(&mut buffer) {
        let mut capture = capture.lock().unwrap_or_else(PoisonError::into_inner);
        capture.push(1, &buffer[..length]);
        if capture.total() > MOST_OUTPUT {
            // The receiver may have gone.
            let _ = listener.send(WorkerEvent::Floods);
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
