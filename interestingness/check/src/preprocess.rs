//! Preprocesses a program into one file, without line markers, and tells whether clang accepts a program.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use clreduce_compiler::{Clang, NoClang};
use clreduce_process::{Cancel, End, ToolRun};
use clreduce_testcase::{Feature, InvalidTestCase, Language, Launch, TestCase};
use thiserror::Error;

use crate::options::CheckOptions;

/// Returns true if a program has directives other than pragmas, which preprocessing keeps.
#[must_use]
pub fn needs_preprocessing(source: &[u8]) -> bool {
    let directive = |line: &[u8]| {
        let name = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        name.is_some_and(|name| !name.starts_with(b"pragma"))
    };
    source.split(|&byte| byte == b'\n').any(directive)
}

/// The reason that a program cannot be preprocessed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PreprocessError {
    /// clang is missing.
    #[error(transparent)]
    NoClang(#[from] NoClang),
    /// The program is in CUDA.
    #[error("clreduce cannot preprocess CUDA programs")]
    Cuda,
    /// clang reports an error in the program; the first one.
    #[error("{0}")]
    Rejected(String),
    /// clang crashed, or was stopped.
    #[error("clang: {0}")]
    Failed(String),
    /// The folder of the program has no absolute path.
    #[error(transparent)]
    Folder(#[from] io::Error),
    /// The program makes no test case.
    #[error(transparent)]
    File(#[from] InvalidTestCase),
}

/// Preprocesses a program that lies in `folder`. The launch comment of a kernel stays. Declarations of OpenCL itself are
/// not included.
///
/// # Errors
/// When clang is missing or rejects the program, and for every program in CUDA.
pub fn preprocess(
    source: &[u8],
    folder: &Path,
    language: Language,
    options: &CheckOptions,
    cancel: &Cancel,
) -> Result<Vec<u8>, PreprocessError> {
    let ran = read_by_clang(source, folder, language, options, &["-E", "-P"], cancel)?;
    if ran.end != End::Exited(0) {
        return Err(failure(&ran));
    }
    let mut text = Vec::new();
    if let Some(launch) = Launch::find(source) {
        text.extend_from_slice(&source[launch.comment]);
        text.push(b'\n');
    }
    text.extend_from_slice(ran.stdout.trim_start().as_bytes());
    Ok(text)
}

/// Returns without an error if clang accepts a program that lies in `folder`. The declarations of OpenCL are there.
///
/// # Errors
/// When clang is missing or rejects the program, and for every program in CUDA.
pub fn compiles(
    source: &[u8],
    folder: &Path,
    language: Language,
    options: &CheckOptions,
    cancel: &Cancel,
) -> Result<(), PreprocessError> {
    let ran = read_by_clang(source, folder, language, options, &["-fsyntax-only"], cancel)?;
    if ran.end == End::Exited(0) { Ok(()) } else { Err(failure(&ran)) }
}

/// The first error of clang, or what happened to it.
fn failure(ran: &ToolRun) -> PreprocessError {
    let error = ran.stderr.lines().find(|line| line.contains("error: ")).map(str::to_owned);
    match error {
        Some(error) => PreprocessError::Rejected(error),
        None => PreprocessError::Failed(ran.trouble()),
    }
}

/// Has clang read a program, with these arguments after those for the language.
pub(crate) fn read_by_clang(
    source: &[u8],
    folder: &Path,
    language: Language,
    options: &CheckOptions,
    more: &[&str],
    cancel: &Cancel,
) -> Result<ToolRun, PreprocessError> {
    let clang = Clang::find(options.clang.as_deref(), &options.build_options)?;
    let shared = || options.build_options.iter().map(OsString::from);
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    if language.has(Feature::HostAndDevice) {
        return Err(PreprocessError::Cuda);
    }
    let is_cpp = language.has(Feature::Classes);
    let clang = match language.has(Feature::OpenClWords) && is_cpp {
        true => clang.for_opencl_cpp(),
        false => clang,
    };
    let (name, mut args) = if language.has(Feature::OpenClWords) {
        let mut args = clang.language();
        // Macros of OpenCL's own header stay as they are.
        args.extend(more.contains(&"-E").then(|| "-cl-no-stdinc".into()));
        ("kernel.cl", args)
    } else {
        let (name, spoken) = if is_cpp { ("program.cc", "c++") } else { ("program.c", "c") };
        (name, words(&["-x", spoken]).into_iter().chain(shared()).collect())
    };
    let folder = std::path::absolute(folder)?;
    args.extend(words(more));
    args.extend(words(&["-w", "-I"]));
    args.extend([folder.into_os_string(), name.into()]);
    let files = TestCase::single(name, source)?;
    Ok(options.tools().run(clang.program(), args, &files, cancel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_need_no_preprocessing() {
        assert!(!needs_preprocessing(b"int x;\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"));
        assert!(needs_preprocessing(b"int x;\n  # define N 4\n"));
    }

    #[test]
    #[cfg_attr(windows, ignore = "needs clang")]
    fn one_file_with_its_launch_comment() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("n.h"), "#define N 4\n").unwrap();
        let source =
            b"// -g 4 -l 2\n#include \"n.h\"\n#ifdef N\nkernel void k(global int *r) { r[N] = 1; \
            barrier(CLK_LOCAL_MEM_FENCE); }\n#endif\n";
        let text = preprocess(
            source,
            folder.path(),
            Language::OPENCL,
            &CheckOptions::default(),
            &Cancel::new(),
        );
        let text = String::from_utf8(text.unwrap()).unwrap();
        assert_eq!(
            text,
            "// -g 4 -l 2\nkernel void k(global int *r) { r[4] = 1; barrier(CLK_LOCAL_MEM_FENCE); }\n"
        );
        let gone = preprocess(
            b"#include \"gone.h\"\n",
            folder.path(),
            Language::C,
            &CheckOptions::default(),
            &Cancel::new(),
        );
        assert!(
            matches!(gone.unwrap_err(), PreprocessError::Rejected(error) if error.contains("gone.h"))
        );
    }
}
