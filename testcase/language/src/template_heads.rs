//! Hides what the grammar does not know in the heads of templates: declarators in defaults of types, and arguments that are nested deep.

use clreduce_testcase::{Token, step};

use crate::shadow::blank;

/// In the head of a template: angle brackets as deep as this, if there are as many, become parentheses.
const DEEP: usize = 4;
const MANY: usize = 4;

/// Makes parentheses of the innermost angle brackets in the head of a template that begins with `<`, if there are many.
pub(crate) fn hide_nested_arguments(
    bytes: &[u8],
    tokens: &[Token],
    open: usize,
    partners: &[Option<usize>],
    out: &mut [u8],
) {
    let (mut depth, mut opened, mut changes) = (0_usize, 0_usize, Vec::new());
    let mut at = open;
    // Longer heads are left as they are.
    while at < tokens.len().min(open + 1024) {
        step();
        let range = tokens[at].range();
        match &bytes[range.clone()] {
            b"<" => {
                depth += 1;
                if depth >= DEEP {
                    opened += 1;
                    changes.push((range.start, b'('));
                }
            }
            b">" | b">>" | b">>>" => {
                for place in range {
                    if depth >= DEEP {
                        changes.push((place, b')'));
                    }
                    depth = depth.saturating_sub(1);
                }
                if depth == 0 {
                    break;
                }
            }
            b"(" => at = partners[at].unwrap_or(at),
            b";" | b"{" | b"}" => return,
            _ => {}
        }
        at += 1;
    }
    if depth == 0 && opened >= MANY {
        for (place, byte) in changes {
            out[place] = byte;
        }
    }
}

/// Returns whether a word begins a type parameter.
pub(crate) fn is_class(word: &[u8]) -> bool {
    matches!(word, b"class" | b"typename")
}

/// Hides what stands behind the name of the type that is the default of a type parameter: `*`, `&` and `(&)[2]`.
pub(crate) fn hide_default_declarator(
    bytes: &[u8],
    tokens: &[Token],
    equals: usize,
    out: &mut [u8],
) {
    let text = |index: usize| tokens.get(index).map_or(&b""[..], |token| &bytes[token.range()]);
    let mut depth = 0_i32;
    let mut end = equals + 1;
    // Longer defaults are left as they are.
    while end < tokens.len().min(equals + 64) {
        step();
        match text(end) {
            b"(" | b"[" | b"<" => depth += 1,
            b")" | b"]" => depth -= 1,
            closing @ (b">" | b">>" | b">>>") => {
                let length = i32::try_from(closing.len()).unwrap_or(3);
                match depth {
                    0 => break,
                    // What stands before belongs to an argument of the default.
                    inner if inner < length => return,
                    _ => depth -= length,
                }
            }
            b"," if depth <= 0 => break,
            b";" | b"{" | b"}" => return,
            _ => {}
        }
        end += 1;
    }
    let mut last = end;
    while last > equals + 2 {
        last = match text(last - 1) {
            b"*" | b"&" | b"&&" | b"const" => last - 1,
            b"]" if text(last - 3) == b"[" => last - 3,
            b"]" if text(last - 2) == b"[" => last - 2,
            b")" if matches!(text(last - 2), b"*" | b"&" | b"&&") && text(last - 3) == b"(" => {
                last - 3
            }
            _ => break,
        };
    }
    if last < end && end < tokens.len() && last > equals + 1 {
        blank(out, tokens[last].range().start..tokens[end - 1].range().end);
    }
}
