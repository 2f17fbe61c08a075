//! A worker process with libclang: it says what clang says of a program, in milliseconds, without starting clang.
//!
//! libclang is loaded at run time; where there is none, and after it has crashed, the caller starts clang.

use std::path::PathBuf;

use clreduce_process::Cancel;
use clreduce_process::worker::{WorkerError, WorkerOptions, WorkerProcess};
use thiserror::Error;

use crate::api::LibclangError;
use crate::diagnostic::Diagnostic;
use crate::service::{CompilerOrder, CompilerReply, CompilerService};

/// The number of texts after which a worker is replaced: libclang does not give back all memory.
const RETIRE_AFTER: u32 = 2000;

/// The options with which texts are compiled.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The options of the worker process. Its limit for starting is also the limit for a text.
    pub worker: WorkerOptions,
    /// The folder of libclang; where it is usually found if this is not given.
    pub library: Option<PathBuf>,
    /// Name of the file that the text would be in.
    pub file: String,
    /// clang's options, as in `-x cl -Wall`.
    pub arguments: Vec<String>,
}

/// The reason that libclang says nothing of a text.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompilerError {
    /// There is no libclang, or it cannot be used, or it refuses the text.
    #[error(transparent)]
    Libclang(#[from] LibclangError),
    /// The worker process failed: libclang crashed, or took too long.
    #[error(transparent)]
    Worker(#[from] WorkerError),
}

type Process = WorkerProcess<CompilerOrder, CompilerReply>;

/// A worker process with libclang.
#[derive(Debug)]
pub struct CompileWorker {
    options: CompileOptions,
    /// With the number of texts that it has seen.
    process: Option<(Process, u32)>,
}

impl CompileWorker {
    /// A worker; its process starts with the first text.
    #[must_use]
    pub fn new(mut options: CompileOptions) -> Self {
        if let Some(folder) = &options.library {
            options.worker.environment.push(("LIBCLANG_PATH".into(), folder.into()));
        }
        Self { options, process: None }
    }

    /// Returns the diagnostics of a program behind declarations, which many programs have in common; none for a text that the compiler
    /// likes.
    ///
    /// # Errors
    /// When there is no libclang, or it crashes, or takes too long, or `cancel` is triggered.
    pub fn diagnose(
        &mut self,
        text: [&[u8]; 2],
        cancel: &Cancel,
    ) -> Result<Vec<Diagnostic>, CompilerError> {
        let (mut process, seen) = match self.process.take() {
            Some((process, seen)) if seen < RETIRE_AFTER => (process, seen),
            _ => (self.start()?, 0),
        };
        let hook = process.listen_to(cancel);
        let order = CompilerOrder::Diagnose {
            file: self.options.file.clone(),
            arguments: self.options.arguments.clone(),
            text: text.map(<[u8]>::to_vec),
        };
        let reply = process.ask(&order, self.options.worker.start_limit);
        drop(hook);
        match reply? {
            CompilerReply::Diagnostics(diagnostics) if !cancel.is_cancelled() => {
                self.process = Some((process, seen + 1));
                Ok(diagnostics?)
            }
            CompilerReply::Diagnostics(_) => Err(WorkerError::Cancelled.into()),
            CompilerReply::Loaded(_) => Err(WorkerError::WrongReply.into()),
        }
    }

    fn start(&self) -> Result<Process, CompilerError> {
        let options = &self.options.worker;
        let mut process = Process::start::<CompilerService>(options, None)?;
        match process.ask(&CompilerOrder::Load, options.start_limit)? {
            CompilerReply::Loaded(Ok(())) => Ok(process),
            CompilerReply::Loaded(Err(error)) => Err(error.into()),
            CompilerReply::Diagnostics(_) => Err(WorkerError::WrongReply.into()),
        }
    }
}
