//! A kernel as the compiler sees it: its text after preprocessing, with line markers, and the lines that it comes from.

use std::borrow::Cow;
use std::ffi::OsString;

use clreduce_host::{FILE, HostKernel};
use clreduce_process::{Cancel, End, ToolRunner};

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

/// Returns true if preprocessing changes no token of a program: its only directives are pragmas of OpenCL, in any spelling,
/// and no line continues in the next one.
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

/// An [expanded] text with spaces in the place of line markers and of text from headers, so that offsets stay the same. A reader
/// of the result takes the types of the language for built-in ones, and not for those that clang's header defines.
pub(crate) fn without_headers(text: &[u8]) -> Vec<u8> {
    let (mut own, mut is_own) = (Vec::with_capacity(text.len()), true);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let marker = marker(content);
        if let Some((_, file)) = &marker {
            is_own = *file == FILE.as_bytes();
        }
        if marker.is_none() && is_own {
            own.extend_from_slice(line);
        } else {
            own.resize(own.len() + content.len(), b' ');
            own.extend_from_slice(&line[content.len()..]);
        }
    }
    own
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
}
