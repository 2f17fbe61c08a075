//! The compile filter: libclang, in processes that stay, says whether a variant compiles.

use std::sync::OnceLock;
use std::time::Duration;

use clreduce_interestingness::{Cancel, CompileFilter};
use clreduce_process::worker::WorkerOptions;
use clreduce_testcase::{Feature, Grammar, Language, TestCase};

use crate::clang::Clang;
use crate::diagnostic::Severity;
use crate::worker::CompileOptions;
use crate::workers::CompileWorkers;

/// The longest time that libclang may take for one text.
const LIMIT: Duration = Duration::from_secs(10);

/// libclang as a compile filter. It is as lenient as it can be: a program that some compiler accepts is not rejected.
pub struct LibclangFilter {
    dialects: &'static [&'static [&'static str]],
    worker: WorkerOptions,
    /// In the first dialect in which it accepted something.
    workers: OnceLock<CompileWorkers>,
}

/// gcc's headers know types and attributes that clang does not.
const C: &[&[&str]] = &[
    &["-x", "c", LENIENT],
    &["-x", "c", LENIENT, "-D_Float128=__float128", "-D__malloc__(...)=__unused__"],
];

const OPENCL: &[&[&str]] = &[
    &["-x", "cl", "-cl-std=CL1.2", LENIENT],
    &["-x", "cl", "-cl-std=CL2.0", LENIENT],
    &["-x", "cl", "-cl-std=CL3.0", LENIENT],
];

/// Older versions of clang know no `-x clcpp`, but all read the standard.
const OPENCL_CPP: &[&[&str]] =
    &[&["-x", "cl", "-cl-std=CLC++2021", LENIENT], &["-x", "cl", "-cl-std=CLC++1.0", LENIENT]];

/// Also what is a warning by name and an error by default, such as a type left out.
const LENIENT: &str = "-Wno-everything";

impl LibclangFilter {
    /// A filter for programs of one file; `None` for a language that cannot be compiled without knowing more.
    /// `worker` says how its processes are started.
    #[must_use]
    pub fn new(language: Language, worker: WorkerOptions) -> Option<Self> {
        let dialects = match (language.grammar()?, language.has(Feature::OpenClWords)) {
            (Grammar::C, false) => C,
            (Grammar::C, true) => OPENCL,
            (Grammar::Cpp, true) => OPENCL_CPP,
            _ => return None,
        };
        let worker = WorkerOptions { start_limit: LIMIT, ..worker };
        Some(Self { dialects, worker, workers: OnceLock::new() })
    }

    /// Takes the first dialect that accepts a text, where there is one.
    fn choose(&self, source: &[u8], cancel: &Cancel) -> Option<bool> {
        let clang = Clang::find(None, &[]).ok();
        let library = clang.and_then(|clang| clang.library_folder());
        let mut accepted = None;
        for dialect in self.dialects {
            let workers = CompileWorkers::new(CompileOptions {
                worker: self.worker.clone(),
                library: library.clone(),
                file: "variant".to_owned(),
                arguments: dialect.iter().map(|&word| word.to_owned()).collect(),
            });
            accepted = Some(accepts(&workers, source, cancel)?);
            if accepted == Some(true) {
                // Two threads may have come here; either is as good.
                let _ = self.workers.set(workers);
                break;
            }
        }
        accepted
    }
}

impl CompileFilter for LibclangFilter {
    fn accepts(&self, variant: &TestCase, cancel: &Cancel) -> Option<bool> {
        let [file] = variant.files() else { return None };
        match self.workers.get() {
            Some(workers) => accepts(workers, &file.bytes, cancel),
            None => self.choose(&file.bytes, cancel),
        }
    }
}

fn accepts(workers: &CompileWorkers, source: &[u8], cancel: &Cancel) -> Option<bool> {
    let diagnostics = workers.diagnose([b"", source], cancel)?;
    Some(diagnostics.iter().all(|diagnostic| diagnostic.severity < Severity::Error))
}
