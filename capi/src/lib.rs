//! clreduce for programs in C and C++: a call that reduces, a callback that judges, and one that is told the progress.
//!
//! All `unsafe` code is here, and it is sound as long as callers keep what the comments of each function
//! ask of them: pointers that are valid for the length given beside them, and a callback that may be
//! called from several threads at once. No panic crosses the border.

#![expect(unsafe_code, reason = "pointers from C")]

mod callbacks;
mod cancellation;
mod input;

use std::ffi::{CStr, CString, c_char, c_void};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::time::Duration;

use clreduce::events::Ending;
use clreduce::{
    Cancel, CommandOptions, CommandTest, Reduced, Reduction, ReductionError, SetupError,
    SourceFile, TestCase, TestCommand,
};
use thiserror::Error;

use callbacks::{Callback, CallbackTest, ProgressCallback, paths_of};
use cancellation::ClreduceCancellation;

/// The test of a reduction.
enum Judge {
    Callback(Callback),
    Shell(String),
}

/// The end of a reduction.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClreduceStatus {
    /// Nothing that was proposed is left to try.
    ClreduceMinimal = 0,
    /// A limit was reached; the result is the best so far.
    ClreduceLimit = 1,
    /// The test does not find the original interesting.
    ClreduceNotInteresting = 2,
    /// The test says now this, now that.
    ClreduceFlaky = 3,
    /// An argument is wrong: a null pointer, a name that is no plain file name in UTF-8.
    ClreduceInvalid = 4,
    /// The system refused, or clreduce failed; the message of the result says why.
    ClreduceFailed = 5,
    /// The progress callback or a cancellation ended the reduction; the result is the best so far.
    ClreduceCancelled = 6,
}

/// A file of a program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ClreduceFile {
    /// Its path, relative and with slashes, which tells its language ("bug.c", "include/a.h", "bug.cl", "bug.cu").
    pub path: *const c_char,
    /// Its content.
    pub bytes: *const u8,
    /// Its length in bytes.
    pub length: usize,
}

/// Judges a variant: whether it still shows what is looked for. The bytes are valid during the call. It is
/// called from several threads at once unless `jobs` is 1, and must give the same answer to the same bytes.
pub type ClreduceTest =
    Option<unsafe extern "C" fn(bytes: *const u8, length: usize, context: *mut c_void) -> bool>;

/// Judges a variant of several files, like `clreduce_test`. A file that was removed is missing.
pub type ClreduceFilesTest = Option<
    unsafe extern "C" fn(files: *const ClreduceFile, count: usize, context: *mut c_void) -> bool,
>;

/// The progress of a reduction.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ClreduceProgress {
    /// Steps so far.
    pub steps: u64,
    /// Calls of the callback so far.
    pub tests: u64,
    /// Tokens of the smallest interesting program so far.
    pub tokens: usize,
    /// Its bytes.
    pub bytes: usize,
}

/// Is told after every step how far the reduction has come, on the thread that started it. Returns true to go on, false
/// to end the reduction with the best result so far.
pub type ClreduceProgressCallback =
    Option<unsafe extern "C" fn(progress: *const ClreduceProgress, context: *mut c_void) -> bool>;

/// The options of a reduction. All zeroes is a good choice.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ClreduceOptions {
    /// Calls of the callback at the same time; 0 is one for each core. The result is the same for all.
    pub jobs: u32,
    /// Most steps, which are verdicts that the reducer takes; 0 is no limit.
    pub max_steps: u64,
    /// Longest time in seconds; 0 is no limit. With one, the result depends on time.
    pub time_limit_seconds: u32,
    /// Called after every step; may be null.
    pub progress: ClreduceProgressCallback,
    /// Given to `progress`.
    pub progress_context: *mut c_void,
    /// Ends the reduction when another thread says so; may be null.
    pub cancellation: *const ClreduceCancellation,
}

impl Default for ClreduceOptions {
    fn default() -> Self {
        Self {
            jobs: 0,
            max_steps: 0,
            time_limit_seconds: 0,
            progress: None,
            progress_context: ptr::null_mut(),
            cancellation: ptr::null(),
        }
    }
}

/// The result of a reduction. To be given back with `clreduce_free`.
#[repr(C)]
#[derive(Debug)]
pub struct ClreduceResult {
    /// The files of the smallest interesting program found, by their paths; null without one.
    pub files: *const ClreduceFile,
    /// Their number.
    pub count: usize,
    /// The content of the first of them.
    pub bytes: *const u8,
    /// Its length in bytes.
    pub length: usize,
    /// The size of the program in tokens.
    pub tokens: usize,
    /// Steps: verdicts that the reducer took.
    pub steps: u64,
    /// Calls of the callback, those included that turned out not to be needed.
    pub tests: u64,
    /// Why there is no program, in English; null if there is one.
    pub message: *const c_char,
}

/// Reduces a program of one file and returns how that ended. Blocks until it is over.
///
/// `name` is the program's file name, from which its language is told ("bug.c", "bug.cl", "bug.cu").
/// `options` may be null. With `CLREDUCE_MINIMAL`, `CLREDUCE_LIMIT` and `CLREDUCE_CANCELLED`, `result` holds the reduced
/// program, otherwise a message. Several threads may reduce at the same time.
///
/// # Safety
/// `name` is a string that ends with a zero byte; `bytes` points to `length` bytes; `options` is null or
/// points to options, whose cancellation is null or was not given back; `result` points to a place for a
/// result; `test` may be called with `context` from several threads at once until this function returns, and
/// neither it nor `progress` unwinds.
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
    let file = ClreduceFile { path: name, bytes, length };
    // SAFETY: the caller promises what `run` asks for.
    unsafe {
        let judge =
            test.map(CallbackTest::OneFile).map(|test| Judge::Callback(Callback { test, context }));
        run(&raw const file, 1, judge, options, result)
    }
}

/// Reduces a program of several files, like `clreduce_reduce`. Files may be removed as a whole.
///
/// # Safety
/// As for `clreduce_reduce`; `files` points to `count` files, each with a path that ends with a zero byte and with
/// bytes of its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clreduce_reduce_files(
    files: *const ClreduceFile,
    count: usize,
    test: ClreduceFilesTest,
    context: *mut c_void,
    options: *const ClreduceOptions,
    result: *mut ClreduceResult,
) -> ClreduceStatus {
    // SAFETY: the caller promises what `run` asks for.
    unsafe {
        let judge =
            test.map(CallbackTest::Files).map(|test| Judge::Callback(Callback { test, context }));
        run(files, count, judge, options, result)
    }
}

/// Reduces a program of several files with a shell command as the test, as the program `clreduce` does: it runs in a folder
/// of its own with the files in it, and a variant is interesting if it ends with status 0.
///
/// # Safety
/// As for `clreduce_reduce_files`; `command` is null or a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clreduce_reduce_by_command(
    files: *const ClreduceFile,
    count: usize,
    command: *const c_char,
    options: *const ClreduceOptions,
    result: *mut ClreduceResult,
) -> ClreduceStatus {
    // SAFETY: the caller promises that it is a string, if it is not null, and what `run` asks for.
    unsafe {
        let command = (!command.is_null()).then(|| CStr::from_ptr(command).to_string_lossy());
        run(files, count, command.map(|line| Judge::Shell(line.into_owned())), options, result)
    }
}

/// Reduces files with any test.
///
/// # Safety
/// As for `clreduce_reduce_files`.
unsafe fn run(
    files: *const ClreduceFile,
    count: usize,
    judge: Option<Judge>,
    options: *const ClreduceOptions,
    result: *mut ClreduceResult,
) -> ClreduceStatus {
    // SAFETY: the caller promises that it points to a place for a result, if it is not null.
    let Some(result) = (unsafe {
        if !result.is_null() {
            result.write(ClreduceResult::nothing());
        }
        result.as_mut()
    }) else {
        return ClreduceStatus::ClreduceInvalid;
    };
    let Some(judge) = judge.filter(|_| !files.is_null()) else {
        return result.without(ClreduceStatus::ClreduceInvalid, "an argument is null");
    };
    // SAFETY: neither is null, or it may be; the caller promises that they point to what they should.
    let (case, options, cancel) = unsafe {
        let files = std::slice::from_raw_parts(files, count);
        let options = options.as_ref().copied().unwrap_or_default();
        let given = options.cancellation.as_ref().map(|given| given.cancel.clone());
        (input::read(files), options, given.unwrap_or_default())
    };
    let case = match case {
        Ok(case) => case,
        Err(error) => return result.without(ClreduceStatus::ClreduceInvalid, &error.to_string()),
    };
    match catch_unwind(AssertUnwindSafe(|| reduce(case, judge, options, cancel))) {
        Ok(Ok(reduced)) => result.fill(&reduced),
        Ok(Err(error)) => {
            let status = match &error {
                RunError::Reduction(ReductionError::NotInteresting(_)) => {
                    ClreduceStatus::ClreduceNotInteresting
                }
                RunError::Reduction(error) if error.is_of_the_test() => {
                    ClreduceStatus::ClreduceFlaky
                }
                _ => ClreduceStatus::ClreduceFailed,
            };
            result.without(status, &error.to_string())
        }
        Err(_) => result.without(ClreduceStatus::ClreduceFailed, "internal error of clreduce"),
    }
}

/// The reason why there is no result.
#[derive(Debug, Error)]
enum RunError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Reduction(#[from] ReductionError),
}

/// Gives the program and the message of a result back. Does nothing for one without.
///
/// # Safety
/// `result` is null or points to a result of `clreduce_reduce`, or to one that was given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clreduce_free(result: *mut ClreduceResult) {
    // SAFETY: the caller promises that it points to a result, or is null.
    let Some(result) = (unsafe { result.as_mut() }) else { return };
    // SAFETY: files, paths, contents and the message were boxes of these lengths in `fill` and `without`, and are given
    // back once: the pointers are null from now on.
    unsafe {
        if !result.files.is_null() {
            let files = ptr::slice_from_raw_parts_mut(result.files.cast_mut(), result.count);
            for file in Box::from_raw(files) {
                drop(CString::from_raw(file.path.cast_mut()));
                drop(Box::from_raw(ptr::slice_from_raw_parts_mut(
                    file.bytes.cast_mut(),
                    file.length,
                )));
            }
        }
        if !result.message.is_null() {
            drop(CString::from_raw(result.message.cast_mut()));
        }
    }
    *result = ClreduceResult::nothing();
}

fn reduce(
    case: TestCase,
    judge: Judge,
    options: ClreduceOptions,
    cancel: Cancel,
) -> Result<Reduced, RunError> {
    let reduction = Reduction::of(case);
    let mut reduction = match judge {
        Judge::Callback(callback) => {
            reduction.test(move |variant: &TestCase| callback.is_interesting(variant))
        }
        Judge::Shell(line) => {
            reduction.test(CommandTest::new(&TestCommand::Shell(line), CommandOptions::default())?)
        }
    };
    reduction = reduction.cancel(cancel.clone());
    if let Some(jobs) = NonZeroUsize::new(options.jobs as usize) {
        reduction = reduction.jobs(jobs);
    }
    if options.max_steps > 0 {
        reduction = reduction.max_steps(options.max_steps);
    }
    if options.time_limit_seconds > 0 {
        reduction = reduction.time_limit(Duration::from_secs(options.time_limit_seconds.into()));
    }
    if let Some(callback) = options.progress {
        let (context, so_far) = (options.progress_context, ClreduceProgress::default());
        let mut progress = ProgressCallback { callback, context, so_far, cancel };
        reduction = reduction.on_event(move |event| progress.update(event));
    }
    Ok(reduction.run()?)
}

impl ClreduceResult {
    const fn nothing() -> Self {
        Self {
            files: ptr::null(),
            count: 0,
            bytes: ptr::null(),
            length: 0,
            tokens: 0,
            steps: 0,
            tests: 0,
            message: ptr::null(),
        }
    }

    /// Says why there is no program.
    fn without(&mut self, status: ClreduceStatus, message: &str) -> ClreduceStatus {
        let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
        self.message = message.into_raw();
        status
    }

    fn fill(&mut self, reduced: &Reduced) -> ClreduceStatus {
        let Some(paths) = paths_of(&reduced.case) else {
            return self.without(ClreduceStatus::ClreduceInvalid, "a path contains a zero byte");
        };
        let file = |(file, path): (&SourceFile, CString)| {
            let bytes: Box<[u8]> = (*file.bytes).into();
            let length = bytes.len();
            ClreduceFile { path: path.into_raw(), bytes: Box::into_raw(bytes).cast(), length }
        };
        let files: Box<[ClreduceFile]> = reduced.case.files().iter().zip(paths).map(file).collect();
        self.count = files.len();
        (self.bytes, self.length) =
            files.first().map_or((ptr::null(), 0), |file| (file.bytes, file.length));
        self.files = Box::into_raw(files).cast();
        self.tokens = reduced.size.tokens;
        self.steps = reduced.steps;
        self.tests = reduced.tests;
        match reduced.ending {
            Ending::Minimal => ClreduceStatus::ClreduceMinimal,
            Ending::Interrupted => ClreduceStatus::ClreduceCancelled,
            _ => ClreduceStatus::ClreduceLimit,
        }
    }
}
