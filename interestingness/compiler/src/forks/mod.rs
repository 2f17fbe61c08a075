//! Compilers that have started already, as fork servers in worker processes.
//!
//! A fork server makes the same output as the compiler's command. It gives no result when a compilation fails. The caller
//! then starts the compiler as usual, which reports the error.

mod service;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clreduce_process::worker::{WorkerError, WorkerEvent, WorkerOptions, WorkerProcess};
use clreduce_process::{Cancel, Limits};
use serde::{Deserialize, Serialize};

pub(crate) use service::ForkService;

/// The longest time that a compilation goes on although it is no longer needed: starting again takes longer.
const GRACE: Duration = Duration::from_millis(500);
/// The longest time for a compilation without a limit.
const MOST: Duration = Duration::from_secs(300);

/// A compiler that reads its program from standard input and writes to standard output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ForkedCompiler {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// An order to a worker with fork servers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ForkOrder {
    compiler: ForkedCompiler,
    /// The file of the library.
    library: PathBuf,
    source: Vec<u8>,
    /// The memory that the compiler may use, in bytes.
    memory: Option<u64>,
}

/// The reply of a worker with fork servers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ForkReply {
    /// The compiler succeeded, and wrote this.
    Written(Vec<u8>),
    /// The compiler did not succeed.
    Failed,
    /// The compiler does not become a fork server.
    Useless,
}

type Process = WorkerProcess<ForkOrder, ForkReply>;

/// Workers with fork servers: as many as there are compilations at a time.
#[derive(Debug)]
pub struct ForkServers {
    options: WorkerOptions,
    idle: Mutex<Vec<Process>>,
    /// The compilers that were asked for.
    seen: Mutex<BTreeSet<ForkedCompiler>>,
    /// A fork server has succeeded.
    has_succeeded: AtomicBool,
    /// Fork servers do not work here: not to be tried again.
    broken: AtomicBool,
}

impl ForkServers {
    /// None of them runs yet. `options` say how workers are started.
    #[must_use]
    pub fn new(options: WorkerOptions) -> Self {
        let (idle, seen) = (Mutex::default(), Mutex::default());
        Self { options, idle, seen, has_succeeded: false.into(), broken: false.into() }
    }

    /// Returns true if a fork server may save time: starting one costs as much as starting the compiler, so the first
    /// program is not for it.
    #[must_use]
    pub fn pays_for(&self, compiler: &ForkedCompiler) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        !seen.insert(compiler.clone()) && !self.is_broken()
    }

    /// Starts no fork server any more, because they do not work here.
    pub fn give_up(&self) {
        self.broken.store(true, Ordering::Relaxed);
    }

    fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Compiles a program. `library` is [`FORK_SERVER`](clreduce_process::FORK_SERVER), compiled. `None` where that does
    /// not succeed, for whatever reason.
    #[must_use]
    pub fn compile(
        &self,
        compiler: ForkedCompiler,
        library: PathBuf,
        source: Vec<u8>,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Option<Vec<u8>> {
        if cancel.is_cancelled() || self.is_broken() {
            return None;
        }
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let process = idle.map_or_else(|| Process::start::<ForkService>(&self.options, None), Ok);
        let Ok(mut process) = process else {
            self.give_up();
            return None;
        };
        let order = ForkOrder { compiler, library, source, memory: limits.memory_bytes };
        let hook = process.listen_to(cancel);
        let reply = match process.ask(&order, limits.time.unwrap_or(MOST)) {
            Err(WorkerError::Cancelled) => match process.hear(Instant::now() + GRACE) {
                WorkerEvent::Reply(reply) => Ok(reply),
                _ => return None,
            },
            reply => reply,
        };
        drop(hook);
        let written = match reply {
            Ok(ForkReply::Written(bytes)) => {
                self.has_succeeded.store(true, Ordering::Relaxed);
                Some(bytes)
            }
            Ok(ForkReply::Failed) => None,
            // Later it is one program that takes too long.
            Err(_) if self.has_succeeded.load(Ordering::Relaxed) => return None,
            Ok(ForkReply::Useless) | Err(_) => {
                self.give_up();
                return None;
            }
        };
        if process.forgets_cancellation() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
        }
        written.filter(|_| !cancel.is_cancelled())
    }
}
