//! Signatures of cases: what the output of a test says about the bug, without text that differs between programs.

use std::sync::LazyLock;

use clreduce_testcase::printable;
use regex::Regex;

/// Ways in which a test says that a program died, where no compiler says more.
static DEATH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"Segmentation fault|[Ss]tack overflow|Illegal instruction|Bus error|Floating point exception|\bSIG(?:SEGV|ABRT|ILL|FPE|BUS|TRAP)\b|killed by signal \d+|Aborted",
    )
    .ok()
});

/// Text that differs from run to run: addresses, numbers and the folders of paths.
static CHANGING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"0x[0-9a-fA-F]+|[\w.+-]*/|\b[0-9A-F]{8,}\b|\d+").ok());

/// Finds the signature in the output of a tool: a line `signature: ...`, a crash, or the first error of a build that
/// failed.
///
/// Output without any of these has the exit status as its signature, or none if the status is 0.
#[must_use]
pub fn of(output: &str, exit_code: Option<i32>) -> String {
    printable(&found(output, exit_code)).into_owned()
}

fn found(output: &str, exit_code: Option<i32>) -> String {
    let own = output.lines().find_map(|line| line.split_once("signature: "));
    if let Some((_, own)) = own {
        return own.trim().to_owned();
    }
    let crash = clreduce_crash::signature(output);
    if !crash.is_empty() {
        return crash.join("; ");
    }
    if let Some(death) = DEATH.as_ref().and_then(|death| death.find(output)) {
        return death.as_str().to_owned();
    }
    let Some(code) = exit_code.filter(|code| *code != 0) else { return String::new() };
    // Many tests that succeed quote errors of other compilers.
    let has_error = output.lines().any(|line| clreduce_crash::first_error(line).is_some());
    let error = clreduce_crash::of_failure(output).filter(|_| has_error);
    error.unwrap_or_else(|| match code {
        132 => "SIGILL".to_owned(),
        134 => "SIGABRT".to_owned(),
        136 => "SIGFPE".to_owned(),
        139 => "SIGSEGV".to_owned(),
        _ => format!("exit status {code}"),
    })
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
        for (output, code, expected) in [
            ("sum = 1\nsignature: my own", 0, "my own"),
            ("sum = 1", 0, ""),
            ("", 3, "exit status 3"),
            ("", 132, "SIGILL"),
            ("x: Assertion `x > 3' failed.\nStack dump:\n", 0, "assertion x > 3"),
            ("t.sh: line 2: 71 Illegal instruction     clang", 0, "Illegal instruction"),
            ("a.c:3:5: error: no 'x' here\na.c:4:1: error: 2", 1, "error: no … here"),
            ("a.c:3:5: error: no 'x' here", 0, ""),
            (
                "2.\tOptimizer\n #0 0x1 llvm::sys::RunSignalHandlers() (/lib/x.so+0x1)\n \
                 #1 0x2 llvm::f(int) (/lib/x.so+0x2)\n",
                139,
                "Optimizer; in llvm::f",
            ),
        ] {
            assert_eq!(of(output, Some(code)), expected, "{output}");
        }
        assert_eq!(words("at 0xff: a/b.c:3\nDEADBEEF"), ["at", "#:", "b.c:#", "#"]);
    }
}
