//! Removes instructions of LLVM IR, with zero in the place of what they gave. Zero has a spelling that fits every type.
//!
//! before:
//! ```llvm
//! define i32 @f(i32 %a) {
//!   %b = add i32 %a, 1
//!   ret i32 %b
//! }
//! ```
//! after:
//! ```llvm
//! define i32 @f(i32 %a) {
//!   ret i32 zeroinitializer
//! }
//! ```

use std::ops::Range;

use clreduce_testcase::{Edit, Patch};

use super::module::{functions, uses};
use crate::Snapshot;
use crate::pass::{BLOCKS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "llvm-values",
    "Remove instructions of LLVM IR, with zero for what they gave",
    BLOCKS,
    propose,
)
.growing();

/// Instructions whose place is fixed, or that end a block.
const FIXED: [&[u8]; 10] = [
    b"ret",
    b"br",
    b"switch",
    b"indirectbr",
    b"invoke",
    b"callbr",
    b"resume",
    b"unreachable",
    b"landingpad",
    b"catch",
];

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        for function in functions(bytes) {
            let uses = uses(bytes, &function.range);
            let all = function.blocks.iter().flat_map(|block| &block.instructions);
            for instruction in all.filter(|one| !is_fixed(one.operation(bytes))) {
                let mut edits = vec![Edit::delete(file, instruction.range.clone())];
                let result = instruction.result.as_ref().map(|result| &bytes[result.clone()]);
                let places = result.and_then(|result| uses.get(result)).into_iter().flatten();
                let elsewhere = |place: &&Range<usize>| !instruction.range.contains(&place.start);
                edits.extend(places.filter(elsewhere).map(|place| {
                    Edit::replace(file, place.clone(), b"zeroinitializer".as_slice())
                }));
                proposals.extend(Patch::new(edits).map(Proposal::new));
            }
        }
    }
}

fn is_fixed(operation: &[u8]) -> bool {
    let word = operation.split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    FIXED.contains(&word) || word.starts_with(b"catch") || word.starts_with(b"cleanup")
}
