//! Crash signatures: the part of a tool's output that says where it went wrong, without addresses and numbers.

use std::sync::LazyLock;

use regex::Regex;

/// Patterns of signatures, the most specific first. A test may print a signature of its own.
const SIGNATURES: [&str; 11] = [
    r"signature: (.*)",
    r"(Assertion .*failed)",
    r"(internal compiler error: .*)",
    r"(UNREACHABLE executed.*)",
    r"(fatal error: error in backend: .*|LLVM ERROR: .*)",
    r"((?:Address|Memory|Thread|Leak|UndefinedBehavior)Sanitizer: \S+)",
    r"(runtime error: .*)",
    r"(Segmentation fault|[Ss]tack overflow|Illegal instruction|Bus error|Floating point exception)",
    r"(killed by signal \d+)",
    r"\b(SIG(?:SEGV|ABRT|ILL|FPE|BUS|TRAP))\b",
    r"(Aborted)",
];

/// Number of functions at the top of a stack trace that belong to the signature.
const FRAMES: usize = 3;

static PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| SIGNATURES.iter().filter_map(|text| Regex::new(text).ok()).collect());

/// A line of a stack trace, as LLVM, gcc and the sanitizers print it.
static FRAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*#\d+ (?:0x[0-9a-f]+ )?(?:in )?([\w:~]+)").ok());

/// Text that differs from run to run: addresses, numbers and the folders of paths.
static CHANGING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"0x[0-9a-fA-F]+|[\w.+-]*/|\b[0-9A-F]{8,}\b|\d+").ok());

/// Finds the signature of a crash in the output of a tool, without addresses, numbers and folders.
///
/// Output without a crash has the exit status as its signature, or none if the status is 0. A line `signature: ...` in
/// the output is the signature.
#[must_use]
pub fn of(output: &str, exit_code: Option<i32>) -> String {
    let found = PATTERNS.iter().find_map(|pattern| pattern.captures(output));
    let Some(line) = found.and_then(|found| Some(found.get(1)?.as_str().to_owned())) else {
        return exit_code
            .filter(|code| *code != 0)
            .map_or_else(String::new, |code| format!("exit status {code}"));
    };
    let mut parts = vec![steady(line.trim())];
    if let Some(frame) = &*FRAME {
        let frames = frame.captures_iter(output).filter_map(|found| found.get(1));
        parts.extend(frames.take(FRAMES).map(|found| found.as_str().to_owned()));
    }
    parts.join(" < ")
}

/// The words of an output, without text that differs from run to run.
pub(crate) fn words(output: &str) -> Vec<String> {
    steady(output).split_whitespace().map(str::to_owned).collect()
}

fn steady(text: &str) -> String {
    CHANGING.as_ref().map_or_else(
        || text.to_owned(),
        |changing| {
            let replace = |found: &regex::Captures<'_>| {
                if found[0].ends_with('/') { String::new() } else { "#".to_owned() }
            };
            changing.replace_all(text, replace).into_owned()
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_what_stays_the_same() {
        let signature = |output| of(output, Some(0));
        let assertion = "clang: /build/llvm-14/lib/IR/Value.cpp:412: void f(): Assertion `x > 3' failed.\n\
                         Stack dump:\n #0 0x00007f11 llvm::sys::Trace(int)\n #1 0x12 unswitch(Loop*)\n";
        assert_eq!(signature(assertion), "Assertion `x > #' failed < llvm::sys::Trace < unswitch");
        let gcc = "a.c:3:1: internal compiler error: in store, at /src/gcc/expmed.c:812";
        assert_eq!(signature(gcc), "internal compiler error: in store, at expmed.c:#");
        assert_eq!(signature("sum = 1\nsignature: my own"), "my own");
        assert_eq!(
            (signature("sum = 1"), of("", Some(3))),
            (String::new(), "exit status 3".into())
        );
        assert_eq!(words("at 0xff: a/b.c:3\nDEADBEEF"), ["at", "#:", "b.c:#", "#"]);
    }
}
