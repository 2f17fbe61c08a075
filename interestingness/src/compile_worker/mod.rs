//! What clang says of a program, without starting clang: a worker process keeps libclang and answers one text after
//! another, in milliseconds.
//!
//! libclang is loaded at run time; where there is none, and after it has crashed, the caller starts clang.

mod api;
mod workers;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Cancel;
use crate::opencl::process::{Event, Process};
use crate::opencl::protocol::{Order, Reply};
use crate::opencl::{Through, WorkerOptions};

pub(crate) use api::Index;
pub use workers::CompileWorkers;

/// After so many texts, a worker is replaced: libclang does not give back all memory.
const RETIRE_AFTER: u32 = 2000;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The program is accepted.
    Warning,
    /// It is not.
    Error,
    /// The compiler gave up.
    Fatal,
}

/// One thing that the compiler says; notes are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file that it is about; empty where it is about none.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// The text.
    pub message: String,
    /// The name of the warning, as in `unused-variable`.
    pub flag: Option<String>,
}

/// How texts are compiled.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// How the worker process is started; its limit for starting is also the one for a text.
    pub worker: WorkerOptions,
    /// The folder of libclang; where it is usually found if this is not given.
    pub library: Option<PathBuf>,
    /// Name of the file that the text would be in.
    pub file: String,
    /// clang's options, as in `-x cl -Wall`.
    pub arguments: Vec<String>,
}

/// A worker process with libclang.
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

    /// What the compiler says of a text: an empty list is a text that it likes.
    ///
    /// # Errors
    /// When there is no libclang, or it crashes, or takes too long, or `cancel` is triggered; in words.
    pub fn diagnose(&mut self, source: &[u8], cancel: &Cancel) -> Result<Vec<Diagnostic>, String> {
        let (mut process, seen) = match self.process.take() {
            Some((process, seen)) if seen < RETIRE_AFTER => (process, seen),
            _ => (self.start()?, 0),
        };
        let hook = cancel.on_cancel({
            let sender = process.sender.clone();
            move || {
                // Nobody listens any more when it has ended meanwhile.
                let _ = sender.send(Event::Cancelled);
            }
        });
        let order = Order::Diagnose {
            file: self.options.file.clone(),
            arguments: self.options.arguments.clone(),
            source: source.to_vec(),
        };
        let reply = process.ask(&order, self.options.worker.start_limit);
        drop(hook);
        match reply? {
            Reply::Diagnostics(diagnostics) if !cancel.is_cancelled() => {
                self.process = Some((process, seen + 1));
                diagnostics
            }
            _ => Err("the worker process talks nonsense".to_owned()),
        }
    }

    fn start(&self) -> Result<Process, String> {
        let options = &self.options.worker;
        let process = Process::start(options, Through::Loader);
        let mut process = process.map_err(|error| error.to_string())?;
        match process.ask(&Order::LoadClang, options.start_limit)? {
            Reply::Opened(Ok(())) => Ok(process),
            Reply::Opened(Err(reason)) => Err(reason),
            _ => Err("the worker process talks nonsense".to_owned()),
        }
    }
}

impl Diagnostic {
    /// Reads a line that clang has printed, as in `a.c:3:7: warning: unused variable 'x' [-Wunused-variable]`.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let (place, severity, message) = [
            ("warning", Severity::Warning),
            ("fatal error", Severity::Fatal),
            ("error", Severity::Error),
        ]
        .into_iter()
        .find_map(|(word, severity)| {
            let (place, message) = line.split_once(&format!(": {word}: "))?;
            Some((place, severity, message))
        })?;
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let file = parts.next()?.to_owned();
        let flag = message.rsplit_once(" [-W").filter(|(_, rest)| rest.ends_with(']'));
        let (message, flag) = match flag {
            Some((message, rest)) => {
                // An error that is a warning elsewhere has two names: `-Werror,-Wx`.
                let name = rest.trim_end_matches(']').trim_start_matches("error,-W");
                (message, Some(name.split(',').next().unwrap_or(name).to_owned()))
            }
            None => (message, None),
        };
        Some(Self { severity, file, line, column, message: message.to_owned(), flag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_clang_prints() {
        let read = |line| Diagnostic::read(line).unwrap();
        let warning = read("a.c:3:7: warning: unused variable 'x' [-Wunused-variable]");
        assert_eq!((warning.file.as_str(), warning.line, warning.column), ("a.c", 3, 7));
        assert_eq!(warning.message, "unused variable 'x'");
        assert_eq!(warning.flag.as_deref(), Some("unused-variable"));
        let error = read(
            "a.c:1:2: error: call to undeclared function 'f' [-Wimplicit-function-declaration]",
        );
        assert_eq!(error.severity, Severity::Error);
        assert_eq!(read("a.c:1:2: fatal error: 'x.h' file not found").severity, Severity::Fatal);
        assert_eq!(Diagnostic::read("a.c:1:1: note: here"), None);
        assert_eq!(Diagnostic::read("1 warning generated."), None);
    }
}
