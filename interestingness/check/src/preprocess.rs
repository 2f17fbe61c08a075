//! Preprocesses a program into one file, without line markers.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use clreduce_compiler::{Clang, NoClang};
use clreduce_host::{FILE, HostKernel};
use clreduce_process::{Cancel, End, ToolRunner};
use clreduce_testcase::{InvalidTestCase, Language, Launch, TestCase};
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
    let clang = Clang::find(options.clang.as_deref(), &options.build_options)?;
    let (name, mut args) = match language {
        Language::OpenCl => {
            let mut args = clang.language();
            args.push("-cl-no-stdinc".into());
            ("kernel.cl", args)
        }
        Language::C | Language::Text => ("program.c", vec!["-x".into(), "c".into()]),
        Language::Cuda => return Err(PreprocessError::Cuda),
    };
    let folder = std::path::absolute(folder)?;
    args.extend(["-E", "-P", "-w", "-I"].map(OsString::from));
    args.extend([folder.into_os_string(), name.into()]);
    let files = TestCase::single(name, source)?;
    let ran = options.tools().run(clang.program(), args, &files, cancel);
    if ran.end != End::Exited(0) {
        let error = ran.stderr.lines().find(|line| line.contains("error: ")).map(str::to_owned);
        return Err(match error {
            Some(error) => PreprocessError::Rejected(error),
            None => PreprocessError::Failed(ran.trouble()),
        });
    }
    let mut text = Vec::new();
    if let Some(launch) = Launch::find(source) {
        text.extend_from_slice(&source[launch.comment]);
        text.push(b'\n');
    }
    text.extend_from_slice(ran.stdout.trim_start().as_bytes());
    Ok(text)
}

/// Returns a kernel as the compiler sees it, with line markers: its own text, where that has nothing to preprocess, and
/// else what clang makes of it. `None` if clang does not accept it.
pub(crate) fn expanded<'a>(
    clang: &str,
    language: Vec<OsString>,
    tools: &ToolRunner,
    subject: &'a HostKernel,
    cancel: &Cancel,
) -> Option<Cow<'a, [u8]>> {
    if !language.iter().any(defines) && is_plain(&subject.source) {
        return Some(Cow::Borrowed(&subject.source));
    }
    let more = ["-E", "-w", FILE].map(OsString::from);
    let args = language.into_iter().chain(more).collect();
    let ran = tools.run(clang, args, &subject.files, cancel);
    (ran.end == End::Exited(0)).then(|| Cow::Owned(ran.stdout.into_bytes()))
}

/// Returns true for an option that may define macros.
fn defines(option: &OsString) -> bool {
    let option = option.to_string_lossy();
    ["-D", "-U", "-include", "-imacros"].iter().any(|start| option.starts_with(start))
}

/// Returns true if preprocessing changes no token of a program: there are no directives but for pragmas of OpenCL, however
/// they are spelled, and no line goes on in the next one.
fn is_plain(source: &[u8]) -> bool {
    const SIGNS: [&[u8]; 5] = [b"#", b"%:", b"??", b"\\", b"_Pragma"];
    let has = |line: &[u8], sign: &[u8]| line.windows(sign.len()).any(|window| window == sign);
    let is_plain_line = |line: &[u8]| {
        let line = line.strip_prefix(b"#pragma OPENCL").unwrap_or(line);
        !SIGNS.iter().any(|sign| has(line, sign))
    };
    source.split(|&byte| byte == b'\n').all(is_plain_line)
}

/// Returns the line of the kernel that a place of its [expanded] text comes from.
pub(crate) fn line_at(text: &[u8], offset: usize) -> Option<u32> {
    let (mut line, mut is_own) = (1, true);
    let mut lines = text[..offset].split(|&byte| byte == b'\n');
    // The last one has the place itself.
    lines.next_back();
    for passed in lines {
        match marker(passed) {
            Some((number, file)) => (line, is_own) = (number, file == FILE.as_bytes()),
            None => line += 1,
        }
    }
    is_own.then_some(line)
}

/// The line and the file that a line marker names: `# 12 "kernel.cl" 2`.
fn marker(line: &[u8]) -> Option<(u32, &[u8])> {
    let mut parts = line.strip_prefix(b"# ")?.split(|&byte| byte == b'"');
    let number = std::str::from_utf8(parts.next()?).ok()?.trim().parse().ok()?;
    Some((number, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_mean_what_they_say_and_others() {
        assert!(is_plain(b"int x;\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint y;"));
        for other in ["/**/ #define N 4\n", "%:define N 4", "int no_\\\nise;", "_Pragma(\"x\")"] {
            assert!(!is_plain(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn lines_of_expanded_programs() {
        let text =
            b"# 1 \"kernel.cl\"\n# 1 \"a.h\" 1\nint a;\n# 7 \"kernel.cl\" 2\nint b;\nint c;\n";
        let line =
            |word: &str| line_at(text, std::str::from_utf8(text).unwrap().find(word).unwrap());
        assert_eq!(["a;", "b;", "c;"].map(line), [None, Some(7), Some(8)]);
        assert_eq!(line_at(b"int a;\nint b;", 8), Some(2));
    }

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
            Language::OpenCl,
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
