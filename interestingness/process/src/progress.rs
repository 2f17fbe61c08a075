//! The hook through which long actions say what they are at, for a display.

use std::fmt;
use std::sync::Arc;

type Show = dyn Fn(&str) + Send + Sync;

/// Tells a display what is being done. Without a display, nothing happens.
#[derive(Clone, Default)]
pub struct Progress {
    show: Option<Arc<Show>>,
}

impl Progress {
    /// Has `show` called with each action that begins. An action ends when the next one begins.
    pub fn new(show: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { show: Some(Arc::new(show)) }
    }

    /// Says which action begins, as in "pocl: running".
    pub fn at(&self, action: &str) {
        if let Some(show) = &self.show {
            show(action);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("is_shown", &self.show.is_some()).finish()
    }
}
