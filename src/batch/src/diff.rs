//! Commits as diffs for people: what went is shown by its first and last lines.

use std::fmt::Write;

use clreduce_testcase::TestCase;
use similar::{ChangeTag, TextDiff};

/// A run of lines of one kind longer than twice this is cut in the middle.
const END_LINES: usize = 8;

/// The change between two versions of a test case, as a unified diff with long runs cut.
#[must_use]
pub fn diff(old: &TestCase, new: &TestCase) -> String {
    let mut shown = ShownFile { text: String::new(), lines: 0 };
    let several = old.files().len() > 1;
    for before in old.files() {
        let after = new.files().iter().find(|file| file.path == before.path);
        let after_bytes = after.map_or(&[][..], |file| &file.bytes);
        if *before.bytes == *after_bytes {
            continue;
        }
        if several {
            let gone = if after.is_none() { " is removed" } else { "" };
            shown.line(&format!("--- {}{gone}", before.path));
        }
        one_file(&before.bytes, after_bytes, &mut shown);
    }
    shown.text
}

fn one_file(old: &[u8], new: &[u8], shown: &mut ShownFile) {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let diff = TextDiff::from_lines(&*old, &*new);
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        shown.line(&hunk.header().to_string());
        let lines: Vec<(char, &str)> = hunk
            .iter_changes()
            .map(|change| {
                let sign = match change.tag() {
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                    ChangeTag::Equal => ' ',
                };
                (sign, change.value().trim_end_matches(['\n', '\r']))
            })
            .collect();
        for run in lines.chunk_by(|a, b| a.0 == b.0) {
            if run.len() <= 2 * END_LINES + 1 {
                run.iter().for_each(|line| shown.change(line));
                continue;
            }
            run[..END_LINES].iter().for_each(|line| shown.change(line));
            shown.line(&format!("… {} lines more", run.len() - 2 * END_LINES));
            run[run.len() - END_LINES..].iter().for_each(|line| shown.change(line));
        }
    }
}

struct ShownFile {
    text: String,
    lines: usize,
}

impl ShownFile {
    fn change(&mut self, (sign, line): &(char, &str)) {
        let mut cut: String = line.chars().take(240).collect();
        if cut.len() < line.len() {
            cut.push('…');
        }
        self.line(&format!("{sign}{cut}"));
    }

    fn line(&mut self, line: &str) {
        self.lines += 1;
        // Writing to a string cannot fail.
        let _ = match self.lines.cmp(&120) {
            std::cmp::Ordering::Less => writeln!(self.text, "{line}"),
            std::cmp::Ordering::Equal => writeln!(self.text, "… and more"),
            std::cmp::Ordering::Greater => Ok(()),
        };
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::SourceFile;

    use super::*;

    fn case(files: &[(&str, String)]) -> TestCase {
        let file = |(path, text): &(&str, String)| SourceFile {
            path: (*path).into(),
            bytes: text.as_bytes().into(),
        };
        TestCase::new(files.iter().map(file).collect()).unwrap()
    }

    #[test]
    fn shows_what_changed_and_cuts_what_is_long() {
        let lines = |count: usize| (0..count).map(|n| format!("line {n}\n")).collect::<String>();
        let old = case(&[("a.c", lines(100)), ("b.c", "x\n".to_owned()), ("c.c", lines(1))]);
        let new = case(&[("a.c", "line 0\nnew\nline 99\n".to_owned()), ("c.c", lines(1))]);
        let shown = diff(&old, &new);
        for part in
            ["--- a.c\n", "-line 1\n", "… 82 lines more\n", "-line 98\n", "+new\n", " line 99"]
        {
            assert!(shown.contains(part), "{part:?} is not in {shown}");
        }
        assert!(shown.contains("--- b.c is removed\n") && !shown.contains("c.c\n@"), "{shown}");
        assert!(shown.lines().count() < 30);
    }
}
