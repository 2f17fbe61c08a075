//! A token that tells a running test that nobody waits for it any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Cancels one test. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Cancel {
    /// A token that has not been triggered.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Triggers the token; every waiter wakes.
    pub fn cancel(&self) {
        let guard = self.shared.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.cancelled.store(true, Ordering::Release);
        drop(guard);
        self.shared.changed.notify_all();
    }

    /// Whether the token was triggered.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Acquire)
    }

    /// Waits until the token is triggered or the time is over; tells whether it was triggered.
    pub fn wait(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut guard = self.shared.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_cancelled() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            guard = self
                .shared
                .changed
                .wait_timeout(guard, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }
}
