//! Ctrl-C: the first stops a run cleanly, and the second ends the process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use clreduce_interestingness::Cancel;

use crate::terminal::printing::error_line;

/// Exit status of an interrupted run, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// The actions that are needed before the process ends at once.
static BEFORE_EXIT: OnceLock<fn()> = OnceLock::new();

/// Has `action` done before the process ends at once. Only the first one counts.
pub(crate) fn before_exit(action: fn()) {
    // There is one terminal to restore.
    let _ = BEFORE_EXIT.set(action);
}

/// Ends the process. Files on disk are complete at every instant, and the supervisors end the tests.
pub(crate) fn exit_at_once() -> ! {
    if let Some(action) = BEFORE_EXIT.get() {
        action();
    }
    std::process::exit(i32::from(INTERRUPTED))
}

/// The longest time until a reduction notices that it is to end. In a pass over a huge program it does not.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ends the process at once if a reduction does not notice soon that it is to end.
pub(crate) fn end_soon(cancel: &Cancel) {
    let token = cancel.clone();
    let watch = move || {
        std::thread::sleep(PATIENCE);
        if !token.is_noticed() {
            error_line(
                "Interrupted; to continue, run the same command, or start again with --fresh.",
            );
            exit_at_once();
        }
    };
    let hook = cancel.on_cancel(move || {
        // Without a thread, it ends when it ends.
        let _ = std::thread::Builder::new().spawn(watch);
    });
    // For as long as the process lives.
    std::mem::forget(hook);
}

/// Returns a token that the first Ctrl-C (or SIGTERM) triggers.
///
/// The second one ends the process at once.
///
/// # Errors
/// When the system does not let signals be handled; once per process.
pub(crate) fn on_interrupt() -> Result<Cancel, ctrlc::Error> {
    let cancel = Cancel::new();
    let (token, count) = (cancel.clone(), AtomicU32::new(0));
    ctrlc::set_handler(move || {
        if count.fetch_add(1, Ordering::Relaxed) > 0 {
            exit_at_once();
        }
        token.cancel();
    })?;
    Ok(cancel)
}
