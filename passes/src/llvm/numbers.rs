//! Gives names to the values, blocks and globals that LLVM IR only numbers: a number must not be left out, so that nothing could
//! go alone. What says nothing to most bugs goes in the same step, since a step must make the program smaller.
//!
//! before:
//! ```llvm
//! source_filename = "a.c"
//! define dso_local i32 @f(i32 noundef %0) {
//!   %2 = add i32 %0, 1
//!   br label %3
//!
//! 3:
//!   ret i32 %2
//! }
//! ```
//! after:
//! ```llvm
//! define i32 @f(i32 %v0) {
//!   %v2 = add i32 %v0, 1
//!   br label %v3
//!
//! v3:
//!   ret i32 %v2
//! }
//! ```

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_testcase::{Edit, steps};

use super::module::functions;
use crate::Snapshot;
use crate::analysis::{line_ranges, name_texts, names};
use crate::pass::{BLOCKS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("llvm-numbers", "Give names to numbered values of LLVM IR", BLOCKS, propose)
        .growing()
        .renaming();

/// Words that hardly any bug needs.
const NOISE: [&[u8]; 8] = [
    b"dso_local",
    b"noundef",
    b"local_unnamed_addr",
    b"unnamed_addr",
    b"nonnull",
    b"nocapture",
    b"mustprogress",
    b"norecurse",
];

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        for (noise, list) in [(&NOISE[..], 0), (&[], 1)] {
            if let Some(text) = named(bytes, noise) {
                let edit = Edit::replace(file, 0..bytes.len(), text);
                proposals.push(Proposal::edit(edit).in_list(list));
            }
        }
    }
}

/// A module with names in the place of numbers and without some words; `None` where nothing is numbered.
fn named(bytes: &[u8], noise: &[&[u8]]) -> Option<Vec<u8>> {
    let prefix = free_prefix(bytes);
    let entries = entries(bytes);
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    let mut has_numbers = false;
    for line in line_ranges(bytes) {
        let text = &bytes[line.clone()];
        if text.starts_with(b"source_filename") {
            continue;
        }
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && text.get(digits) == Some(&b':') {
            out.extend_from_slice(&prefix);
            has_numbers = true;
        }
        let mut at = 0;
        for name in names_outside_strings(text) {
            let word = &text[name.clone()];
            if noise.contains(&word) {
                out.extend_from_slice(&text[at..name.start]);
                let blank = usize::from(text.get(name.end) == Some(&b' '));
                at = name.end + blank;
            } else if is_number(word) {
                out.extend_from_slice(&text[at..=name.start]);
                out.extend_from_slice(&prefix);
                at = name.start + 1;
                has_numbers = true;
            }
        }
        out.extend_from_slice(&text[at..]);
        if let Some(number) = entries.get(&line.start) {
            out.extend([&prefix[..], &bytes[number.clone()], b":\n"].concat());
        }
    }
    has_numbers.then_some(out)
}

/// Returns true for `%12` and `@12`.
fn is_number(name: &[u8]) -> bool {
    matches!(name, [b'%' | b'@', number @ ..] if !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// `v`, or more of them where there are names that begin so already.
fn free_prefix(bytes: &[u8]) -> Vec<u8> {
    let mut prefix = b"v".to_vec();
    let begins = |name: &[u8], prefix: &[u8]| {
        let rest = name.get(1..).and_then(|name| name.strip_prefix(prefix));
        rest.is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
    };
    while name_texts(bytes).any(|name| begins(name, &prefix)) {
        prefix.push(b'v');
    }
    prefix
}

/// Functions whose first block has a number that is used and that no line shows: the start of the line of `define`, and the
/// digits where they are used.
fn entries(bytes: &[u8]) -> HashMap<usize, Range<usize>> {
    let types: HashSet<&[u8]> =
        line_ranges(bytes).filter_map(|line| name_texts(&bytes[line]).next()).collect();
    let functions = functions(bytes);
    let entry = functions.iter().filter_map(|function| {
        let blocks = &function.blocks;
        if blocks.first()?.name.is_empty() {
            let head = &bytes[function.head.clone()];
            let mut known: HashSet<&[u8]> = name_texts(head).collect();
            let results = blocks.iter().flat_map(|block| &block.instructions);
            known.extend(results.filter_map(|one| Some(&bytes[one.result.clone()?])));
            let labels: HashSet<&[u8]> =
                blocks.iter().map(|block| &bytes[block.name.clone()]).collect();
            let body = function.head.end..function.range.end;
            let mut inside = names_outside_strings(&bytes[body.clone()]);
            let unknown = inside.find(|name| {
                steps(1);
                let word = &bytes[body.clone()][name.clone()];
                let is_known = known.contains(word) || labels.contains(&word[1..]);
                is_number(word) && word[0] == b'%' && !is_known && !types.contains(word)
            })?;
            let start = body.start + unknown.start + 1;
            return Some((function.head.start, start..body.start + unknown.end));
        }
        None
    });
    entry.collect()
}

/// The names of a text that do not stand in a string or a comment.
fn names_outside_strings(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let (mut at, mut quoted, mut in_comment) = (0, false, false);
    names(text).filter(move |name| {
        for &byte in &text[at..name.start] {
            match byte {
                b'"' if !in_comment => quoted = !quoted,
                b';' if !quoted => in_comment = true,
                b'\n' => (quoted, in_comment) = (false, false),
                _ => {}
            }
        }
        at = name.start;
        !quoted && !in_comment
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_gets_its_label_back_and_strings_keep_their_numbers() {
        let text = b"@0 = constant [3 x i8] c\"%2d\"\ndefine void @f() {\n  br label %1\n\n1:                       ; preds = %0\n  %2 = phi i32 [ 0, %0 ], [ 1, %1 ]\n  br label %1\n}\n";
        let named = String::from_utf8(named(text, &[]).unwrap()).unwrap();
        let expected = "@v0 = constant [3 x i8] c\"%2d\"\ndefine void @f() {\nv0:\n  br label %v1\n\nv1:                       ; preds = %0\n  %v2 = phi i32 [ 0, %v0 ], [ 1, %v1 ]\n  br label %v1\n}\n";
        assert_eq!(named, expected);
        assert!(super::named(named.as_bytes(), &[]).is_none());
    }
}
