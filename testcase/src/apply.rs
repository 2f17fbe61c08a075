//! Applying a patch: ranges copied, list commas repaired, tokens kept apart.

use std::ops::Range;
use std::sync::Arc;

use crate::files::TestCase;
use crate::patch::{Edit, EditKind, Patch};
use crate::source_file::SourceFile;

/// A run of bytes that a patch leaves as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its start before.
    pub old: usize,
    /// Its start afterwards.
    pub new: usize,
    /// Its length in bytes.
    pub length: usize,
}

/// The change of a file by a patch that leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Index of the file before.
    pub file: usize,
    /// The parts that are left of it, in order; `None` when it was not edited.
    pub runs: Option<Vec<Run>>,
}

impl TestCase {
    /// The test case with a patch applied.
    ///
    /// A blank is inserted where an edit would otherwise glue two tokens into one.
    ///
    /// # Panics
    /// When an edit names a file or a range that does not exist: patches are made for one snapshot
    /// and applied to it.
    #[must_use]
    pub fn apply(&self, patch: &Patch) -> TestCase {
        self.apply_and_track(patch).0
    }

    /// As [`apply`](Self::apply); also what is left of what, for each file of the new test case.
    ///
    /// # Panics
    /// As [`apply`](Self::apply).
    #[must_use]
    pub fn apply_and_track(&self, patch: &Patch) -> (TestCase, Vec<Kept>) {
        let mut files = Vec::with_capacity(self.files().len());
        let mut kept = Vec::with_capacity(self.files().len());
        for (index, file) in self.files().iter().enumerate() {
            let edits = edits_of_file(patch.edits(), index as u32);
            if edits.iter().any(|edit| edit.kind == EditKind::RemoveFile) {
                continue;
            }
            let mut runs = None;
            files.push(if edits.is_empty() {
                file.clone()
            } else {
                let output = apply_to_bytes(&file.bytes, edits);
                runs = Some(output.runs);
                SourceFile { path: Arc::clone(&file.path), bytes: output.bytes.into() }
            });
            kept.push(Kept { file: index, runs });
        }
        (self.with_sorted(files), kept)
    }
}

/// The place of a range of a file after a patch, given what is left of the file; `None` when nothing of
/// it is left. What was put at its borders is not part of it.
#[must_use]
pub fn map_range(runs: &[Run], range: &Range<usize>) -> Option<Range<usize>> {
    let first = runs.partition_point(|run| run.old + run.length <= range.start);
    let after = runs.partition_point(|run| run.old < range.end);
    let left = runs.get(first..after).filter(|left| !left.is_empty())?;
    let (first, last) = (left[0], left[left.len() - 1]);
    let start = first.new + range.start.saturating_sub(first.old);
    let end = last.new + last.length.min(range.end - last.old);
    Some(start..end)
}

fn edits_of_file(edits: &[Edit], file: u32) -> &[Edit] {
    let first = edits.partition_point(|edit| edit.file < file);
    let last = edits.partition_point(|edit| edit.file <= file);
    &edits[first..last]
}

fn apply_to_bytes(bytes: &[u8], edits: &[Edit]) -> AppliedText {
    let mut out = AppliedText {
        bytes: Vec::with_capacity(bytes.len()),
        runs: Vec::with_capacity(edits.len() + 1),
    };
    let mut at = 0;
    for edit in edits {
        let range = edit.range();
        // An element's comma may reach into the next edit's range.
        if at < range.start {
            out.keep(bytes, at..range.start);
        }
        at = at.max(range.end);
        out.append(&edit.text);
        if edit.kind == EditKind::Element && edit.text.is_empty() {
            at = remove_one_comma(bytes, at, &mut out);
        }
        if edit.text.is_empty() {
            at = remove_blank_line(bytes, at, &mut out);
        }
    }
    out.keep(bytes, at..bytes.len());
    out
}

/// A file as it is written.
struct AppliedText {
    bytes: Vec<u8>,
    runs: Vec<Run>,
}

impl AppliedText {
    /// Copies what is left as it is.
    fn keep(&mut self, bytes: &[u8], range: Range<usize>) {
        let (old, length) = (range.start, range.len());
        if length > 0 {
            self.append(&bytes[range]);
            self.runs.push(Run { old, new: self.bytes.len() - length, length });
        }
    }

    fn append(&mut self, text: &[u8]) {
        if let (Some(&last), Some(&first)) = (self.bytes.last(), text.first())
            && would_glue(last, first)
        {
            self.bytes.push(b' ');
        }
        self.bytes.extend_from_slice(text);
    }

    fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
        while let Some(last) = self.runs.last_mut()
            && last.new + last.length > length
        {
            if last.new < length {
                last.length = length - last.new;
            } else {
                self.runs.pop();
            }
        }
    }
}

/// Where an edit left nothing of a line but blanks, removes the line: half of a reduced program would be empty
/// lines.
fn remove_blank_line(bytes: &[u8], at: usize, out: &mut AppliedText) -> usize {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let rest = bytes[at..].iter().position(|byte| !is_blank(byte));
    let Some(end) = rest.map(|rest| at + rest).filter(|&end| bytes[end] == b'\n') else {
        return at;
    };
    let start = out.bytes.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
    // What a backslash continues must end with a line of its own.
    let before = out.bytes[..start].strip_suffix(b"\n").map(|before| {
        let last = before.iter().rposition(|byte| !is_blank(byte));
        last.map(|last| before[last])
    });
    let begins_line = before.map_or(start == 0, |last| last != Some(b'\\'));
    if !begins_line {
        return at;
    }
    out.truncate(start);
    end + 1
}

/// Skips the comma that follows `at`, or takes back the one that was written last. Where nothing is left
/// between braces, writes `0`.
fn remove_one_comma(bytes: &[u8], at: usize, out: &mut AppliedText) -> usize {
    let is_code = |byte: &u8| !byte.is_ascii_whitespace();
    let next = bytes[at..].iter().position(is_code).filter(|next| bytes[at + next] == b',');
    let at = next.map_or(at, |next| at + next + 1);
    match out.bytes.iter().rposition(is_code) {
        Some(last) if next.is_none() && out.bytes[last] == b',' => out.truncate(last),
        // An initialiser list must not be empty (C99 6.7.8). Braces that no value can stand between,
        // an enumeration's, have a name or a word before them.
        Some(last)
            if out.bytes[last] == b'{'
                && closes_braces(&bytes[at..])
                && holds_values(&out.bytes[..last]) =>
        {
            out.append(b"0");
        }
        _ => {}
    }
    at
}

/// Returns true if a brace behind these bytes begins a list of initialisers: behind `=`, another brace, a comma or the
/// type of a compound literal.
fn holds_values(before: &[u8]) -> bool {
    let last = before.iter().rfind(|byte| !byte.is_ascii_whitespace());
    last.is_some_and(|byte| matches!(byte, b'=' | b'{' | b',' | b')' | b'(' | b']'))
}

fn closes_braces(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'}')
}

fn would_glue(last: u8, first: u8) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let operator = |byte: u8| b"+-*/%&|^<>=!#:".contains(&byte);
    // A quote may also go on with a number: `1'000`.
    (word(last) && (word(first) || first == b'\'')) || (operator(last) && operator(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(source: &str, edits: Vec<Edit>) -> String {
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let variant = case.apply(&Patch::new(edits).unwrap());
        String::from_utf8(variant.files()[0].bytes.to_vec()).unwrap()
    }

    #[test]
    fn any_subset_of_a_list_can_go() {
        let source = "f(a, b, c)";
        let elements = [2..3, 5..6, 8..9];
        let expected =
            ["f(a, b, c)", "f( b, c)", "f(a,  c)", "f(  c)", "f(a, b)", "f( b)", "f(a)", "f( )"];
        for (subset, expected) in expected.iter().enumerate() {
            let edits = (0..3)
                .filter(|index| subset >> index & 1 == 1)
                .map(|index| Edit::delete_element(0, elements[index].clone()))
                .collect();
            let got = apply(source, edits).replace(' ', "");
            assert_eq!(got, expected.replace(' ', ""), "subset {subset:03b}");
        }
    }

    #[test]
    fn only_initialisers_keep_a_zero() {
        let emptied = |source: &str| {
            let at = source.find('A').unwrap();
            apply(source, vec![Edit::delete_element(0, at..at + 1)])
        };
        assert_eq!(emptied("int x[] = {A};"), "int x[] = {0};");
        assert_eq!(emptied("int x[] = {A,};"), "int x[] = {0};");
        assert_eq!(emptied("f((S){A}, 1);"), "f((S){0}, 1);");
        assert_eq!(emptied("enum E {A};"), "enum E {};");
    }

    #[test]
    fn tokens_stay_apart() {
        assert_eq!(apply("int const x;", vec![Edit::delete(0, 3..10)]), "int x;");
        assert_eq!(apply("a+b+c", vec![Edit::delete(0, 2..3)]), "a+ +c");
    }

    #[test]
    fn no_line_stays_that_only_blanks_are_left_of() {
        let without = |source: &str| {
            let gone = |(at, _)| Edit::delete(0, at..at + 1);
            apply(source, source.match_indices('A').map(gone).collect())
        };
        assert_eq!(without("a\n  A\n  b\n"), "a\n  b\n");
        assert_eq!(without("A\r\n A A\t\r\nb\r\n"), "b\r\n");
        assert_eq!(without("a A\n\nA b\nA"), "a \n\n b\n");
        assert_eq!(without("#define x \\\n A\nb"), "#define x \\\n \nb");
    }

    #[test]
    fn a_removed_file_is_gone() {
        let case = TestCase::single("a.c", b"x".as_slice()).unwrap();
        assert!(case.apply(&Patch::single(Edit::remove_file(0))).files().is_empty());
    }
}
