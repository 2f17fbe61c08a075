//! A person's wish to skip a pass, from another thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clreduce_interestingness::Cancel;

/// Asks a running reduction to give up what is left of the pass under way. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct SkipPass {
    shared: Arc<Mutex<Wish>>,
}

#[derive(Debug, Default)]
struct Wish {
    is_pending: bool,
    /// Triggered by a request, to wake the one who waits for the end of a test.
    wake: Cancel,
}

impl SkipPass {
    /// Nothing is to be skipped.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for it. The pass whose candidate waits for its verdict is skipped, also while that test runs.
    pub fn request(&self) {
        let mut wish = self.lock();
        wish.is_pending = true;
        wish.wake.cancel();
    }

    /// Returns whether a pass is to be skipped, once for each request.
    pub(crate) fn take(&self) -> bool {
        let mut wish = self.lock();
        let is_pending = std::mem::take(&mut wish.is_pending);
        if is_pending {
            wish.wake = Cancel::new();
        }
        is_pending
    }

    /// A token that the next request triggers.
    pub(crate) fn next_request(&self) -> Cancel {
        self.lock().wake.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Wish> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
