//! What a person asks of a running reduction, from another thread: to skip a pass, or to go on from an edit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clreduce_interestingness::Cancel;
use clreduce_testcase::TestCase;

/// Asks a running reduction to do something. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct UserRequests {
    shared: Arc<Mutex<PendingRequests>>,
}

#[derive(Debug, Default)]
struct PendingRequests {
    skips_pass: bool,
    edits: Vec<TestCase>,
    /// Triggered by a request, to wake the one who waits for the end of a test.
    wake: Cancel,
}

impl UserRequests {
    /// Nothing is asked.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks to give up what is left of the pass whose candidate waits for its verdict, also while that test runs.
    pub fn skip_pass(&self) {
        let mut pending = self.lock();
        pending.skips_pass = true;
        pending.wake.cancel();
    }

    /// Asks to judge a test case next, and to go on from it if it is interesting.
    pub fn edit(&self, case: TestCase) {
        let mut pending = self.lock();
        pending.edits.push(case);
        pending.wake.cancel();
    }

    /// Returns whether a pass is to be skipped, and the edits, once for each request.
    pub(crate) fn take(&self) -> (bool, Vec<TestCase>) {
        let mut pending = self.lock();
        let taken = (std::mem::take(&mut pending.skips_pass), std::mem::take(&mut pending.edits));
        if taken.0 || !taken.1.is_empty() {
            pending.wake = Cancel::new();
        }
        taken
    }

    /// A token that the next request triggers.
    pub(crate) fn next_request(&self) -> Cancel {
        self.lock().wake.clone()
    }

    fn lock(&self) -> MutexGuard<'_, PendingRequests> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
