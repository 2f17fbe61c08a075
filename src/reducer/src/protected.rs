//! Text and names that the user protects: one filter over the proposals of every pass.

use std::ops::Range;

use clreduce_passes::{Proposal, Row, Snapshot};
use clreduce_testcase::{Edit, EditKind};
use regex::bytes::Regex;

/// Text and names that no pass may change.
#[derive(Clone, Debug, Default)]
pub struct Protected {
    /// Whether no name may be replaced by another.
    pub names: bool,
    /// Patterns of text that is never edited.
    pub text: Vec<Regex>,
}

impl Protected {
    /// Whether a pass may run at all.
    pub(crate) fn allows(&self, row: &Row) -> bool {
        !(self.names && row.info().renames)
    }

    /// The proposals that touch nothing protected. What they are combined to does not either.
    pub(crate) fn filter(&self, base: &Snapshot, mut proposals: Vec<Proposal>) -> Vec<Proposal> {
        if self.text.is_empty() {
            return proposals;
        }
        let protected: Vec<Vec<Range<usize>>> =
            (0..base.file_count()).map(|file| self.protected(base.bytes(file))).collect();
        proposals.retain(|proposal| {
            let allowed = |edit: &Edit| {
                let ranges = &protected[edit.file as usize];
                let bytes = base.bytes(edit.file as usize);
                !touches(ranges, edit, bytes) || self.leaves(ranges, edit, bytes)
            };
            proposal.patch.edits().iter().all(allowed)
        });
        proposals
    }

    /// Whether a file is laid out anew and the same text stays protected in it.
    fn leaves(&self, protected: &[Range<usize>], edit: &Edit, bytes: &[u8]) -> bool {
        let texts = |bytes: &[u8], ranges: &[Range<usize>]| -> Vec<Vec<u8>> {
            ranges.iter().map(|range| bytes[range.clone()].to_vec()).collect()
        };
        edit.kind == EditKind::Plain
            && edit.range() == (0..bytes.len())
            && texts(&edit.text, &self.protected(&edit.text)) == texts(bytes, protected)
    }

    /// What matches, ordered, neighbours joined.
    fn protected(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let found = self.text.iter().flat_map(|regex| regex.find_iter(bytes));
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
    use clreduce_testcase::{Language, Patch, TestCase};

    use super::*;

    fn allowed(edit: Edit) -> bool {
        let source = b"int a, keep_me, c; int keep_it_too;".as_slice();
        let case = TestCase::single("a.c", source).unwrap();
        let base = Snapshot::new(case, Language::C);
        let text = vec![Regex::new(r"keep_\w+").unwrap(), Regex::new("x*").unwrap()];
        let protected = Protected { names: false, text };
        !protected.filter(&base, vec![Proposal::new(Patch::single(edit))]).is_empty()
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
        let protected =
            |pattern: &str| Protected { names: false, text: vec![Regex::new(pattern).unwrap()] };
        let case = TestCase::single("a.c", b"f(a, b, c)".as_slice()).unwrap();
        let base = Snapshot::new(case, Language::C);
        let element = || vec![Proposal::edit(Edit::delete_element(0, 5..6))];
        assert_eq!(protected("a|c").filter(&base, element()).len(), 1);
        assert!(protected("a,").filter(&base, element()).is_empty());
        assert!(protected(", c").filter(&base, element()).is_empty());
    }
}
