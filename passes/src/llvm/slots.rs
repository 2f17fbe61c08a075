//! Takes a place in memory that a function of LLVM IR only stores to and loads from away: what it loads is one of the values that
//! it stores.
//!
//! before:
//! ```llvm
//! define i32 @f(i32 %a) {
//!   %p = alloca i32
//!   store i32 %a, i32* %p
//!   %b = load i32, i32* %p
//!   ret i32 %b
//! }
//! ```
//! after:
//! ```llvm
//! define i32 @f(i32 %a) {
//!   ret i32 %a
//! }
//! ```

use std::collections::HashMap;
use std::ops::Range;

use clreduce_testcase::{Edit, Patch};

use super::module::{IrFunction, IrInstruction, functions, uses};
use crate::Snapshot;
use crate::analysis::names;
use crate::pass::{BLOCKS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "llvm-slots",
    "Replace what is loaded from a place in memory by what is stored there",
    BLOCKS,
    propose,
)
.growing();

/// Stored values that are tried for one place.
const VALUES: usize = 3;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        for function in functions(bytes) {
            let uses = uses(bytes, &function.range);
            for slot in slots(bytes, &function) {
                for (value, list) in slot.values.iter().zip(0..) {
                    let patch = without(file, bytes, &slot, value, &uses);
                    proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
                }
            }
        }
    }
}

/// A place in memory with its uses.
struct MemorySlot<'a> {
    users: Vec<&'a IrInstruction>,
    /// The first values that are stored, each once; zero where none is.
    values: Vec<&'a [u8]>,
}

/// The places that are nothing but stored to and loaded from.
fn slots<'a>(bytes: &'a [u8], function: &'a IrFunction) -> Vec<MemorySlot<'a>> {
    let all = || function.blocks.iter().flat_map(|block| &block.instructions);
    let mut open: HashMap<&[u8], Option<MemorySlot<'a>>> = HashMap::new();
    let mut order: Vec<&[u8]> = Vec::new();
    for place in all().filter(|one| one.operation(bytes).starts_with(b"alloca ")) {
        let Some(result) = place.result.clone() else { continue };
        order.push(&bytes[result.clone()]);
        open.insert(&bytes[result], Some(MemorySlot { users: vec![place], values: Vec::new() }));
    }
    for instruction in all() {
        let operation = instruction.operation(bytes);
        let (is_load, is_store) =
            (operation.starts_with(b"load "), operation.starts_with(b"store "));
        let mentioned: Vec<&[u8]> = names(operation)
            .map(|name| &operation[name])
            .filter(|name| open.contains_key(name))
            .collect();
        let address = is_store.then(|| stored(operation)).flatten();
        for name in mentioned {
            let Some(slot) = open.get_mut(name) else { continue };
            let Some(known) = slot else { continue };
            match address {
                _ if is_load => known.users.push(instruction),
                Some((value, to)) if to == name && value != name => {
                    known.users.push(instruction);
                    if known.values.len() < VALUES && !known.values.contains(&value) {
                        known.values.push(value);
                    }
                }
                _ => *slot = None,
            }
        }
    }
    let found = order.into_iter().filter_map(|name| open.remove(name).flatten());
    found
        .map(|mut slot| {
            if slot.values.is_empty() {
                slot.values.push(b"zeroinitializer");
            }
            slot
        })
        .collect()
}

/// The value and the address of a store: `store i32 %a, i32* %p, align 4`.
fn stored(operation: &[u8]) -> Option<(&[u8], &[u8])> {
    let address = names(operation).filter(|name| operation[name.start] == b'%').last()?;
    let before = operation[..address.start].iter().rposition(|&byte| byte == b',')?;
    let value = operation[..before].trim_ascii_end();
    let start = value.iter().rposition(|&byte| byte == b' ')?;
    Some((&value[start + 1..], &operation[address]))
}

fn without(
    file: usize,
    bytes: &[u8],
    slot: &MemorySlot<'_>,
    value: &[u8],
    uses: &HashMap<&[u8], Vec<Range<usize>>>,
) -> Option<Patch> {
    // They stand in the order of the program.
    let is_removed = |at: usize| {
        let behind = slot.users.partition_point(|user| user.range.start <= at);
        behind.checked_sub(1).is_some_and(|user| slot.users[user].range.contains(&at))
    };
    let mut edits: Vec<Edit> =
        slot.users.iter().map(|user| Edit::delete(file, user.range.clone())).collect();
    for user in slot.users.iter().filter(|user| user.operation(bytes).starts_with(b"load ")) {
        let result = &bytes[user.result.clone()?];
        if result == value {
            return None;
        }
        let places = uses.get(result)?.iter().filter(|place| !is_removed(place.start));
        edits.extend(places.map(|place| Edit::replace(file, place.clone(), value.to_vec())));
    }
    Patch::new(edits)
}
