//! Puts one of its operands in the place of what a line defines, in languages in which a line is `name = operation operands`. The
//! line goes.
//!
//! before:
//! ```text
//! %1 = add %a, %b
//! %2 = mul %1, %c
//! store %2, %1
//! ```
//! after:
//! ```text
//! store %a, %a
//! ```

use std::collections::HashMap;
use std::ops::Range;

use clreduce_testcase::{Edit, Feature, Patch, steps};

use crate::Snapshot;
use crate::analysis::{line_ranges, names};
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("definitions", "Replace what a line defines by one of its operands", ANY, propose)
        .growing();

/// Operands of a line that are tried.
const OPERANDS: usize = 3;
/// A name with more uses is hardly one that a line defines.
const MOST_USES: usize = 500;
/// Definitions of definitions that are followed.
const LONGEST_CHAIN: usize = 64;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    if snapshot.language().has(Feature::Syntax) {
        return;
    }
    for file in 0..snapshot.file_count() {
        let bytes = snapshot.bytes(file);
        let mut uses: HashMap<&[u8], Vec<Range<usize>>> = HashMap::new();
        let mut all = names(bytes).peekable();
        let mut lines = Vec::new();
        for line in line_ranges(bytes) {
            let in_line = std::iter::from_fn(|| all.next_if(|name| name.start < line.end));
            let in_line: Vec<Range<usize>> = in_line.collect();
            for name in &in_line {
                uses.entry(&bytes[name.clone()]).or_default().push(name.clone());
            }
            lines.push((line, in_line));
        }
        let definitions: Vec<LineDefinition<'_>> =
            lines.iter().filter_map(|(line, in_line)| definition(bytes, line, in_line)).collect();
        let first: HashMap<&[u8], &[u8]> = definitions
            .iter()
            .filter_map(|definition| Some((definition.name, *definition.operands.first()?)))
            .collect();
        for definition in definitions.iter().filter(|it| uses[it.name].len() <= MOST_USES) {
            let mut operands = vec![last_of(&first, definition.name)];
            operands.extend(&definition.operands);
            operands.dedup();
            for (operand, list) in operands.into_iter().zip(0..) {
                if operand == definition.name {
                    continue;
                }
                let patch = without(definition, &uses[definition.name], file, operand);
                proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
            }
        }
    }
}

/// A line that defines a name.
struct LineDefinition<'a> {
    line: Range<usize>,
    name: &'a [u8],
    operands: Vec<&'a [u8]>,
}

fn definition<'a>(
    bytes: &'a [u8],
    line: &Range<usize>,
    in_line: &[Range<usize>],
) -> Option<LineDefinition<'a>> {
    let (defined, others) = in_line.split_first()?;
    let name = &bytes[defined.clone()];
    let is_defined = bytes[defined.end..line.end].trim_ascii_start().starts_with(b"= ");
    let is_first = bytes[line.start..defined.start].trim_ascii().is_empty();
    let operands = others.iter().map(|other| &bytes[other.clone()]);
    let operands = operands.filter(|other| *other != name && is_alike(other, name));
    (is_defined && is_first).then(|| LineDefinition {
        line: line.clone(),
        name,
        operands: operands.take(OPERANDS).collect(),
    })
}

/// The name that replaces a name when each line is replaced by its first operand. If several lines go at once, each other
/// line still finds what it uses.
fn last_of<'a>(first: &HashMap<&'a [u8], &'a [u8]>, name: &'a [u8]) -> &'a [u8] {
    let chain = std::iter::successors(Some(name), |name| first.get(name).copied());
    let chain = chain.inspect(|_| steps(1)).take(LONGEST_CHAIN);
    chain.last().unwrap_or(name)
}

/// A definition's line removed, and an operand in the place of its name.
fn without(
    definition: &LineDefinition<'_>,
    uses: &[Range<usize>],
    file: usize,
    operand: &[u8],
) -> Option<Patch> {
    let elsewhere = uses.iter().filter(|used| !definition.line.contains(&used.start));
    let replace = |used: &Range<usize>| Edit::replace(file, used.clone(), operand.to_vec());
    let mut edits = vec![Edit::delete(file, definition.line.clone())];
    edits.extend(elsewhere.map(replace));
    Patch::new(edits)
}

/// Returns whether two names are written alike: with the same sigil, or both without one.
fn is_alike(one: &[u8], other: &[u8]) -> bool {
    let sigil = |name: &[u8]| name.first().copied().filter(|first| !first.is_ascii_alphabetic());
    sigil(one) == sigil(other)
}
