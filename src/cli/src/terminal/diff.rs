//! A commit as a short diff for people.

use std::time::{Duration, Instant};

use clreduce_testcase::{SourceFile, TestCase};
use similar::{Algorithm, DiffOp, TextDiff};

use crate::terminal::printing::printable;

/// Longest time for one diff. It is only shown, so a coarse one does no harm.
const TIME: Duration = Duration::from_millis(20);
/// Characters shown before the first difference of a line.
const CONTEXT: usize = 16;

/// A line that a commit removed (`-`) or added (`+`), or a remark on what is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiffLine {
    /// `-`, `+` or a blank.
    pub sign: char,
    /// The text, without control characters.
    pub text: String,
}

impl DiffLine {
    fn new(sign: char, text: &str) -> Self {
        let text: String = text.trim_end().chars().take(200).collect();
        Self { sign, text: printable(&text).replace('\t', "    ") }
    }
}

/// At most `most` lines of what is different, and a line about the others.
pub(crate) fn short_diff(old: &TestCase, new: &TestCase, most: usize) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    for file in old.files() {
        match new.files().iter().find(|other| other.path == file.path) {
            None => lines.push(DiffLine::new('-', &format!("(file {})", file.path))),
            Some(other) if other.bytes == file.bytes => {}
            Some(other) => changed_lines(file, other, &mut lines),
        }
    }
    let hidden = lines.len().saturating_sub(most);
    if hidden > 0 {
        lines.truncate(most);
        lines.push(DiffLine::new(' ', &format!("and {hidden} more lines")));
    }
    lines
}

fn changed_lines(old: &SourceFile, new: &SourceFile, lines: &mut Vec<DiffLine>) {
    let texts = [old, new].map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
    let [old, new] = texts.each_ref().map(|text| text.lines().collect::<Vec<_>>());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[before..], &new[before..]);
    let after = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - after], &new[..new.len() - after]);
    let mut config = TextDiff::configure();
    let diff =
        config.algorithm(Algorithm::Myers).deadline(Instant::now() + TIME).diff_slices(old, new);
    for op in diff.ops() {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (removed, added) = (&old[op.old_range()], &new[op.new_range()]);
        // A line that was only shortened may be long, so the part around its change is shown.
        let starts = |at: usize| match (removed.get(at), added.get(at)) {
            (Some(removed), Some(added)) => {
                let same = removed.chars().zip(added.chars()).take_while(|(a, b)| a == b).count();
                if same > 2 * CONTEXT { same - CONTEXT } else { 0 }
            }
            _ => 0,
        };
        let mut push = |sign: char, at: usize, line: &str| {
            let start = starts(at);
            let rest: String = line.chars().skip(start).collect();
            if !rest.trim().is_empty() {
                let dots = if start > 0 { "…" } else { "" };
                lines.push(DiffLine::new(sign, &format!("{dots}{rest}")));
            }
        };
        removed.iter().enumerate().for_each(|(at, line)| push('-', at, line));
        added.iter().enumerate().for_each(|(at, line)| push('+', at, line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str, most: usize) -> Vec<String> {
        let case = |text: &str| TestCase::single("a.c", text.as_bytes()).unwrap();
        let lines = short_diff(&case(old), &case(new), most);
        lines.iter().map(|line| format!("{}{}", line.sign, line.text)).collect()
    }

    #[test]
    fn shows_what_changed_and_nothing_else() {
        assert_eq!(diff("a\nb\nc\nd\n", "a\nc\nD\n", 9), ["-b", "-d", "+D"]);
        assert_eq!(diff("a\n\nb\n", "a\nb\n", 9), [""; 0]);
        assert_eq!(diff("1\n2\n3\n4\n", "", 2), ["-1", "-2", " and 2 more lines"]);
        assert_eq!(diff("a\n", "a\x1b[31m\n", 9), ["-a", r"+a\u{1b}[31m"]);
    }

    #[test]
    fn a_long_line_is_shown_where_it_changed() {
        let long = "x".repeat(100);
        let lines = diff(&format!("{long}old\n"), &format!("{long}new\n"), 9);
        let context = "x".repeat(CONTEXT);
        assert_eq!(lines, [format!("-…{context}old"), format!("+…{context}new")]);
    }

    #[test]
    fn a_removed_file_is_named() {
        let file = |path: &str| SourceFile { path: path.into(), bytes: b"x\n".as_slice().into() };
        let old = TestCase::new(vec![file("a.c"), file("b.h")]).unwrap();
        let new = TestCase::new(vec![file("a.c")]).unwrap();
        assert_eq!(short_diff(&old, &new, 9), [DiffLine::new('-', "(file b.h)")]);
    }
}
