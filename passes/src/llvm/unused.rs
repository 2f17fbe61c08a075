//! Removes what no function of a module of LLVM IR needs: globals, declarations, types, groups of attributes, metadata.
//!
//! before:
//! ```llvm
//! %t = type { i32 }
//! @a = global i32 1
//! @b = global i32* @a
//! declare void @g(%t)
//! define i32* @f() #1 {
//!   ret i32* @a
//! }
//! attributes #0 = { cold }
//! attributes #1 = { hot }
//! ```
//! after:
//! ```llvm
//! @a = global i32 1
//! define i32* @f() #1 {
//!   ret i32* @a
//! }
//! attributes #1 = { hot }
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_testcase::Edit;

use super::module::functions;
use crate::Snapshot;
use crate::analysis::{line_ranges, name_texts};
use crate::pass::{BLOCKS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "llvm-unused",
    "Remove globals, declarations, types and metadata that no function needs",
    BLOCKS,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        let functions: Vec<Range<usize>> =
            functions(bytes).into_iter().map(|function| function.range).collect();
        let items = items(bytes, &functions);
        let needed = needed(bytes, functions, &items);
        let unused = items.iter().filter(|(name, _)| !needed.contains(name));
        let edits = unused.map(|(_, line)| Edit::delete(file, line.clone()));
        proposals.extend(edits.map(Proposal::edit));
    }
}

/// The lines outside functions that define a name, which stands first or behind `declare` or `attributes`.
fn items<'a>(bytes: &'a [u8], functions: &[Range<usize>]) -> Vec<(&'a [u8], Range<usize>)> {
    let mut functions = functions.iter().peekable();
    let mut items = Vec::new();
    for line in line_ranges(bytes) {
        while functions.next_if(|range| range.end <= line.start).is_some() {}
        if functions.peek().is_some_and(|range| range.contains(&line.start)) {
            continue;
        }
        let text = &bytes[line.clone()];
        let is_of_words = text.starts_with(b"declare ") || text.starts_with(b"attributes ");
        let is_sigil = |first: u8| matches!(first, b'@' | b'%' | b'!' | b'#' | b'$');
        let mut all = name_texts(text);
        let name = all.find(|name| !is_of_words || is_sigil(name[0]));
        let is_item = |name: &&[u8]| is_sigil(name[0]) && (is_of_words || text.starts_with(name));
        items.extend(name.filter(is_item).map(|name| (name, line)));
    }
    items
}

/// The names that functions, and items that they need, mention.
fn needed<'a>(
    bytes: &'a [u8],
    functions: Vec<Range<usize>>,
    items: &[(&'a [u8], Range<usize>)],
) -> HashSet<&'a [u8]> {
    let of_item: HashMap<&[u8], &Range<usize>> =
        items.iter().map(|(name, line)| (*name, line)).collect();
    let mut open = functions;
    let mut needed = HashSet::new();
    while let Some(range) = open.pop() {
        let text = &bytes[range];
        for name in name_texts(text) {
            if needed.insert(name) {
                open.extend(of_item.get(name).map(|line| (*line).clone()));
            }
        }
    }
    needed
}
