//! Reports of the tools of checks: the report of a sanitizer with its place, and why a check cannot be used.

use std::path::Path;

use clreduce_process::{End, ToolRun};
use clreduce_tools::SANITIZERS;
use thiserror::Error;

use crate::shown::sanitizer_report;

/// The end of what a program prints whose status is 0.
const SUCCESS: &str = "exit status 0";

/// The reason that a check cannot be used.
#[derive(Clone, Debug, Default, Error)]
#[error("{why}")]
pub(super) struct UnusableCheck {
    pub why: String,
    /// True if a sanitizer has found an error in the program.
    pub is_report: bool,
}

impl UnusableCheck {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_report: false }
    }

    pub(super) fn of(ran: &ToolRun, compiler: &str) -> Self {
        let is_report = sanitizer_report(&ran.stderr).is_some();
        Self { why: failure(ran, compiler), is_report }
    }
}

/// The output of a program, in the form of a result.
pub(super) fn printed(stdout: &str) -> String {
    let text = stdout.trim();
    text.strip_suffix(SUCCESS).unwrap_or(text).trim().to_owned()
}

/// The report of a sanitizer with its place in the source.
pub(super) fn report_at(output: &str, source: &Path) -> Option<String> {
    let report = sanitizer_report(output)?;
    let path = source.display().to_string();
    let name = source.file_name()?.to_string_lossy();
    let at = |line: &str| {
        let place = &line[line.find(&*path)? + path.len()..];
        Some(place.split_whitespace().next()?.trim_end_matches(':').to_owned())
    };
    // The first report may be in the text of its line, or in the frames of the stack behind it.
    let place = output[output.find(report)?..].lines().find_map(at)?;
    let what = report.rsplit_once(": runtime error: ").map_or(report, |(_, what)| what);
    Some(format!("{name}{place}: {what}"))
}

/// The reason that a check did not accept the program: a report, missing libraries, or the first error.
fn failure(ran: &ToolRun, compiler: &str) -> String {
    let is_library = |line: &&str| {
        const LIBRARIES: [&str; 5] = ["libclang_rt.", "-lasan", "-lubsan", "libasan", "libubsan"];
        line.contains("cannot find") && LIBRARIES.iter().any(|name| line.contains(name))
    };
    if ran.stderr.lines().any(|line| is_library(&line)) {
        let version = compiler.rsplit('-').next().filter(|word| word.parse::<u32>().is_ok());
        let install = SANITIZERS.install();
        // The table of tools names the newest version; the libraries must be those of this compiler.
        let install = match version.filter(|_| compiler.starts_with("clang")) {
            Some(version) => install.replace("-19-", &format!("-{version}-")),
            None => install,
        };
        return format!("the libraries of the sanitizers of {compiler} are missing ({install})");
    }
    if let Some(report) = sanitizer_report(&ran.stderr) {
        return report.to_owned();
    }
    if ran.end == End::TimedOut {
        return "it did not finish with the original in time".to_owned();
    }
    match ran.stderr.lines().find_map(clreduce_crash::first_error) {
        Some(error) => format!("{compiler} does not compile the program: error: {error}"),
        None => format!("{compiler}: {}", ran.trouble()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_its_true_reason() {
        let ran = |stderr: &str| {
            let end = End::Exited(1);
            failure(&ToolRun { end, stdout: String::new(), stderr: stderr.into() }, "clang-16")
        };
        let missing = "/usr/bin/ld: cannot find /usr/lib/llvm-16/lib/libclang_rt.msan-x86_64.a: No such file\n\
            clang: error: linker command failed with exit code 1";
        assert!(ran(missing).contains("libclang-rt-16-dev"), "{}", ran(missing));
        let unread =
            "x.i:1:2: warning: a\nx.i:140:48: error: '__malloc__' attribute takes no arguments\n";
        assert!(ran(unread).ends_with("error: '__malloc__' attribute takes no arguments"));
        let report =
            "==7==WARNING: MemorySanitizer: use-of-uninitialized-value\n    #0 0x1 in main\n";
        assert_eq!(ran(report), "WARNING: MemorySanitizer: use-of-uninitialized-value");
        let at = |text: &str| report_at(text, "/p/u.c".as_ref());
        let place = "==7==WARNING: MemorySanitizer: use-of-x\n #0 0x1 in f /q/a.c:1:2\n #1 0x1 in main /p/u.c:3:4\n";
        assert_eq!(at(place).as_deref(), Some("u.c:3:4: WARNING: MemorySanitizer: use-of-x"));
        let place = "/p/u.c:3:4: runtime error: shift exponent 32\n";
        assert_eq!(at(place).as_deref(), Some("u.c:3:4: shift exponent 32"));
        assert_eq!(at(report), None);
        assert_eq!(
            (&*printed("7\n\nexit status 0\n"), &*printed("\nexit status 3\n")),
            ("7", "exit status 3")
        );
    }
}
