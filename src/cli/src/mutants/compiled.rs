//! The code that clang makes of a program. A mutant with the same code is no other program.

use std::env;
use std::ffi::OsString;
use std::time::Duration;

use clreduce_check::HostKernel;
use clreduce_compiler::Clang;
use clreduce_interestingness::Cancel;
use clreduce_process::{End, Limits, ToolRunner};
use clreduce_testcase::{Language, TestCase};
use tempfile::TempDir;

use super::result::Fate;
use crate::failure::{CliError, MutantsError};

/// A clang, and the code that it makes of the program.
pub(super) struct Compiled {
    clang: Clang,
    tools: ToolRunner,
    /// The folder in which clang runs; it goes with this.
    _folder: TempDir,
    language: Language,
    /// Assembler; `None` where clang does not compile the program, so that nothing is known of its mutants either.
    code: Option<String>,
}

impl Compiled {
    /// Compiles the program.
    ///
    /// # Errors
    /// When there is no clang, or no folder for temporary files.
    pub(super) fn of(
        case: &TestCase,
        language: Language,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Self, CliError> {
        let clang = Clang::find(None, &[]).map_err(MutantsError::NoClang)?;
        let limits = Limits { time: Some(limit), ..Limits::default() };
        let worker = env::current_exe().ok();
        let folder = tempfile::tempdir().map_err(MutantsError::Folder)?;
        let tools = ToolRunner::local(folder.path().to_owned(), worker, limits);
        let mut compiled = Self { clang, tools, _folder: folder, language, code: None };
        compiled.code = compiled.code_of(case, cancel);
        Ok(compiled)
    }

    /// What the code says about a mutant: it is none, or the same as that of the program.
    pub(super) fn compare(&self, mutant: &TestCase, cancel: &Cancel) -> Option<Fate> {
        let own = self.code.as_ref()?;
        match self.code_of(mutant, cancel) {
            None => Some(Fate::Stillborn),
            Some(code) if code == *own => Some(Fate::Equivalent),
            Some(_) => None,
        }
    }

    fn code_of(&self, case: &TestCase, cancel: &Cancel) -> Option<String> {
        let kernel;
        let (options, files): (Vec<OsString>, &TestCase) = match self.language {
            Language::OpenCl | Language::Cuda => {
                let file = &case.files()[0];
                kernel = HostKernel::of(&file.path, file.bytes.clone()).ok()?;
                (self.clang.host(self.language), &kernel.files)
            }
            Language::C | Language::Text => (Vec::new(), case),
        };
        let words = ["-O2", "-w", "-S", "-o", "-", &files.files()[0].path];
        let args = options.into_iter().chain(words.map(OsString::from)).collect();
        let ran = self.tools.run(self.clang.program(), args, files, cancel);
        (ran.end == End::Exited(0)).then_some(ran.stdout)
    }
}
