//! A pool of workers with libclang: as many as there are texts at a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use clreduce_process::Cancel;

use crate::diagnostic::Diagnostic;
use crate::worker::{CompileOptions, CompileWorker};

/// Workers that are all started the same way, when they are needed.
pub struct CompileWorkers {
    options: CompileOptions,
    idle: Mutex<Vec<CompileWorker>>,
    /// There is no libclang, or it does not work: not to be tried again.
    broken: AtomicBool,
}

impl CompileWorkers {
    /// None of them runs yet.
    #[must_use]
    pub fn new(options: CompileOptions) -> Self {
        Self { options, idle: Mutex::default(), broken: AtomicBool::new(false) }
    }

    /// As [`CompileWorker::diagnose`], by any of them. `None`: clang itself has to be asked.
    #[must_use]
    pub fn diagnose(&self, text: [&[u8]; 2], cancel: &Cancel) -> Option<Vec<Diagnostic>> {
        if self.broken.load(Ordering::Relaxed) {
            return None;
        }
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let is_new = idle.is_none();
        let mut worker = idle.unwrap_or_else(|| CompileWorker::new(self.options.clone()));
        let diagnostics = worker.diagnose(text, cancel);
        // One that fails on its first text may never work.
        self.broken.fetch_or(is_new && diagnostics.is_err(), Ordering::Relaxed);
        let diagnostics = diagnostics.ok()?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        Some(diagnostics)
    }
}
