//! Makes literals simpler: numbers 0 or 1, without suffix, decimal or with fewer digits, strings
//! shorter.
//!
//! before:
//! ```c
//! long f(void) { return g("text", 0x1fUL) + 1.5f; }
//! ```
//! after:
//! ```c
//! long f(void) { return g("text", 0) + 1.5f; }
//! ```

use clreduce_testcase::{Edit, TokenKind};

use crate::Snapshot;
use crate::analysis::Tokens;
use crate::edit::is_smaller;
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "literals",
    "Make numbers 0, 1 or shorter, drop their suffixes, and shorten strings",
    ANY,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::all(snapshot) {
        for (token, directive) in unit.tokens.iter().zip(unit.directives()) {
            // Paths and line numbers are no literals of the program.
            if directive.is_some_and(|name| !matches!(name, b"define" | b"if" | b"elif")) {
                continue;
            }
            let text = &unit.bytes[token.range()];
            let simpler = match token.kind {
                TokenKind::Number => simpler_number(text),
                TokenKind::String => simpler_string(text),
                TokenKind::Char => vec![b"0".to_vec()],
                _ => continue,
            };
            for (new, list) in simpler.into_iter().zip(0..) {
                if is_smaller(&new, text) {
                    let edit = Edit::replace(unit.file, token.range(), new);
                    proposals.push(Proposal::edit(edit).in_list(list));
                }
            }
        }
    }
}

/// The numbers that could stand for a number. Each place in the vector is one list, so that what is tried
/// together is alike.
fn simpler_number(text: &[u8]) -> Vec<Vec<u8>> {
    let is_hex = matches!(text, [b'0', b'x' | b'X', ..]);
    let is_float = !is_hex && text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    let suffixes: &[u8] = if is_hex { b"uUlL" } else { b"uUlLfFhH" };
    let digits = text.iter().rposition(|byte| !suffixes.contains(byte)).map_or(0, |last| last + 1);
    let (bare, suffix) = text.split_at(digits);
    let mut simpler = vec![b"0".to_vec(), b"1".to_vec(), bare.to_vec()];
    if is_float {
        let whole = bare.split(|&byte| byte == b'.').next().unwrap_or(b"");
        simpler.push(whole.to_vec());
        simpler.push([b"0.", suffix].concat());
        simpler.push([b"1.", suffix].concat());
        simpler.retain(|text| !text.is_empty());
        return simpler;
    }
    let value = std::str::from_utf8(bare).ok().and_then(|bare| match is_hex {
        true => u64::from_str_radix(&bare[2..], 16).ok(),
        false => None,
    });
    simpler
        .push(value.map_or(bare.to_vec(), |value| [value.to_string().as_bytes(), suffix].concat()));
    let prefix = if is_hex { 2 } else { 0 };
    let kept = prefix + (bare.len() - prefix).div_ceil(2);
    simpler.push([&bare[..kept], suffix].concat());
    simpler
}

/// A string without content, and one with the first half of it.
fn simpler_string(text: &[u8]) -> Vec<Vec<u8>> {
    let Some(quote) = text.iter().position(|&byte| byte == b'"') else { return Vec::new() };
    let content = &text[quote + 1..text.len() - 1];
    let mut half = &content[..content.len() / 2];
    // Cuts no escape sequence in two.
    while half.last() == Some(&b'\\') {
        half = &half[..half.len() - 1];
    }
    vec![b"\"\"".to_vec(), b"\"\"".to_vec(), [b"\"", half, b"\""].concat()]
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::C, before, keep, after);
    }

    #[test]
    fn numbers_get_shorter() {
        check("x = 123456UL;", &[], "x = 0;");
        check("x = 123456UL;", &["123"], "x = 123;");
        check("x = 0x10U;", &["16"], "x = 16;");
        check("x = 0x10U;", &["0x"], "x = 0x1;");
        check("x = -2.5e3f;", &["2"], "x = -2;");
        check("x = 2.5f;", &["f"], "x = 0.f;");
    }

    #[test]
    fn strings_and_characters_get_shorter() {
        check("x = u8\"abcd\" 'c';", &[], "x = \"\" 0;");
        assert_eq!(simpler_string(b"\"a\\\"\\\"cd\"")[2], b"\"a\\\"\"");
    }

    #[test]
    fn paths_stay() {
        let before = "#include \"a.h\"\n# 12 \"b.c\"\n#if 12\n#endif\n";
        check(before, &[], "#include \"a.h\"\n# 12 \"b.c\"\n#if 0\n#endif\n");
    }
}
