//! Edits of byte ranges and sets of them that are applied together.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use crate::steps::{steps, text_steps};

/// The way in which an edit treats what surrounds its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditKind {
    /// Exactly the range is replaced.
    Plain,
    /// The range is an element of a comma-separated list. When it is removed, one adjacent comma goes
    /// with it: the following one, else the preceding one. Any subset of a list's elements can so be
    /// removed together without leaving a lone comma; between braces `0` stays of an empty list.
    Element,
    /// The whole file is removed; range and text are ignored.
    RemoveFile,
}

/// One replacement of a byte range in one file, or the removal of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Index of the file in [`TestCase::files`](crate::TestCase::files).
    pub file: u32,
    /// First byte replaced.
    pub start: u32,
    /// One past the last byte replaced.
    pub end: u32,
    /// The text that stands there afterwards.
    pub text: Cow<'static, [u8]>,
    /// The treatment of the surroundings.
    pub kind: EditKind,
}

impl Edit {
    /// Removes a range.
    #[must_use]
    pub fn delete(file: usize, range: Range<usize>) -> Self {
        Self::replace(file, range, b"".as_slice())
    }

    /// Removes an element of a comma-separated list together with one adjacent comma.
    #[must_use]
    pub fn delete_element(file: usize, range: Range<usize>) -> Self {
        Self { kind: EditKind::Element, ..Self::delete(file, range) }
    }

    /// Replaces a range by a text.
    #[must_use]
    pub fn replace(file: usize, range: Range<usize>, text: impl Into<Cow<'static, [u8]>>) -> Self {
        let text = text.into();
        text_steps(text.len());
        Self {
            file: file as u32,
            start: range.start as u32,
            end: range.end as u32,
            text,
            kind: EditKind::Plain,
        }
    }

    /// Removes a whole file.
    #[must_use]
    pub fn remove_file(file: usize) -> Self {
        Self { kind: EditKind::RemoveFile, end: u32::MAX, ..Self::delete(file, 0..0) }
    }

    /// The replaced range, in bytes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Its place among others: what is inserted at a place before what replaces the text there, and
    /// the larger range first.
    fn place(&self) -> (u32, u32, bool, Reverse<u32>) {
        (self.file, self.start, self.start < self.end, Reverse(self.end))
    }

    fn covers(&self, other: &Edit) -> bool {
        // An insertion at the border of a range stands beside it, not inside.
        let strictly_inside = other.start < other.end
            || (self.start < other.start && other.start < self.end)
            || (self.start == other.start && self.end == other.end && self.text == other.text);
        self.file == other.file
            && self.start <= other.start
            && other.end <= self.end
            && strictly_inside
    }

    fn overlaps(&self, other: &Edit) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }

    fn deletes(&self) -> bool {
        self.text.is_empty()
    }

    fn is_plain_deletion(&self) -> bool {
        self.deletes() && self.kind == EditKind::Plain
    }
}

/// A set of non-overlapping edits that are applied together, ordered by file and position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    edits: Vec<Edit>,
}

impl Patch {
    /// A patch of these edits. An edit inside another is dropped: the larger one decides. Deletions
    /// that overlap are joined. `None` when two edits overlap in another way.
    #[must_use]
    pub fn new(mut edits: Vec<Edit>) -> Option<Self> {
        steps(edits.len());
        edits.sort_by_key(Edit::place);
        let mut patch = Self { edits: Vec::with_capacity(edits.len()) };
        for edit in edits {
            patch.push(edit)?;
        }
        Some(patch)
    }

    /// A patch of one edit.
    #[must_use]
    pub fn single(edit: Edit) -> Self {
        Self { edits: vec![edit] }
    }

    /// Both patches applied together, under the rules of [`Patch::new`].
    #[must_use]
    pub fn union(&self, other: &Patch) -> Option<Self> {
        // Two sorted lists are merged; a sort of the whole would dominate when thousands of edits
        // have been accepted and one more is tried.
        steps(self.edits.len() + other.edits.len());
        let mut patch = Self { edits: Vec::with_capacity(self.edits.len() + other.edits.len()) };
        let (mut a, mut b) = (self.edits.iter().peekable(), other.edits.iter().peekable());
        loop {
            let first = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) => x.place() <= y.place(),
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => return Some(patch),
            };
            let next = if first { a.next() } else { b.next() };
            patch.push(next.expect("peeked").clone())?;
        }
    }

    /// The edits, ordered by file and position.
    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Returns true if nothing is edited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns true if every edit of `other` lies inside an edit of this patch, or deletes what deletions of this patch
    /// delete together, so that it would change nothing more.
    #[must_use]
    pub fn covers(&self, other: &Patch) -> bool {
        other.edits.iter().all(|inner| {
            let after = self
                .edits
                .partition_point(|edit| (edit.file, edit.start) <= (inner.file, inner.start));
            self.edits[..after].iter().rev().take(2).any(|edit| edit.covers(inner))
                || inner.is_plain_deletion() && self.deletes_all_of(inner, after)
        })
    }

    /// Returns true if deletions that follow each other without a gap delete what `inner` does. The first edit that starts
    /// after it has index `after`.
    fn deletes_all_of(&self, inner: &Edit, after: usize) -> bool {
        let mut gone = inner.start;
        for edit in &self.edits[after.saturating_sub(1)..] {
            steps(1);
            if edit.file != inner.file || edit.start > gone || !edit.is_plain_deletion() {
                return false;
            }
            gone = gone.max(edit.end);
            if gone >= inner.end {
                return true;
            }
        }
        false
    }

    /// Returns true if every edit of `other` is an edit of this patch.
    #[must_use]
    pub fn contains(&self, other: &Patch) -> bool {
        let mut edits = self.edits.iter();
        other.edits.iter().all(|wanted| edits.any(|edit| edit == wanted))
    }

    /// Appends an edit that starts at or after the last one.
    fn push(&mut self, edit: Edit) -> Option<()> {
        let Some(last) = self.edits.last_mut() else {
            self.edits.push(edit);
            return Some(());
        };
        let same_start = last.file == edit.file && last.start == edit.start;
        if last.covers(&edit) {
            Some(())
        } else if same_start && edit.covers(last) {
            *last = edit;
            Some(())
        } else if last.overlaps(&edit) {
            if !(last.deletes() && edit.deletes()) {
                return None;
            }
            last.end = last.end.max(edit.end);
            last.kind = EditKind::Plain;
            Some(())
        } else if same_start && last.start == last.end && edit.start == edit.end {
            None // two insertions at one place: their order would be arbitrary
        } else {
            self.edits.push(edit);
            Some(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_edit_decides() {
        let outer = Patch::single(Edit::replace(0, 10..50, b"0".as_slice()));
        let inner = Patch::single(Edit::delete(0, 20..30));
        assert_eq!(inner.union(&outer), Some(outer.clone()));
        assert!(outer.covers(&inner) && !inner.covers(&outer));
    }

    #[test]
    fn deletions_side_by_side_cover_what_they_delete_together() {
        let delete = |range| Edit::delete(0, range);
        let pairs = Patch::new((5..25).map(|n| delete(2 * n..2 * n + 2)).collect()).unwrap();
        for (range, covered) in
            [(10..13, true), (11..50, true), (10..50, true), (9..12, false), (48..51, false)]
        {
            assert_eq!(pairs.covers(&Patch::single(delete(range.clone()))), covered, "{range:?}");
        }
        let apart = Patch::new(vec![delete(10..12), delete(13..15)]).unwrap();
        assert!(!apart.covers(&Patch::single(delete(10..15))));
        let between = Edit::replace(0, 12..13, b"x".as_slice());
        let replaced = apart.union(&Patch::single(between)).unwrap();
        assert!(!replaced.covers(&Patch::single(delete(10..15))));
    }

    #[test]
    fn overlapping_deletions_join_and_other_overlaps_conflict() {
        let patch = Patch::new(vec![Edit::delete(0, 0..5), Edit::delete(0, 3..9)]).unwrap();
        assert_eq!(patch.edits(), [Edit::delete(0, 0..9)]);
        assert_eq!(
            Patch::new(vec![Edit::delete(0, 0..5), Edit::replace(0, 3..9, b"x".as_slice())]),
            None
        );
    }

    #[test]
    fn what_is_inserted_stands_before_what_is_replaced() {
        let (insert, replace) =
            (Edit::replace(0, 5..5, b"(".as_slice()), Edit::replace(0, 5..9, b"0".as_slice()));
        let patch = Patch::new(vec![replace.clone(), insert.clone()]).unwrap();
        assert_eq!(patch.edits(), [insert.clone(), replace.clone()]);
        assert_eq!(Patch::single(replace).union(&Patch::single(insert)), Some(patch));
    }
}
