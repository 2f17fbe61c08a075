//! Changes of the shadow text, which the parser reads instead of a file.

use std::ops::Range;

use clreduce_testcase::Token;

/// Writes blanks, but leaves line breaks, which end directives.
pub(crate) fn blank(out: &mut [u8], range: Range<usize>) {
    out[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Writes a word in the place of one that is no shorter.
pub(crate) fn rename(out: &mut [u8], range: Range<usize>, word: &[u8]) {
    blank(out, range.clone());
    out[range.start..range.start + word.len()].copy_from_slice(word);
}

/// For each `(` the index of its `)`.
pub(crate) fn parentheses(bytes: &[u8], tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match &bytes[token.range()] {
            b"(" => open.push(index),
            b")" => {
                if let Some(partner) = open.pop() {
                    partners[partner] = Some(index);
                }
            }
            // No parenthesis reaches over the end of a body that begins before it.
            b"}" | b";" => open.clear(),
            _ => {}
        }
    }
    partners
}
