//! The size order of programs, applied to two pieces of text.

use clreduce_testcase::{count_tokens, text_steps, tokens};

/// Returns whether a text is smaller than the one it would replace: fewer tokens, else fewer bytes that are
/// not white space, else lower bytes.
pub(crate) fn is_smaller(new: &[u8], old: &[u8]) -> bool {
    let budget = count_tokens(new);
    // The old text is read no further than needed: expressions nest, and each is measured.
    if tokens(old).nth(budget).is_some() {
        return true;
    }
    let dense = |text: &[u8]| -> Vec<u8> {
        text_steps(text.len());
        text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
    };
    let key = |text: &[u8]| {
        let dense = dense(text);
        (count_tokens(text), dense.len(), dense)
    };
    key(new) < key(old)
}

#[cfg(test)]
mod tests {
    use super::is_smaller;

    #[test]
    fn tokens_then_bytes_then_order() {
        assert!(is_smaller(b"12345", b"a + b") && !is_smaller(b"a+b", b"abcdefg"));
        assert!(is_smaller(b"0", b"  10") && is_smaller(b"0", b"x") && !is_smaller(b"x", b"0"));
        assert!(!is_smaller(b"0", b" 0 "));
    }
}
