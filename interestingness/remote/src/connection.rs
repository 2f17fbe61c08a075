//! A connection to a service: a thread on which all calls run, and the state that all actions share.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use bazel_remote_apis::build::bazel::remote::execution::v2::{
    GetCapabilitiesRequest, ServerCapabilities, digest_function,
    priority_capabilities::PriorityRange,
};
use clreduce_process::Cancel;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, Semaphore, oneshot};

use crate::calls::{Connections, advice, with_causes};
use crate::digest::BlobDigest;
use crate::failure::{Failure, RemoteError};
use crate::job::{Job, WorkerAnswer};
use crate::options::{KeyValue, RemoteOptions};

/// The largest message that every service accepts, less what is around the blobs.
const MOST_BATCH: u64 = (4 << 20) - (64 << 10);

/// The priority of guesses where the service knows it: later than the default, which is 0.
const GUESS_PRIORITY: i32 = 1;

/// A service that runs actions. Many reductions can share it.
#[derive(Debug)]
pub struct Remote {
    pub(crate) shared: Arc<SharedState>,
    pub(crate) properties: Vec<KeyValue>,
    runtime: Handle,
    /// Dropped to end the thread.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The state that all actions share.
#[derive(Debug)]
pub(crate) struct SharedState {
    pub(crate) calls: Connections,
    address: String,
    /// A permit for each action that the service may have at a time. One that is not wanted any more counts until it ends.
    pub(crate) slots: Arc<Semaphore>,
    /// The blobs that the service has.
    known: Mutex<HashSet<BlobDigest>>,
    pub(crate) most_batch: u64,
    /// The priority of guesses, where 0 is that of what is needed next; a higher number means later.
    pub(crate) guess_priority: i32,
    /// The service has said that it cannot cancel.
    pub(crate) cannot_cancel: AtomicBool,
    /// The number of uploads, which makes their names.
    uploads: AtomicU64,
    /// The number of actions that were executed, and those whose answer came from the cache.
    pub(crate) executed: AtomicU64,
    pub(crate) cached: AtomicU64,
}

impl Remote {
    /// Connects to a service that will run this number of actions at a time. `None` if the options name none.
    ///
    /// # Errors
    /// When the service cannot be reached, or is no remote execution service.
    pub fn connect(
        options: &RemoteOptions,
        slots: NonZeroUsize,
    ) -> Result<Option<Arc<Self>>, RemoteError> {
        let Some(address) = &options.remote else { return Ok(None) };
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(RemoteError::Thread)?;
        let calls = {
            let _inside = runtime.enter();
            Connections::new(address, options, slots.get())?
        };
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let run = move || {
            // An error is the end of the sender, too.
            let _ = runtime.block_on(stopped);
        };
        let thread = thread::Builder::new().name("remote".to_owned());
        let thread = thread.spawn(run).map_err(RemoteError::Thread)?;
        let mut properties = options.remote_property.clone();
        properties.sort();
        let mut shared = SharedState::new(calls, address.to_string(), slots);
        let (sender, receiver) = mpsc::sync_channel(1);
        handle.spawn(async move {
            let capabilities = shared.capabilities().await;
            let fits = capabilities.and_then(|found| shared.accept(&found));
            // The receiver waits.
            let _ = sender.send(fits.map(|()| shared));
        });
        let shared = receiver.recv().unwrap_or_else(|_| Err(no_thread()))?;
        let (stop, thread) = (Some(stop), Some(thread));
        let shared = Arc::new(shared);
        Ok(Some(Arc::new(Self { shared, properties, runtime: handle, stop, thread })))
    }

    /// Remarks on the service for a person.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let cannot_cancel = self.shared.cannot_cancel.load(Ordering::Relaxed).then(|| {
            "the remote execution service cannot cancel actions, so tests whose verdict is not needed any more run to their \
             end and occupy a slot"
                .to_owned()
        });
        cannot_cancel.into_iter().collect()
    }

    /// The number of actions that were executed for an answer, and of those whose answer came from the cache of the service.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (count(&self.shared.executed), count(&self.shared.cached))
    }

    /// Runs actions at the same time, each to its answer. An answer is `None` once `cancel` is triggered.
    pub(crate) fn run(
        &self,
        jobs: Vec<Job>,
        cancel: &Cancel,
    ) -> Vec<Result<Option<WorkerAnswer>, Failure>> {
        let start = |job: Job| {
            let (sender, receiver) = mpsc::sync_channel(1);
            let cancelled = Arc::new(Notify::new());
            let notify = Arc::clone(&cancelled);
            let hook = cancel.on_cancel(move || notify.notify_one());
            let shared = Arc::clone(&self.shared);
            self.runtime.spawn(async move {
                let result = shared.run(Arc::new(job), &cancelled).await;
                // The receiver waits, unless its thread has panicked.
                let _ = sender.send(result);
            });
            (receiver, hook)
        };
        let running: Vec<_> = jobs.into_iter().map(start).collect();
        let gone = || Err(Failure::NoAnswer("the thread of the service has ended".to_owned()));
        let results = running.iter().map(|(receiver, _hook)| receiver.recv());
        results.map(|result| result.unwrap_or_else(|_| gone())).collect()
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl SharedState {
    fn new(calls: Connections, address: String, slots: NonZeroUsize) -> Self {
        Self {
            calls,
            address,
            slots: Arc::new(Semaphore::new(slots.get())),
            known: Mutex::default(),
            most_batch: MOST_BATCH,
            guess_priority: 0,
            cannot_cancel: AtomicBool::new(false),
            uploads: AtomicU64::new(0),
            executed: AtomicU64::new(0),
            cached: AtomicU64::new(0),
        }
    }

    async fn capabilities(&self) -> Result<ServerCapabilities, RemoteError> {
        let instance_name = self.calls.instance.clone();
        let request = self.calls.short_request(GetCapabilitiesRequest { instance_name });
        let found = self.calls.capabilities().get_capabilities(request).await;
        found.map(tonic::Response::into_inner).map_err(|status| RemoteError::Connect {
            address: self.address.clone(),
            reason: match status.code() {
                tonic::Code::Unimplemented => "it is no remote execution service".to_owned(),
                _ => {
                    let reason = with_causes(&status);
                    let advice = advice(&reason);
                    reason + advice
                }
            },
        })
    }

    /// Takes note of what the service can do.
    fn accept(&mut self, found: &ServerCapabilities) -> Result<(), RemoteError> {
        let unfit = |reason: &str| RemoteError::Unfit {
            address: self.address.clone(),
            reason: reason.to_owned(),
        };
        let execution = found.execution_capabilities.as_ref();
        if !execution.is_some_and(|execution| execution.exec_enabled) {
            return Err(unfit("executes nothing; it is a cache alone"));
        }
        let priorities = execution.and_then(|known| known.execution_priority_capabilities.as_ref());
        let is_known = |range: &PriorityRange| {
            (range.min_priority..=range.max_priority).contains(&GUESS_PRIORITY)
        };
        if priorities.is_some_and(|known| known.priorities.iter().any(is_known)) {
            self.guess_priority = GUESS_PRIORITY;
        }
        let sha256 = digest_function::Value::Sha256 as i32;
        if let Some(cache) = &found.cache_capabilities {
            if !cache.digest_functions.is_empty() && !cache.digest_functions.contains(&sha256) {
                return Err(unfit("does not know the digest function SHA-256"));
            }
            if let Ok(most @ 1..) = u64::try_from(cache.max_batch_total_size_bytes) {
                self.most_batch = self.most_batch.min(most);
            }
        }
        Ok(())
    }

    pub(crate) fn known(&self) -> MutexGuard<'_, HashSet<BlobDigest>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the next upload.
    pub(crate) fn next_upload(&self) -> u64 {
        self.uploads.fetch_add(1, Ordering::Relaxed)
    }
}

fn no_thread() -> RemoteError {
    RemoteError::Thread(std::io::Error::other("it has ended"))
}
