//! The filter of `--protect`: text that matches a pattern is not edited.

use std::ops::Range;

use clreduce_passes::Snapshot;
use clreduce_testcase::{Edit, EditKind};
use regex::bytes::Regex;

/// The protected text of a snapshot.
pub(super) struct ProtectedText<'a> {
    base: &'a Snapshot,
    patterns: &'a [Regex],
    /// By file: where protected text is, in order.
    files: Vec<Vec<Range<usize>>>,
}

impl<'a> ProtectedText<'a> {
    pub(super) fn of(base: &'a Snapshot, patterns: &'a [Regex]) -> Self {
        let files = (0..base.file_count()).map(|file| matches(patterns, base.bytes(file)));
        Self { files: files.collect(), base, patterns }
    }

    /// Returns whether an edit leaves protected text as it is.
    pub(super) fn allows(&self, edit: &Edit) -> bool {
        let protected = &self.files[edit.file as usize];
        let bytes = self.base.bytes(edit.file as usize);
        !touches(protected, edit, bytes) || self.lays_out(protected, edit, bytes)
    }

    /// Returns whether an edit gives a file another layout in which the same text is protected.
    fn lays_out(&self, protected: &[Range<usize>], edit: &Edit, bytes: &[u8]) -> bool {
        let texts = |bytes: &[u8], ranges: &[Range<usize>]| -> Vec<Vec<u8>> {
            ranges.iter().map(|range| bytes[range.clone()].to_vec()).collect()
        };
        edit.kind == EditKind::Plain
            && edit.range() == (0..bytes.len())
            && texts(&edit.text, &matches(self.patterns, &edit.text)) == texts(bytes, protected)
    }
}

/// The ranges that match, in order, with neighbours joined.
fn matches(patterns: &[Regex], bytes: &[u8]) -> Vec<Range<usize>> {
    let found = patterns.iter().flat_map(|regex| regex.find_iter(bytes));
    let mut ranges: Vec<_> = found.map(|found| found.range()).collect();
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

fn touches(protected: &[Range<usize>], edit: &Edit, bytes: &[u8]) -> bool {
    let mut range = edit.range();
    match edit.kind {
        EditKind::RemoveFile => return !protected.is_empty(),
        // One adjacent comma goes as well; which one depends on what else goes.
        EditKind::Element => {
            let is_gap = |byte: &u8| byte.is_ascii_whitespace();
            let after = bytes[range.end..].iter().take_while(|byte| is_gap(byte)).count();
            let before = bytes[..range.start].iter().rev().take_while(|byte| is_gap(byte)).count();
            range.end = (range.end + after + 1).min(bytes.len());
            range.start = range.start.saturating_sub(before + 1);
        }
        EditKind::Plain => {}
    }
    let next = protected.partition_point(|found| found.end <= range.start);
    // So an insertion counts only strictly inside.
    protected.get(next).is_some_and(|found| found.start < range.end)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;

    fn allowed(edit: Edit) -> bool {
        let source = b"int a, keep_me, c; int keep_it_too;".as_slice();
        let case = TestCase::single("a.c", source).unwrap();
        let base = Snapshot::new(case, Language::C);
        let text = vec![Regex::new(r"keep_\w+").unwrap(), Regex::new("x*").unwrap()];
        ProtectedText::of(&base, &text).allows(&edit)
    }

    #[test]
    fn protected_text_is_not_touched() {
        assert!(allowed(Edit::delete(0, 4..5)));
        assert!(allowed(Edit::delete(0, 0..7)));
        assert!(!allowed(Edit::delete(0, 0..8)));
        assert!(!allowed(Edit::delete(0, 8..12)));
        assert!(!allowed(Edit::delete(0, 14..24)));
        assert!(allowed(Edit::delete(0, 14..17)));
        assert!(!allowed(Edit::delete(0, 0..35)));
        assert!(!allowed(Edit::remove_file(0)));
    }

    #[test]
    fn a_new_layout_leaves_it_as_it_is() {
        let all = |text: &'static str| Edit::replace(0, 0..35, text.as_bytes());
        assert!(allowed(all("int a, keep_me, c;\nint keep_it_too;\n")));
        assert!(!allowed(all("int a, c;\nint keep_it_too;\n")));
    }

    #[test]
    fn insertions_beside_it_are_fine() {
        assert!(allowed(Edit::replace(0, 7..7, b"x".as_slice())));
        assert!(allowed(Edit::replace(0, 14..14, b"x".as_slice())));
        assert!(!allowed(Edit::replace(0, 9..9, b"x".as_slice())));
    }

    #[test]
    fn elements_take_a_comma_with_them() {
        let case = TestCase::single("a.c", b"f(a, b, c)".as_slice()).unwrap();
        let base = Snapshot::new(case, Language::C);
        let allows = |pattern: &str| {
            let patterns = [Regex::new(pattern).unwrap()];
            ProtectedText::of(&base, &patterns).allows(&Edit::delete_element(0, 5..6))
        };
        assert!(allows("a|c") && !allows("a,") && !allows(", c"));
    }
}
