//! Removes arguments of functions of LLVM IR, in the definition and in every call. Zero takes the place of one that is used.
//! A function that nothing calls returns nothing.
//!
//! before:
//! ```llvm
//! define i32 @f(i32 %a, i32 %b) {
//!   ret i32 %b
//! }
//! define i32 @g() {
//!   %c = call i32 @f(i32 1, i32 2)
//!   ret i32 %c
//! }
//! ```
//! after:
//! ```llvm
//! define i32 @f( i32 %b) {
//!   ret i32 %b
//! }
//! define i32 @g() {
//!   %c = call i32 @f( i32 2)
//!   ret i32 %c
//! }
//! ```

use std::collections::HashMap;
use std::ops::Range;

use clreduce_testcase::{Edit, Patch, steps};

use super::module::{IrFunction, functions};
use crate::Snapshot;
use crate::analysis::{name_texts, names};
use crate::pass::{BLOCKS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "llvm-arguments",
    "Remove arguments and results of functions of LLVM IR",
    BLOCKS,
    propose,
)
.growing();

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        let mut lists: HashMap<&[u8], Vec<Vec<Range<usize>>>> = HashMap::new();
        let mut order: Vec<&[u8]> = Vec::new();
        let mut bodies: HashMap<&[u8], Range<usize>> = HashMap::new();
        for name in names(bytes).filter(|name| bytes[name.start] == b'@') {
            let text = &bytes[name.clone()];
            let known = lists.entry(text).or_insert_with(|| {
                order.push(text);
                Vec::new()
            });
            // One that is not called where it stands keeps its arguments: an empty list says so.
            known.push(list_at(bytes, name.end));
        }
        for function in functions(bytes) {
            let head = &bytes[function.head.clone()];
            let Some(name) = name_texts(head).find(|name| name[0] == b'@') else { continue };
            bodies.insert(name, function.head.end..function.range.end);
            if lists.get(name).is_some_and(|uses| uses.len() == 1) {
                let patch = without_result(file, bytes, &function, name);
                proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(2)));
            }
        }
        for name in order {
            let Some(lists) = lists.get(name) else { continue };
            let count = lists[0].len();
            if count == 0 || lists.iter().any(|list| list.len() != count) {
                continue;
            }
            let body = bodies.get(name).cloned().unwrap_or(0..0);
            for index in 0..count {
                let uses = uses_of(bytes, &lists[0][index], &body);
                let list = u32::from(!uses.is_empty());
                let gone = lists.iter().map(|list| list[index].clone());
                let gone = gone.map(|range| Edit::delete_element(file, range));
                let zero = |range| Edit::replace(file, range, b"zeroinitializer".to_vec());
                let edits = gone.chain(uses.into_iter().map(zero)).collect();
                let patch = Patch::new(edits);
                proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
            }
        }
    }
}

/// The arguments in the parentheses right behind a name.
fn list_at(bytes: &[u8], at: usize) -> Vec<Range<usize>> {
    let mut list = Vec::new();
    if bytes.get(at) != Some(&b'(') {
        return list;
    }
    let (mut depth, mut start) = (0_i32, at + 1);
    for (place, &byte) in (at..).zip(&bytes[at..]) {
        steps(1);
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b'\n' => return Vec::new(),
            _ => {}
        }
        let ends = depth == 0 || depth == 1 && byte == b',';
        if ends && !bytes[start..place].trim_ascii().is_empty() {
            list.push(start..place);
        }
        if depth == 0 {
            return list;
        }
        if ends {
            start = place + 1;
        }
    }
    Vec::new()
}

/// A function that returns nothing, where it returned something.
fn without_result(file: usize, bytes: &[u8], function: &IrFunction, name: &[u8]) -> Option<Patch> {
    let head = &bytes[function.head.clone()];
    let at = head.windows(name.len()).position(|part| part == name)?;
    let before = head[..at].trim_ascii_end();
    let ends = function.blocks.iter().filter_map(|block| block.instructions.last());
    let mut edits = Vec::new();
    for end in ends.filter(|end| end.operation(bytes).starts_with(b"ret ")) {
        let value = end.operation(bytes).strip_prefix(b"ret ")?;
        // The type stands in front of the value and, last, in front of the name.
        let mut types = (0..value.len()).filter(|&at| value[at] == b' ').map(|at| &value[..at]);
        let is_returned =
            |of: &&[u8]| before.strip_suffix(*of).is_some_and(|it| it.ends_with(b" "));
        let returned = types.find(is_returned)?;
        if edits.is_empty() {
            let end = function.head.start + before.len();
            edits.push(Edit::replace(file, end - returned.len()..end, b"void".to_vec()));
        }
        edits.push(Edit::replace(file, end.range.clone(), b"  ret void\n".to_vec()));
    }
    Patch::new(edits).filter(|patch| !patch.is_empty())
}

/// Where the body uses a parameter.
fn uses_of(bytes: &[u8], parameter: &Range<usize>, body: &Range<usize>) -> Vec<Range<usize>> {
    let text = &bytes[parameter.clone()];
    let Some(parameter) = name_texts(text).filter(|name| name[0] == b'%').last() else {
        return Vec::new();
    };
    let is_use = |name: &Range<usize>| &bytes[name.clone()] == parameter;
    let in_body = names(&bytes[body.clone()]);
    in_body.map(|name| body.start + name.start..body.start + name.end).filter(is_use).collect()
}
