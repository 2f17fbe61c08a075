//! Removes what only modifies instructions and functions of LLVM IR, each kind everywhere at once: flags, alignments, groups of
//! attributes, attached metadata, names of results that nothing uses.
//!
//! before:
//! ```llvm
//! define internal i32 @f(i32 %a) #0 {
//!   %b = add nsw i32 %a, 1, !dbg !3
//!   ret i32 %b, !dbg !4
//! }
//! ```
//! after:
//! ```llvm
//! define internal i32 @f(i32 %a)  {
//!   %b = add nsw i32 %a, 1
//!   ret i32 %b
//! }
//! ```

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use clreduce_testcase::{Edit, Patch};

use super::module::result;
use crate::Snapshot;
use crate::analysis::{line_ranges, name_texts, names};
use crate::pass::{BLOCKS, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "llvm-modifiers",
    "Remove flags, alignments, attributes and metadata of LLVM IR everywhere",
    BLOCKS,
    propose,
)
.growing();

/// Words that a program can do without.
const WORDS: [&[u8]; 38] = [
    b"nsw",
    b"nuw",
    b"exact",
    b"inbounds",
    b"fast",
    b"nnan",
    b"ninf",
    b"nsz",
    b"arcp",
    b"contract",
    b"reassoc",
    b"afn",
    b"tail",
    b"musttail",
    b"notail",
    b"volatile",
    b"internal",
    b"private",
    b"hidden",
    b"protected",
    b"linkonce_odr",
    b"weak_odr",
    b"weak",
    b"linkonce",
    b"dso_local",
    b"unnamed_addr",
    b"local_unnamed_addr",
    b"fastcc",
    b"zeroext",
    b"signext",
    b"noundef",
    b"nonnull",
    b"noalias",
    b"nocapture",
    b"readonly",
    b"writeonly",
    b"returned",
    b"immarg",
];

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        let mut kinds: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
        let mut mentioned: HashMap<&[u8], usize> = HashMap::new();
        for name in name_texts(bytes) {
            *mentioned.entry(name).or_default() += 1;
        }
        for line in line_ranges(bytes) {
            for (kind, range) in modifiers(&bytes[line.clone()]) {
                let range = line.start + range.start..line.start + range.end;
                kinds.entry(kind).or_default().push(range);
            }
            // The name of a result that nothing uses.
            if let Some(name) = result(bytes, &line).filter(|name| name.start > line.start)
                && mentioned.get(&bytes[name.clone()]) == Some(&1)
            {
                let end = bytes[name.end..].iter().position(|&byte| byte == b'=');
                let end = end.map_or(name.end, |equals| name.end + equals + 2);
                kinds.entry(b"=").or_default().push(name.start..end.min(line.end));
            }
        }
        for ranges in kinds.into_values() {
            let edits = ranges.into_iter().map(|range| Edit::delete(file, range));
            proposals.extend(Patch::new(edits.collect()).map(Proposal::new));
        }
    }
}

/// The modifiers in a line, each with its kind.
fn modifiers(line: &[u8]) -> Vec<(&[u8], Range<usize>)> {
    // What these lines define is taken away with its uses elsewhere.
    if line.starts_with(b"!") || line.starts_with(b"attributes") {
        return Vec::new();
    }
    let mut found: Vec<(&[u8], Range<usize>)> = Vec::new();
    let all: Vec<Range<usize>> = names(line).collect();
    for (index, name) in all.iter().enumerate() {
        let text = &line[name.clone()];
        let behind = all.get(index + 1).map(|next| &line[next.clone()]);
        let comma = line[..name.start].trim_ascii_end().strip_suffix(b",").map(<[u8]>::len);
        if WORDS.contains(&text) {
            let blank = usize::from(line.get(name.end) == Some(&b' '));
            found.push((text, name.start..name.end + blank));
        } else if text == b"align" {
            let digits = line[name.end..].iter().skip(1).take_while(|byte| byte.is_ascii_digit());
            let end = name.end + 1 + digits.count();
            found.push((text, comma.unwrap_or(name.start)..end.min(line.len())));
        } else if let [b'#', digits @ ..] = text
            && digits.iter().all(u8::is_ascii_digit)
        {
            found.push((b"#", name.clone()));
        } else if text.starts_with(b"!")
            && !text[1..].iter().all(u8::is_ascii_digit)
            && behind.is_some_and(|behind| behind.starts_with(b"!"))
            && let Some(next) = all.get(index + 1)
        {
            found.push((text, comma.unwrap_or(name.start)..next.end));
        }
    }
    found
}
