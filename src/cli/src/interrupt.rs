//! Ctrl-C: the first stops a run cleanly, and the second ends the process.

use std::sync::atomic::{AtomicU32, Ordering};

use clreduce_interestingness::Cancel;

/// Exit status of an interrupted run, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Returns a token that the first Ctrl-C (or SIGTERM) triggers.
///
/// The second one ends the process at once. Files on disk are complete at every instant, and the supervisors end the
/// tests.
///
/// # Errors
/// When the system does not let signals be handled; once per process.
pub(crate) fn on_interrupt() -> Result<Cancel, ctrlc::Error> {
    let cancel = Cancel::new();
    let (token, count) = (cancel.clone(), AtomicU32::new(0));
    ctrlc::set_handler(move || {
        if count.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(i32::from(INTERRUPTED));
        }
        token.cancel();
    })?;
    Ok(cancel)
}
