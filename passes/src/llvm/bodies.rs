//! Takes the bodies of functions of LLVM IR away: a declaration is left, or a body that returns at once.
//!
//! before:
//! ```llvm
//! define internal i32 @f(i32 %a) #0 {
//!   %b = add i32 %a, 1
//!   ret i32 %b
//! }
//! ```
//! after:
//! ```llvm
//! declare i32 @f(i32 %a) #0
//! ```

use clreduce_testcase::{Edit, Patch};

use super::module::{IrFunction, functions};
use crate::Snapshot;
use crate::analysis::names;
use crate::pass::{BLOCKS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "llvm-bodies",
    "Remove bodies of functions of LLVM IR, or empty them",
    BLOCKS,
    propose,
)
.growing();

/// Words of a definition that a declaration must not have.
const OF_DEFINITIONS: [&[u8]; 10] = [
    b"internal",
    b"private",
    b"linkonce",
    b"linkonce_odr",
    b"weak",
    b"weak_odr",
    b"available_externally",
    b"common",
    b"comdat",
    b"external",
];

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        for function in functions(bytes) {
            let declared = declaration(bytes, &function);
            let edit = Edit::replace(file, function.range.clone(), declared);
            proposals.push(Proposal::edit(edit));
            let returns = returning(file, bytes, &function);
            proposals.extend(returns.map(|patch| Proposal::new(patch).in_list(1)));
        }
    }
}

fn declaration(bytes: &[u8], function: &IrFunction) -> Vec<u8> {
    let head = bytes[function.head.clone()].trim_ascii();
    let head = head.strip_suffix(b"{").unwrap_or(head).trim_ascii();
    let head = head.strip_prefix(b"define").unwrap_or(head);
    // The attachments of metadata and the personality stand behind the arguments.
    let end = [&b" personality "[..], b" comdat", b" !"]
        .iter()
        .filter_map(|word| head.windows(word.len()).position(|part| part == *word))
        .min()
        .unwrap_or(head.len());
    let head = &head[..end];
    let mut out = b"declare".to_vec();
    let mut at = 0;
    for name in names(head) {
        if OF_DEFINITIONS.contains(&&head[name.clone()]) {
            out.extend_from_slice(head[at..name.start].trim_ascii_end());
            at = name.end;
        }
    }
    out.extend_from_slice(&head[at..]);
    out.push(b'\n');
    out
}

/// The body that returns nothing, or the zero of what it returned, at once.
fn returning(file: usize, bytes: &[u8], function: &IrFunction) -> Option<Patch> {
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    instructions.clone().nth(1)?;
    let is_return = |operation: &[u8]| operation.starts_with(b"ret ");
    let operation =
        instructions.find_map(|one| Some(one.operation(bytes)).filter(|it| is_return(it)))?;
    let line = operation.split(|&byte| byte == b'\n').next()?;
    let line = line.split(|&byte| byte == b';').next()?.trim_ascii_end();
    let end = line.iter().rposition(|&byte| byte == b' ')?;
    let returned: &[u8] = if line == b"ret void" { b"ret void" } else { &line[..end] };
    let value: &[u8] = if line == b"ret void" { b"" } else { b" zeroinitializer" };
    let body = function.head.end..function.range.end;
    let text = [b"  ", returned, value, b"\n}\n"].concat();
    Some(Patch::single(Edit::replace(file, body, text)))
}
