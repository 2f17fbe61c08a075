//! Blanks between the tokens of a line.

use clreduce_testcase::{TokenKind, tokens};

use super::roles::TokenRole;

/// A token with what the spacing needs to know of it.
#[derive(Clone, Copy)]
pub(super) struct SpacedToken<'a> {
    pub text: &'a [u8],
    pub kind: TokenKind,
    pub role: TokenRole,
    /// True if white space stood before it.
    pub spaced: bool,
}

/// Returns true if a blank goes between two tokens.
pub(super) fn blank_between(left: SpacedToken<'_>, right: SpacedToken<'_>) -> bool {
    looks_better_apart(left, right) || would_join(left.text, right.text)
}

fn looks_better_apart(left: SpacedToken<'_>, right: SpacedToken<'_>) -> bool {
    let is_name = |word: SpacedToken<'_>| word.kind != TokenKind::Punctuation;
    match (left.role, right.role) {
        _ if is_arrow(left) || is_arrow(right) => return true,
        (_, TokenRole::Attached) | (TokenRole::Attached, _) => return false,
        (_, TokenRole::OpenAngle) => return left.text == b"template",
        (TokenRole::OpenAngle, _) | (_, TokenRole::CloseAngle) => return false,
        // `sizeof...(T)`, but `class... T`.
        (TokenRole::Pack, _) if is_name(right) => return true,
        (_, TokenRole::Pack) => return left.text == b"," || left.role == TokenRole::Binary,
        (TokenRole::CloseAngle, TokenRole::Plain) if is_name(right) => return true,
        _ => {}
    }
    match (left.text, right.text) {
        (_, b"." | b"->" | b"::") | (b"." | b"->" | b"::", _) => return false,
        (_, b"<<<" | b">>>") | (b"<<<" | b">>>", _) => return false,
        (_, b"," | b")" | b"]") | (b"(" | b"[", _) => return false,
        (b";", b";") | (_, b";") => return false,
        (b"," | b";", _) => return true,
        _ => {}
    }
    match (left.role, right.role) {
        (TokenRole::Prefix | TokenRole::Pointer | TokenRole::Cast, _) => false,
        (_, TokenRole::Postfix | TokenRole::Label) => false,
        (TokenRole::Binary, _) | (_, TokenRole::Binary | TokenRole::Pointer | TokenRole::Apart) => {
            true
        }
        (_, TokenRole::Block | TokenRole::Members)
        | (TokenRole::Block | TokenRole::Members | TokenRole::Label, _) => true,
        (_, TokenRole::Inline) if right.text == b"}" => false,
        (TokenRole::Inline, _) if left.text == b"{" => false,
        (TokenRole::Inline, _) | (_, TokenRole::Inline) => true,
        (_, TokenRole::Prefix) => is_name(left) || left.text == b")",
        _ => match right.text {
            b"(" if left.role == TokenRole::Handler => true,
            b"(" => is_name(left) && takes_blank(left.text),
            b"[" => false,
            _ if is_name(right) => is_name(left) || matches!(left.text, b")" | b"]"),
            _ => right.spaced,
        },
    }
}

/// Returns true if a word is the arrow before a type.
fn is_arrow(word: SpacedToken<'_>) -> bool {
    word.text == b"->" && word.role == TokenRole::Binary
}

/// Keywords that stand apart from a parenthesis.
fn takes_blank(word: &[u8]) -> bool {
    matches!(word, b"if" | b"for" | b"while" | b"switch" | b"return" | b"case" | b"else" | b"do")
}

/// Returns true if two tokens written without a blank would be read as something else.
fn would_join(left: &[u8], right: &[u8]) -> bool {
    // Only the beginning of the right one can matter, and only the end of a left one that is no
    // literal; literals end with their quote.
    let text = [left, &right[..right.len().min(4)]].concat();
    tokens(&text).next().is_none_or(|first| first.end as usize != left.len())
}
