//! Hides words of GNU C++ that the grammar does not know: extensions that headers are full of once they are preprocessed.

use std::ops::Range;

use clreduce_testcase::{Token, TokenKind, step};

/// Words without influence on structure.
const HIDDEN: [&[u8]; 6] =
    [b"__extension__", b"__restrict", b"__restrict__", b"__complex__", b"_Complex", b"__const"];

/// Words that stand for a shorter one that the grammar knows.
const SHORTER: [(&[u8], &[u8]); 5] = [
    (b"__decltype", b"decltype"),
    (b"__typeof__", b"decltype"),
    (b"__typeof", b"decltype"),
    (b"__underlying_type", b"decltype"),
    (b"__int128", b"int"),
];

/// Hides in the shadow text `out` of `bytes` what only GNU C++ has.
///
/// - Line markers, which may stand inside of anything, and words like `__extension__` become blanks, and so do
///   `__attribute__((...))` and the `__asm__("name")` of a declaration.
/// - An explicit instantiation declaration, `extern template ...;`, becomes a `using` declaration. The grammar does not know it
///   and would lose what follows; so it is a node that can go.
pub(super) fn hide(bytes: &[u8], tokens: &[Token], out: &mut [u8]) {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    let partners = parentheses(bytes, tokens);
    let mut at = 0;
    while at < tokens.len() {
        step();
        let word = text(at);
        let closing = partners.get(at + 1).copied().flatten();
        let mut last = at;
        match word {
            b"#" if begins_marker(bytes, tokens, at) => {
                let start = tokens[at].range().start;
                let end = bytes[start..].iter().position(|&byte| byte == b'\n');
                let end = end.map_or(bytes.len(), |length| start + length);
                blank(out, start..end);
                last = tokens.partition_point(|token| token.range().start < end) - 1;
            }
            b"__attribute__" | b"__attribute" if closing.is_some() => last = closing.unwrap_or(at),
            b"__asm__" | b"__asm" | b"asm" if closing.is_some() && is_declarator(text(at.wrapping_sub(1))) => {
                last = closing.unwrap_or(at);
            }
            b"extern" if text(at + 1) == b"template" => {
                let length = tokens[at..].iter().position(|token| {
                    matches!(&bytes[token.range()], b";" | b"{" | b"}" | b"#")
                });
                if let Some(end) = length.map(|length| at + length).filter(|&end| text(end) == b";") {
                    let range = tokens[at].range().start..tokens[end].range().start;
                    blank(out, range.clone());
                    out[range.start..range.start + 8].copy_from_slice(b"using a ");
                    at = end;
                    continue;
                }
            }
            _ if HIDDEN.contains(&word) => blank(out, tokens[at].range()),
            _ => {
                if let Some((_, known)) = SHORTER.iter().find(|(name, _)| *name == word) {
                    let range = tokens[at].range();
                    blank(out, range.clone());
                    out[range.start..range.start + known.len()].copy_from_slice(known);
                }
            }
        }
        if last > at {
            blank(out, tokens[at].range().start..tokens[last].range().end);
        }
        at = last + 1;
    }
}

/// Writes blanks, but leaves line breaks, which end directives.
fn blank(out: &mut [u8], range: Range<usize>) {
    out[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Returns whether what stands before `asm(...)` is the end of a declarator, so that it names a symbol and is no statement.
fn is_declarator(before: &[u8]) -> bool {
    !matches!(before, b"" | b";" | b"{" | b"}" | b":" | b"else" | b"do")
}

/// Returns whether a line marker begins at a token: `# 1 "x.h"`, or `#line 1 "x.h"`.
fn begins_marker(bytes: &[u8], tokens: &[Token], at: usize) -> bool {
    let start = tokens[at].range().start;
    let before = bytes[..start].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    let is_number = |index: usize| tokens.get(index).is_some_and(|t| t.kind == TokenKind::Number);
    let is_line = tokens.get(at + 1).is_some_and(|t| &bytes[t.range()] == b"line");
    matches!(before, None | Some(b'\n')) && (is_number(at + 1) || is_line && is_number(at + 2))
}

/// For each `(` the index of its `)`.
fn parentheses(bytes: &[u8], tokens: &[Token]) -> Vec<Option<usize>> {
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

#[cfg(test)]
mod tests {
    use clreduce_testcase::tokens;

    use super::*;

    fn shadow(source: &str) -> String {
        let tokens: Vec<Token> = tokens(source.as_bytes()).collect();
        let mut out = source.as_bytes().to_vec();
        hide(source.as_bytes(), &tokens, &mut out);
        assert_eq!(out.len(), source.len());
        String::from_utf8(out).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_the_grammar_does_not_know_is_hidden() {
        for (source, expected) in [
            ("__extension__ int f(int *__restrict p) __asm__(\"g\") __attribute__((a(\")\")));", "int f(int * p) ;"),
            ("void f() { __asm__(\"nop\"); }", "void f() { __asm__(\"nop\"); }"),
            ("struct A {\n# 1 \"x.h\" 3\nint a;\n#line 2\n};\n#define A 1\n", "struct A { int a; }; #define A 1"),
            ("extern template class A<int>; extern int x;", "using a ; extern int x;"),
            ("extern template", "extern template"),
            ("unsigned __int128 a; __decltype(a) b;", "unsigned int a; decltype (a) b;"),
        ] {
            assert_eq!(shadow(source), expected);
        }
    }
}
