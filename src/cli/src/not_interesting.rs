//! The message for an original that is not interesting, with everything that helps to find out why.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_interestingness::{Outcome, Verdict};
use clreduce_testcase::TestCase;

use crate::quoting::quoted;
use crate::units::show_duration;

/// Lines of output shown.
const LINES: usize = 15;
/// Characters of a line shown.
const LINE_CHARS: usize = 160;

/// Explains it. `folder`, if it can be filled, becomes a copy of the directory that the test ran in.
pub(crate) fn explain(case: &TestCase, outcome: &Outcome, test: &str, folder: &Path) -> String {
    let mut text = format!("the original is not interesting: {}", ending(outcome));
    let output = String::from_utf8_lossy(&outcome.output_tail);
    let output = console::strip_ansi_codes(&output);
    let lines: Vec<&str> = output.lines().collect();
    // Writing to a string cannot fail.
    if lines.is_empty() {
        let _ = write!(text, "\nnote: the test printed nothing");
    } else {
        let _ = write!(text, "\nnote: last lines of the output of the test:");
        for line in &lines[lines.len().saturating_sub(LINES)..] {
            let line: String = line.chars().filter(|c| !c.is_control()).take(LINE_CHARS).collect();
            let _ = write!(text, "\n    | {line}");
        }
    }
    if let Ok(folder) = copy(case, folder) {
        let folder = quoted(&folder.display().to_string());
        let command = if cfg!(windows) {
            format!("cd /d {folder} && {test}")
        } else {
            // An `exit` in the command is not to close the shell that it is tried in.
            format!("(cd {folder} && {test}); echo \"exit status $?\"")
        };
        let _ = write!(
            text,
            "\nhelp: try the test by hand, in a copy of the directory that it sees:\n    {command}"
        );
    }
    if let Some(advice) = advice(outcome) {
        let _ = write!(text, "\nhelp: {advice}");
    }
    text
}

fn ending(outcome: &Outcome) -> String {
    match outcome.verdict {
        Verdict::TimedOut => {
            format!("the test was stopped after {}, its time limit", show_duration(outcome.wall))
        }
        Verdict::Unresolved => format!("the test failed: {}", outcome.reason),
        _ if outcome.reason.is_empty() => "the test rejects it".to_owned(),
        _ if outcome.reason.starts_with("killed") => format!("the test was {}", outcome.reason),
        _ if outcome.reason.starts_with("exit code") => {
            format!("the test ended with {}", outcome.reason)
        }
        _ => outcome.reason.clone(),
    }
}

fn advice(outcome: &Outcome) -> Option<&'static str> {
    match (outcome.verdict, outcome.exit_code) {
        (Verdict::TimedOut, _) => Some(
            "if the test needs longer, raise --timeout; it gets no input, and its directory contains only the \
             test case",
        ),
        (_, Some(126 | 127 | 9009)) => Some(
            "a command in the test was not found or cannot be run; write absolute paths, because each test runs \
             in a directory of its own",
        ),
        _ => None,
    }
}

/// A fresh copy; what an earlier run left there goes first.
fn copy(case: &TestCase, folder: &Path) -> io::Result<PathBuf> {
    clreduce_files::remove_tree(folder)?;
    fs::create_dir_all(folder)?;
    crate::judge::write(case, folder)?;
    std::path::absolute(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_was_killed_did_not_end_with_something() {
        let killed = |reason: &str, exit_code| {
            let reason = reason.to_owned();
            ending(&Outcome { exit_code, reason, ..Outcome::from(Verdict::Uninteresting) })
        };
        assert_eq!(killed("killed by signal 9", None), "the test was killed by signal 9");
        assert_eq!(killed("exit code 1", Some(1)), "the test ended with exit code 1");
    }

    #[test]
    fn tells_how_it_ended_and_what_to_try() {
        let dir = tempfile::tempdir().unwrap();
        let case = TestCase::single("a.c", b"int a;".as_slice()).unwrap();
        let outcome = Outcome {
            exit_code: Some(127),
            reason: "exit code 127".to_owned(),
            output_tail: b"one\n\x1b[31mtwo\x1b[0m\n".to_vec(),
            ..Outcome::from(Verdict::Uninteresting)
        };
        let folder = dir.path().join("my try");
        let text = explain(&case, &outcome, "grep x a.c", &folder);
        let by_hand =
            if cfg!(windows) { "my try\" && grep x a.c" } else { "my try' && grep x a.c)" };
        for part in ["with exit code 127", "    | two\n", by_hand, "not found"] {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        assert_eq!(fs::read(folder.join("a.c")).unwrap(), b"int a;");
    }
}
