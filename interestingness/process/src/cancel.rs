//! A token that tells a running test that it is no longer needed.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::from_now;

/// Cancels one test. Clones share the state.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    shared: Arc<CancelState>,
}

#[derive(Default)]
struct CancelState {
    cancelled: AtomicBool,
    noticed: AtomicBool,
    hooks: Mutex<Hooks>,
    changed: Condvar,
}

/// The actions at the moment of cancellation, by number.
#[derive(Default)]
struct Hooks {
    next: u64,
    waiting: Vec<(u64, Box<dyn FnOnce() + Send>)>,
}

impl fmt::Debug for CancelState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("cancelled", &self.cancelled).finish_non_exhaustive()
    }
}

impl CancelState {
    fn hooks(&self) -> MutexGuard<'_, Hooks> {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cancel {
    /// A token that has not been triggered.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says that whoever was to end has noticed, and is about to.
    pub fn notice(&self) {
        self.shared.noticed.store(true, Ordering::Release);
    }

    /// Returns whether somebody has [noticed](Self::notice).
    #[must_use]
    pub fn is_noticed(&self) -> bool {
        self.shared.noticed.load(Ordering::Acquire)
    }

    /// Triggers the token; every waiter wakes.
    pub fn cancel(&self) {
        let mut hooks = self.shared.hooks();
        self.shared.cancelled.store(true, Ordering::Release);
        // Under the lock, so that a `Hook` that is dropped does not run any more.
        for (_, hook) in hooks.waiting.drain(..) {
            hook();
        }
        drop(hooks);
        self.shared.changed.notify_all();
    }

    /// Returns whether the token was triggered.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Acquire)
    }

    /// Waits until the token is triggered or the time is over. Returns whether it was triggered.
    pub fn wait(&self, limit: Duration) -> bool {
        let deadline = from_now(limit);
        let mut guard = self.shared.hooks();
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

    /// Has `action` called once when the token is triggered, at once if it was already. The action
    /// must be short, must not panic and must not use the token. It is forgotten with the `Hook`.
    #[must_use]
    pub fn on_cancel(&self, action: impl FnOnce() + Send + 'static) -> Hook<'_> {
        let mut hooks = self.shared.hooks();
        let number = hooks.next;
        if self.is_cancelled() {
            action();
        } else {
            hooks.next += 1;
            hooks.waiting.push((number, Box::new(action)));
        }
        Hook { cancel: self, number }
    }
}

/// Keeps an action of [`Cancel::on_cancel`] armed.
#[derive(Debug)]
pub struct Hook<'a> {
    cancel: &'a Cancel,
    number: u64,
}

impl Drop for Hook<'_> {
    fn drop(&mut self) {
        self.cancel.shared.hooks().waiting.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn hooks_run_once_and_only_while_armed() {
        let count = Arc::new(AtomicU32::new(0));
        let adder = |by: u32| {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(by, Ordering::Relaxed);
            }
        };
        let cancel = Cancel::new();
        drop(cancel.on_cancel(adder(1)));
        let armed = cancel.on_cancel(adder(10));
        cancel.cancel();
        cancel.cancel();
        drop(armed);
        let late = cancel.on_cancel(adder(100));
        drop(late);
        assert_eq!(count.load(Ordering::Relaxed), 110);
    }
}
