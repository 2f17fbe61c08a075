//! A counter of the work that views and passes do, for tests of how the work grows with the input.
//!
//! A step is one token read, one node visited, one symbol looked up, one edit made, or some sixteen bytes of
//! text read or written. Steps are counted for each thread, and only with the feature `count-steps`:
//! without it [`step`] and [`steps`] are empty and cost nothing.

#[cfg(feature = "count-steps")]
use std::cell::Cell;

#[cfg(feature = "count-steps")]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts one step of work.
#[inline]
pub fn step() {
    steps(1);
}

/// Counts several steps of work.
// Where steps count, this stays in this crate, which is optimised in tests too.
#[cfg_attr(not(feature = "count-steps"), inline)]
pub fn steps(count: usize) {
    #[cfg(feature = "count-steps")]
    STEPS.set(STEPS.get() + count as u64);
    #[cfg(not(feature = "count-steps"))]
    let _ = count;
}

/// Counts the steps that `work` takes on this thread, and returns them with its result.
#[cfg(feature = "count-steps")]
pub fn count_steps<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.get();
    let result = work();
    (result, STEPS.get() - before)
}

/// The bytes of text whose comparison or validation counts as one step.
const BYTES_IN_A_STEP: usize = 16;

/// Counts the steps of looking at `bytes` bytes of text.
#[inline]
pub fn text_steps(bytes: usize) {
    steps(1 + bytes / BYTES_IN_A_STEP);
}
