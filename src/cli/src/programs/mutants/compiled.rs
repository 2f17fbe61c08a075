//! The code that clang makes of a program. A mutant with the same code is no other program.

use std::env;
use std::ffi::OsString;
use std::time::Duration;

use clreduce_check::HostKernel;
use clreduce_compiler::Clang;
use clreduce_interestingness::Cancel;
use clreduce_process::{End, Limits, ToolRunner};
use clreduce_testcase::{Feature, Language, TestCase};
use tempfile::TempDir;

use super::result::MutantResult;
use crate::failure::{CliError, MutantsError};
use crate::settings::sandbox;

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

/// The reason why clang came to no end.
struct CompilerTrouble(String);

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
        let tools =
            ToolRunner::confined(folder.path().to_owned(), worker, limits, sandbox::confinement());
        let mut compiled = Self { clang, tools, _folder: folder, language, code: None };
        compiled.code = compiled.code_of(case, cancel).ok().flatten();
        Ok(compiled)
    }

    /// The end of a mutant without code, or with the same code as the program; `None` for any other.
    pub(super) fn compare(&self, mutant: &TestCase, cancel: &Cancel) -> Option<MutantResult> {
        let own = self.code.as_ref()?;
        match self.code_of(mutant, cancel) {
            Err(CompilerTrouble(why)) => Some(MutantResult::Undecided(why)),
            Ok(None) => Some(MutantResult::Stillborn),
            Ok(Some(code)) if code == *own => Some(MutantResult::Equivalent),
            Ok(Some(_)) => None,
        }
    }

    /// The code of a program; `None` if clang refuses it.
    ///
    /// # Errors
    /// When clang does not come to an end, with the reason.
    fn code_of(&self, case: &TestCase, cancel: &Cancel) -> Result<Option<String>, CompilerTrouble> {
        let kernel;
        let (options, files) = if self.language.has(Feature::CheckedKernels) {
            let file = &case.files()[0];
            let Ok(read) = HostKernel::of(&file.path, file.bytes.clone()) else {
                return Ok(None);
            };
            kernel = read;
            (self.clang.host(kernel.language), &kernel.files)
        } else {
            (Vec::new(), case)
        };
        let words = ["-O2", "-w", "-S", "-o", "-", &files.files()[0].path];
        let args = options.into_iter().chain(words.map(OsString::from)).collect();
        let ran = self.tools.run(self.clang.program(), args, files, cancel);
        match ran.end {
            End::Exited(0) => Ok(Some(ran.stdout)),
            End::Exited(_) => Ok(None),
            _ => Err(CompilerTrouble(ran.trouble())),
        }
    }
}
