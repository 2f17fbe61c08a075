//! Takes branches out of functions of LLVM IR: a branch goes one way, a block without a way to it goes, and a block joins the only
//! one that leads to it. What came from a block that no longer leads here goes out of the phi instructions.
//!
//! before:
//! ```llvm
//! define i32 @f(i1 %c) {
//! a:
//!   br i1 %c, label %b, label %d
//!
//! b:
//!   br label %d
//!
//! d:
//!   %e = phi i32 [ 1, %a ], [ 2, %b ]
//!   ret i32 %e
//! }
//! ```
//! after:
//! ```llvm
//! define i32 @f(i1 %c) {
//! a:
//!   br label %b
//!
//! b:
//!   br label %d
//!
//! d:
//!   %e = phi i32 [ 2, %b ]
//!   ret i32 %e
//! }
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_testcase::{Edit, Patch};

use super::module::{IrBlock, IrFunction, functions, targets};
use crate::Snapshot;
use crate::analysis::{name_texts, names};
use crate::pass::{BLOCKS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("llvm-branches", "Remove branches and blocks of LLVM IR", BLOCKS, propose).growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        for function in functions(bytes) {
            let control = ControlFlow::of(file, bytes, &function);
            for block in &function.blocks {
                proposals.extend(control.without_way_to(block).map(Proposal::new));
                let joined = control.joined(block).map(Proposal::new);
                proposals.extend(joined.map(|proposal| proposal.in_list(3)));
                let left = control.left_early(block).map(Proposal::new);
                proposals.extend(left.map(|proposal| proposal.in_list(4)));
                let once = control.once(block).into_iter().map(Proposal::new);
                proposals.extend(once.map(|proposal| proposal.in_list(5)));
                let one_way = control.one_way(block).into_iter().map(|(_, patch)| patch).zip(1..);
                proposals
                    .extend(one_way.map(|(patch, list)| Proposal::new(patch).in_list(list.min(2))));
            }
        }
    }
}

/// The blocks of a function and the ways between them.
struct ControlFlow<'a> {
    file: usize,
    bytes: &'a [u8],
    function: &'a IrFunction,
    by_name: HashMap<&'a [u8], &'a IrBlock>,
    /// By block, where it leads.
    next: HashMap<&'a [u8], Vec<&'a [u8]>>,
    /// By block, what leads to it.
    before: HashMap<&'a [u8], Vec<&'a [u8]>>,
    /// The first block in which it returns and that needs nothing from those that lead there.
    exit: Option<&'a IrBlock>,
}

impl<'a> ControlFlow<'a> {
    fn of(file: usize, bytes: &'a [u8], function: &'a IrFunction) -> Self {
        let name = |block: &IrBlock| &bytes[block.name.clone()];
        let mut next: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
        let mut before: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
        for block in &function.blocks {
            let Some(last) = block.instructions.last() else { continue };
            let mut seen = HashSet::new();
            let ways: Vec<&[u8]> =
                targets(last.operation(bytes)).filter(|way| seen.insert(*way)).collect();
            for way in &ways {
                before.entry(way).or_default().push(name(block));
            }
            next.insert(name(block), ways);
        }
        let by_name = function.blocks.iter().map(|block| (name(block), block)).collect();
        let returns = |block: &&IrBlock| {
            let last = block.instructions.last().map(|last| last.operation(bytes));
            last.is_some_and(|last| last.starts_with(b"ret "))
                && !block.instructions[0].is_phi(bytes)
                && !block.name.is_empty()
        };
        let exit = function.blocks.iter().find(returns);
        Self { file, bytes, function, by_name, next, before, exit }
    }

    fn name(&self, block: &IrBlock) -> &'a [u8] {
        &self.bytes[block.name.clone()]
    }

    /// Returns true for the block that runs first.
    fn is_entry(&self, block: &IrBlock) -> bool {
        self.function.blocks.first().is_some_and(|entry| entry.range == block.range)
    }

    /// The edits of phi instructions of `at` after `from` no longer leads there; `None` where one would be empty.
    fn without_incoming(&self, at: &[u8], from: &[u8]) -> Option<Vec<Edit>> {
        let block = self.by_name.get(at)?;
        let mut edits = Vec::new();
        for phi in block.instructions.iter().filter(|one| one.is_phi(self.bytes)) {
            let pairs = incoming(self.bytes, &phi.range);
            let gone = pairs.iter().filter(|(_, name)| *name == from);
            let kept = pairs.iter().filter(|(_, name)| *name != from).count();
            if kept == 0 && !pairs.is_empty() {
                return None;
            }
            edits.extend(gone.map(|(range, _)| Edit::delete_element(self.file, range.clone())));
        }
        Some(edits)
    }

    /// A branch or switch that goes to each of its targets alone.
    fn one_way(&self, block: &IrBlock) -> Vec<(&'a [u8], Patch)> {
        let Some(last) = block.instructions.last() else { return Vec::new() };
        let operation = last.operation(self.bytes);
        let may_go = operation.starts_with(b"br ") || operation.starts_with(b"switch ");
        let Some(ways) = self.next.get(self.name(block)) else { return Vec::new() };
        if !may_go || self.name(block).is_empty() || ways.len() < 2 {
            return Vec::new();
        }
        let patch = |kept: &&'a [u8]| Some((*kept, self.leading_to(kept, block)?));
        ways.iter().filter_map(patch).collect()
    }

    /// A loop that runs once: its head goes into the body, and the body leaves.
    fn once(&self, head: &IrBlock) -> Vec<Patch> {
        let patch =
            |(way, into): (&[u8], Patch)| into.union(&self.left_early(self.by_name.get(way)?)?);
        self.one_way(head).into_iter().filter_map(patch).collect()
    }

    /// A block that goes on where the function returns: loops end so.
    fn left_early(&self, block: &IrBlock) -> Option<Patch> {
        let last = block.instructions.last()?;
        let exit = self.exit?;
        let leads = last.operation(self.bytes).starts_with(b"br ");
        let ways = self.next.get(self.name(block))?;
        if !leads || block.name.is_empty() || ways[..] == [self.name(exit)] {
            return None;
        }
        self.leading_to(self.name(exit), block)
    }

    /// A block that goes on with `target`, whatever it did before.
    fn leading_to(&self, target: &[u8], block: &IrBlock) -> Option<Patch> {
        let last = block.instructions.last()?;
        let text = [b"  br label %", target, b"\n"].concat();
        let mut edits = vec![Edit::replace(self.file, last.range.clone(), text)];
        for other in self.next.get(self.name(block))?.iter().filter(|way| **way != target) {
            edits.extend(self.without_incoming(other, self.name(block))?);
        }
        Patch::new(edits)
    }

    /// A block that nothing leads to, with what it gives.
    fn without_way_to(&self, block: &IrBlock) -> Option<Patch> {
        let name = self.name(block);
        let is_reached =
            self.before.get(name).is_some_and(|from| from.iter().any(|from| *from != name));
        if self.is_entry(block) || is_reached || name.is_empty() {
            return None;
        }
        let mut edits = vec![Edit::delete(self.file, block.range.clone())];
        for way in self.next.get(name)?.iter().filter(|way| **way != name) {
            edits.extend(self.without_incoming(way, name)?);
        }
        Patch::new(edits)
    }

    /// A block that goes on with the only one that it leads to, to which nothing else leads.
    fn joined(&self, block: &IrBlock) -> Option<Patch> {
        let name = self.name(block);
        let [from] = self.before.get(name)?[..] else { return None };
        let first = self.by_name.get(from)?;
        let last = first.instructions.last()?;
        let has_phi = block.instructions.iter().any(|one| one.is_phi(self.bytes));
        let follows = first.range.end <= block.range.start;
        let nothing_between =
            || self.bytes[first.range.end..block.range.start].trim_ascii().is_empty();
        let leads_here_alone = self.next.get(from).is_some_and(|ways| ways.len() == 1);
        if has_phi || from == name || !leads_here_alone || !follows || !nothing_between() {
            return None;
        }
        let mut edits = vec![Edit::delete(self.file, last.range.start..block.label.end)];
        for way in self.next.get(name)? {
            let phis = self.by_name.get(way)?.instructions.iter();
            for phi in phis.filter(|one| one.is_phi(self.bytes)) {
                let whole = &self.bytes[phi.range.clone()];
                let of_block = names(whole)
                    .filter(|place| whole[place.clone()].strip_prefix(b"%") == Some(name));
                edits.extend(of_block.map(|place| {
                    let start = phi.range.start + place.start + 1;
                    Edit::replace(self.file, start..phi.range.start + place.end, from.to_vec())
                }));
            }
        }
        (!from.is_empty()).then(|| Patch::new(edits)).flatten()
    }
}

/// The pairs in the brackets of a phi instruction, each with the name of its block.
fn incoming<'a>(bytes: &'a [u8], phi: &Range<usize>) -> Vec<(Range<usize>, &'a [u8])> {
    let mut pairs = Vec::new();
    let text = &bytes[phi.clone()];
    let mut open = Vec::new();
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'[' => open.push(at),
            b']' => {
                let Some(start) = open.pop() else { continue };
                let name = name_texts(&text[start..at]).last();
                if let Some(name) =
                    name.and_then(|name| name.strip_prefix(b"%")).filter(|_| open.is_empty())
                {
                    pairs.push((phi.start + start..phi.start + at + 1, name));
                }
            }
            _ => {}
        }
    }
    pairs
}
