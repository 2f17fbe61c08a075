//! Programs whose result is exact: OpenCL leaves nothing of it to the device.

use std::collections::BTreeSet;
use std::ops::Range;

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

/// Returns true if nothing that `main` needs computes in floating point. Headers declare functions that do, which no
/// code calls.
#[must_use]
pub fn is_exact_program(source: &[u8]) -> bool {
    let parts = parts(source);
    let mut needed: Vec<bool> =
        parts.iter().map(|part| part.names.contains(&&b"main"[..])).collect();
    let mut pending: Vec<usize> = (0..parts.len()).filter(|part| needed[*part]).collect();
    while let Some(part) = pending.pop() {
        let text = &source[parts[part].range.clone()];
        if !is_exact(text) {
            return false;
        }
        let words: BTreeSet<&[u8]> = tokens(text).map(|token| &text[token.range()]).collect();
        for (index, other) in parts.iter().enumerate() {
            if !needed[index] && other.names.iter().any(|name| words.contains(name)) {
                needed[index] = true;
                pending.push(index);
            }
        }
    }
    true
}

/// A declaration of a C program, with the names that it declares.
struct Part<'a> {
    names: Vec<&'a [u8]>,
    range: Range<usize>,
}

/// The declarations outside of functions. A name is the word before the first bracket, equals sign or end, and the tag of a
/// structure.
fn parts(source: &[u8]) -> Vec<Part<'_>> {
    let (mut parts, mut names, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    let (mut start, mut last, mut is_named) = (None, &b""[..], false);
    for token in tokens(source) {
        let text = &source[token.range()];
        let begin = *start.get_or_insert(token.range().start);
        match text {
            b"{" | b"(" | b"[" | b"=" | b";" if depth == 0 && !is_named => {
                let is_attribute = last.starts_with(b"__attribute");
                if !is_attribute {
                    names.push(last);
                }
                is_named = text != b"{" && !is_attribute;
            }
            _ if token.kind == TokenKind::Word && depth == 0 && !is_named => last = text,
            _ => {}
        }
        match text {
            b"{" | b"(" | b"[" => depth += 1,
            b"}" | b")" | b"]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (text == b";" || text == b"}" && is_named) {
            parts.push(Part { names: std::mem::take(&mut names), range: begin..token.range().end });
            (start, last, is_named) = (None, b"", false);
        }
    }
    parts
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
        || matches!(&*word, "read_imagef" | "write_imagef" | "read_imageh" | "write_imageh")
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

    #[test]
    fn floating_point_counts_in_what_main_needs() {
        let header = "extern double strtod(const char *a); float half_of(float x) { return x / 2; }\n\
                      typedef double wide; struct s { int a; }; struct t { double d; } v; struct u { double d; } w;\n\
                      static int table[2] = { 1, 2 }; static int f(int x) { return x + table[0]; }\n";
        for (main, is_so) in [
            ("int main(void) { struct s x = { 1 }; return f(x.a); }", true),
            ("int main(void) { return half_of(3); }", false),
            ("int main(void) { struct u x; return 0; }", false),
            ("int g(int x) { return v.d; } int main(void) { return g(1); }", false),
            ("int main(void) { wide x = 1; return x; }", false),
            ("int main(void) { return 1e3; }", false),
            ("int main(void) { return (int)strtod(\"1\"); }", false),
        ] {
            assert_eq!(is_exact_program(format!("{header}{main}").as_bytes()), is_so, "{main}");
        }
    }
}
