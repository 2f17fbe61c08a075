//! clreduce for programs in C and C++: one call that reduces, and a callback that judges.
//!
//! All `unsafe` code is here, and it is sound as long as callers keep what the comments of each function
//! ask of them: pointers that are valid for the length given beside them, and a callback that may be
//! called from several threads at once. No panic crosses the border.

#![expect(unsafe_code, reason = "pointers from C")]

use std::ffi::{CStr, c_char, c_void};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::time::Duration;

use clreduce::events::Ending;
use clreduce::{Reduced, Reduction, ReductionError, TestCase};

/// How a reduction ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClreduceStatus {
    /// Nothing that was proposed is left to try.
    ClreduceMinimal = 0,
    /// A limit was reached; the result is the best so far.
    ClreduceLimit = 1,
    /// The callback does not find the original interesting.
    ClreduceNotInteresting = 2,
    /// The callback says now this, now that.
    ClreduceFlaky = 3,
    /// An argument is wrong: a null pointer, a name that is no plain file name in UTF-8.
    ClreduceInvalid = 4,
    /// The system refused, or clreduce failed.
    ClreduceFailed = 5,
}

/// Judges a variant: whether it still shows what is looked for. The bytes are valid during the call. It is
/// called from several threads at once unless `jobs` is 1, and must give the same answer to the same bytes.
pub type ClreduceTest =
    Option<unsafe extern "C" fn(bytes: *const u8, length: usize, context: *mut c_void) -> bool>;

/// What a reduction may use. All zeroes is a good choice.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ClreduceOptions {
    /// Calls of the callback at the same time; 0 is one for each core. The result is the same for all.
    pub jobs: u32,
    /// Most steps, which are verdicts that the reducer takes; 0 is no limit.
    pub max_steps: u64,
    /// Longest time in seconds; 0 is no limit. With one, the result depends on time.
    pub time_limit_seconds: u32,
}

/// What a reduction came to.
#[repr(C)]
#[derive(Debug)]
pub struct ClreduceResult {
    /// The smallest interesting program found, to be given back with `clreduce_free`; null without one.
    pub bytes: *mut u8,
    /// Its length in bytes.
    pub length: usize,
    /// Its size in tokens.
    pub tokens: usize,
    /// Steps: verdicts that the reducer took.
    pub steps: u64,
    /// Calls of the callback, those included that turned out not to be needed.
    pub tests: u64,
}

/// The callback and its context, as it is called from other threads.
struct Callback {
    test: unsafe extern "C" fn(*const u8, usize, *mut c_void) -> bool,
    context: *mut c_void,
}

// SAFETY: the caller of `clreduce_reduce` promises that the callback may be called with this context
// from several threads at once.
unsafe impl Send for Callback {}
// SAFETY: as above.
unsafe impl Sync for Callback {}

impl Callback {
    fn is_interesting(&self, variant: &TestCase) -> bool {
        let bytes = variant.files().first().map_or(&[][..], |file| &file.bytes);
        // SAFETY: the caller of `clreduce_reduce` promises that the callback can be called; pointer and
        // length are those of a slice.
        unsafe { (self.test)(bytes.as_ptr(), bytes.len(), self.context) }
    }
}

/// Reduces a program and returns how that ended. Blocks until it is over.
///
/// `name` is the program's file name, from which its language is told ("bug.c", "bug.cl", "bug.cu").
/// `options` may be null. With `CLREDUCE_MINIMAL` and `CLREDUCE_LIMIT`, `result` holds the reduced program.
/// Several threads may reduce at the same time.
///
/// # Safety
/// `name` is a string that ends with a zero byte; `bytes` points to `length` bytes; `options` is null or
/// points to options; `result` points to a place for a result; `test` may be called with `context` from
/// several threads at once until this function returns, and does not unwind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clreduce_reduce(
    name: *const c_char,
    bytes: *const u8,
    length: usize,
    test: ClreduceTest,
    context: *mut c_void,
    options: *const ClreduceOptions,
    result: *mut ClreduceResult,
) -> ClreduceStatus {
    let Some(test) = test.filter(|_| !(name.is_null() || bytes.is_null() || result.is_null()))
    else {
        return ClreduceStatus::ClreduceInvalid;
    };
    // SAFETY: none of them is null, and the caller promises that they point to what they should.
    let (name, bytes, result, options) = unsafe {
        result.write(ClreduceResult::nothing());
        let name = CStr::from_ptr(name).to_str();
        let bytes = std::slice::from_raw_parts(bytes, length);
        (name, bytes, &mut *result, options.as_ref().copied().unwrap_or_default())
    };
    let Some(case) = name.ok().and_then(|name| TestCase::single(name, bytes).ok()) else {
        return ClreduceStatus::ClreduceInvalid;
    };
    let judge = Callback { test, context };
    let run = AssertUnwindSafe(|| reduce(case, judge, options));
    match catch_unwind(run) {
        Ok(Ok(reduced)) => result.fill(&reduced),
        Ok(Err(ReductionError::NotInteresting(_))) => ClreduceStatus::ClreduceNotInteresting,
        Ok(Err(ReductionError::Flaky { .. })) => ClreduceStatus::ClreduceFlaky,
        Ok(Err(_)) | Err(_) => ClreduceStatus::ClreduceFailed,
    }
}

/// Gives the program of a result back. Does nothing for one without.
///
/// # Safety
/// `result` is null or points to a result of `clreduce_reduce`, or to one that was given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clreduce_free(result: *mut ClreduceResult) {
    // SAFETY: the caller promises that it points to a result, or is null.
    let Some(result) = (unsafe { result.as_mut() }) else { return };
    if !result.bytes.is_null() {
        let bytes = ptr::slice_from_raw_parts_mut(result.bytes, result.length);
        // SAFETY: these bytes were a box of this length in `fill`, and are given back once: the pointer
        // is null from now on.
        drop(unsafe { Box::from_raw(bytes) });
    }
    *result = ClreduceResult::nothing();
}

fn reduce(
    case: TestCase,
    judge: Callback,
    options: ClreduceOptions,
) -> Result<Reduced, ReductionError> {
    let test = move |variant: &TestCase| judge.is_interesting(variant);
    let mut reduction = Reduction::of(case).test(test);
    if let Some(jobs) = NonZeroUsize::new(options.jobs as usize) {
        reduction = reduction.jobs(jobs);
    }
    if options.max_steps > 0 {
        reduction = reduction.max_steps(options.max_steps);
    }
    if options.time_limit_seconds > 0 {
        reduction = reduction.time_limit(Duration::from_secs(options.time_limit_seconds.into()));
    }
    reduction.run()
}

impl ClreduceResult {
    const fn nothing() -> Self {
        Self { bytes: ptr::null_mut(), length: 0, tokens: 0, steps: 0, tests: 0 }
    }

    fn fill(&mut self, reduced: &Reduced) -> ClreduceStatus {
        let bytes = reduced.case.files().first().map_or(&[][..], |file| &file.bytes);
        let owned: Box<[u8]> = bytes.into();
        self.length = owned.len();
        self.bytes = Box::into_raw(owned).cast();
        self.tokens = reduced.size.tokens;
        self.steps = reduced.steps;
        self.tests = reduced.tests;
        match reduced.ending {
            Ending::Minimal => ClreduceStatus::ClreduceMinimal,
            _ => ClreduceStatus::ClreduceLimit,
        }
    }
}
