//! A reduction on a thread of its own.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};

use clreduce_interestingness::Cancel;

use super::Reduction;
use super::result::{Reduced, ReductionError};

/// A reduction that runs on a thread of its own. Dropping it ends the reduction: then its tests are
/// killed, and no thread or process of it is left.
#[derive(Debug)]
#[must_use = "a reduction ends when its handle is dropped"]
pub struct Running {
    cancel: Cancel,
    /// `None` only when it was waited for.
    thread: Option<JoinHandle<Result<Reduced, ReductionError>>>,
}

impl Running {
    pub(super) fn start(mut reduction: Reduction<'static>) -> Result<Self, ReductionError> {
        // Its own token: the caller's may be that of many reductions.
        let cancel = Cancel::new();
        let given = std::mem::replace(&mut reduction.cancel, cancel.clone());
        let own = cancel.clone();
        let run = move || {
            let _hook = given.on_cancel(move || own.cancel());
            reduction.run()
        };
        let thread = thread::Builder::new().name("reduction".to_owned()).spawn(run);
        Ok(Self { cancel, thread: Some(thread.map_err(ReductionError::Threads)?) })
    }

    /// Ends it soon; the best so far is kept, and [`wait`](Self::wait) returns it.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Returns true if it is over, so that [`wait`](Self::wait) returns at once.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// As [`Reduction::run`].
    ///
    /// # Panics
    /// When the test or a listener did, with what it panicked with.
    pub fn wait(mut self) -> Result<Reduced, ReductionError> {
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(panic)) => resume_unwind(panic),
            None => unreachable!("a handle that was waited for is gone"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.cancel.cancel();
            // Whoever drops it does not want to know how it went.
            let _ = thread.join();
        }
    }
}
