//! Many test cases, one pool.
//!
//! Inputs are left alone. Each case has a folder in OUT, with its result, its history, and while it is
//! under way the journal by which an interrupted batch goes on. A case whose record is there is finished
//! and not touched again. Whatever happens to a case is recorded, and the others go on.

mod case;
mod diff;
mod files;
mod history;
mod record;
mod taken;

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clreduce_interestingness::Cancel;
use crossbeam_channel::{Sender, unbounded};
use thiserror::Error;

use clreduce_engine::{Options, Reduction};
use clreduce_journal::{Facts, StateError, StateFolder};
use clreduce_speculation::Pool;

pub use diff::diff;
pub use history::{CommitRecord, read_history};
pub use record::{CaseOutcome, CaseRecord, FileLines, Measure, PassRecord, StageRecord};
pub use taken::LinesLeft;

/// Open cases per thread of the pool. While one makes its next variants, another one's test runs; what
/// is still free goes to guesses.
const OPEN_PER_THREAD: usize = 2;

const CASES: &str = "cases";
const FACTS: &str = "batch.json";

/// One case to be reduced.
pub struct Case {
    /// Its name, and that of its folder in OUT.
    pub name: String,
    /// Facts that its verdicts depend on, besides those of the batch.
    pub facts: Facts,
    /// Reads the case and says by what test and within what limits it is reduced; pool, state, listeners
    /// and cancellation are the batch's. An error is recorded as the case's.
    pub open: Box<dyn FnOnce() -> Result<Reduction<'static>, OpenError> + Send>,
}

/// A reason why a case cannot be read or tested. The batch only records its text.
pub type OpenError = Box<dyn std::error::Error + Send + Sync>;

/// The events of a batch; cases are named by index.
#[derive(Debug)]
pub enum BatchProgress {
    /// A test of the case has ended, as many as so far in this run; its size in bytes now and before.
    Going {
        /// Its index.
        case: usize,
        /// Tests started so far.
        tests: u64,
    },
    /// It is over, in this run or in an earlier one.
    Over {
        /// Its index.
        case: usize,
        /// Its outcome.
        record: Box<CaseRecord>,
        /// It was over before this run began.
        earlier: bool,
    },
}

/// The outcome of a run of a batch.
#[derive(Clone, Debug)]
pub struct BatchResult {
    /// The outcome of each case, in their order. Those that an interruption left unfinished say so.
    pub records: Vec<CaseRecord>,
    /// Wall time of this run.
    pub wall: Duration,
    /// Of the time of all threads, the share in which tests ran; 0 to 1.
    pub busy: f64,
}

/// Why a batch cannot be run.
#[derive(Debug, Error)]
pub enum BatchError {
    /// The folder is in use or cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// The system refused.
    #[error("cannot read or write {}", path.display())]
    Io {
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The folder holds results of a batch with another test or other options.
    #[error(
        "{} holds results of a batch for which this was different: {what}\n\
         help: undo the change to continue that batch, or name another folder", path.display()
    )]
    Changed {
        /// The folder.
        path: PathBuf,
        /// The change, in words.
        what: String,
    },
    /// The system has no threads to give.
    #[error("cannot start a thread")]
    Threads(#[source] io::Error),
}

/// A batch whose folder is open, and held by this process alone.
#[derive(Debug)]
pub struct Batch {
    folder: StateFolder,
    facts: Facts,
    jobs: NonZeroUsize,
    cancel: Cancel,
}

impl Batch {
    /// Opens a folder, or goes on with the batch in it. `facts` say what results depend on besides the cases and the
    /// options: the test.
    ///
    /// # Errors
    /// When it belongs to another batch or process, or the system refuses.
    pub fn open(out: &Path, options: &Options, facts: Facts) -> Result<Self, BatchError> {
        let facts: Facts = options.result_facts().into_iter().chain(facts).collect();
        // It may be a link if that is what the user names.
        let folder = StateFolder::open(fs::canonicalize(out).unwrap_or_else(|_| out.to_owned()))?;
        let path = out.join(FACTS);
        let failed = |source| BatchError::Io { path: path.clone(), source };
        match fs::read(&path) {
            Ok(bytes) => {
                let earlier: Facts = serde_json::from_slice(&bytes)
                    .map_err(|error| failed(io::Error::from(error)))?;
                let names: std::collections::BTreeSet<_> =
                    facts.keys().chain(earlier.keys()).collect();
                let changed =
                    names.into_iter().filter(|name| facts.get(*name) != earlier.get(*name));
                let what: Vec<_> = changed.map(String::as_str).collect();
                if !what.is_empty() {
                    let what = what.join(", ");
                    return Err(BatchError::Changed { path: out.to_owned(), what });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                files::replace_by_json(&path, &facts).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }
        Ok(Self { folder, facts, jobs: NonZeroUsize::MIN, cancel: Cancel::new() })
    }

    /// Tests at the same time, over all cases.
    #[must_use]
    pub fn jobs(self, jobs: NonZeroUsize) -> Self {
        Self { jobs, ..self }
    }

    /// Ends the batch when the token is triggered; begun again, it goes on from there.
    #[must_use]
    pub fn cancel(self, cancel: Cancel) -> Self {
        Self { cancel, ..self }
    }

    /// The folder of a case.
    #[must_use]
    pub fn folder_of(&self, name: &str) -> PathBuf {
        self.folder.directory().join(CASES).join(name)
    }

    /// Reduces the cases.
    ///
    /// # Errors
    /// When the system has no threads to give.
    pub fn run(
        &self,
        cases: Vec<Case>,
        mut listener: impl FnMut(&BatchProgress),
    ) -> Result<BatchResult, BatchError> {
        let started = Instant::now();
        let pool = Arc::new(Pool::new(self.jobs).map_err(BatchError::Threads)?);
        let count = cases.len();
        let mut records: Vec<Option<CaseRecord>> = (0..count).map(|_| None).collect();
        let waiting = Mutex::new(cases.into_iter().enumerate());
        let (sender, receiver) = unbounded();
        thread::scope(|scope| {
            for number in 0..count.min(self.jobs.get() * OPEN_PER_THREAD) {
                let (waiting, pool, sender) = (&waiting, &pool, sender.clone());
                let work = move || self.work(waiting, pool, &sender);
                // As large as the stack of a main thread: parsers are known to need it.
                let thread = thread::Builder::new().stack_size(8 << 20);
                let thread = thread.name(format!("case {number}"));
                thread.spawn_scoped(scope, work).map_err(BatchError::Threads)?;
            }
            drop(sender);
            for progress in receiver {
                listener(&progress);
                if let BatchProgress::Over { case, record, .. } = progress {
                    records[case] = Some(*record);
                }
            }
            Ok::<_, BatchError>(())
        })?;
        let (records, wall) = (records.into_iter().flatten().collect(), started.elapsed());
        let available = wall.as_secs_f64() * self.jobs.get() as f64;
        Ok(BatchResult { records, wall, busy: (pool.busy().as_secs_f64() / available).min(1.0) })
    }

    /// Reduces one case with a pool that others use as well. `tell` gets the number of tests so far. Returns the record, and
    /// whether it is the one of an earlier run.
    pub fn reduce(
        &self,
        case: Case,
        pool: &Arc<Pool>,
        tell: &(dyn Fn(u64) + Sync),
    ) -> (CaseRecord, bool) {
        let folder = self.folder_of(&case.name);
        match CaseRecord::read(&folder) {
            Some(record) => (record, true),
            None => {
                (case::Attempt { folder: &folder, batch: self, pool, tell }.record(case), false)
            }
        }
    }

    /// Takes one case after the other.
    fn work(
        &self,
        waiting: &Mutex<impl Iterator<Item = (usize, Case)>>,
        pool: &Arc<Pool>,
        sender: &Sender<BatchProgress>,
    ) {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((index, case)) = next else { return };
            // The receiver has gone when the run is over.
            let tell = |tests| drop(sender.send(BatchProgress::Going { case: index, tests }));
            let (record, is_earlier) = self.reduce(case, pool, &tell);
            let over =
                BatchProgress::Over { case: index, record: Box::new(record), earlier: is_earlier };
            let _ = sender.send(over);
        }
    }
}
