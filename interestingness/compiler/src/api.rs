//! libclang as one safe function.
//!
//! One of the modules with `unsafe` code. It is sound as long as libclang does what its manual says: every pointer
//! passed is valid for the sizes passed with it, every object is disposed of once by the type that owns it, and
//! strings are copied before they are disposed of. libclang also crashes, on programs like those that are being
//! reduced: therefore it runs in a worker process that holds nothing of value.

#![allow(unsafe_code)]
// The names are libclang's.
#![allow(non_upper_case_globals)]

use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr::null_mut;

use clang_sys::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::diagnostic::{Diagnostic, Severity};

/// The reason that libclang is of no use.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum LibclangError {
    /// There is no library, or one that is too old.
    #[error("libclang cannot be loaded: {0}")]
    Missing(String),
    /// The library does not begin to work.
    #[error("libclang has no index")]
    NoIndex,
    /// It was not loaded before it was used.
    #[error("libclang is not loaded")]
    NotLoaded,
    /// A name or an option has a zero byte in it.
    #[error("there is a zero byte in a file name or an option")]
    ZeroByte,
    /// The text, or the list of options, is longer than the library can take.
    #[error("the file or the list of options is too long for libclang")]
    TooLong,
    /// A file cannot be written for the library.
    #[error("a file for libclang cannot be written: {0}")]
    NoFile(String),
    /// The library gave up, with a code of its own.
    #[error("libclang error {0}")]
    Failed(i32),
}

/// The name of the file with declarations.
const DECLARATIONS: &str = "declarations";
/// A line of code between the declarations and the program. libclang keeps all that it has read before the first such line.
const END: &str = "struct clreduce_program;\n";

/// libclang, loaded.
pub(crate) struct Index {
    /// The last program with declarations. It is disposed of before the index.
    last: Option<WithDeclarations>,
    raw: RawIndex,
}

struct RawIndex(CXIndex);

/// A program whose declarations libclang has kept.
struct WithDeclarations {
    name: CString,
    arguments: Vec<CString>,
    declarations: Vec<u8>,
    unit: TranslationUnit,
}

impl Index {
    /// Loads the library from the folder that `LIBCLANG_PATH` names, or where it is usually found.
    pub(crate) fn load() -> Result<Self, LibclangError> {
        load().map_err(LibclangError::Missing)?;
        // SAFETY: it was just loaded. Neither precompiled headers nor printing are wanted.
        let raw = unsafe { clang_createIndex(0, 0) };
        if raw.is_null() {
            return Err(LibclangError::NoIndex);
        }
        Ok(Self { last: None, raw: RawIndex(raw) })
    }

    /// Returns the compiler's diagnostics of a program behind declarations, as if it were in a file of that name. clreduce's declarations
    /// for CUDA take ten times as long as a small program, so they are read once. libclang can only do that with files that exist, so
    /// there has to be a folder for them; without one, it reads everything again.
    pub(crate) fn diagnose(
        &mut self,
        folder: Option<&Path>,
        file: &str,
        arguments: &[String],
        [declarations, program]: [&[u8]; 2],
    ) -> Result<Vec<Diagnostic>, LibclangError> {
        let text = |text: &str| CString::new(text).map_err(|_| LibclangError::ZeroByte);
        let name = text(file)?;
        let arguments = arguments.iter().map(|argument| text(argument));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let Some(folder) = folder.filter(|_| !declarations.is_empty()) else {
            let whole = [declarations, program].concat();
            let unit =
                self.parse(&name, &arguments, unsaved(&name, &whole)?, CXTranslationUnit_None)?;
            return Ok(unit.diagnostics());
        };
        let start = format!("#include \"{DECLARATIONS}\"\n{END}#line 1 \"{file}\"\n");
        let program = [start.as_bytes(), program].concat();
        let program = unsaved(&name, &program)?;
        let is_same = |last: &WithDeclarations| {
            (&last.name, &last.arguments) == (&name, &arguments)
                && last.declarations == declarations
        };
        let unit = match self.last.take().filter(is_same) {
            Some(last) => last.unit.parse_again(program)?,
            None => {
                let files = [(DECLARATIONS, declarations), (file, b"")];
                for (name, content) in files {
                    let written = std::fs::write(folder.join(name), content);
                    written.map_err(|error| LibclangError::NoFile(error.to_string()))?;
                }
                self.parse(&name, &arguments, program, CXTranslationUnit_PrecompiledPreamble)?
            }
        };
        let mut diagnostics = unit.diagnostics();
        // What was kept has whole paths.
        for diagnostic in &mut diagnostics {
            if let Ok(name) = Path::new(&diagnostic.file).strip_prefix(folder) {
                diagnostic.file = name.to_string_lossy().into_owned();
            }
        }
        self.last =
            Some(WithDeclarations { name, arguments, declarations: declarations.to_vec(), unit });
        Ok(diagnostics)
    }

    fn parse(
        &self,
        name: &CStr,
        arguments: &[CString],
        mut program: CXUnsavedFile,
        flags: CXTranslationUnit_Flags,
    ) -> Result<TranslationUnit, LibclangError> {
        let pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        let count = i32::try_from(pointers.len()).map_err(|_| LibclangError::TooLong)?;
        let mut unit = null_mut();
        // SAFETY: there are as many arguments, one file, and room for one unit.
        let code = unsafe {
            clang_parseTranslationUnit2(
                self.raw.0,
                name.as_ptr(),
                pointers.as_ptr(),
                count,
                &mut program,
                1,
                flags,
                &mut unit,
            )
        };
        match code {
            CXError_Success if !unit.is_null() => Ok(TranslationUnit(unit)),
            code => Err(LibclangError::Failed(code)),
        }
    }
}

/// A file that is not on the disk. It borrows the name and the text.
fn unsaved(name: &CStr, text: &[u8]) -> Result<CXUnsavedFile, LibclangError> {
    Ok(CXUnsavedFile {
        Filename: name.as_ptr(),
        Contents: text.as_ptr().cast(),
        Length: text.len().try_into().map_err(|_| LibclangError::TooLong)?,
    })
}

impl Drop for RawIndex {
    fn drop(&mut self) {
        // SAFETY: made by the library, and this is the only disposal.
        unsafe { clang_disposeIndex(self.0) };
    }
}

struct TranslationUnit(CXTranslationUnit);

impl TranslationUnit {
    /// The same with another program behind the declarations.
    fn parse_again(self, mut program: CXUnsavedFile) -> Result<Self, LibclangError> {
        // SAFETY: the unit is valid, and there is one file. After a failure it is only disposed of.
        let code = unsafe { clang_reparseTranslationUnit(self.0, 1, &mut program, CXReparse_None) };
        if code == 0 { Ok(self) } else { Err(LibclangError::Failed(code)) }
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        // SAFETY: the unit is valid.
        let count = unsafe { clang_getNumDiagnostics(self.0) };
        (0..count).filter_map(|number| self.diagnostic(number)).collect()
    }

    /// `None` for notes.
    fn diagnostic(&self, number: u32) -> Option<Diagnostic> {
        // SAFETY: there are more than `number`; it is disposed of below, after its last use.
        let raw = unsafe { clang_getDiagnostic(self.0, number) };
        // SAFETY: the diagnostic is valid, and each string is taken over.
        let (severity, message, flag) = unsafe {
            (
                clang_getDiagnosticSeverity(raw),
                own(clang_getDiagnosticSpelling(raw)),
                own(clang_getDiagnosticOption(raw, null_mut())),
            )
        };
        let (mut file, mut line, mut column) = (empty(), 0, 0);
        // SAFETY: it writes a string, which is taken over below, and two numbers.
        unsafe {
            clang_getPresumedLocation(
                clang_getDiagnosticLocation(raw),
                &mut file,
                &mut line,
                &mut column,
            );
            clang_disposeDiagnostic(raw);
        }
        // SAFETY: it was written just now.
        let file = unsafe { own(file) };
        let severity = match severity {
            CXDiagnostic_Warning => Severity::Warning,
            CXDiagnostic_Error => Severity::Error,
            CXDiagnostic_Fatal => Severity::Fatal,
            _ => return None,
        };
        let flag = flag.strip_prefix("-W").map(str::to_owned);
        Some(Diagnostic { severity, file, line, column, message, flag })
    }
}

impl Drop for TranslationUnit {
    fn drop(&mut self) {
        // SAFETY: made by the library, and this is the only disposal.
        unsafe { clang_disposeTranslationUnit(self.0) };
    }
}

fn empty() -> CXString {
    CXString { data: null_mut(), private_flags: 0 }
}

/// A copy of the text, which is disposed of.
///
/// # Safety
/// The string is one of libclang's, or empty.
unsafe fn own(string: CXString) -> String {
    if string.data.is_null() {
        return String::new();
    }
    // SAFETY: the text ends with a zero byte and lives until it is disposed of.
    unsafe {
        let text = clang_getCString(string);
        let copy = if text.is_null() {
            String::new()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        };
        clang_disposeString(string);
        copy
    }
}
