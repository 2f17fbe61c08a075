//! The callbacks: one judges variants, the other is told the progress.

use std::ffi::{CString, c_void};

use clreduce::events::Event;
use clreduce::{Cancel, SourceFile, TestCase};

use super::{ClreduceFile, ClreduceProgress};

/// A callback that judges.
#[derive(Clone, Copy)]
pub(super) enum CallbackTest {
    OneFile(unsafe extern "C" fn(*const u8, usize, *mut c_void) -> bool),
    Files(unsafe extern "C" fn(*const ClreduceFile, usize, *mut c_void) -> bool),
}

/// The callback and its context, as it is called from other threads.
pub(super) struct Callback {
    pub(super) test: CallbackTest,
    pub(super) context: *mut c_void,
}

// SAFETY: the caller of `clreduce_reduce` promises that the callback may be called with this context
// from several threads at once.
unsafe impl Send for Callback {}
// SAFETY: as above.
unsafe impl Sync for Callback {}

impl Callback {
    pub(super) fn is_interesting(&self, variant: &TestCase) -> bool {
        match self.test {
            CallbackTest::OneFile(test) => {
                let bytes = variant.files().first().map_or(&[][..], |file| &file.bytes);
                // SAFETY: the caller of `clreduce_reduce` promises that the callback can be called; pointer and
                // length are those of a slice.
                unsafe { test(bytes.as_ptr(), bytes.len(), self.context) }
            }
            CallbackTest::Files(test) => {
                let Some(paths) = paths_of(variant) else { return false };
                let files = files_of(variant, &paths);
                // SAFETY: as above; the paths and the files live until the call is over.
                unsafe { test(files.as_ptr(), files.len(), self.context) }
            }
        }
    }
}

/// The paths of a program as strings of C; `None` for a path with a zero byte.
pub(super) fn paths_of(case: &TestCase) -> Option<Vec<CString>> {
    case.files().iter().map(|file| CString::new(file.path.as_bytes()).ok()).collect()
}

/// The files of a program, which point into it and into its paths.
pub(super) fn files_of(case: &TestCase, paths: &[CString]) -> Vec<ClreduceFile> {
    let file = |(file, path): (&SourceFile, &CString)| ClreduceFile {
        path: path.as_ptr(),
        bytes: file.bytes.as_ptr(),
        length: file.bytes.len(),
    };
    case.files().iter().zip(paths).map(file).collect()
}

/// The progress callback, and what it was told last.
pub(super) struct ProgressCallback {
    pub(super) callback: unsafe extern "C" fn(*const ClreduceProgress, *mut c_void) -> bool,
    pub(super) context: *mut c_void,
    pub(super) so_far: ClreduceProgress,
    pub(super) cancel: Cancel,
}

// SAFETY: only the thread that called `clreduce_reduce` calls it; the engine asks for `Send` all the same.
unsafe impl Send for ProgressCallback {}

impl ProgressCallback {
    pub(super) fn update(&mut self, event: &Event) {
        match event {
            Event::Started { size, bytes, .. } | Event::Committed { size, bytes, .. } => {
                (self.so_far.tokens, self.so_far.bytes) = (size.tokens, *bytes);
            }
            Event::Judged { step, tests, .. } => {
                (self.so_far.steps, self.so_far.tests) = (*step, *tests);
                // SAFETY: the caller of `clreduce_reduce` promises that the callback can be called with this context.
                if !unsafe { (self.callback)(&raw const self.so_far, self.context) } {
                    self.cancel.cancel();
                }
            }
            _ => {}
        }
    }
}
