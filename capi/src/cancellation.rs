//! Cancellations: they end a reduction from another thread, and its tests with it.

use clreduce::Cancel;

/// Ends a reduction from any thread, also while a test runs. For one reduction only. To be given back with
/// `clreduce_free_cancellation`.
#[derive(Debug)]
pub struct ClreduceCancellation {
    pub(super) cancel: Cancel,
}

/// A new cancellation, for the options of a reduction.
#[unsafe(no_mangle)]
pub extern "C" fn clreduce_new_cancellation() -> *mut ClreduceCancellation {
    Box::into_raw(Box::new(ClreduceCancellation { cancel: Cancel::new() }))
}

/// Ends the reduction, which returns the best result so far. Commands that judge are killed; calls of a callback are waited
/// for. Does nothing if it has ended.
///
/// # Safety
/// `cancellation` comes from `clreduce_new_cancellation` and was not given back, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clreduce_cancel(cancellation: *const ClreduceCancellation) {
    // SAFETY: the caller promises that it points to a cancellation, or is null.
    if let Some(cancellation) = unsafe { cancellation.as_ref() } {
        cancellation.cancel.cancel();
    }
}

/// Gives a cancellation back. Its reduction must have returned.
///
/// # Safety
/// As for `clreduce_cancel`; nobody uses it afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clreduce_free_cancellation(cancellation: *mut ClreduceCancellation) {
    if !cancellation.is_null() {
        // SAFETY: it was a box, and the caller promises that it is given back once.
        drop(unsafe { Box::from_raw(cancellation) });
    }
}
