//! Edits of one file, as methods of [`Unit`].

use std::ops::Range;

use clreduce_language::NodeId;
use clreduce_testcase::{Edit, Patch};

use super::smaller::is_smaller;
use crate::analysis::Unit;
use crate::pass::Proposal;

impl Unit<'_> {
    /// Removes a range.
    pub(crate) fn delete(self, range: Range<usize>) -> Edit {
        Edit::delete(self.file, range)
    }

    /// Replaces a range.
    pub(crate) fn replace(self, range: Range<usize>, text: &'static [u8]) -> Edit {
        Edit::replace(self.file, range, text)
    }

    /// Replaces a node, if that makes the program smaller.
    pub(crate) fn shrink(self, id: NodeId, text: &'static [u8]) -> Option<Proposal> {
        is_smaller(text, self.text(id))
            .then(|| Proposal::edit(self.replace(self.tree.range(id), text)))
    }

    /// Replaces a range by a part of itself.
    pub(crate) fn keep(self, whole: Range<usize>, part: Range<usize>) -> Patch {
        Patch::new(self.keep_parts(whole, &[part])).unwrap_or_default()
    }

    /// The edits that leave of a range nothing but some parts of it, which are in order.
    ///
    /// The gaps are replaced by a blank rather than deleted. Two patches that keep different parts
    /// of one range then conflict, as they should, where deletions would join and leave nothing;
    /// and edits inside a part that stays remain free to be made along with it.
    pub(crate) fn keep_parts(self, whole: Range<usize>, parts: &[Range<usize>]) -> Vec<Edit> {
        let starts = std::iter::once(whole.start).chain(parts.iter().map(|part| part.end));
        let ends = parts.iter().map(|part| part.start).chain(std::iter::once(whole.end));
        let gaps = starts.zip(ends).filter(|(start, end)| start < end);
        gaps.map(|(start, end)| self.replace(start..end, b" ")).collect()
    }
}
