//! Removes a name with all that mentions it: the nearest parts that the grammar can do without, or, where there is no grammar,
//! whole lines, and whole blocks where the line opens one.
//!
//! before:
//! ```text
//! %1 = load %p
//! %2 = add %1, %q
//! store %3, %q
//! ```
//! after:
//! ```text
//! store %3, %q
//! ```

use std::collections::HashMap;
use std::ops::Range;

use clreduce_testcase::{Edit, Feature, Patch, steps};

use crate::Snapshot;
use crate::analysis::{Unit, blocks, line_ranges, names};
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("mentions", "Remove a name with all that mentions it", ANY, propose).growing();

/// A word that stands at more places is one of the language.
const MOST_PLACES: usize = 200;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    // Passes that know what names mean do this for the C family and for LLVM IR.
    if snapshot.language().has(Feature::Syntax) || snapshot.language().has(Feature::Blocks) {
        return;
    }
    let mut places: HashMap<&[u8], Vec<(usize, Range<usize>)>> = HashMap::new();
    let mut order: Vec<&[u8]> = Vec::new();
    for file in 0..snapshot.file_count() {
        for (name, range) in mentions(snapshot, file) {
            steps(1);
            let known = places.entry(name).or_default();
            if known.is_empty() {
                order.push(name);
            }
            known.push((file, range));
        }
    }
    for name in order {
        let places = &mut places.get_mut(name).map(std::mem::take).unwrap_or_default();
        if (2..=MOST_PLACES).contains(&places.len())
            && let Some(patch) = without(places)
        {
            proposals.push(Proposal::new(patch));
        }
    }
}

/// The names of a file, each with what would go with it there.
fn mentions(snapshot: &Snapshot, file: usize) -> Vec<(&[u8], Range<usize>)> {
    let bytes = snapshot.bytes(file);
    let tree = snapshot.tree(file);
    if tree.is_empty() {
        let mut lines = line_ranges(bytes).peekable();
        let opened = blocks(bytes);
        let mut opened = opened.iter().peekable();
        let in_line = names(bytes).filter_map(|name| {
            while lines.next_if(|line| line.end <= name.start).is_some() {}
            while opened.next_if(|block| block.frame[0].end <= name.start).is_some() {}
            let opening = opened.peek().filter(|block| block.range.start <= name.start);
            let range = opening.map_or_else(|| lines.peek(), |block| Some(&block.range))?;
            Some((&bytes[name], range.clone()))
        });
        return in_line.collect();
    }
    let unit = Unit { file, bytes, tree };
    let parts = unit.removable_parts();
    let names = tree.ids().filter(|&id| unit.is_name(id));
    names.filter_map(|id| Some((unit.text(id), parts[id.0 as usize].clone()?))).collect()
}

/// A patch that removes all these places. Of two where one lies in the other, the outer one counts.
fn without(places: &mut [(usize, Range<usize>)]) -> Option<Patch> {
    places.sort_by_key(|(file, range)| (*file, range.start, usize::MAX - range.end));
    let mut edits: Vec<Edit> = Vec::new();
    for (file, range) in places.iter() {
        let is_covered = edits
            .last()
            .is_some_and(|last| last.file as usize == *file && range.start < last.end as usize);
        if !is_covered {
            edits.push(Edit::delete(*file, range.clone()));
        }
    }
    Patch::new(edits)
}
