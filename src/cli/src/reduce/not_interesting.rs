//! The message for an original that is not interesting, with everything that helps to find out why.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clreduce_interestingness::{Outcome, Verdict};
use clreduce_testcase::TestCase;

use crate::terminal::printing::{printable, shown_path};
use crate::terminal::quoting::quoted;
use crate::terminal::units::show_duration;

/// The run of the test that rejected the original.
pub(crate) struct Rejection<'a> {
    /// The original.
    pub case: &'a TestCase,
    /// The verdict and how it came about.
    pub outcome: &'a Outcome,
    /// The newest text file that the test wrote, and its end.
    pub log: Option<&'a (String, Vec<u8>)>,
    /// The command that runs the test by hand.
    pub by_hand: &'a str,
    /// The reason and the remedy, if further runs found them.
    pub found: Option<String>,
}

/// Explains it. `folder`, if it can be filled, becomes a copy of the directory that the test ran in.
pub(crate) fn explain(rejection: &Rejection<'_>, folder: &Path) -> String {
    let Rejection { case, outcome, log, by_hand, found } = rejection;
    let mut text = format!("the original is not interesting: {}", ending(outcome));
    if outcome.output_tail.is_empty() {
        text.push_str("\nnote: the test printed nothing");
    } else {
        text.push_str("\nnote: last lines of the output of the test:");
        text.push_str(&last_lines(&outcome.output_tail));
    }
    if let Some((name, bytes)) = log {
        let name = shown_path(Path::new(name));
        // Writing to a string cannot fail.
        let _ = write!(text, "\nnote: last lines of `{name}`, which the test wrote:");
        text.push_str(&last_lines(bytes));
    }
    if let Ok(folder) = copy(case, folder) {
        let folder = quoted(&folder.display().to_string());
        let command = if cfg!(windows) {
            format!("cd /d {folder} && {by_hand}")
        } else {
            // An `exit` in the command is not to close the shell that it is tried in.
            format!("(cd {folder} && {by_hand}); echo \"exit status $?\"")
        };
        let _ = write!(
            text,
            "\nhelp: try the test by hand, in a copy of the directory that it sees:\n    {command}"
        );
    }
    if let Some(advice) = found.as_deref().or_else(|| advice(outcome)) {
        let _ = write!(text, "\nhelp: {advice}");
    }
    text
}

/// The end of an output, quoted line by line.
fn last_lines(output: &[u8]) -> String {
    let output = String::from_utf8_lossy(output);
    let output = console::strip_ansi_codes(&output);
    let lines: Vec<&str> = output.lines().collect();
    let last = lines[lines.len().saturating_sub(15)..].iter();
    let line = |line: &&str| {
        let line: String = line.chars().take(160).collect();
        format!("\n    | {}", printable(&line))
    };
    last.map(line).collect()
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
        let log = ("b.log".to_owned(), b"three\n".to_vec());
        let by_hand = "grep x a.c";
        let rejection =
            Rejection { case: &case, outcome: &outcome, log: Some(&log), by_hand, found: None };
        let text = explain(&rejection, &folder);
        let by_hand =
            if cfg!(windows) { "my try\" && grep x a.c" } else { "my try' && grep x a.c)" };
        for part in
            ["with exit code 127", "    | two\n", "`b.log`", "    | three\n", by_hand, "not found"]
        {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        assert_eq!(fs::read(folder.join("a.c")).unwrap(), b"int a;");
    }
}
