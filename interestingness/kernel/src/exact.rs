//! Programs whose result is exact: OpenCL leaves nothing of it to the device.

use clreduce_testcase::{TokenKind, tokens};

/// Returns true if nothing in the text makes a result that devices may compute differently: no floating point, and
/// no multiplication of 24 bits, which need not work for larger numbers.
#[must_use]
pub fn is_exact(source: &[u8]) -> bool {
    tokens(source).all(|token| {
        let text = &source[token.range()];
        match token.kind {
            TokenKind::Word => !is_inexact_word(text),
            TokenKind::Number => !is_floating_number(text),
            _ => true,
        }
    })
}

/// Types, and functions with a type in their name, such as `convert_float4` and `vload_half`.
fn is_inexact_word(word: &[u8]) -> bool {
    let word = String::from_utf8_lossy(word);
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_type = |part: &str| matches!(part, "float" | "double" | "half");
    let part_is_type = |part: &str| is_type(part.trim_end_matches(|c: char| c.is_ascii_digit()));
    is_type(stem)
        || word.split('_').any(part_is_type)
        || word.starts_with("native_")
        || matches!(&*word, "mul24" | "mad24" | "__mul24" | "__umul24")
}

fn is_floating_number(number: &[u8]) -> bool {
    let hexadecimal = number.starts_with(b"0x") || number.starts_with(b"0X");
    let marks: &[u8] = if hexadecimal { b".pP" } else { b".eE" };
    number.iter().any(|byte| marks.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floating_point_and_24_bits_are_not_exact() {
        for exact in
            ["int x = 0x1e3;", "halfway(floats, 12L);", "ulong4 v; // float", "mul_hi(a, b)"]
        {
            assert!(is_exact(exact.as_bytes()), "{exact}");
        }
        for inexact in [
            "float x;",
            "double4 x;",
            "x = 1e3;",
            "x = .5;",
            "as_float(3)",
            "mad24(a, b, c)",
            "0x1p3",
        ] {
            assert!(!is_exact(inexact.as_bytes()), "{inexact}");
        }
    }
}
