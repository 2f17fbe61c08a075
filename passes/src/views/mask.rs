//! Hides what the C grammar does not know, byte for byte, so that offsets stay valid.

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
    // A zero byte would be the end of the comment that it stands in.
    let mut out: Vec<u8> = bytes.iter().map(|&byte| byte.max(1)).collect();
    let mut slash_end = usize::MAX;
    for token in tokens(bytes) {
        let (range, text) = (token.range(), &bytes[token.range()]);
        let is_masked = match token.kind {
            TokenKind::Word => words.iter().any(|word| word.as_bytes() == text),
            // The preprocessor's idea of a number is wider than the grammar's, which would make two
            // nodes of `1h` (C11, 6.4.8).
            TokenKind::Number => {
                out[range.clone()].fill(b'1');
                false
            }
            // A comment that never ends: the parser would look for its end once for each of them.
            _ => text == b"*" && range.start == slash_end,
        };
        slash_end = if text == b"/" { range.end } else { usize::MAX };
        if is_masked {
            out[range].fill(b' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::SyntaxTree;

    #[test]
    fn every_number_of_the_preprocessor_is_one_node() {
        let source = "int x = 1h + 0x+x + .5e+ + 0X1p-3f;";
        let tree = SyntaxTree::parse(source.as_bytes(), Language::C);
        let numbers = tree.ids().filter(|&id| tree.kind(id) == "number_literal");
        let numbers: Vec<&str> = numbers.map(|id| &source[tree.range(id)]).collect();
        assert_eq!(numbers, ["1h", "0x", ".5e+", "0X1p-3f"]);
    }
}
