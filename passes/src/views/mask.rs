//! Blanks out what the C grammar does not know, byte for byte, so that offsets stay valid.

use clreduce_testcase::{Language, TokenKind, tokens};

/// Qualifiers and markers without influence on structure (OpenCL C 1.2, section 6.1.9; GNU C).
const OPENCL: &[&str] = &[
    "__kernel",
    "kernel",
    "__global",
    "global",
    "__local",
    "local",
    "__constant",
    "constant",
    "__private",
    "private",
    "__read_only",
    "read_only",
    "__write_only",
    "write_only",
    "__read_write",
    "read_write",
    "pipe",
    "__extension__",
];
const C: &[&str] = &["__extension__"];

/// The bytes as the grammar should see them.
pub(super) fn masked(bytes: &[u8], language: Language) -> Vec<u8> {
    let words = if language == Language::OpenCl { OPENCL } else { C };
    let mut out = bytes.to_vec();
    for token in tokens(bytes).filter(|token| token.kind == TokenKind::Word) {
        let range = token.range();
        if words.iter().any(|word| word.as_bytes() == &bytes[range.clone()]) {
            out[range].fill(b' ');
        }
    }
    out
}
