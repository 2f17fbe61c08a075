//! Removes an operator with the operand before or behind it, where the parser fails; and makes a
//! compound assignment a plain one everywhere.
//!
//! before:
//! ```c
//! a = b + f(c) * 2 } ; x += 1;
//! ```
//! after:
//! ```c
//! a = b * 2 } ; x += 1;
//! ```

use clreduce_testcase::{Edit, TokenKind};

use crate::Snapshot;
use crate::analysis::Tokens;
use crate::pass::{ANY, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "operators",
    "Remove operators with one operand where the parser fails, and simplify assignments",
    ANY,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Tokens::unparsed(snapshot) {
        let partners = unit.partners();
        for index in 1..unit.tokens.len() {
            if !is_binary(unit.text(index)) {
                continue;
            }
            let before = operand_before(unit, &partners, index);
            let behind = operand_behind(unit, &partners, index);
            let spans = [behind.map(|last| (index, last)), before.map(|first| (first, index))];
            for ((first, last), list) in
                spans.into_iter().zip(0..).filter_map(|(s, list)| Some((s?, list)))
            {
                let edit = Edit::delete(unit.file, unit.span(first, last));
                proposals.push(Proposal::edit(edit).in_list(list));
            }
        }
    }
    for unit in Tokens::all(snapshot) {
        for token in unit.tokens {
            let text = &unit.bytes[token.range()];
            let compares = matches!(text, b"==" | b"!=" | b"<=" | b">=");
            if token.kind == TokenKind::Punctuation
                && text.len() > 1
                && text.ends_with(b"=")
                && !compares
            {
                let edit = Edit::replace(unit.file, token.range(), b"=".as_slice());
                proposals.push(Proposal::edit(edit).in_list(2));
            }
        }
    }
}

fn is_binary(text: &[u8]) -> bool {
    matches!(
        text,
        b"+" | b"-"
            | b"*"
            | b"/"
            | b"%"
            | b"&"
            | b"|"
            | b"^"
            | b"<<"
            | b">>"
            | b"<"
            | b">"
            | b"<="
            | b">="
            | b"=="
            | b"!="
            | b"&&"
            | b"||"
            | b"="
            | b"."
            | b"->"
            | b"?"
            | b":"
            | b","
    ) || (text.len() > 1 && text.ends_with(b"="))
}

/// The greatest reach of an operand, in tokens and groups: `a.b[c](d)`.
const REACH: usize = 8;

/// The last token of the operand that follows an operator: signs, a name or literal or group, and
/// the calls, elements and members behind it.
fn operand_behind(unit: Tokens<'_>, partners: &[usize], operator: usize) -> Option<usize> {
    let mut at = operator + 1;
    for _ in 0..REACH {
        if !matches!(unit.text(at), b"-" | b"+" | b"!" | b"~" | b"*" | b"&" | b"++" | b"--") {
            break;
        }
        at += 1;
    }
    let group = |at: usize| partners.get(at).is_some_and(|&close| close > at);
    let mut last = match unit.kind(at) {
        TokenKind::Punctuation if group(at) => partners[at],
        TokenKind::Punctuation => return None,
        _ => at,
    };
    for _ in 0..REACH {
        let next = last + 1;
        last = match unit.text(next) {
            b"(" | b"[" if group(next) => partners[next],
            b"." | b"->" if unit.kind(next + 1) == TokenKind::Word => next + 1,
            _ => break,
        };
    }
    Some(last)
}

/// The first token of the operand before an operator.
fn operand_before(unit: Tokens<'_>, partners: &[usize], operator: usize) -> Option<usize> {
    let mut at = operator.checked_sub(1)?;
    for _ in 0..REACH {
        if partners[at] < at {
            // Behind a group may stand what is called or indexed.
            at = partners[at];
            let named =
                at > 0 && (unit.kind(at - 1) == TokenKind::Word || partners[at - 1] < at - 1);
            if !named || unit.text(at) == b"{" {
                return Some(at);
            }
            at -= 1;
        } else if unit.kind(at) == TokenKind::Punctuation {
            return None;
        } else if at >= 2 && matches!(unit.text(at - 1), b"." | b"->") {
            at -= 2;
        } else {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::TEXT, before, keep, after);
    }

    #[test]
    fn operands_go_with_all_that_belongs_to_them() {
        check("a + -b.c[1](2) x", &["a"], "a x");
        check("f(a)[1] * b } x", &["b }"], "b } x");
    }

    #[test]
    fn compound_assignments_become_plain() {
        assert_reduces(
            &PASS,
            Language::C,
            "void f(int x) { x <<= 1; }",
            &[],
            "void f(int x) { x = 1; }",
        );
    }
}
